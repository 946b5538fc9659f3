package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// addSamples adds records of each perturbation, spread evenly over those that it changed. It reads the records once, and checks their
// numbers against the manifest.
func (s *Section) addSamples(dir string, m *benchmark.Manifest, o *Options) error {
	if o.Samples == 0 {
		return nil
	}
	drawn := map[string][]dataset.Record{}
	seen, err := eachChanged(dir, m, nil, func(rec dataset.Record, n, verified int) {
		if isSpread(n, verified, o.Samples) {
			drawn[rec.Perturbation] = append(drawn[rec.Perturbation], rec)
		}
	})
	if err != nil {
		return err
	}
	s.add(Part{Title: "Before and after", Text: []string{fmt.Sprintf("At most %d records of each perturbation, spread evenly over those that it changed. What changed is marked: struck out before, underlined after. Of a schema the tables that changed are shown.", o.Samples)}})
	schemas := &schemas{dir: dir, byID: map[string]*dataset.Database{}}
	for _, r := range m.Perturbations {
		if seen[r.Name] != r.Verified {
			return fmt.Errorf("%s: has %d records of %s, expected %d as manifest.json says", filepath.Join(dir, benchmark.RecordsFile), seen[r.Name], cleanLabel(r.Name), r.Verified)
		}
		if len(drawn[r.Name]) == 0 {
			continue
		}
		p := Part{Title: cleanLabel(r.Name), Text: []string{fmt.Sprintf("%d of %d records.", len(drawn[r.Name]), r.Verified)}}
		if err := schemas.load(r.Name, drawn[r.Name], o.Warn); err != nil {
			return err
		}
		p.Records = lists.Map(drawn[r.Name], func(rec dataset.Record) Record { return schemas.record(&rec) })
		s.add(p)
	}
	return nil
}

// eachChanged reads the records of a build and passes each one that changed something and that match accepts (nil: all) to each. n counts
// the records of its perturbation that were passed before; verified is the number of its verified records by the manifest. It returns how
// many records of each perturbation it passed.
func eachChanged(dir string, m *benchmark.Manifest, match func(*dataset.Record) bool, each func(rec dataset.Record, n, verified int)) (map[string]int, error) {
	verified, seen := map[string]int{}, map[string]int{}
	for _, r := range m.Perturbations {
		verified[r.Name] = r.Verified
	}
	err := recordfile.Read(filepath.Join(dir, benchmark.RecordsFile), func(rec dataset.Record) error {
		if rec.Unchanged() || match != nil && !match(&rec) {
			return nil
		}
		each(rec, seen[rec.Perturbation], verified[rec.Perturbation])
		seen[rec.Perturbation]++
		return nil
	})
	return seen, err
}

// isSpread reports whether record n of total, from 0, is a sample to show. Divided into as many equal sections as there are samples,
// the records in the middle of the sections are.
func isSpread(n, total, samples int) bool {
	if total <= samples {
		return true
	}
	middle := func(section int) int { return (2*section + 1) * total / (2 * samples) }
	k := n * samples / total // the section of n, or the one before
	for k < samples && middle(k) < n {
		k++
	}
	return k < samples && middle(k) == n
}

// schemas are the original databases of a build, read as they are needed.
type schemas struct {
	dir  string
	byID map[string]*dataset.Database
}

