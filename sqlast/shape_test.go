package sqlast_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/sqlast"
)

// TestShapes gives for each node of a condition its comparisons, with "!" behind
// constants and "^" behind aggregates.
func TestShapes(t *testing.T) {
	for _, test := range []struct {
		where string
		want  []string
	}{
		{"age > 1", []string{"age > 1!", "1! < age"}},
		{"-2 <= age", []string{"-2! <= age", "age >= -2!"}},
		{`name = "USA"`, []string{`name = USA!`, `USA! = name`}},
		{"name IS NOT NULL", []string{"name IS NOT NULL!", "NULL! IS NOT name"}},
		{"name NOT LIKE 'a%'", []string{"name LIKE a%!"}},
		{"name LIKE 'a!%' ESCAPE '!'", []string{"name LIKE ESCAPE a!%!"}},
		{"age NOT BETWEEN 1 AND -age", []string{"age FROM 1!", "age TO -age"}},
		{"age IN (1, id)", []string{"age IN 1!", "age IN id"}},
		{"age IN (SELECT id FROM singer) OR EXISTS (SELECT 1)", nil},
		{"age > (SELECT MAX(age) FROM singer)", []string{"age > (SELECT MAX(age) FROM singer)^", "(SELECT MAX(age) FROM singer)^ < age"}},
		{"abs(age) = 1 + 1", []string{"abs(age) = 1 + 1", "1 + 1 = abs(age)"}},
	} {
		q, err := sqlast.Parse("SELECT name FROM singer WHERE " + test.where)
		if err != nil {
			t.Fatal(err)
		}
		b, err := sqlast.Resolve(q, testCatalog)
		if err != nil {
			t.Fatal(err)
		}
		side := func(e sqlast.Expr) string {
			if l := b.Literal(e); l != nil {
				return l.Text + "!"
			}
			if sqlast.Aggregate(e) != "" {
				return sqlast.Format(e) + "^"
			}
			return sqlast.Format(e)
		}
		var got []string
		for _, c := range sqlast.Comparisons(q.Select.Where) {
			got = append(got, fmt.Sprintf("%s %s %s", side(c.X), c.Op, side(c.Y)))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.where, diff)
		}
	}
	q, err := sqlast.Parse("SELECT age AS a, 'x' FROM singer ORDER BY a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := sqlast.Resolve(q, testCatalog)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Column(q.OrderBy[0].Expr); got != (sqlast.BaseColumn{Table: "Singer", Column: "age"}) {
		t.Errorf("a is %v, expected Singer.age", got)
	}
	if got := b.Column(q.Select.Columns[1].Expr); got.Column != "" {
		t.Errorf("'x' is %v, expected no column", got)
	}
	if got := sqlast.Mirrored("AND"); got != "" {
		t.Errorf("AND mirrored is %q, expected none", got)
	}
}
