package extract

import (
	"reflect"
	"strings"
	"testing"
)

const sql = "SELECT name FROM singer WHERE age > 20"

func TestExtract(t *testing.T) {
	several := sql + " UNION SELECT ';' FROM t -- a; comment"
	for _, c := range []struct {
		name, answer, want string
		beside             []Kind
	}{
		{"alone", sql, sql, nil},
		{"blanks and byte order mark", "\ufeff \n" + sql + " ;\n", sql + " ;", nil},
		{"lower case", "select 1;", "select 1;", nil},
		{"in parentheses", "(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)", nil},
		{"semicolons in strings and comments", several, several, nil},
		{"comment behind", "SELECT 1; -- done", "SELECT 1; -- done", nil},
		{"comment before", "-- adults\nSELECT 1", "-- adults\nSELECT 1", nil},
		{"several lines", "SELECT a\n\nFROM t\nWHERE x = 'it''s'\n  AND y IN (\n1)\n", "SELECT a\n\nFROM t\nWHERE x = 'it''s'\n  AND y IN (\n1)", nil},
		{"fence in a string", "SELECT '```sql' FROM t", "SELECT '```sql' FROM t", nil},
		{"quoted name", "SELECT `a` FROM `t`", "SELECT `a` FROM `t`", nil},
		{"fence", "```sql\n" + sql + "\n```", sql, []Kind{Fence}},
		{"fence on a line", "```sql " + sql + "```", sql, []Kind{Fence}},
		{"fence without language", "```\n" + sql + ";\n```\n", sql + ";", []Kind{Fence}},
		{"fence that does not end", "```sqlite\n" + sql, sql, []Kind{Fence}},
		{"fence with a comment", "```sql\n-- adults\n" + sql + "\n```", sql, []Kind{Fence}},
		{"fence with a label", "```\nSQL: " + sql + "\n```", sql, []Kind{Fence, Label}},
		{"fence between texts", "Here you are:\n\n```SQL\n" + sql + "\n```\nIt filters by age.", sql, []Kind{Fence, Before, After}},
		{"the last fence that holds a query", "Draft:\n```sql\nSELECT 1\n```\nBetter:\n```sql\n" + sql + "\n```\nas in ```python\nselect(x)\n```", sql, []Kind{Fence, Before, After}},
		{"back quotes", "`" + sql + "`", sql, []Kind{Fence}},
		{"label", "SQL: " + sql, sql, []Kind{Label}},
		{"labels", "**Final SQL query:**\n" + sql, sql, []Kind{Label}},
		{"a word and a bar are no label", "a | select 1", "a | select 1", nil},
		{"label before a fence", "Answer:\n```\n" + sql + "\n```", sql, []Kind{Fence, Label}},
		{"text before", "To select the adults we filter.\n" + sql, sql, []Kind{Before}},
		{"text before on the line", "The query is: " + sql, sql, []Kind{Before}},
		{"WITH behind text", "We need two steps.\nWITH a AS (SELECT 1) SELECT * FROM a", "WITH a AS (SELECT 1) SELECT * FROM a", []Kind{Before}},
		{"SELECT in a sentence", "I use a SELECT with a JOIN:\n\n" + sql, sql, []Kind{Before}},
		{"SELECT at the end of a sentence", "This needs the following SELECT statement.\n\n" + sql + ";", sql + ";", []Kind{Before}},
		{"SELECT without a sentence's end", "This needs a SELECT statement\n\n" + sql, sql, []Kind{Before}},
		{"SELECT and FROM in a sentence", "I SELECT the name FROM the table: " + sql, sql, []Kind{Before}},
		{"SELECT in a heading", "Sure.\nSelect the names from it:\n" + sql + "\n\nHere SELECT takes the name.", sql, []Kind{Before, After}},
		{"a heading with WITH", "With these tables, the query is:\n" + sql, sql, []Kind{Before}},
		{"a sentence and no table", "The answer is SELECT 1", "SELECT 1", []Kind{Before}},
		{"a union behind text", "The query is: " + sql + " UNION\nSELECT 2", sql + " UNION\nSELECT 2", []Kind{Before}},
		{"a CTE behind text", "To answer: WITH a AS (SELECT 1)\nSELECT * FROM a", "WITH a AS (SELECT 1)\nSELECT * FROM a", []Kind{Before}},
		{"wrong SQL behind text", "The query is:\nSELECT a FROM t WHERE x == = 3\n\nSELECT 2", "SELECT a FROM t WHERE x == = 3\n\nSELECT 2", []Kind{Before}},
		{"wrong SQL before a union", "The query is:\nSELECT a b c FROM t UNION\nSELECT 2", "SELECT a b c FROM t UNION\nSELECT 2", []Kind{Before}},
		{"explanation", sql + "\n\nThis query filters by age.", sql, []Kind{After}},
		{"explanation on the next line", sql + "\nExplanation: it filters by age; that's all.", sql, []Kind{After}},
		{"explanation behind a semicolon", sql + "; This filters by age.", sql, []Kind{After}},
		{"explanation behind what does not parse", "SELECT FROM WHERE\n\nThis query is wrong.", "SELECT FROM WHERE", []Kind{After}},
		{"heading", sql + "\n\n### Explanation\nNone", sql, []Kind{After}},
		{"statements", sql + "; SELECT 2", sql, []Kind{Several}},
		{"statements behind two semicolons", sql + ";;\nSELECT 2", sql, []Kind{Several}},
		{"statements on lines", sql + "\nSELECT 2", sql, []Kind{Several}},
		{"a write behind", "SELECT 1; DROP TABLE singer", "SELECT 1", []Kind{Several}},
		{"reasoning", "<think>\nMaybe SELECT 1?\n</think>\n\n```sql\n" + sql + "\n```", sql, []Kind{Reasoning, Fence}},
		{"all", "<think>…</think> Sure!\n```sql\n" + sql + ";\nSELECT 2;\n```\nDone.", sql, []Kind{Reasoning, Fence, Before, After, Several}},
		{"a write", "DROP TABLE singer; SELECT 1", "DROP TABLE singer; SELECT 1", nil},
		{"no query", "I cannot answer this.", "I cannot answer this.", nil},
		{"thought alone", "<think>SELECT 1</think>", "<think>SELECT 1</think>", nil},
		{"nothing", " ", "", nil},
		{"wrong SQL is not mended", "SELECT a FROM t\nWHERE x == = 3", "SELECT a FROM t\nWHERE x == = 3", nil},
		{"nor is what begins twice", "SELECT count SELECT name FROM t", "SELECT count SELECT name FROM t", nil},
		{"nor on two lines", "SELECT count\nSELECT x y z FROM t", "SELECT count", []Kind{Several}},
		{"nor is a column too many", "SELECT a FROM t,\nu v w", "SELECT a FROM t,\nu v w", nil},
	} {
		got, beside := Extract(c.answer)
		if got != c.want || !reflect.DeepEqual(beside, c.beside) {
			t.Errorf("%s: %q beside %q, want %q beside %q", c.name, got, beside, c.want, c.beside)
		}
	}
}

