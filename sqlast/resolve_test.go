package sqlast_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/sqlast"
)

// resolveTests give, for each name in source order, what it stands for.
// SQLite must find names wrong just where there are problems.
var resolveTests = []struct {
	in       string
	targets  string
	problems string
}{
	{"SELECT name, Singer.ID FROM singer", "Singer.Name Singer.id", ""},
	{"SELECT T1.name, T2.age FROM singer AS T1 JOIN singer AS T2 ON T1.id = T2.id", "Singer.Name Singer.age Singer.id Singer.id", ""},
	{"SELECT nme, s.age FROM singer", "? ?", "1:8: no such column: nme; 1:13: no such column: s.age"},
	{"SELECT age FROM singer, concert", "?", "1:8: ambiguous column name: age"},
	{"SELECT singer.age FROM singer, singer", "?", "1:8: ambiguous column name: singer.age"},
	{"SELECT singer.age FROM singer AS s", "?", "1:8: no such column: singer.age"},
	{"SELECT a FROM nowhere", "?", "1:15: no such table: nowhere"},
	{"SELECT rowid, s.oid FROM singer AS s", "rowid(Singer) rowid(Singer)", ""},
	{"SELECT rowid FROM singer, concert", "?", "1:8: no such column: rowid"},
	{"SELECT rowid FROM (SELECT id FROM singer)", "? Singer.id", "1:8: no such column: rowid"},

	// Double quotes: a name if there is one, else a string.
	{`SELECT "name", "USA", singer."age" FROM singer`, "Singer.Name 'USA' Singer.age", ""},
	{"SELECT `USA` FROM singer", "?", "1:8: no such column: `USA`"},
	{`SELECT singer."USA" FROM singer`, "?", `1:8: no such column: singer."USA"`},

	// Aliases of the select list.
	{"SELECT age AS x FROM singer WHERE x > 1 GROUP BY x HAVING x > 2 ORDER BY x", "Singer.age x=Singer.age x=Singer.age x=Singer.age x=Singer.age", ""},
	{"SELECT age + 1 AS id FROM singer WHERE id > 1 GROUP BY id ORDER BY id", "Singer.age Singer.id Singer.id id", ""},
	{"SELECT age + 1 AS id FROM singer ORDER BY id COLLATE nocase, id + 0, singer.id", "Singer.age id Singer.id Singer.id", ""},
	{"SELECT 1 AS x, x FROM singer", "?", "1:16: no such column: x"},
	{"SELECT age AS x, (SELECT x) FROM singer", "Singer.age ?", "1:26: no such column: x"},
	{"SELECT age AS x FROM singer WHERE (SELECT x) > 1", "Singer.age x=Singer.age^", ""},
	{`SELECT age AS "x y" FROM singer ORDER BY "x y"`, "Singer.age x y=Singer.age", ""},

	// Nested queries: correlation and shadowing.
	{"SELECT name FROM singer WHERE id IN (SELECT sid FROM concert WHERE title = name)", "Singer.Name Singer.id concert.sid concert.title Singer.Name^", ""},
	{"SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer)", "Singer.Name Singer.age Singer.age", ""},
	{"SELECT name FROM singer AS s WHERE EXISTS (SELECT 1 FROM stadium AS s WHERE s.city = name)", "Singer.Name stadium.city Singer.Name^", ""},
	{"SELECT name FROM singer, (SELECT name AS n) AS x", "Singer.Name ?", "1:34: no such column: name"},
	{"SELECT (SELECT x.n FROM (SELECT name AS n) AS x) FROM singer", ".n=Singer.Name Singer.Name^", ""},

	// Derived tables and CTEs.
	{"SELECT x.name, x.c FROM (SELECT name, count(*) AS c FROM singer) AS x", ".Name=Singer.Name .c Singer.Name", ""},
	{"SELECT a, id FROM (SELECT id AS a, * FROM singer)", ".a=Singer.id .id=Singer.id Singer.id", ""},
	{`SELECT "count(*)", [max(age)] FROM (SELECT count(*), max(age) FROM singer)`, ".count(*) .max(age) Singer.age", ""},
	{"SELECT id FROM (SELECT id, age AS id FROM singer)", ".id=Singer.id Singer.id Singer.age", ""},
	{"WITH c AS (SELECT id FROM singer) SELECT id FROM c", "Singer.id .id=Singer.id", ""},
	{"WITH singer AS (SELECT 1 AS one) SELECT one, id FROM singer", ".one ?", "1:46: no such column: id"},
	{"WITH c (a, b) AS (SELECT id, age FROM singer) SELECT a, c.b FROM c", "Singer.id Singer.age .a=Singer.id .b=Singer.age", ""},
	{"WITH a AS (SELECT x FROM b), b AS (SELECT id AS x FROM singer) SELECT x FROM a", ".x=Singer.id Singer.id .x=Singer.id", ""},
	{"WITH RECURSIVE n AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM n WHERE k < 5) SELECT k FROM n", ".k .k .k", ""},
	{"SELECT id FROM singer WHERE id IN (WITH c AS (SELECT sid FROM concert) SELECT sid FROM c)", "Singer.id Singer.id concert.sid .sid=concert.sid", ""},
	{"SELECT column1 FROM (VALUES (1, 2))", ".column1", ""},

	// Joins by name.
	{"SELECT id, age, b.age FROM singer AS a JOIN stadium AS b USING (id, age)", "Singer.id Singer.age stadium.age", ""},
	{"SELECT age FROM singer AS a JOIN stadium AS b USING (id)", "?", "1:8: ambiguous column name: age"},
	{"SELECT id, city FROM singer NATURAL JOIN stadium", "Singer.id stadium.city", ""},
	{"SELECT id FROM singer JOIN stadium USING (city)", "?", "1:23: cannot join using column city: not on both sides; 1:8: ambiguous column name: id"},
	{"SELECT sid, x.city FROM (concert JOIN stadium ON cid = id), stadium AS x", "concert.sid stadium.city concert.cid ?", "1:56: ambiguous column name: id"},
	{"SELECT singer.age FROM stadium JOIN (singer JOIN concert ON id = cid)", "Singer.age Singer.id concert.cid", ""},
	{"SELECT g.age FROM stadium JOIN (singer JOIN concert ON stadium.id = cid) AS g", "Singer.age ? concert.cid", "1:56: no such column: stadium.id"},
	{"SELECT sid, city FROM (concert JOIN stadium ON cid = id)", "concert.sid stadium.city concert.cid stadium.id", ""},

	// ORDER BY over set operations.
	{"SELECT id FROM singer UNION SELECT cid FROM concert ORDER BY id", "Singer.id concert.cid Singer.id", ""},
	{"SELECT id FROM singer UNION SELECT cid FROM concert ORDER BY cid DESC", "Singer.id concert.cid concert.cid", ""},
	{"SELECT id AS x FROM singer UNION SELECT cid FROM concert ORDER BY x, 1", "Singer.id concert.cid x=Singer.id", ""},
	{"SELECT * FROM singer UNION SELECT * FROM singer ORDER BY age", "Singer.age", ""},
	{"SELECT id FROM singer UNION SELECT cid FROM concert ORDER BY age", "Singer.id concert.cid ?", "1:62: ORDER BY term age is not in the select list"},
	{"SELECT max(age) FROM singer UNION SELECT cid FROM concert ORDER BY max(singer.age)", "Singer.age concert.cid Singer.age", ""},

	// Stars, windows, IN a table.
	{"SELECT t.* FROM singer", "", "1:8: nothing for t.* to stand for"},
	{"SELECT sum(age) OVER w FROM singer WINDOW w AS (PARTITION BY country ORDER BY id)", "Singer.age Singer.country Singer.id", ""},
	{"SELECT count(*) FILTER (WHERE age > 3) FROM singer WHERE 1 IN (SELECT sid FROM concert)", "Singer.age concert.sid", ""},
	{"SELECT value, e.key, age FROM singer, json_each('[1]') AS e", "? ? Singer.age", ""},
}

