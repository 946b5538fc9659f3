package augment

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// headers proposes nothing and notes the columns that it is asked about, and how many
// questions are on the table.
type headers struct{ seen []string }

func (h *headers) source() Source { return Source{Propose: h.propose} }

func (h *headers) propose(_ context.Context, _ *Resources, a *Asked) ([][]Proposal, error) {
	t := a.table()
	for _, c := range t.Columns {
		h.seen = append(h.seen, c.Original)
	}
	h.seen = append(h.seen, fmt.Sprint(len(questionsOn(a.Unit, a.Table)), " questions"))
	return make([][]Proposal, len(t.Columns)), nil
}

func TestDerivedColumns(t *testing.T) {
	column := func(name, base string) dataset.Column {
		return dataset.Column{Name: name, Original: name, Type: dataset.Text, Base: base}
	}
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Name: "races", Original: "races", Columns: []dataset.Column{
		column("year", ""), column("year_number", "year"), column("driver", ""), column("driver_first", "driver"),
	}}}}
	u := &dataset.Unit{DB: db, Examples: []*dataset.Example{{DB: "d", Question: "Who was first?", Query: "SELECT driver_first FROM races WHERE year_number = 1999"}}}
	h := &headers{}
	a := &Augmenter{Sources: []Source{h.source()}}
	got, err := a.Unit(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.ID.Column)
	}
	if diff := cmp.Diff([]string{"year", "driver"}, names); diff != "" {
		t.Errorf("columns with buckets (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"year", "driver", "1 questions"}, h.seen); diff != "" {
		t.Errorf("what sources see (-want +got):\n%s", diff)
	}
	if len(db.Tables[0].Columns) != 4 {
		t.Error("the schema itself lost its derived columns")
	}
}

// TestMadeUpNames looks at columns whose names say nothing, one of them all that a
// table has.
func TestMadeUpNames(t *testing.T) {
	table := func(name string, columns ...string) dataset.Table {
		table := dataset.Table{Name: name, Original: name}
		for i, c := range columns {
			table.Columns = append(table.Columns, dataset.Column{Name: c, Original: fmt.Sprintf("o%d", i), Type: dataset.Text})
		}
		return table
	}
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{
		table("races", "year", "column 3", "col2", "field 4", "unnamed: 1", "c7", "column", "field 4 name", "vitamin c", "f1"),
		table("laps", "column 1"),
	}}
	h := &headers{}
	a := &Augmenter{Sources: []Source{h.source()}}
	got, err := a.Unit(t.Context(), &dataset.Unit{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range got {
		names = append(names, c.ID.Table+"."+c.ID.Column)
	}
	if diff := cmp.Diff([]string{"races.o0", "races.o6", "races.o7", "races.o8", "races.o9"}, names); diff != "" {
		t.Errorf("columns with buckets (-want +got):\n%s", diff)
	}
}

// TestSpiderNamesAreReal holds what counts as made up against the schemas of Spider,
// in which people named all columns.
func TestSpiderNamesAreReal(t *testing.T) {
	dbs, err := dataset.Schemas(shared.File(t, "data", "spider", "tables.json"), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, db := range dbs {
		for _, table := range db.Tables {
			for _, c := range table.Columns {
				if !c.Nameable() {
					t.Errorf("%s.%s: the column %q counts as made up", db.ID, table.Original, c.Name)
				}
			}
		}
	}
}
