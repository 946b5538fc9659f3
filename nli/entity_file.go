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
	"math"
	"os"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
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
	// predicts. An entry without it is a model's prediction, which is replaced where model
	// or premise changes.
	By string `json:"by,omitempty"`
}

// Entities are the entries of an [EntitiesFile]. It is read-only, and safe for concurrent use.
type Entities struct {
	path    string
	damaged bool // the file has entries that could not be read, so it is not overwritten
	entries map[[2]string]TableEntity
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

// entry decodes and checks an entry, which must be the first of its table.
func (e *Entities) entry(raw []byte, t *TableEntity) error {
	if err := dataset.Decode(raw, t); err != nil {
		return err
	}
	switch _, there := e.entries[t.key()]; {
	case t.DB == "":
		return dataset.Missing("db_id")
	case t.Table == "":
		return dataset.Missing("table")
	case strings.TrimSpace(t.Entity) == "":
		return dataset.Missing("entity")
	case t.By == "" && (t.Model == "" || t.Premise == ""):
		return errors.New(`has neither "by" nor "model" and "premise", expected "by": "person" for what a person wrote`)
	case there:
		return fmt.Errorf("%s.%s is there already, expected each once; this one is left out", dataset.Clip(t.DB), dataset.Clip(t.Table))
	}
	return nil
}

// key returns the database and the name of the table in lower case.
func (t TableEntity) key() [2]string { return [2]string{t.DB, strings.ToLower(t.Table)} }

// Fingerprint identifies the entries that people wrote; "" where there are none. The models'
// entries follow from models and tables.
func (e *Entities) Fingerprint() string {
	h := sha256.New()
	for _, t := range e.sorted() {
		if t.By != "" {
			fmt.Fprintf(h, "%q %q %q\n", t.DB, strings.ToLower(t.Table), t.Entity)
		}
	}
	sum := h.Sum(nil)
	if [sha256.Size]byte(sum) == sha256.Sum256(nil) {
		return ""
	}
	return hex.EncodeToString(sum[:8])
}

// sorted returns the entries by database and table.
func (e *Entities) sorted() []TableEntity {
	return slices.SortedFunc(maps.Values(e.entries), func(a, b TableEntity) int {
		return cmp.Or(cmp.Compare(a.DB, b.DB), cmp.Compare(a.key()[1], b.key()[1]))
	})
}

// Write adds found entries to those of the file and writes the file, whole or not at all. It
// never replaces an entry of a person, and does not write where no entry changes.
func (e *Entities) Write(found []TableEntity) error {
	if e.damaged {
		return nil
	}
	all := &Entities{path: e.path, entries: maps.Clone(e.entries)}
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

// writeEntities writes entries as a JSON array, one a line.
func writeEntities(w io.Writer, list []TableEntity) error {
	between := "["
	for _, t := range list {
		var line strings.Builder
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(t); err != nil {
			return err
		}
		if _, err := io.WriteString(w, between+"\n"+strings.TrimSuffix(line.String(), "\n")); err != nil {
			return err
		}
		between = ","
	}
	end := "\n]\n"
	if len(list) == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w, end)
	return err
}

// Known returns the entity of a table: the one that a person wrote in known; else the table's
// name, where it is a real one; else the entry of the same model and premise in known; else a
// prediction. entry is the entity's entry, a new one for a prediction, nil for a table's name.
// known may be nil.
func (e *EntityPredictor) Known(ctx context.Context, db string, t *dataset.Table, known *Entities) (name string, entry *TableEntity, err error) {
	now := TableEntity{DB: db, Table: t.Original}
	var old TableEntity
	if known != nil {
		old = known.entries[now.key()]
	}
	if old.By != "" {
		return strings.TrimSpace(old.Entity), &old, nil
	}
	if name, ok := nameOf(t); ok {
		return name, nil, nil
	}
	now.Model, now.Premise = e.key(), digest(entityPremise(t, t.Caption))
	if old.Entity != "" && old.Model == now.Model && old.Premise == now.Premise {
		return strings.TrimSpace(old.Entity), &old, nil
	}
	classes, err := e.Predict(ctx, t, t.Caption)
	if err != nil {
		return "", nil, err
	}
	now.Entity, now.Probability = classes[0].Name, math.Round(1e4*classes[0].Probability)/1e4
	return now.Entity, &now, nil
}

// key identifies the model, its hypothesis, classes and cues.
func (e *EntityPredictor) key() string {
	if e.Classifier == nil {
		return ""
	}
	asked := []string{entityHypothesis}
	asked = append(asked, e.classes()...)
	if e.Cues != nil {
		asked = append(asked, e.Cues.key)
	}
	return e.Classifier.Key() + "/" + digest(strings.Join(asked, "\x00"))
}

// digest returns 16 hexadecimal digits of the SHA-256 sum of s.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