func describe(t sqlast.Target) string {
	base := ""
	if t.Column != "" {
		base = t.Table + "." + t.Column
	}
	text := "?"
	switch t.Kind {
	case sqlast.Column:
		text = base
	case sqlast.Output, sqlast.Alias:
		if text = t.Name; t.Kind == sqlast.Output {
			text = "." + text
		}
		if base != "" {
			text += "=" + base
		}
	case sqlast.RowID:
		text = "rowid(" + t.Table + ")"
	case sqlast.String:
		text = "'" + t.Name + "'"
	}
	if t.Outer {
		text += "^"
	}
	return text
}

func TestResolve(t *testing.T) {
	db := fill(t, testCatalog)
	for _, test := range resolveTests {
		q, b := resolve(t, test.in)
		var targets, problems []string
		sqlast.Inspect(q, func(n sqlast.Node) bool {
			if ref, ok := n.(*sqlast.ColumnRef); ok {
				targets = append(targets, describe(b.Target(ref)))
			}
			return true
		})
		for _, p := range b.Problems {
			problems = append(problems, p.Error())
		}
		if got := strings.Join(targets, " "); got != test.targets {
			t.Errorf("%s\nhas targets %s\nwant        %s", test.in, got, test.targets)
		}
		if got := strings.Join(problems, "; "); got != test.problems {
			t.Errorf("%s\nhas problems %s\nwant         %s", test.in, got, test.problems)
		}
		if _, err := program(db, test.in); (err != nil) != (len(problems) > 0) {
			t.Errorf("%s: problems %v, SQLite says %v", test.in, problems, err)
		}
	}
}

