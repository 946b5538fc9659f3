package sqlast_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/sqlast"
)

// tableRenaming gives tables names that queries below have elsewhere.
var tableRenaming = sqlast.Renaming{Tables: map[string]string{"singer": "artist", "CONCERT": "c", "Stadium": "order"}}

var renameTableTests = []struct{ in, out string }{
	{"SELECT name FROM singer", "SELECT name FROM artist"},
	{"SELECT Singer.name, SINGER.* FROM singer", "SELECT artist.name, artist.* FROM artist"},
	{"SELECT count(*) FROM stadium WHERE stadium.age > 3", `SELECT count(*) FROM "order" WHERE "order".age > 3`},
	{"SELECT singer.rowid FROM singer", "SELECT artist.rowid FROM artist"},

	// Quotes of the old name go with it.
	{"SELECT \"singer\".name FROM [Singer]", "SELECT artist.name FROM artist"},
	{"SELECT `stadium`.id FROM 'stadium'", `SELECT "order".id FROM "order"`},
	{"SELECT singer.name FROM main.singer", "SELECT artist.name FROM main.artist"},

	// Aliases stay.
	{"SELECT T1.name FROM singer AS T1", "SELECT T1.name FROM artist AS T1"},
	{"SELECT singer.name FROM concert AS singer JOIN stadium AS x", "fails"},
	{"SELECT singer.title FROM concert AS singer", "SELECT singer.title FROM c AS singer"},
	{"SELECT a.name, b.name FROM singer AS a JOIN singer AS b ON a.id = b.age", "SELECT a.name, b.name FROM artist AS a JOIN artist AS b ON a.id = b.age"},
	{"SELECT singer.name, b.name FROM singer JOIN singer AS b ON singer.id = b.age", "SELECT artist.name, b.name FROM artist JOIN artist AS b ON artist.id = b.age"},
	{"SELECT artist.name FROM singer AS artist", "SELECT artist.name FROM artist AS artist"},

	// Nested queries.
	{"SELECT name FROM singer WHERE id IN (SELECT sid FROM concert WHERE concert.age > 1)", "SELECT name FROM artist WHERE id IN (SELECT sid FROM c WHERE c.age > 1)"},
	{"SELECT name FROM singer WHERE EXISTS (SELECT 1 FROM concert WHERE concert.sid = singer.id)", "SELECT name FROM artist WHERE EXISTS (SELECT 1 FROM c WHERE c.sid = artist.id)"},
	{"SELECT name FROM singer WHERE age > (SELECT avg(s.age) FROM singer AS s WHERE s.id != singer.id)", "SELECT name FROM artist WHERE age > (SELECT avg(s.age) FROM artist AS s WHERE s.id != artist.id)"},
	{"SELECT x.name FROM (SELECT singer.name, singer.age FROM singer) AS x WHERE x.age > 1", "SELECT x.name FROM (SELECT artist.name, artist.age FROM artist) AS x WHERE x.age > 1"},
	{"SELECT name FROM (SELECT singer.* FROM singer)", "SELECT name FROM (SELECT artist.* FROM artist)"},
	{"SELECT singer.name FROM singer UNION SELECT concert.title FROM concert", "SELECT artist.name FROM artist UNION SELECT c.title FROM c"},
	{`SELECT "max(singer.age)" FROM (SELECT max(singer.age) FROM singer)`, `SELECT "max(artist.age)" FROM (SELECT max(artist.age) FROM artist)`},
	{"SELECT name FROM singer NATURAL JOIN stadium", `SELECT name FROM artist NATURAL JOIN "order"`},
	{"SELECT stadium.city FROM singer JOIN stadium USING (id)", `SELECT "order".city FROM artist JOIN "order" USING (id)`},

	// The new name is an alias: kept where every name still means one thing.
	{"SELECT c.name, concert.title FROM singer AS c JOIN concert ON c.id = concert.sid", "SELECT c.name, c.title FROM artist AS c JOIN c ON c.id = c.sid"},
	{"SELECT c.age FROM singer AS c JOIN concert ON c.id = concert.sid", "refused: 1:8: c.age would not be artist.age"},
	{"SELECT title FROM concert WHERE EXISTS (SELECT 1 FROM singer AS c WHERE c.id = concert.sid)", "SELECT title FROM c WHERE EXISTS (SELECT 1 FROM artist AS c WHERE c.id = c.sid)"},
	{"SELECT title FROM concert WHERE EXISTS (SELECT 1 FROM singer AS c WHERE c.age = concert.age)", "refused: 1:81: c.age would not be c.age"},

	// The new name is that of a CTE.
	{"WITH c AS (SELECT 1 AS title) SELECT title FROM concert", "refused: 1:49: table c would not be \"c\""},
	{"WITH singer AS (SELECT cid FROM concert) SELECT singer.cid FROM singer", "WITH singer AS (SELECT cid FROM c) SELECT singer.cid FROM singer"},

	// The new name is a column, or a string in double quotes.
	{"SELECT age AS artist FROM singer ORDER BY artist", "SELECT age AS artist FROM artist ORDER BY artist"},
	{`SELECT singer.id FROM singer WHERE name = "artist"`, `SELECT artist.id FROM artist WHERE name = "artist"`},
}

