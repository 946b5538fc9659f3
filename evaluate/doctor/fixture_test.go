package doctor_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/doctor"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// fixture is a small data directory without a fault, for tests to break.
type fixture struct {
	listed   *dataset.Database // as in tables.json
	stored   []sqldata.Table   // as in the SQLite file
	rows     [][][]sqldata.Value
	examples []example
	views    []string          // statements that make those of the SQLite file
	files    map[string]string // further files of the directory, over those made from the above
	config   doctor.Config
}

type example struct {
	DB       string `json:"db_id"`
	Question string `json:"question"`
	Query    string `json:"query"`

	Answer []string `json:"answer,omitempty"` // in the place of gold SQL
}

func newFixture() *fixture {
	column := func(name string, typ dataset.Type) dataset.Column {
		return dataset.Column{Name: name, Original: name, Type: typ}
	}
	f := &fixture{listed: &dataset.Database{
		ID: "shows",
		Tables: []dataset.Table{
			{Name: "singer", Original: "singer", Columns: []dataset.Column{
				column("id", dataset.Number), column("name", dataset.Text), column("age", dataset.Number), column("fee", dataset.Text)}},
			{Name: "show", Original: "show", Columns: []dataset.Column{
				column("id", dataset.Number), column("singer_id", dataset.Number), column("title", dataset.Text)}},
		},
		PrimaryKeys: []dataset.ColumnRef{{Table: 0, Column: 0}, {Table: 1, Column: 0}},
		ForeignKeys: []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1, Column: 1}, Target: dataset.ColumnRef{Table: 0, Column: 0}}},
	}}
	f.stored = []sqldata.Table{
		{Name: "singer", PrimaryKey: []string{"id"}, Columns: []sqldata.Column{
			{Name: "id", Type: "INTEGER"}, {Name: "name", Type: "TEXT"}, {Name: "age", Type: "INTEGER"}, {Name: "fee", Type: "TEXT"}}},
		{Name: "show", PrimaryKey: []string{"id"}, Columns: []sqldata.Column{
			{Name: "id", Type: "INTEGER"}, {Name: "singer_id", Type: "INTEGER"}, {Name: "title", Type: "TEXT"}},
			ForeignKeys: []sqldata.ForeignKey{{Columns: []string{"singer_id"}, Table: "singer", References: []string{"id"}}}},
	}
	f.rows = [][][]sqldata.Value{
		{row(1, "Ada", 30, "900"), row(2, "Bo", 41, "1000"), row(3, "Cy", 52, "n/a")},
		{row(1, 1, "Dawn"), row(2, 1, "Dusk"), row(3, 3, "Noon")},
	}
	f.ask("How many singers are there?", "SELECT count(*) FROM singer")
	return f
}

func row(values ...any) []sqldata.Value {
	cells := make([]sqldata.Value, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case int:
			cells[i] = sqldata.NewInt(int64(v))
		case string:
			cells[i] = sqldata.NewText(v)
		}
	}
	return cells
}

// ask adds an example.
func (f *fixture) ask(question, query string) {
	f.examples = append(f.examples, example{DB: f.listed.ID, Question: question, Query: query})
}

// gold adds an example whose question does not matter.
func (f *fixture) gold(query string) { f.ask("Question of "+query, query) }

// write writes the data directory and returns what to audit.
func (f *fixture) write(t *testing.T) doctor.Config {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tables, err := os.Create(filepath.Join(dir, "tables.json"))
	must(err)
	w := dataset.NewTablesWriter(tables)
	must(w.Write(f.listed))
	must(w.Close())
	must(tables.Close())
	examples, err := json.Marshal(f.examples)
	must(err)
	must(os.WriteFile(filepath.Join(dir, "dev.json"), examples, 0o666))
	if f.stored != nil {
		path := dataset.SQLitePath(dir, f.listed.ID)
		must(os.MkdirAll(filepath.Dir(path), 0o777))
		must(sqlite.Create(t.Context(), path, f.stored, f.rows))
		for _, view := range f.views {
			db, err := sql.Open("sqlite", path)
			must(err)
			_, err = db.Exec(view)
			must(errors.Join(err, db.Close()))
		}
	}
	for name, content := range f.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(path), 0o777))
		must(os.WriteFile(path, []byte(content), 0o666))
	}
	c := f.config
	c.Data, c.Split = dir, "dev"
	return c
}

// run audits and returns the findings.
func run(t *testing.T, c doctor.Config) (found []doctor.Finding, err error) {
	_, err = doctor.Run(t.Context(), c, func(f doctor.Finding) { found = append(found, f) })
	return found, err
}

func audit(t *testing.T, c doctor.Config) (doctor.Summary, []doctor.Finding) {
	t.Helper()
	var found []doctor.Finding
	if c.Workers == 0 {
		c.Workers = 2
	}
	s, err := doctor.Run(t.Context(), c, func(f doctor.Finding) { found = append(found, f) })
	if err != nil {
		t.Fatal(err)
	}
	return s, found
}
