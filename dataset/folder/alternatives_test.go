package folder

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFirstAlternative reads gold SQL in defog's form, and such that only looks like it.
func TestFirstAlternative(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT {a.id, a.name}, count(*) FROM a GROUP BY {};SELECT b.id FROM b;": "SELECT a.id, a.name, count(*) FROM a GROUP BY a.id, a.name",
		"SELECT id FROM a ; with x AS (SELECT 1) SELECT * FROM x":                "SELECT id FROM a",
		"SELECT id FROM a WHERE b = '{x}; SELECT' AND \"c{d}\" = 'it''s {y}';":   "SELECT id FROM a WHERE b = '{x}; SELECT' AND \"c{d}\" = 'it''s {y}';",
		"SELECT id FROM a; DROP TABLE a":                                         "SELECT id FROM a; DROP TABLE a",
		"SELECT id} FROM a":                                                      "SELECT id} FROM a",
		"":                                                                       "",
	} {
		if got := firstAlternative(sql); got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
}

// FuzzFirstAlternative reads any text: what comes back is bounded, and the text itself where that has no brace and no semicolon.
func FuzzFirstAlternative(f *testing.F) {
	f.Add("SELECT {a} FROM b GROUP BY {};SELECT 1")
	f.Add("SELECT '{' ; SELECT \"}")
	f.Fuzz(func(t *testing.T, sql string) {
		first := firstAlternative(sql)
		if len(first) > len(sql)+2*maxField || !strings.ContainsAny(sql, "{};") && first != sql && utf8.ValidString(sql) {
			t.Errorf("%q becomes %q", sql, first)
		}
	})
}
