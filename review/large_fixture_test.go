package review

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// large is the size of a data directory in the form of WikiSQL: a database for each
// table.
type large struct{ tables, columns, questions, names, cells int }

// writeLarge writes such a data directory with its buckets.json; only the first tables
// have rows.
func writeLarge(t *testing.T, dir string, l large) {
	t.Helper()
	l.questions, l.names = max(1, l.questions), max(1, l.names)
	var dbs []*dataset.Database
	buckets := dataset.Buckets{}
	for i := range l.tables {
		name := fmt.Sprintf("table_%d", i)
		db := &dataset.Database{ID: name, Tables: []dataset.Table{{Name: strings.ReplaceAll(name, "_", " "), Original: name, Caption: "caption of " + name}}}
		for c := range l.columns {
			column := fmt.Sprintf("column_%d_%d", i, c)
			db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: strings.ReplaceAll(column, "_", " "), Original: column, Type: dataset.Text})
			id := dataset.ColumnID{DB: name, Table: name, Column: column}
			buckets[id.Key()] = dataset.Bucket{Replace: candidates(l, "replace", 0.65), Add: candidates(l, "add", 0)}
		}
		dbs = append(dbs, db)
		if i < 20 {
			makeRows(t, dir, db)
		}
	}
	files := map[string]func(io.Writer) error{
		"tables.json":  func(w io.Writer) error { return writeTables(w, dbs) },
		"dev.json":     func(w io.Writer) error { return writeSplit(w, dbs, l.questions) },
		"buckets.json": func(w io.Writer) error { return dataset.WriteBuckets(w, 1, dbs, buckets) },
	}
	for name, write := range files {
		if err := outdir.WriteFile(filepath.Join(dir, name), write); err != nil {
			t.Fatal(err)
		}
	}
}

func candidates(l large, name string, least float64) (list []dataset.Candidate) {
	for i := range l.names {
		c := dataset.Candidate{
			Name: fmt.Sprintf("%s %d", name, i), Source: "retrieval", Evidence: fmt.Sprintf("web table %d: a caption of some length", i),
			Type: dataset.Text, Similarity: 0.5, Forward: least + float64(i)/100, Backward: least + float64(i)/50,
		}
		for j := range l.cells {
			c.Cells = append(c.Cells, fmt.Sprintf("the value %d of %d", j, i))
		}
		list = append(list, c)
	}
	return list
}

func makeRows(t *testing.T, dir string, db *dataset.Database) {
	t.Helper()
	table := sqldata.Table{Name: db.Tables[0].Original}
	var row []sqldata.Value
	for _, c := range db.Tables[0].Columns {
		table.Columns = append(table.Columns, sqldata.Column{Name: c.Original, Type: "TEXT"})
		row = append(row, sqldata.NewText("cell of "+c.Name))
	}
	path := filepath.Join(dir, "database", db.ID, db.ID+".sqlite")
	if err := sqlite.Create(t.Context(), path, []sqldata.Table{table}, [][][]sqldata.Value{slices.Repeat([][]sqldata.Value{row}, 20)}); err != nil {
		t.Fatal(err)
	}
}

func writeTables(w io.Writer, dbs []*dataset.Database) error {
	out := dataset.NewTablesWriter(w)
	for _, db := range dbs {
		if err := out.Write(db); err != nil {
			return err
		}
	}
	return out.Close()
}

// writeSplit writes questions on each database, which ask for its columns in turn.
func writeSplit(w io.Writer, dbs []*dataset.Database, questions int) error {
	out := dataset.NewSplitWriter(w)
	for _, db := range dbs {
		table := &db.Tables[0]
		for i := range questions {
			c := &table.Columns[i%len(table.Columns)]
			ex := &dataset.Example{DB: db.ID, Question: fmt.Sprintf("What is the %s of row %d?", c.Name, i), Query: fmt.Sprintf("SELECT %s FROM %s WHERE %s = 'cell %d'", c.Original, table.Original, c.Original, i)}
			if err := out.Write(dataset.NewSpiderExample(db, ex)); err != nil {
				return err
			}
		}
	}
	return out.Close()
}
