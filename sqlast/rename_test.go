package sqlast_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/sqlast"
)

// A schemaCatalog is a small schema.
type schemaCatalog []schemaTable

// A schemaTable is a table of a small schema.
type schemaTable struct {
	name    string
	columns []string
}

func (c schemaCatalog) Columns(table string) ([]string, bool) {
	for _, t := range c {
		if strings.EqualFold(t.name, table) {
			return t.columns, true
		}
	}
	return nil, false
}

func (c schemaCatalog) TableName(table string) (string, bool) {
	for _, t := range c {
		if strings.EqualFold(t.name, table) {
			return t.name, true
		}
	}
	return "", false
}

// rename returns the catalog under new names.
func (c schemaCatalog) rename(r sqlast.Renaming) schemaCatalog {
	renamed := slices.Clone(c)
	for i, t := range c {
		renamed[i].columns = slices.Clone(t.columns)
		for j, column := range t.columns {
			if name, ok := r.Columns[sqlast.BaseColumn{Table: t.name, Column: column}]; ok {
				renamed[i].columns[j] = name
			}
		}
		if name, ok := r.Tables[t.name]; ok {
			renamed[i].name = name
		}
	}
	return renamed
}

var testCatalog = schemaCatalog{
	{"Singer", []string{"id", "Name", "age", "country"}},
	{"concert", []string{"cid", "title", "sid", "age"}},
	{"stadium", []string{"id", "city", "age"}},
}

// renaming provokes clashes: singer.Name takes the name of concert.title's
// neighbour, and concert.age parts from the other two.
var renaming = sqlast.Renaming{
	Tables: map[string]string{"Singer": "performing artist"},
	Columns: map[sqlast.BaseColumn]string{
		{Table: "Singer", Column: "Name"}:    "title",
		{Table: "concert", Column: "cid"}:    "order",
		{Table: "concert", Column: "age"}:    "Years Ago",
		{Table: "stadium", Column: "city"}:   "n",
		{Table: "stadium", Column: "id"}:     "sid",
		{Table: "Singer", Column: "country"}: "USA",
	},
}