// TestResolveStars compares what a star stands for, and the names of all result
// columns, with SQLite.
func TestResolveStars(t *testing.T) {
	db := fill(t, testCatalog)
	for _, query := range []string{
		"SELECT * FROM singer",
		"SELECT count(*), s.*, name FROM singer AS s, concert",
		"SELECT * FROM singer JOIN stadium USING (age)",
		"SELECT * FROM singer NATURAL JOIN stadium NATURAL JOIN concert",
		"SELECT stadium.* FROM singer NATURAL JOIN stadium",
		"SELECT * FROM (SELECT id AS x, * FROM singer) AS y, (SELECT 1 AS one)",
		"SELECT * FROM (singer JOIN concert ON singer.id = cid) JOIN stadium USING (age)",
		"SELECT * FROM (SELECT max(age), rowid FROM singer)",
		"WITH c (a, b) AS (SELECT id, age FROM singer) SELECT * FROM c AS d, c",
		"SELECT * FROM stadium RIGHT JOIN singer USING (id)",
		"VALUES (1, 2)",
	} {
		q, b := resolve(t, query)
		var got []string
		for _, out := range b.Outputs(q) {
			got = append(got, out.Name)
		}
		rs, err := db.Query(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		want, err := rs.Columns()
		if err != nil {
			t.Error(err)
		}
		rs.Close()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-SQLite +got)\n%s", query, diff)
		}
	}
}

func TestBindingColumns(t *testing.T) {
	_, b := resolve(t, "SELECT T2.NAME, count(*) FROM stadium AS T1 JOIN singer AS T2 USING (id) WHERE T1.city IN (SELECT title FROM (SELECT * FROM concert)) GROUP BY t2.name")
	if got, want := fmt.Sprint(b.Columns()), "[{Singer Name} {stadium id} {Singer id} {stadium city} {concert title}]"; got != want {
		t.Errorf("Columns() = %s, want %s", got, want)
	}
	if got, want := b.Tables(), []string{"stadium", "Singer", "concert"}; !slices.Equal(got, want) {
		t.Errorf("Tables() = %v, want %v", got, want)
	}
	if stars := b.Stars(); len(stars) != 1 || len(b.Star(stars[0])) != 4 {
		t.Errorf("Stars() = %v", stars)
	}
}

func TestResolveBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT * FROM singer)")
	for i := range 30 {
		fmt.Fprintf(&b, ", c%d AS (SELECT * FROM c%d AS a, c%d AS b)", i+1, i, i)
	}
	b.WriteString(" SELECT * FROM c30")
	q, err := sqlast.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	var problem *sqlast.Problem
	if _, err := sqlast.Resolve(q, testCatalog); !errors.As(err, &problem) {
		t.Errorf("Resolve: %v, expected a *Problem", err)
	}
}