func TestOneLine(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT a /* it's */ FROM t -- x\nWHERE b = 1":      "SELECT a   FROM t  WHERE b = 1",
		"SELECT '-- it''s /*' --\n, \"--\",\r\n`/*`\t-- \"": "SELECT '-- it''s /*'  , \"--\",  `/*`",
		"SELECT [it's] --'\n, [--] FROM t":                  "SELECT [it's]  , [--] FROM t",
		"SELECT 'a\nb',\x00 '\xff'":                         "SELECT 'a b',  '?'",
		"SELECT a/**/b -":                                   "SELECT a b -",
		"SELECT 'open -- \nWHERE":                           "SELECT 'open  WHERE",
		"SELECT 1 /* open\nto the end":                      "SELECT 1 /* open to the end",
		" -- alone ":                                        "",
	} {
		if got := OneLine(sql); got != want {
			t.Errorf("%q: %q, want %q", sql, got, want)
		}
	}
}

// TestExtractLong checks that a hostile answer costs no more than its length.
func TestExtractLong(t *testing.T) {
	for _, piece := range []string{"[", "/*", "'", "It is\n", "SELECT 1\n", "SELECT a. FROM\n", "```sql\n", "<think>", "SQL: "} {
		for _, begin := range []string{"SELECT 1 ", "It is\n", "With:\n"} {
			Extract(begin + strings.Repeat(piece, 1<<16/len(piece)))
		}
	}
}

// FuzzExtract checks that SQL is a part of its answer, and that it is stable: taken out,
// it is SQL alone.
func FuzzExtract(f *testing.F) {
	f.Add("```sql\n" + sql + "\n```\nDone; or not.")
	f.Add("SQL: " + sql + "\n\nSELECT '`")
	f.Add("<think>a</think>`SELECT 1`;/*")
	f.Fuzz(func(t *testing.T, answer string) {
		got, beside := Extract(answer)
		if !strings.Contains(answer, got) {
			t.Errorf("%q is not in %q", got, answer)
		}
		if len(beside) > 0 && !query.MatchString(got) {
			t.Errorf("%q of %q is no query", got, answer)
		}
	})
}
