package consistency

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// concerts returns a schema of three tables, of which the last links the others.
func concerts() *dataset.Database {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Name: name, Original: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Name: c, Original: c, Type: dataset.Text})
		}
		return t
	}
	ref := func(t, c int) dataset.ColumnRef { return dataset.ColumnRef{Table: t, Column: c} }
	return &dataset.Database{
		ID: "concerts",
		Tables: []dataset.Table{
			table("singer", "singer_id", "name", "country", "age", "weight", "song_year"),
			table("concert", "concert_id", "year", "theme"),
			table("singer_in_concert", "singer_id", "concert_id"),
		},
		ForeignKeys: []dataset.ForeignKey{{Column: ref(2, 0), Target: ref(0, 0)}, {Column: ref(2, 1), Target: ref(1, 0)}},
	}
}

func TestCompare(t *testing.T) {
	const joined = "SELECT T1.name FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.singer_id = T2.singer_id"
	for _, test := range []struct {
		name, pre, post, clauses string
		typ                      Type
	}{
		// The paper's table 9.
		{"PI", "SELECT name FROM singer WHERE age < (SELECT avg(age) FROM singer)", "SELECT country FROM singer WHERE age < (SELECT name FROM singer)", "select", ComplexQuery},
		{"PR", "SELECT year FROM concert GROUP BY year ORDER BY count(*) DESC LIMIT 1", "SELECT song_year FROM singer GROUP BY song_year ORDER BY count(*) DESC LIMIT 1", "select from group", ColumnPrediction},
		{"PS", "SELECT country FROM singer WHERE age > 40 INTERSECT SELECT country FROM singer WHERE age < 30", "SELECT name FROM singer WHERE age > 1 INTERSECT SELECT name FROM singer WHERE age < 1", "select", ColumnPrediction},
		{"SS", "SELECT count(*) FROM singer WHERE weight > 10", "SELECT weight FROM singer WHERE weight > 10", "select", AggregateFunction},

		{"another aggregate", "SELECT max(age) FROM singer", "SELECT min(age) FROM singer", "select", AggregateFunction},
		{"aggregate of another column", "SELECT max(age) FROM singer", "SELECT max(weight) FROM singer", "select", ColumnPrediction},
		{"aggregate and column", "SELECT max(age) FROM singer", "SELECT min(weight) FROM singer", "select", ComplexQuery},
		{"a column more", "SELECT name FROM singer", "SELECT name, age FROM singer", "select", ColumnPrediction},
		{"operator", "SELECT name FROM singer WHERE age >= 3", "SELECT name FROM singer WHERE age = 3", "where", Operator},
		{"operator of HAVING", "SELECT age FROM singer GROUP BY age HAVING count(*) > 3", "SELECT age FROM singer GROUP BY age HAVING count(*) < 3", "having", Operator},
		{"NOT", "SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM singer_in_concert)", "SELECT name FROM singer WHERE singer_id NOT IN (SELECT singer_id FROM singer_in_concert)", "where", Operator},
		{"in a nested query", "SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM singer_in_concert)", "SELECT name FROM singer WHERE singer_id IN (SELECT age FROM singer)", "select from", ColumnPrediction},
		{"a condition more", "SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer WHERE age > 3 AND weight > 2", "where", Others},
		{"no condition", "SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer", "where", Others},
		{"order", "SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY age DESC", "order", Others},
		{"order by another column", "SELECT name FROM singer ORDER BY age", "SELECT name FROM singer ORDER BY weight", "order", ColumnPrediction},
		{"order and limit", "SELECT name FROM singer ORDER BY age DESC LIMIT 1", "SELECT name FROM singer", "order limit", Others},
		{"DISTINCT", "SELECT DISTINCT name FROM singer", "SELECT name FROM singer", "select", Others},
		{"another table", "SELECT count(*) FROM singer", "SELECT count(*) FROM concert", "from", Others},
		{"a join that is missing", joined, "SELECT name FROM singer", "from", TableJoining},
		{"a join by another column", joined, "SELECT T1.name FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.age = T2.concert_id", "from", TableJoining},
		{"a join without condition", joined, "SELECT T1.name FROM singer AS T1 JOIN singer_in_concert AS T2", "from", TableJoining},
		{"join and operator", joined + " WHERE age > 1", "SELECT name FROM singer WHERE age < 1", "from where", ComplexQuery},
		{"nested query", "SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)", "SELECT name FROM singer WHERE age = 3", "where nesting", ComplexQuery},
		{"set operation", "SELECT name FROM singer UNION SELECT theme FROM concert", "SELECT name FROM singer", "nesting", ComplexQuery},
		{"constants", "SELECT name FROM singer WHERE age > 3", "SELECT name FROM singer WHERE age > 4", "constants", Others},

		{"aliases, order and columns of a key are no difference",
			"SELECT T1.name, T1.singer_id FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.singer_id = T2.singer_id WHERE T1.age > 1 AND T1.weight > 1",
			"SELECT b.singer_id, name FROM singer_in_concert AS b, singer WHERE weight > 1 AND b.singer_id = singer.singer_id AND age > 1", "", Others},
		{"an alias is its expression", "SELECT count(*) AS n, age FROM singer GROUP BY age ORDER BY n", "SELECT count(*), age FROM singer GROUP BY age ORDER BY count(*)", "", Others},
	} {
		side := NewSide(concerts())
		pre, okPre := side.read(Output{SQL: test.pre})
		post, okPost := side.read(Output{SQL: test.post})
		if !okPre || !okPost || pre.query == nil || post.query == nil {
			t.Errorf("%s: is no SQL", test.name)
			continue
		}
		for range 2 {
			got := classify(pre, post)
			if clauses := strings.Trim(fmt.Sprint(got.Clauses), "[]"); got.Type != test.typ || clauses != test.clauses {
				t.Errorf("%s: %s, %q; want %s, %q", test.name, got.Type, clauses, test.typ, test.clauses)
			}
			pre, post = post, pre
		}
	}
}

// An alias stands for its expression, but not without bound.
func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("SELECT max(age" + strings.Repeat(", age", 3000) + ") AS a FROM singer ORDER BY max(a" + strings.Repeat(", a", 3000) + ")")
	r, ok := NewSide(concerts()).read(Output{SQL: b.String()})
	if !ok || r.query == nil {
		t.Fatal("is no SQL")
	}
	rd := &reader{binding: r.binding}
	if rd.queryBlock(r.query); rd.words > 2*maxWords {
		t.Errorf("%d words, expected not many more than %d", rd.words, maxWords)
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("SELECT name FROM singer WHERE age > 3", "SELECT count(*) FROM concert GROUP BY year HAVING count(*) > 1")
	f.Add("WITH c AS (SELECT name AS n FROM singer) SELECT n FROM c ORDER BY 1", "SELECT * FROM singer NATURAL JOIN singer_in_concert")
	side := NewSide(concerts())
	f.Fuzz(func(t *testing.T, a, b string) {
		pre, _ := side.read(Output{SQL: a})
		post, _ := side.read(Output{SQL: b})
		if pre.query == nil || post.query == nil {
			return
		}
		if d := classify(pre, pre); d.Clauses != nil {
			t.Errorf("%q differs from itself in %v", a, d.Clauses)
		}
		one, other := classify(pre, post), classify(post, pre)
		if one.Type != other.Type || !slices.Equal(one.Clauses, other.Clauses) {
			t.Errorf("%q, %q: %v one way and %v the other", a, b, one, other)
		}
	})
}