func TestRenameTable(t *testing.T) {
	after := schemaCatalog{{"artist", testCatalog[0].columns}, {"c", testCatalog[1].columns}, {"order", testCatalog[2].columns}}
	old, now := fill(t, testCatalog), fill(t, after)
	for _, test := range renameTableTests {
		q, b := resolve(t, test.in)
		if failed := len(b.Problems) > 0; failed || test.out == "fails" {
			if failed != (test.out == "fails") {
				t.Errorf("%s: %v", test.in, b.Problems)
			}
			continue
		}
		renamed, err := sqlast.Rename(q, b, tableRenaming)
		if refusal, ok := errors.AsType[*sqlast.RefusalError](err); ok {
			if got := "refused: " + refusal.Error(); got != test.out {
				t.Errorf("%s\nis   %s\nwant %s", test.in, got, test.out)
			}
			continue
		}
		if err != nil || renamed.String() != test.out {
			t.Errorf("%s\nbecame %v, %v\nwant   %s", test.in, renamed, err, test.out)
			continue
		}
		want, err := rows(old, test.in)
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
		}
		if got, err := rows(now, test.out); err != nil || !equalBags(got, want) {
			t.Errorf("%s\nbecame %s\nwith rows %v (%v)\nwant      %v", test.in, test.out, got, err, want)
		}
	}
}

// TestRenameTableInverse renames all tables to fresh names and back, in every
// query of this package's tests: both together change no name.
func TestRenameTableInverse(t *testing.T) {
	there, back := sqlast.Renaming{Tables: map[string]string{}}, sqlast.Renaming{Tables: map[string]string{}}
	for _, table := range testCatalog {
		there.Tables[table.name], back.Tables["new "+table.name] = "new "+table.name, table.name
	}
	between := testCatalog.rename(there)
	var queries []string
	for _, test := range renameTests {
		queries = append(queries, test.in)
	}
	for _, test := range qualifyTests {
		queries = append(queries, test.in)
	}
	for _, test := range renameTableTests {
		queries = append(queries, test.in)
	}
	unquoted := strings.NewReplacer(`"`, "", "`", "", "'", "", "[", "", "]", "")
	for _, query := range queries {
		q, b := resolve(t, query)
		if len(b.Problems) > 0 {
			continue
		}
		renamed, err := sqlast.Rename(q, b, there)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if len(b.Tables()) > 0 && !strings.Contains(renamed.String(), `"new `) {
			t.Errorf("%s\nbecame %s, without a new name", query, renamed)
		}
		b, err = sqlast.Resolve(renamed, between)
		if err != nil || len(b.Problems) > 0 {
			t.Errorf("%s\nbecame %s: %v %v", query, renamed, err, b.Problems)
			continue
		}
		again, err := sqlast.Rename(renamed, b, back)
		if err != nil || !strings.EqualFold(unquoted.Replace(again.String()), unquoted.Replace(q.String())) {
			t.Errorf("%s\nbecame %s\nand    %v, %v", q, renamed, again, err)
		}
	}
}

// TestRenameTableClash has two tables that would get one name; whether the query
// uses both does not matter, nor do maps' orders.
func TestRenameTableClash(t *testing.T) {
	for _, query := range []string{"SELECT name FROM singer", "SELECT title FROM concert", "SELECT name FROM singer JOIN concert"} {
		q, b := resolve(t, query)
		for range 20 {
			r := sqlast.Renaming{Tables: map[string]string{"singer": "x", "concert": "X"}}
			if got, err := sqlast.Rename(q, b, r); err == nil {
				t.Fatalf("%s became %s, want a refusal", query, got)
			}
		}
	}
	q, b := resolve(t, "SELECT city FROM stadium")
	got, err := sqlast.Rename(q, b, sqlast.Renaming{Tables: map[string]string{"singer": "concert", "concert": "singer"}})
	if err != nil || got.String() != "SELECT city FROM stadium" {
		t.Errorf("two other tables swap names: %v, %v", got, err)
	}
	q, b = resolve(t, "SELECT singer.name, concert.title FROM singer JOIN concert ON singer.id = concert.sid")
	got, err = sqlast.Rename(q, b, sqlast.Renaming{Tables: map[string]string{"singer": "concert", "concert": "singer"}})
	if want := "SELECT concert.name, singer.title FROM concert JOIN singer ON concert.id = singer.sid"; err != nil || got.String() != want {
		t.Errorf("two tables swap names: %v, %v, want %s", got, err, want)
	}
}
