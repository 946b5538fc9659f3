package nli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// EntitiesFile is the file of a data directory with the primary entities of its tables, which
// people can correct: a JSON array of [TableEntity], one a line, ordered by database and
// table.
const EntitiesFile = "entities.json"

// TableEntity is the primary entity of a table.
type TableEntity struct {
	DB          string  `json:"db_id"`
	Table       string  `json:"table"` // SQL name
	Entity      string  `json:"entity"`
	Probability float64 `json:"probability,omitempty"` // among the classes, 0..1, four places
	Model       string  `json:"model,omitempty"`       // key of the model, its hypothesis and classes
	Premise     string  `json:"premise,omitempty"`     // hash of the table's premise
	// By names who wrote the entry, such as "person". Such an entry counts whatever a model
	// predicts. An entry without it is a model's prediction, which is replaced if model
	// or premise changes.
	By string `json:"by,omitempty"`
}

// Entities are the entries of an [EntitiesFile]. It is read-only, and safe for concurrent use.
type Entities struct {
	path    string
	damaged bool                      // the file has entries that could not be read, so it is not overwritten
	entries map[[2]string]TableEntity // by [TableEntity.key]
}

// ReadEntities reads the file at path; a missing file has no entries. It skips entries that
// cannot be read and reports each as a [dataset.Note]. A file with such entries is never
// overwritten, so that nothing that people wrote is lost.
func ReadEntities(path string, report func(error)) *Entities {
	e := &Entities{path: path, entries: map[[2]string]TableEntity{}}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return e
	}
	damaged := 0
	damage := func(err error) {
		e.damaged = true
		if damaged++; damaged <= maxWarnings {
			report(dataset.Note(err))
		}
	}
	err := dataset.Records(path, damage, func(raw dataset.Raw) (t TableEntity, err error) {
		return t, e.entry(raw.JSON, &t)
	}, func(t TableEntity) error {
		e.entries[t.key()] = t
		return nil
	})
	if err != nil {
		damage(err)
	}
	if e.damaged {
		report(dataset.Note(fmt.Errorf("%s: is left as it is, and what it lacks is predicted in each run; repair it or delete it", path)))
	}
	return e
}

// entry decodes raw into t and checks it. It rejects an entry of a table that an earlier entry has.
func (e *Entities) entry(raw []byte, t *TableEntity) error {
	if err := dataset.Decode(raw, t); err != nil {
		return err
	}
	switch _, repeated := e.entries[t.key()]; {
	case t.DB == "":
		return dataset.Missing("db_id")
	case t.Table == "":
		return dataset.Missing("table")
	case strings.TrimSpace(t.Entity) == "":
		return dataset.Missing("entity")
	case t.By == "" && (t.Model == "" || t.Premise == ""):
		return errors.New(`has neither "by" nor "model" and "premise", expected "by": "person" for what a person wrote`)
	case repeated:
		return fmt.Errorf("%s.%s is there already, expected each once; this one is left out", dataset.Clip(t.DB), dataset.Clip(t.Table))
	}
	return nil
}

// key returns the database, and the name of the table in lower case, as SQL names ignore case.
func (t TableEntity) key() [2]string { return [2]string{t.DB, strings.ToLower(t.Table)} }

// Fingerprint returns a hash of the entries that people wrote, or "" if there are none. It leaves out the entries of
// models, which follow from the models and the tables.
func (e *Entities) Fingerprint() string {
	var entries strings.Builder
	for _, t := range e.sorted() {
		if t.By != "" {
			fmt.Fprintf(&entries, "%q %q %q\n", t.DB, strings.ToLower(t.Table), t.Entity)
		}
	}
	if entries.Len() == 0 {
		return ""
	}
	return digest(entries.String())
}

// sorted returns the entries by database and table.
func (e *Entities) sorted() []TableEntity {
	return slices.SortedFunc(maps.Values(e.entries), func(a, b TableEntity) int {
		return cmp.Or(cmp.Compare(a.DB, b.DB), cmp.Compare(a.key()[1], b.key()[1]))
	})
}

// Write adds found entries to those of the file and writes the file, whole or not at all. It
// never replaces an entry of a person, and does not write if no entry changes.
func (e *Entities) Write(found []TableEntity) error {
	if e.damaged { // what cannot be read must not be overwritten
		return nil
	}
	all := &Entities{entries: maps.Clone(e.entries)}
	for _, t := range found {
		if old := all.entries[t.key()]; old.By == "" {
			all.entries[t.key()] = t
		}
	}
	if maps.Equal(all.entries, e.entries) {
		return nil
	}
	err := outdir.WriteFile(e.path, func(w io.Writer) error { return writeEntities(w, all.sorted()) })
	if err != nil {
		return fmt.Errorf("primary entities are not kept: %w", err)
	}
	return nil
}

// writeEntities writes entries as a JSON array with an entry on each line, or "[]" without entries.
func writeEntities(w io.Writer, list []TableEntity) error {
	separator := "[" // before an entry
	for _, t := range list {
		var line strings.Builder
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(t); err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator+"\n"+strings.TrimSuffix(line.String(), "\n")); err != nil {
			return err
		}
		separator = ","
	}
	end := "\n]\n"
	if len(list) == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// Entity returns the primary entity of a table from the first of these that has one: an entry of a
// person in known, the table's own name, an entry of the same model and premise in known, a
// prediction. entry is the entity's entry: a new one for a prediction, nil for a table's name. known
// may be nil.
func (e *EntityPredictor) Entity(ctx context.Context, db string, t *dataset.Table, known *Entities) (name string, entry *TableEntity, err error) {
	predicted := TableEntity{DB: db, Table: t.Original}
	var stored TableEntity
	if known != nil {
		stored = known.entries[predicted.key()]
	}
	if stored.By != "" { // a person wrote it
		return strings.TrimSpace(stored.Entity), &stored, nil
	}
	if name, ok := tableName(t); ok {
		return name, nil, nil
	}
	predicted.Model, predicted.Premise = e.key(), digest(entityPremise(t, t.Caption))
	if stored.Entity != "" && stored.Model == predicted.Model && stored.Premise == predicted.Premise {
		return strings.TrimSpace(stored.Entity), &stored, nil
	}
	classes, err := e.Predict(ctx, t, t.Caption)
	if err != nil {
		return "", nil, err
	}
	predicted.Entity, predicted.Probability = classes[0].Name, decimal.Round(classes[0].Probability)
	return predicted.Entity, &predicted, nil
}

// key returns a key of all that predictions depend on: the model, the hypothesis, the classes and the cues. It is "" without
// a model.
func (e *EntityPredictor) key() string {
	if e.Classifier == nil {
		return ""
	}
	parts := append([]string{entityHypothesis}, e.classes()...)
	if e.Cues != nil {
		parts = append(parts, e.Cues.key)
	}
	return e.Classifier.Key() + "/" + digest(strings.Join(parts, "\x00"))
}

// digest returns 16 hexadecimal digits of the SHA-256 sum of s.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
