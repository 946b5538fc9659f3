package prefix

import (
	"context"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// oneTable is the engine of a database with a table a of a column x.
type oneTable struct{ Engine }

func (oneTable) Table(_ context.Context, name string) (*Table, error) {
	if name != "a" {
		return nil, nil
	}
	t := Of(&sqldata.Table{Name: "a", Columns: []sqldata.Column{{Name: "x", Type: "INTEGER"}}}, "main")
	return &t, nil
}

func (oneTable) Literal(v sqldata.Value) string { return v.String() }

// TestNameAgain checks that a table can take a name that an earlier write freed, that the prefix then has the name once, and that
// the name hides the table of the database after all writes.
func TestNameAgain(t *testing.T) {
	column := sqldata.Column{Name: "x", Type: "INTEGER"}
	rows := sqldata.CreateTable{Table: sqldata.Table{Name: "a", Columns: []sqldata.Column{column}}, Rows: [][]sqldata.Value{{sqldata.NewInt(1)}}}
	copied := sqldata.CreateTable{Table: sqldata.Table{Name: "a", Columns: []sqldata.Column{column}}, From: "b"}
	for _, c := range []struct {
		name   string
		writes []sqldata.Write
		want   []string
	}{
		{"dropped and made", []sqldata.Write{sqldata.DropTable{Table: "a"}, rows}, []string{"a"}},
		{"renamed and made", []sqldata.Write{sqldata.RenameTable{Table: "a", Name: "b"}, rows}, []string{"a", "b"}},
		{"renamed and copied", []sqldata.Write{sqldata.RenameTable{Table: "a", Name: "b"}, copied}, []string{"a", "b"}},
		{"dropped, made and renamed", []sqldata.Write{sqldata.DropTable{Table: "a"}, rows, sqldata.RenameTable{Table: "a", Name: "c"}}, []string{"a", "c"}},
		{"renamed, made and renamed", []sqldata.Write{sqldata.RenameTable{Table: "a", Name: "b"}, rows, sqldata.RenameTable{Table: "a", Name: "c"}}, []string{"a", "b", "c"}},
		{"renamed there and back", []sqldata.Write{sqldata.RenameTable{Table: "a", Name: "b"}, sqldata.RenameTable{Table: "b", Name: "a"}}, []string{"a"}},
	} {
		ts := &Tables{Engine: oneTable{}}
		if err := ts.Apply(t.Context(), c.writes); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		names := lists.Map(ts.List, func(t Table) string { return t.Name })
		if slices.Sort(names); !slices.Equal(names, c.want) {
			t.Errorf("%s: the prefix has the tables %v, want %v", c.name, names, c.want)
		}
	}
}

// TestGoneTwice checks that a table of the database stays away after a table of its name was made and dropped too.
func TestGoneTwice(t *testing.T) {
	rows := sqldata.CreateTable{Table: sqldata.Table{Name: "a", Columns: []sqldata.Column{{Name: "x"}}}, Rows: [][]sqldata.Value{{sqldata.NewInt(1)}}}
	drop := sqldata.DropTable{Table: "a"}
	ts := &Tables{Engine: oneTable{}}
	if err := ts.Apply(t.Context(), []sqldata.Write{drop, rows, drop}); err != nil {
		t.Fatal(err)
	}
	if err := ts.Apply(t.Context(), []sqldata.Write{drop}); err == nil {
		t.Error("dropped a third time without an error, expected one: there is no such table")
	}
}
