package report

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
)

// Wanted selects records of a build for [Show].
type Wanted struct {
	Perturbations []string // only these, by name; all if empty
	IDs           []string // "12", an example; "12/0", one of its samples; else a database, before or after; all if empty
	Most          int      // of each perturbation: without IDs spread evenly, with them the first; 0 for all
}

// Shown is a record with rows of the tables whose cells changed.
type Shown struct {
	Record
	DBPost      string   `json:"db_id_post"`
	Rows        []RowsOf `json:"rows,omitempty"`
	RowsProblem string   `json:"rows_problem,omitempty"` // why there are no rows
}

// RowsOf are the first rows of a table, before and after.
type RowsOf struct {
	Table  string     `json:"table"`
	Before [][]string `json:"before"`
	After  [][]string `json:"after"`
}

// Show returns the wanted records of a build, in the order of its file of records. It is an error if there are none. Problems that
// only reduce what is shown are passed to warn.
func Show(ctx context.Context, dir string, m *benchmark.Manifest, w Wanted, warn func(error)) ([]Shown, error) {
	drawn := []dataset.Record{}
	_, err := eachChanged(dir, m, w.matches, func(rec dataset.Record, n, verified int) {
		if w.takes(n, verified) {
			drawn = append(drawn, rec)
		}
	})
	if err != nil {
		return nil, err
	}
	if len(drawn) == 0 {
		return nil, fmt.Errorf("%s: has no such record, expected an example as 12, one of its samples as 12/0, or a db_id", filepath.Join(dir, benchmark.RecordsFile))
	}
	list := make([]Shown, 0, len(drawn))
	originals := &schemas{dir: dir, byID: map[string]*dataset.Database{}}
	for _, rec := range drawn {
		if err := originals.load(rec.Perturbation, []dataset.Record{rec}, warn); err != nil {
			return nil, err
		}
		list = append(list, originals.shown(ctx, &rec))
	}
	return list, nil
}

// matches reports whether a record is of one of the wanted perturbations and has one of the wanted ids, see [Wanted.IDs].
func (w *Wanted) matches(r *dataset.Record) bool {
	if !slices.Contains(w.Perturbations, r.Perturbation) {
		return false
	}
	example := strconv.Itoa(int(r.Example))
	names := []string{example, example + "/" + strconv.Itoa(int(r.Sample)), r.DBPre, r.DBPost}
	return len(w.IDs) == 0 || slices.ContainsFunc(w.IDs, func(id string) bool { return slices.Contains(names, id) })
}

// takes reports whether the n-th match of a perturbation is shown, n from 0; verified is the number of
// all verified records of the perturbation.
func (w *Wanted) takes(n, verified int) bool {
	switch {
	case w.Most == 0:
		return true
	case len(w.IDs) > 0:
		return n < w.Most
	}
	return isSpread(n, verified, w.Most)
}

// shown returns a record with its changes and, if its edits change the cells of the database, the first rows of the tables that
// changed. They are read from the SQLite files of the build.
func (s *schemas) shown(ctx context.Context, rec *dataset.Record) Shown {
	v := Shown{Record: s.record(rec), DBPost: clean(rec.DBPost, maxLabel)}
	edits, err := perturb.UnmarshalEdits([]byte(rec.Edits))
	if err != nil || rec.DBPre == rec.DBPost || !perturb.ChangesContent(perturb.SchemaEdits(edits)) {
		return v // the cells are the same
	}
	folder := filepath.Join(s.dir, filepath.FromSlash(rec.Perturbation))
	files := [2]string{
		dataset.FindContent(filepath.Join(folder, "pre"), rec.DBPre), dataset.FindContent(filepath.Join(folder, "post"), rec.DBPost),
	}
	if files[0] == "" || files[1] == "" {
		v.RowsProblem = "the build was written without databases"
		return v
	}
	before := s.byID[rec.DBPre]
	if before == nil { // the build has no such schema
		return v
	}
	if after, err := perturb.ApplySchema(before, edits); err == nil {
		v.rows(ctx, files, [2]*dataset.Database{before, after}, perturb.NamesAfter(edits))
	}
	return v
}

// rows adds the first rows, before and after, of each changed table in which they differ. files and schemas are those before and
// after; names maps tables to their names after.
func (v *Shown) rows(ctx context.Context, files [2]string, schemas [2]*dataset.Database, names *perturb.Names) {
	for _, c := range v.Changes {
		table, ok := strings.CutPrefix(c.What, "table ")
		if !ok || c.Same() {
			continue
		}
		after, _ := names.After(table, "")
		rows := RowsOf{Table: table}
		var problems [2]error
		rows.Before, problems[0] = firstRows(ctx, files[0], schemas[0], table)
		if strings.EqualFold(after, table) || schemas[0].Table(after) < 0 { // else it was merged into another
			rows.After, problems[1] = firstRows(ctx, files[1], schemas[1], after)
		}
		if err := errors.Join(problems[:]...); err != nil {
			v.RowsProblem = cleanText(err.Error())
		}
		if !slices.EqualFunc(rows.Before, rows.After, slices.Equal) {
			v.Rows = append(v.Rows, rows)
		}
	}
}

// How much is read of a table for a person who waits.
const (
	shownRows = 2
	maxCell   = 40
)

var rowLimits = sqldata.Limits{Time: 2 * time.Second, Rows: shownRows, Bytes: 8 << 20}

// firstRows reads the first rows of a table from a SQLite file, as text; none if the schema has no such table.
func firstRows(ctx context.Context, path string, schema *dataset.Database, table string) ([][]string, error) {
	if schema.Table(table) < 0 {
		return nil, nil
	}
	db, err := engine.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	res, err := db.Query(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT %d", sqldata.QuoteName(table), shownRows), rowLimits)
	if err != nil {
		return nil, err
	}
	rows := [][]string{}
	for _, row := range res.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = "NULL"
			if !v.IsNull() {
				cells[i] = clean(v.String(), maxCell)
			}
		}
		rows = append(rows, cells)
	}
	return rows, nil
}
