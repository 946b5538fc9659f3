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

func (oneTable) Table(context.Context, string) (*Table, error) {
	t := Of(&sqldata.Table{Name: "a", Columns: []sqldata.Column{{Name: "x", Type: "INTEGER"}}}, "main")
	return &t, nil
}

func (oneTable) Literal(v sqldata.Value) string { return v.String() }

// TestNameAgain shows that a table gets a name again that an earlier write took from another: each name is in the prefix once.
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