var renameTests = []struct{ in, out string }{
	{"SELECT name FROM singer", `SELECT title FROM "performing artist"`},
	{"SELECT singer.NAME, singer.* FROM singer", `SELECT "performing artist".title, "performing artist".* FROM "performing artist"`},
	{"SELECT T1.name FROM singer AS T1", `SELECT T1.title FROM "performing artist" AS T1`},
	{"SELECT cid FROM concert ORDER BY cid", `SELECT "order" FROM concert ORDER BY "order"`},

	// Strings in double quotes stay strings.
	{`SELECT id FROM singer WHERE country = "USA"`, `SELECT id FROM "performing artist" WHERE USA = 'USA'`},
	{`SELECT id FROM singer WHERE "country" = "France"`, `SELECT id FROM "performing artist" WHERE USA = "France"`},

	// Names that become ambiguous or captured.
	{"SELECT name, title FROM singer JOIN concert", `SELECT "performing artist".title, concert.title FROM "performing artist" JOIN concert`},
	{"SELECT name FROM singer AS s WHERE EXISTS (SELECT 1 FROM concert WHERE name > 1)", `SELECT title FROM "performing artist" AS s WHERE EXISTS (SELECT 1 FROM concert WHERE s.title > 1)`},
	{"SELECT city AS m, id AS n FROM stadium ORDER BY city", "SELECT n AS m, sid AS n FROM stadium ORDER BY stadium.n"},
	{"SELECT id + 1 AS n FROM stadium GROUP BY n", "SELECT sid + 1 AS n FROM stadium GROUP BY sid + 1"},
	{"SELECT id AS n, count(*) FROM stadium GROUP BY id HAVING n > 0", "SELECT sid AS n, count(*) FROM stadium GROUP BY sid HAVING sid > 0"},

	// Derived tables and CTEs pass names on.
	{"SELECT name FROM (SELECT name FROM singer)", `SELECT title FROM (SELECT title FROM "performing artist")`},
	{"SELECT x.name FROM (SELECT * FROM singer) AS x ORDER BY x.name", `SELECT x.title FROM (SELECT * FROM "performing artist") AS x ORDER BY x.title`},
	{"SELECT name FROM (SELECT country AS name FROM singer)", `SELECT name FROM (SELECT USA AS name FROM "performing artist")`},
	{"SELECT name FROM (SELECT name FROM singer UNION SELECT title FROM concert)", `SELECT title FROM (SELECT title FROM "performing artist" UNION SELECT title FROM concert)`},
	{"WITH c AS (SELECT name, id FROM singer) SELECT c.name FROM c WHERE id IN (SELECT id FROM c)", `WITH c AS (SELECT title, id FROM "performing artist") SELECT c.title FROM c WHERE id IN (SELECT id FROM c)`},
	{"WITH c (name) AS (SELECT name FROM singer) SELECT name FROM c", `WITH c (name) AS (SELECT title FROM "performing artist") SELECT name FROM c`},
	{`SELECT "max(name)" FROM (SELECT max(name) FROM singer)`, `SELECT "max(title)" FROM (SELECT max(title) FROM "performing artist")`},

	// Set operations.
	{"SELECT name FROM singer UNION SELECT title FROM concert ORDER BY name", `SELECT title FROM "performing artist" UNION SELECT title FROM concert ORDER BY title`},
	{"SELECT name AS n FROM singer INTERSECT SELECT city FROM stadium ORDER BY n", `SELECT title AS n FROM "performing artist" INTERSECT SELECT n FROM stadium ORDER BY n`},

	// Joins by name.
	{"SELECT city FROM singer JOIN stadium USING (age)", `SELECT n FROM "performing artist" JOIN stadium USING (age)`},
	{"SELECT title, age FROM singer JOIN concert USING (age)", `SELECT concert.title, age FROM "performing artist" JOIN concert ON "performing artist".age = concert."Years Ago"`},
	{"SELECT a.name FROM singer AS a NATURAL JOIN stadium AS b", `SELECT a.title FROM "performing artist" AS a JOIN stadium AS b ON a.id = b.sid AND a.age = b.age`},
	{"SELECT age, city FROM stadium NATURAL JOIN concert", "SELECT age, n FROM stadium JOIN concert ON stadium.age = concert.\"Years Ago\""},
	{"SELECT * FROM stadium JOIN concert USING (age)", `SELECT stadium.sid, stadium.n, stadium.age, concert."order", concert.title, concert.sid FROM stadium JOIN concert ON stadium.age = concert."Years Ago"`},
	{"SELECT age FROM stadium FULL JOIN concert USING (age)", "refused: 1:25: the columns of FULL JOIN cannot be joined by ON: USING merges them"},

	// Correlation and shadowing.
	{"SELECT s.name FROM singer AS s WHERE s.age = (SELECT max(age) FROM singer AS t WHERE t.name = s.name)", `SELECT s.title FROM "performing artist" AS s WHERE s.age = (SELECT max(age) FROM "performing artist" AS t WHERE t.title = s.title)`},
	{"SELECT name FROM singer WHERE id IN (SELECT sid FROM concert WHERE title = name)", `SELECT title FROM "performing artist" WHERE id IN (SELECT sid FROM concert WHERE title = "performing artist".title)`},
	{"SELECT rowid, count(*) FROM singer", `SELECT rowid, count(*) FROM "performing artist"`},
	{"SELECT id FROM singer WHERE id IN stadium", "fails"},
	{"SELECT name FROM singer AS concert, concert AS singer", `SELECT concert.title FROM "performing artist" AS concert, concert AS singer`},
}

