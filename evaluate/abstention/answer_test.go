package abstention

import (
	"regexp"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestRead recognises refusals in what models write.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		prediction string
		want       Refusal
		isQuery    bool
	}{
		{"", Empty, false},
		{" ; ", Empty, false},
		{"-- the schema has no column for that", Empty, false},
		{"NULL", Null, false},
		{"`null`.", Null, false},
		{"N/A", Null, false},
		{"SELECT NULL", Constant, false},
		{"SELECT NULL FROM singer", Constant, false},
		{"SELECT NULL, NULL", Constant, false},
		{"SELECT 'cannot be answered';", Constant, false},
		{`SELECT "no such column" AS answer`, Constant, false},
		{"SELECT ''", Constant, false},
		{"```sql\nSELECT NULL\n```", Constant, false},
		{"I cannot answer that: singer has no country.", Prose, false},
		{"With the given schema, this is not possible.", Prose, false},
		{"Update the schema first.", Prose, false},
		{"db | The question cannot be answered.", Prose, false},
		{"INSUFFICIENT. The closest is SELECT name FROM singer", Phrase, false},
		// Answers, right or wrong.
		{"SELECT 0", "", true},
		{"SELECT 'singer' FROM singer", "", true},
		{"SELECT NULL UNION SELECT name FROM singer", "", true},
		{"I think:\nSELECT name FROM singer", "", true},
		{"name FROM singer", "", true}, // after a prompt that ends in SELECT
		{"SELECT name FROM WHERE", "", false},
		{"SELECT TOP 1 [name] FROM singer", "", false},
		{"DROP TABLE singer", "", false},
	} {
		got := read(test.prediction, "db", regexp.MustCompile("^INSUFFICIENT"))
		if got.refusal != test.want || (got.query != nil) != test.isQuery {
			t.Errorf("%q: refusal %q, query %v; expected %q, %v", test.prediction, got.refusal, got.query != nil, test.want, test.isQuery)
		}
	}
}

// schemas returns the schema of a test after its column country went, and before.
func schemas() (after, before *dataset.Database) {
	table := func(name string, columns ...string) dataset.Table {
		t := dataset.Table{Original: name}
		for _, c := range columns {
			t.Columns = append(t.Columns, dataset.Column{Original: c})
		}
		return t
	}
	stadium := table("stadium", "id", "name")
	return &dataset.Database{Tables: []dataset.Table{table("singer", "id", "name", "stadium_id"), stadium}},
		&dataset.Database{Tables: []dataset.Table{table("singer", "id", "name", "stadium_id", "country"), stadium}}
}

// TestMissingNames counts the names that a schema lacks, each once.
func TestMissingNames(t *testing.T) {
	after, before := schemas()
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"SELECT name FROM singer", nil},
		{"SELECT Name, rowid FROM Singer WHERE name = 'country'", nil},
		{"SELECT country FROM singer GROUP BY COUNTRY", []string{"country"}},
		{"SELECT T1.country FROM singer AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.id WHERE T2.country = 1", []string{"singer.country", "stadium.country"}},
		{"SELECT T1.country FROM singer AS T1 WHERE id IN (SELECT id FROM singer WHERE country = 'France')", []string{"singer.country"}},
		{"SELECT T1.name FROM artist AS T1", []string{"artist"}}, // what its columns are is not known
		{"SELECT T3.name FROM singer AS T1", []string{"t3.name"}},
		{"SELECT x.* FROM singer", []string{"x.*"}},
		{"SELECT name FROM singer JOIN stadium USING (country)", []string{"country"}},
		{`SELECT "name" FROM singer WHERE name = "France"`, nil},
		{`SELECT "country" FROM singer WHERE "country" = "France"`, []string{"country"}},
		{"WITH c AS (SELECT id FROM singer) SELECT id, age FROM c", []string{"age"}},
		{"SELECT (SELECT max(height) FROM stadium WHERE stadium.id = singer.stadium_id) FROM singer", []string{"height"}},
	} {
		a := read(test.query, "db", nil)
		if a.query == nil {
			t.Errorf("%s: does not parse", test.query)
			continue
		}
		got, err := missingNames(a.query, after, before)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v; expected %q", test.query, got, err, test.want)
		}
	}
}