// load reads the schemas before the perturbation that records change, unless they are loaded: their changes are shown by them. If the
// build has no schemas, it warns.
func (s *schemas) load(perturbation string, records []dataset.Record, warn func(error)) error {
	missing := map[string]bool{}
	for _, rec := range records {
		if rec.DBPre != rec.DBPost && s.byID[rec.DBPre] == nil {
			missing[rec.DBPre] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	dir := filepath.Join(s.dir, filepath.FromSlash(perturbation), "pre")
	err := dataset.ReadTables(filepath.Join(dir, "tables.json"), warn, func(db *dataset.Database) error {
		if missing[db.ID] {
			s.byID[db.ID] = db
		}
		return nil
	})
	if errors.Is(err, os.ErrNotExist) {
		warn(dataset.Note(err))
		return nil
	}
	return err
}

// record returns a record with its changes: the question, the gold SQL and, if its schema is loaded and changed, tables.
func (s *schemas) record(rec *dataset.Record) Record {
	edits, err := perturb.UnmarshalEdits([]byte(rec.Edits))
	if err != nil {
		edits = nil // the texts are shown all the same
	}
	r := Record{Perturbation: clean(rec.Perturbation, maxLabel), Example: int(rec.Example), Sample: int(rec.Sample), DB: clean(rec.DBPre, maxLabel), Content: clean(rec.Content, maxLabel)}
	r.Changes = append(r.Changes, questionChange(rec, edits), newChange("gold SQL", true, rec.QueryPre, goldAfter(rec)))
	before := s.byID[rec.DBPre]
	if rec.DBPre == rec.DBPost || before == nil {
		return r
	}
	after, err := perturb.ApplySchema(before, edits)
	if err != nil {
		return r
	}
	r.Changes = append(r.Changes, schemaChanges(before, after, edits)...)
	return r
}

// goldAfter returns the gold SQL of a record after its edits, or a text that it has none: the question has no answer.
func goldAfter(rec *dataset.Record) string {
	if rec.Relation == string(perturb.Unanswerable) {
		return "none: the question has no answer"
	}
	return rec.QueryPost
}

// maxTables bounds the tables that are shown of a changed schema.
const maxTables = 12

// schemaChanges returns the changes between two schemas: tables whose text by tableLine differs, with those that are new or gone, and
// the order of tables if the edits shuffled it. There are at most maxTables.
func schemaChanges(before, after *dataset.Database, edits []perturb.Edit) (list []Change) {
	names := perturb.NamesAfter(edits)
	taken := make([]bool, len(after.Tables)) // tables after that have a counterpart before
	var order []string
	for t := range before.Tables {
		name := before.Tables[t].Original
		order = append(order, name)
		newName, _ := names.After(name, "")
		lineAfter := "" // stays empty for a table that goes
		// A merged table goes: its new name is that of another table before.
		if at := after.Table(newName); at >= 0 && (strings.EqualFold(newName, name) || before.Table(newName) < 0) {
			taken[at] = true
			lineAfter = tableLine(after, at)
		}
		if lineBefore := tableLine(before, t); lineBefore != lineAfter {
			list = append(list, newChange("table "+clean(name, maxLabel), true, lineBefore, lineAfter))
		}
	}
	var orderAfter []string
	for t := range after.Tables {
		orderAfter = append(orderAfter, after.Tables[t].Original)
		if !taken[t] {
			list = append(list, newChange("table "+clean(after.Tables[t].Original, maxLabel), true, "", tableLine(after, t)))
		}
	}
	if slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, ok := e.(perturb.ShuffleTables); return ok }) {
		list = append(list, newChange("order of tables", true, commaList(order), commaList(orderAfter)))
	}
	return list[:min(len(list), maxTables)]
}

// maxColumns bounds the columns that are shown of a table.
const maxColumns = 60

// tableLine returns a table as text: its name and its columns by SQL name, with differing natural names in brackets, and the keys:
// "singer (id primary key, nm [name], band references band)".
func tableLine(db *dataset.Database, t int) string {
	table := &db.Tables[t]
	var names []string
	for c := range table.Columns {
		if c == maxColumns {
			names = append(names, fmt.Sprintf("and %d more", len(table.Columns)-c))
			break
		}
		col := &table.Columns[c]
		name := bothNames(col.Original, col.Name)
		if slices.Contains(db.PrimaryKeys, dataset.ColumnRef{Table: t, Column: c}) {
			name += " primary key"
		}
		for _, k := range db.ForeignKeys {
			if (k.Column == dataset.ColumnRef{Table: t, Column: c}) {
				name += " references " + db.Tables[k.Target.Table].Original
			}
		}
		names = append(names, name)
	}
	return bothNames(table.Original, table.Name) + " (" + commaList(names) + ")"
}
