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

// addSamples adds records of each perturbation, spread evenly over those that it changed.
// The records are read once, one at a time.
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
			return fmt.Errorf("%s: has %d records of %s, expected %d as manifest.json says", filepath.Join(dir, benchmark.RecordsFile), seen[r.Name], label(r.Name), r.Verified)
		}
		if len(drawn[r.Name]) == 0 {
			continue
		}
		p := Part{Title: label(r.Name), Text: []string{fmt.Sprintf("%d of %d records.", len(drawn[r.Name]), r.Verified)}}
		if err := schemas.load(r.Name, drawn[r.Name], o.Warn); err != nil {
			return err
		}
		p.Records = lists.Map(drawn[r.Name], func(rec dataset.Record) Record { return schemas.record(&rec) })
		s.add(p)
	}
	return nil
}

// eachChanged passes the changed records of a build that match to each, all of them if match is nil.
// n is the number of records of the same perturbation that it passed before, and verified the number of all
// verified records of that perturbation. It returns how many records of each perturbation it passed.
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

// isSpread reports whether record n of total is one of the samples to show: those in the middle of
// equal sections.
func isSpread(n, total, samples int) bool {
	if total <= samples {
		return true
	}
	// Record n is the middle of stretch k where (2k+1)*total/(2*samples) is n.
	k := n * samples / total
	for ; k < samples && (2*k+1)*total/(2*samples) < n; k++ {
	}
	return k < samples && (2*k+1)*total/(2*samples) == n
}

// schemas are the original databases of a build, read as they are needed.
type schemas struct {
	dir  string
	byID map[string]*dataset.Database
}

// load reads the schemas before, by which a report shows what a record changed, of the records that change one and whose schema is
// not loaded yet. If the build has no schemas, its records show none.
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

// record makes a record of the document.
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

// goldAfter returns the gold SQL of a record after its edits, or that there is none.
func goldAfter(rec *dataset.Record) string {
	if rec.Relation == string(perturb.Unanswerable) {
		return "none: the question has no answer"
	}
	return rec.QueryPost
}

// maxTables bounds the tables that are shown of a changed schema.
const maxTables = 12

// schemaChanges returns the tables whose columns, labels or keys changed, and the order
// of tables if that did.
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

// tableLine writes a table as text: names in SQL, in brackets the natural names that
// read otherwise, and the keys.
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