func TestRename(t *testing.T) {
	before, after := fill(t, testCatalog), fill(t, testCatalog.rename(renaming))
	for _, test := range renameTests {
		q, err := sqlast.Parse(test.in)
		if err != nil {
			t.Error(err)
			continue
		}
		b, err := sqlast.Resolve(q, testCatalog)
		if err != nil || len(b.Problems) > 0 {
			t.Errorf("%s: %v %v", test.in, err, b.Problems)
			continue
		}
		want, err := rows(before, test.in)
		if (err != nil) != (test.out == "fails") {
			t.Errorf("%s: %v", test.in, err)
		}
		if err != nil {
			continue
		}
		var refusal *sqlast.RefusalError
		renamed, err := sqlast.Rename(q, b, renaming)
		if errors.As(err, &refusal) {
			if got := "refused: " + refusal.Error(); got != test.out {
				t.Errorf("%s\nis   %s\nwant %s", test.in, got, test.out)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		if renamed.String() != test.out {
			t.Errorf("%s\nbecame %s\nwant   %s", test.in, renamed, test.out)
		}
		if got, err := rows(after, renamed.String()); err != nil || !equalBags(got, want) {
			t.Errorf("%s\nbecame %s\nwith rows %v (%v)\nwant      %v", test.in, renamed, got, err, want)
		}
	}
}

func TestRenameClash(t *testing.T) {
	q, b := resolve(t, "SELECT name FROM singer")
	for _, r := range []sqlast.Renaming{
		{Columns: map[sqlast.BaseColumn]string{{Table: "singer", Column: "name"}: "AGE"}},
		{Tables: map[string]string{"singer": "Concert"}},
		{Tables: map[string]string{"singer": "x", "concert": "X"}},
	} {
		var refusal *sqlast.RefusalError
		if got, err := sqlast.Rename(q, b, r); !errors.As(err, &refusal) {
			t.Errorf("%v: %v, %v; expected a refusal", r, got, err)
		}
	}
}

func resolve(t *testing.T, src string) (*sqlast.Query, *sqlast.Binding) {
	t.Helper()
	q, err := sqlast.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sqlast.Resolve(q, testCatalog)
	if err != nil {
		t.Fatal(err)
	}
	return q, b
}

// wider is testCatalog with columns added.
var wider = schemaCatalog{
	{"Singer", []string{"id", "Name", "age", "country", "title", "USA", "n"}},
	{"concert", []string{"cid", "title", "sid", "age", "name", "city"}},
	{"stadium", []string{"id", "city", "age", "name", "total", "sid"}},
}

var qualifyTests = []struct{ in, out string }{
	{"SELECT name FROM singer", "SELECT name FROM singer"},
	{"SELECT name, title FROM singer JOIN concert", "SELECT singer.name, concert.title FROM singer JOIN concert"},
	{"SELECT name FROM singer AS T1 JOIN stadium AS T2", "SELECT T1.name FROM singer AS T1 JOIN stadium AS T2"},
	{`SELECT name FROM singer WHERE country = "USA"`, "SELECT name FROM singer WHERE country = 'USA'"},
	{"SELECT name FROM singer WHERE id IN (SELECT sid FROM concert WHERE title = name)", "SELECT name FROM singer WHERE id IN (SELECT sid FROM concert WHERE title = singer.name)"},
	{"SELECT id, count(*) AS n FROM singer GROUP BY id ORDER BY n", "SELECT id, count(*) AS n FROM singer GROUP BY id ORDER BY n"},
	{"SELECT id, count(*) AS n FROM singer GROUP BY id HAVING n > 0", "SELECT id, count(*) AS n FROM singer GROUP BY id HAVING count(*) > 0"},
	{"SELECT age * 2 AS n FROM singer WHERE n > 2 ORDER BY n + 1", "SELECT age * 2 AS n FROM singer WHERE age * 2 > 2 ORDER BY age * 2 + 1"},
	{"SELECT * FROM stadium", "SELECT id, city, age FROM stadium"},
	{"SELECT s.* FROM stadium AS s JOIN singer ON s.id = singer.id", "SELECT s.id, s.city, s.age FROM stadium AS s JOIN singer ON s.id = singer.id"},
	{"SELECT city FROM (SELECT * FROM stadium), concert", "refused: 1:8: a column of a derived table without an alias cannot be qualified"},
	{"SELECT city FROM (SELECT * FROM stadium) AS x, concert", "SELECT x.city FROM (SELECT id, city, age FROM stadium) AS x, concert"},
	{"SELECT name FROM singer WHERE EXISTS (SELECT * FROM stadium)", "SELECT name FROM singer WHERE EXISTS (SELECT * FROM stadium)"},
	{"SELECT city FROM singer NATURAL JOIN stadium", "SELECT city FROM singer JOIN stadium USING (id, age)"},
	{"SELECT title FROM singer JOIN stadium USING (id) JOIN concert USING (sid)", "fails"},
	{"SELECT c.title FROM stadium AS a JOIN concert AS b ON a.id = b.cid JOIN concert AS c USING (sid)", "SELECT c.title FROM stadium AS a JOIN concert AS b ON a.id = b.cid JOIN concert AS c ON b.sid = c.sid"},
	{"SELECT a.name FROM singer AS a JOIN singer AS b ON a.id = b.id", "SELECT a.name FROM singer AS a JOIN singer AS b ON a.id = b.id"},
}

func TestQualify(t *testing.T) {
	narrow := fill(t, testCatalog)
	wide := fill(t, wider)
	for _, test := range qualifyTests {
		q, b := resolve(t, test.in)
		if failed := len(b.Problems) > 0; failed != (test.out == "fails") {
			t.Errorf("%s: %v", test.in, b.Problems)
		}
		if test.out == "fails" {
			continue
		}
		qualified, err := sqlast.Qualify(q, b, wider)
		if err != nil {
			if got := "refused: " + err.Error(); got != test.out {
				t.Errorf("%s\nis   %s\nwant %s", test.in, got, test.out)
			}
			continue
		}
		if qualified.String() != test.out {
			t.Errorf("%s\nbecame %s\nwant   %s", test.in, qualified, test.out)
		}
		want, err := rows(narrow, test.in)
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
		}
		if got, err := rows(wide, qualified.String()); err != nil || !equalBags(got, want) {
			t.Errorf("%s\nbecame %s\nwith rows %v (%v)\nwant      %v", test.in, qualified, got, err, want)
		}
	}
}

func TestQualifyRemovedColumn(t *testing.T) {
	q, b := resolve(t, "SELECT name FROM singer")
	var refusal *sqlast.RefusalError
	if got, err := sqlast.Qualify(q, b, schemaCatalog{{"singer", []string{"id"}}}); !errors.As(err, &refusal) {
		t.Errorf("%v, %v; expected a refusal", got, err)
	}
}
