package abstain

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// cells returns a column of a text: numbers where they are, NULL for "-".
func cells(text string) []sqldata.Value {
	return lists.Map(strings.Fields(text), func(field string) sqldata.Value {
		if n, ok := sqldata.ParseNumber(field); ok {
			return n
		}
		if field == "-" {
			return sqldata.Value{}
		}
		return sqldata.NewText(strings.ReplaceAll(field, "_", " "))
	})
}

// TestColumns compares the cells of two columns.
func TestColumns(t *testing.T) {
	for _, test := range []struct {
		what string
		is   func(x, y []sqldata.Value) bool
		x, y string
		want bool
	}{
		{"agree", agree, "Paris Rome Oslo Bonn", "Paris Bern Wien Prag", true},
		{"agree", agree, "Australian_GP Monaco_GP", "wiki/2009-Australian-GP wiki/2009-Monaco-GP", true},
		{"agree", agree, "Paris Rome Oslo Bonn Kyiv", "Paris Bern Wien Prag Riga", false},
		{"agree", agree, "12 1", "123 15", false}, // short texts stand in others by chance
		{"agree", agree, "- -", "- -", false},
		{"follows", follows, "Italy Italy France France Italy", "Rome Rome Paris Paris Milan", true},
		{"follows", follows, "Italy Spain France France Italy", "Rome Rome Paris Paris Milan", false},
		{"follows", follows, "Italy Spain France", "1 2 3", false}, // nothing repeats
		{"follows", follows, "Italy Italy Italy", "1 1 2", false},  // one value needs no other column
		{"sameOrder", sameOrder, "6 5 4 3 2 1", "10 20 30 40 50 60", true},
		{"sameOrder", sameOrder, "6 1 4 3 2 5", "10 20 30 40 50 60", false},
		{"sameOrder", sameOrder, "3 2 1", "10 20 30", false}, // few rows are in order by chance
	} {
		if got := test.is(cells(test.x), cells(test.y)); got != test.want {
			t.Errorf("%s of %q and %q: %v, expected %v", test.what, test.x, test.y, got, test.want)
		}
	}
}

// TestComputed finds arithmetic between the columns of a table.
func TestComputed(t *testing.T) {
	for _, test := range []struct {
		what string
		x    string
		y    []string
		want bool
	}{
		{"sum", "3 7 11", []string{"1 3 5", "2 4 6"}, true},
		{"part of a sum", "1 3 5", []string{"2 4 6", "9 9 9", "12 16 20"}, true},
		{"product", "6 20 42", []string{"2 4 6", "3 5 7"}, true},
		{"quotient", "2 4 6", []string{"6 20 42", "3 5 7"}, true},
		{"quotient in another unit", "118 123 178 150 49 174", []string{"81 100 137 107 39 140", "685 808 770 711 801 803"}, true},
		{"numbers that hardly differ", "2009 2010 2011 2012 2013 2014", []string{"5 5 5 5 5 5", "7 7 7 7 7 7"}, false},
		{"most rows", "3 7 11 99", []string{"1 3 5 7", "2 4 6 8"}, true},
		{"few rows", "3 7", []string{"1 3", "2 4"}, false},
		{"nothing", "3 8 1", []string{"1 3 5", "2 4 6"}, false},
		{"texts", "a b c", []string{"1 3 5", "2 4 6"}, false},
	} {
		f := frame{columns: []dataset.ColumnRef{{}}}
		columns := [][]sqldata.Value{cells(test.x)}
		for i, y := range test.y {
			f.columns = append(f.columns, dataset.ColumnRef{Column: i + 1})
			columns = append(columns, cells(y))
		}
		for row := range columns[0] {
			f.rows = append(f.rows, lists.Map(columns, func(c []sqldata.Value) sqldata.Value { return c[row] }))
		}
		if got := f.computed(columns[0], dataset.ColumnRef{}); got != test.want {
			t.Errorf("%s: %v, expected %v", test.what, got, test.want)
		}
	}
}

// TestRelatedNames groups the words of names that may be computed from each other.
func TestRelatedNames(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"birth year", "age", true}, {"home city", "postal code", true}, {"first name", "surname", true}, {"name", "height", false}, {"colour", "price", false},
	} {
		words := func(name string) []string { return strings.Fields(name) }
		if got := shareWord(groupsOf(words(test.a)), groupsOf(words(test.b))); got != test.want {
			t.Errorf("%s and %s: %v, expected %v", test.a, test.b, got, test.want)
		}
	}
}
