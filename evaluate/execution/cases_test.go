package execution

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// table is a table with its rows; a column is "name TYPE".
type table struct {
	name    string
	columns string
	rows    [][]any
}

func openTables(tb testing.TB, tables ...table) *Database {
	tb.Helper()
	var schema []sqldata.Table
	var rows [][][]sqldata.Value
	for _, t := range tables {
		s := sqldata.Table{Name: t.name}
		for _, c := range strings.Split(t.columns, ", ") {
			name, typ, _ := strings.Cut(c, " ")
			s.Columns = append(s.Columns, sqldata.Column{Name: name, Type: typ})
		}
		schema, rows = append(schema, s), append(rows, result(t.rows...).Rows)
	}
	path := filepath.Join(tb.TempDir(), "test.sqlite")
	if err := sqlite.Create(tb.Context(), path, schema, rows); err != nil {
		tb.Fatal(err)
	}
	db, err := Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func cell(v any) sqldata.Value {
	switch v := v.(type) {
	case int:
		return sqldata.NewInt(int64(v))
	case float64:
		return sqldata.NewFloat(v)
	case string:
		return sqldata.NewText(v)
	case []byte:
		return sqldata.NewBlob(string(v))
	}
	return sqldata.Value{}
}

func result(rows ...[]any) *sqldata.Result {
	res := &sqldata.Result{}
	for _, row := range rows {
		var cells []sqldata.Value
		for _, v := range row {
			cells = append(cells, cell(v))
		}
		res.Rows = append(res.Rows, cells)
		res.Columns = make([]string, len(row))
	}
	return res
}

// pets is the database of the cases: t has content, with ties in x; e has none.
func pets(tb testing.TB) *Database {
	return openTables(tb,
		table{"t", "id INTEGER, name TEXT, x INTEGER", [][]any{{1, "Ann", 3}, {2, "Bob", 1}, {3, "Cy", 3}, {4, "Bob", 2}, {5, "Dan", nil}}},
		table{"e", "a INTEGER, b INTEGER", nil},
		table{"boxes", "warehouse TEXT, value INTEGER, gross_value INTEGER", [][]any{{"w1", 10, 11}, {"w1", 30, 33}, {"w2", 50, 55}}},
		table{"fruit", "name TEXT", [][]any{{"apple"}, {"apple"}, {"pear"}}},
		table{"place", "name TEXT, accessible_from TEXT, near TEXT", [][]any{{"a", "2012", "b"}, {"b", "2014", "a"}, {"c", "late", "b"}}},
	)
}

// TestCases judges predictions in both modes. The numbers are those of known
// faults of public evaluators: in parity mode the official verdict is kept where
// it is harmless, in strict mode the verdict is right.
func TestCases(t *testing.T) {
	db := pets(t)
	right := Outcome{Verdict: verdict.Right}
	wrong := func(r Reason) Outcome { return Outcome{Reason: r} }
	for _, c := range []struct {
		name, gold, pred string
		options          Options
		parity, strict   Outcome
	}{
		{"9 column named value", "SELECT warehouse , avg(value) FROM boxes GROUP BY warehouse", "SELECT warehouse , avg(value) FROM boxes GROUP BY warehouse", Options{PlugValue: true}, wrong(OtherColumns), right},
		{"9 the same in capitals", "SELECT warehouse , avg(value) FROM boxes GROUP BY warehouse", "SELECT warehouse , avg(VALUE) FROM boxes GROUP BY warehouse", Options{}, right, right},
		{"9 within a word", "SELECT avg(gross_value) FROM boxes", "SELECT avg(gross_value) FROM boxes", Options{}, right, right},
		{"9 within a word, officially", "SELECT avg(gross_value) FROM boxes", "SELECT avg(gross_value) FROM boxes", Options{OfficialValue: true}, wrong(Failed), right},
		{"9 window functions", "SELECT first_value(id) OVER (ORDER BY id) FROM t", "SELECT first_value(id) OVER (ORDER BY id) FROM t", Options{}, right, right},
		{"9 within a string", "SELECT 'the value'", "SELECT 'the value'", Options{}, right, right},
		{"9 after a table", "SELECT b.value FROM boxes AS b", "SELECT b.value FROM boxes AS b", Options{}, right, right},
		{"9 quoted", "SELECT '1', ' 1 ', 1", "SELECT 'value', \" value \", value", Options{}, right, wrong(Failed)},
		{"10 both empty", "SELECT a, b FROM e", "SELECT a FROM e", Options{}, right, Outcome{Verdict: verdict.Unjudged, Reason: GoldEmpty}},
		{"10 both empty, columns equal", "SELECT a, b FROM e", "SELECT b, 1 FROM e", Options{}, right, right},
		{"11 writing", "SELECT a FROM e", "DROP TABLE t", Options{}, wrong(Refused), wrong(Refused)},
		{"11 writing CTE", "SELECT a FROM e", "WITH d AS (SELECT 1) DELETE FROM t", Options{}, wrong(Refused), wrong(Refused)},
		{"12 two statements", "SELECT 1", "SELECT 1; SELECT 2", Options{}, wrong(Refused), wrong(Refused)},
		{"13 time limit", "SELECT 1", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000000) SELECT max(i) FROM n", Options{}, wrong(TimeLimit), wrong(TimeLimit)},
		{"15 ORDER BY of a subquery", "SELECT id FROM t WHERE id IN (SELECT id FROM t ORDER BY x)", "SELECT id FROM t ORDER BY id DESC", Options{}, wrong(OtherOrder), right},
		{"16 finer order", "SELECT id, name FROM t ORDER BY x", "SELECT id, name FROM t ORDER BY x, name DESC", Options{}, wrong(OtherOrder), right},
		{"16 shown key", "SELECT id, x FROM t ORDER BY x", "SELECT id, x FROM t ORDER BY x, id DESC", Options{}, wrong(OtherOrder), right},
		{"16 shown by number", "SELECT *, x FROM t ORDER BY 4", "SELECT *, x FROM t ORDER BY 4, id DESC", Options{}, wrong(OtherOrder), right},
		{"16 other order", "SELECT id FROM t ORDER BY x", "SELECT id FROM t ORDER BY x DESC", Options{}, wrong(OtherOrder), wrong(OtherOrder)},
		{"16 groups", "SELECT name FROM t GROUP BY name ORDER BY count(*) DESC", "SELECT name FROM t GROUP BY name ORDER BY count(*) DESC, name", Options{}, wrong(OtherOrder), right},
		{"16 hidden key of a compound", "SELECT name FROM t UNION SELECT name FROM fruit ORDER BY name", "SELECT name FROM t UNION SELECT name FROM fruit ORDER BY 1 DESC", Options{}, wrong(OtherOrder), wrong(OtherOrder)},
		{"18 DISTINCT in count", "SELECT count(name) FROM t", "SELECT count(DISTINCT name) FROM t", Options{}, right, wrong(OtherRows)},
		{"18 DISTINCT kept", "SELECT name FROM t", "SELECT DISTINCT name FROM t", Options{KeepDistinct: true}, wrong(OtherRows), wrong(OtherRows)},
		{"18 DISTINCT", "SELECT name FROM t", "SELECT DISTINCT name FROM t", Options{}, right, wrong(OtherRows)},
		{"18 IS DISTINCT FROM", "SELECT id FROM t WHERE x IS DISTINCT FROM 1", "SELECT id FROM t WHERE x != 1 OR x IS NULL", Options{}, right, right},
		{"18 no DISTINCT", "SELECT id FROM t WHERE x IS DISTINCT FROM 1", "SELECT id FROM t WHERE x != 1", Options{}, wrong(OtherRows), wrong(OtherRows)},
		{"19 aggregate", "SELECT min(x), count(x) FROM t", "SELECT max(x), count(x) FROM t", Options{}, wrong(OtherColumns), wrong(OtherColumns)},
		{"20 bag", "SELECT name FROM fruit", "SELECT name FROM fruit GROUP BY name", Options{}, wrong(OtherRows), wrong(OtherRows)},
		{"21 noise", "SELECT 0.1 + 0.2", "SELECT 0.3", Options{}, right, right},
		{"24 rows that do not go together", "SELECT id, name FROM t WHERE id < 3", "SELECT a.id, b.name FROM t AS a JOIN t AS b ON a.id + b.id = 3", Options{}, wrong(OtherRows), wrong(OtherRows)},
		{"25 number against text", "SELECT name FROM place WHERE accessible_from > 2013.0", "SELECT name FROM place WHERE accessible_from > 2013.0", Options{}, right, right},
		{"25 self-join", "SELECT name FROM place JOIN place ON near = name", "SELECT name FROM place", Options{}, Outcome{Verdict: verdict.Unjudged, Reason: GoldFails}, Outcome{Verdict: verdict.Unjudged, Reason: GoldFails}},
		{"columns in another order", "SELECT id, name FROM t", "SELECT name, id FROM t", Options{}, right, right},
		{"other columns", "SELECT id, name FROM t", "SELECT id FROM t", Options{}, wrong(OtherColumns), wrong(OtherColumns)},
		{"another column", "SELECT id, name FROM t", "SELECT id, x FROM t", Options{}, wrong(OtherColumns), wrong(OtherColumns)},
		{"order does not count", "SELECT id FROM t", "SELECT id FROM t ORDER BY x", Options{}, right, right},
		{"operators apart", "SELECT id FROM t WHERE x > = 2", "SELECT id FROM t WHERE x ! = 1 AND x < = 3", Options{}, right, right},
		{"current year", "SELECT 2020", "SELECT year ( CURDATE( ) ) ", Options{}, right, right},
		{"error", "SELECT id FROM t", "SELECT none FROM t", Options{}, wrong(Failed), wrong(Failed)},
		{"no SQL", "SELECT id FROM t", "", Options{}, wrong(Refused), wrong(Refused)},
		{"random", "SELECT id FROM t LIMIT 1", "SELECT id FROM t ORDER BY random() LIMIT 1", Options{}, wrong(Refused), wrong(Refused)},
		{"too many rows", "SELECT 1", "SELECT 1 FROM t, t AS b, t AS c, t AS d, t AS f", Options{Limits: sqldata.Limits{Rows: 100}}, wrong(TooLarge), wrong(TooLarge)},
		{"gold empty", "SELECT a FROM e", "SELECT id FROM t", Options{}, wrong(OtherRows), wrong(OtherRows)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				o, want := c.options, c.parity
				if strict {
					o.Strict, want = true, c.strict
				}
				if o.Limits.Time == 0 {
					o.Limits.Time = time.Second
				}
				got, err := NewGold(c.gold, o).Judge(t.Context(), c.pred, db)
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict != want.Verdict || got.Reason != want.Reason {
					t.Errorf("strict %v: %+v, expected %v %q", strict, got, want.Verdict, want.Reason)
				}
				if (got.Verdict == verdict.Right) != (got.Detail == "" && got.Database == "") {
					t.Errorf("strict %v: %+v, expected detail and database unless right", strict, got)
				}
			}
		})
	}
}

// TestCase14 compares eight columns of 0 and 1 that are unequal: the official
// evaluator tries permutations for seconds.
func TestCase14(t *testing.T) {
	cube := func(flip int) *sqldata.Result {
		var rows [][]any
		for n := range 256 {
			var row []any
			for bit := range 8 {
				row = append(row, (n>>bit&1)^(flip>>bit&1))
			}
			if n != 7 { // without one row no two columns look alike
				rows = append(rows, row)
			}
		}
		return result(rows...)
	}
	start := time.Now()
	if Equal(cube(0), cube(1<<7|1<<3), false) {
		t.Error("unequal answers are equal")
	}
	if !Equal(cube(0), cube(0b10000100^0b01000000^0b11000100), false) {
		t.Error("equal answers are unequal")
	}
	if d := time.Since(start); d > time.Minute {
		t.Errorf("took %v, expected milliseconds", d)
	}
}

func TestPlugValue(t *testing.T) {
	db := pets(t)
	for _, c := range []struct {
		name, gold, pred string
		want             Outcome
	}{
		{"string", "SELECT id FROM t WHERE name = 'Ann'", "SELECT id FROM t WHERE name = 'terminal'", Outcome{Verdict: verdict.Right}},
		{"double quotes", `SELECT id FROM t WHERE name = "Ann"`, `SELECT id FROM t WHERE name = "terminal"`, Outcome{Verdict: verdict.Right}},
		{"column in double quotes", `SELECT id FROM t WHERE name = 'Ann'`, `SELECT "id" FROM "t" WHERE "name" = 1`, Outcome{Verdict: verdict.Right}},
		{"limit", "SELECT id FROM t WHERE x > 0 ORDER BY id LIMIT 2", "SELECT id FROM t WHERE x > 1000 ORDER BY id LIMIT 1", Outcome{Verdict: verdict.Right}},
		{"several", "SELECT id FROM t WHERE name = 'Bob' AND x = 2", "SELECT id FROM t WHERE x = 'v' AND name = 'v'", Outcome{Verdict: verdict.Right}},
		{"negative", "SELECT id FROM t WHERE x > -1", "SELECT id FROM t WHERE x > 7", Outcome{Verdict: verdict.Right}},
		{"own value first", "SELECT id FROM t WHERE name = 'Ann'", "SELECT id FROM t WHERE id = 1", Outcome{Verdict: verdict.Right}},
		{"not with values either", "SELECT id FROM t WHERE name = 'Ann'", "SELECT id FROM t WHERE x = 'v'", Outcome{Reason: OtherRows}},
		{"no value in gold", "SELECT id FROM t", "SELECT id FROM t WHERE x = 9", Outcome{Reason: OtherRows}},
		{"too many", "SELECT 9 FROM t WHERE x IN (1, 2, 3, 4, 5, 6, 7, 8) AND id = 1", "SELECT name FROM t WHERE x IN (0, 0, 0, 0, 0, 0, 0, 0)", Outcome{Reason: TooManyWays}},
	} {
		got, err := NewGold(c.gold, Options{PlugValue: true, Limits: sqldata.Limits{Time: time.Minute}}).Judge(t.Context(), c.pred, db)
		if err != nil || got.Verdict != c.want.Verdict || got.Reason != c.want.Reason {
			t.Errorf("%s: %+v, %v, expected %v %q", c.name, got, err, c.want.Verdict, c.want.Reason)
		}
	}
}

// Where constants are plugged in, the reason is of the query with the gold's: that its
// own give other rows says nothing.
func TestPluggedReason(t *testing.T) {
	db := pets(t)
	gold := NewGold("SELECT id FROM t WHERE x = 3 ORDER BY id", Options{PlugValue: true})
	for pred, want := range map[string]Outcome{
		"SELECT id FROM t WHERE x = 99 ORDER BY id DESC": {Reason: OtherOrder, Detail: "with the gold's constants: row 1 is (3), expected (1)"},
		"SELECT id, x FROM t WHERE x = 99 ORDER BY id":   {Reason: OtherColumns, Detail: "with the gold's constants: number of columns is 2, expected 1"},
		"SELECT id FROM t ORDER BY id":                   {Reason: OtherRows, Detail: "5 rows, expected 2; has row (2) too often"},
	} {
		if got, err := gold.Judge(t.Context(), pred, db); err != nil || got.Reason != want.Reason || got.Detail != want.Detail {
			t.Errorf("%s: %+v, %v, expected %q, %q", pred, got, err, want.Reason, want.Detail)
		}
	}
}

// A query is stopped by its steps, which are the same on every machine, long before its
// time is up.
func TestStepLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("under the race detector time is up first")
	}
	db := pets(t)
	const limit = 4 * time.Second
	gold := NewGold("SELECT 1", Options{Limits: sqldata.Limits{Time: limit}})
	for n, want := range map[int]Reason{100_000: OtherRows, 25_000_000: TimeLimit} {
		pred := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d) SELECT max(i) FROM n", n)
		start := time.Now()
		got, err := gold.Judge(t.Context(), pred, db)
		if err != nil || got.Reason != want {
			t.Errorf("%d rows: %+v, %v, expected %q", n, got, err, want)
		}
		isBusy := time.Since(start) > limit // then time is up before the steps are
		if stopped := strings.Contains(got.Detail, "steps: 20000000"); stopped != (want == TimeLimit) && !isBusy {
			t.Errorf("%d rows: %q, stopped by steps: %v", n, got.Detail, stopped)
		}
	}
}

func TestDoubt(t *testing.T) {
	db := pets(t)
	for _, c := range []struct {
		gold           string
		parity, strict Reason
	}{
		{"SELECT id FROM t", "", ""},
		{"SELECT none FROM t", GoldFails, GoldFails},
		{"SELECT a FROM e", GoldEmpty, GoldEmpty},
		{"SELECT id FROM t WHERE x > 7", GoldEmpty, GoldEmpty},
		{"SELECT id FROM t ORDER BY x DESC LIMIT 1", GoldUndetermined, GoldUndetermined},
		{"SELECT x FROM t ORDER BY x DESC LIMIT 1", "", ""},
		{"SELECT id FROM t ORDER BY x DESC LIMIT 2", GoldUndetermined, ""},
		{"SELECT id FROM t WHERE id IN (1, 3) ORDER BY x LIMIT 1 OFFSET 1", GoldUndetermined, GoldUndetermined},
		{"SELECT id FROM t LIMIT 1", GoldUndetermined, GoldUndetermined},
		{"SELECT id FROM t LIMIT 5", "", ""},
		{"SELECT name FROM t WHERE name = 'Bob' LIMIT 1", "", ""},
		{"SELECT name FROM t GROUP BY name ORDER BY count(*) DESC LIMIT 1", "", ""},
		{"SELECT x FROM t WHERE x > 0 GROUP BY x ORDER BY count(*) LIMIT 1", GoldUndetermined, GoldUndetermined},
		{"SELECT id FROM t ORDER BY x", GoldUndetermined, ""},
		{"SELECT id FROM t ORDER BY x, id", "", ""},
		{"SELECT name FROM t WHERE name = 'Bob' ORDER BY name", "", ""},
		{"SELECT name FROM t WHERE x = (SELECT x FROM t ORDER BY name = 'Bob' LIMIT 1)", GoldUndetermined, GoldUndetermined},
		{"SELECT id FROM t WHERE id IN (SELECT id FROM t ORDER BY x)", "", ""},
		{"SELECT id, count(*) FROM t GROUP BY name", GoldUndetermined, GoldUndetermined},
		{"SELECT name, id, count(*) FROM t WHERE name != 'Bob' GROUP BY name", "", ""},
		{"SELECT x FROM t WHERE EXISTS (SELECT id FROM t LIMIT 1) AND id = 1", "", ""},
		{"SELECT x, max(id) FROM t", "", ""},
		{"SELECT x, count(*) FROM t", GoldUndetermined, GoldUndetermined},
	} {
		for _, strict := range []bool{false, true} {
			want := c.parity
			if strict {
				want = c.strict
			}
			g := NewGold(c.gold, Options{Strict: strict})
			for range 2 { // the second time from memory
				if d, err := g.Doubt(t.Context(), db); err != nil || d.Reason != want {
					t.Errorf("%s: strict %v: %+v, %v, expected %q", c.gold, strict, d, err, want)
				}
			}
		}
	}
}

// TestSeveralDatabases: one database on which a prediction is wrong decides, and
// the outcome names it.
func TestSeveralDatabases(t *testing.T) {
	one := pets(t)
	other := openTables(t, table{"t", "id INTEGER, name TEXT, x INTEGER", [][]any{{1, "Ann", 1}, {2, "Eve", 1}}})
	g := NewGold("SELECT id FROM t WHERE name = 'Ann'", Options{})
	out, err := g.Judge(t.Context(), "SELECT min(id) FROM t WHERE x > 2", one, other)
	if err != nil || out.Verdict != verdict.Wrong || out.Reason != OtherRows || out.Database != other.path {
		t.Errorf("%+v, %v, expected wrong on the second database", out, err)
	}
	if out, err = g.Judge(t.Context(), "SELECT id FROM t WHERE name = 'Ann' AND 1", one, other); err != nil || out.Verdict != verdict.Right {
		t.Errorf("%+v, %v, expected right", out, err)
	}
	if out, err = g.Judge(t.Context(), "SELECT 1"); err != nil || out.Verdict != verdict.Unjudged {
		t.Errorf("without databases: %+v, %v, expected unjudged", out, err)
	}
}

func TestJudgeErrors(t *testing.T) {
	db := pets(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := NewGold("SELECT 1", Options{}).Judge(ctx, "SELECT 1", db); err != context.Canceled {
		t.Errorf("%+v, %v, expected that the context was cancelled", out, err)
	}
	path := filepath.Join(t.TempDir(), "none.sqlite")
	if _, err := Open(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, expected that there is no file", err)
	}
	db.Close()
	if _, err := NewGold("SELECT 1", Options{}).Judge(t.Context(), "SELECT 1", db); err == nil {
		t.Error("a closed database judges")
	}
}

// TestMemory: a database forgets what it cannot hold.
func TestMemory(t *testing.T) {
	db := pets(t)
	for _, sql := range []string{"SELECT id FROM t", "SELECT '%d', * FROM t, t AS b, t AS c", "SELECT none"} {
		for i := range 2 * maxAnswers {
			db.denotation(t.Context(), strings.ReplaceAll(sql, "%d", strings.Repeat("x", i)), sqldata.Limits{})
		}
		if n := len(db.answers); n > maxAnswers || db.cells > maxCells {
			t.Errorf("%d answers of %d cells", n, db.cells)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"a\nb\x00\t\xffc": "a b  c", "": "", "é": "é"} {
		if got := oneLine(in); got != want {
			t.Errorf("%q becomes %q, expected %q", in, got, want)
		}
	}
	if got := oneLine(strings.Repeat("é\n", 1<<20)); len(got) > maxDetail || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes, expected at most %d: %q", len(got), maxDetail, got)
	}
}

// A database that says nothing of a prediction leaves it to the others, in whatever
// order they are: how many predictions are judged does not depend on what they are.
func TestUndecidedDatabases(t *testing.T) {
	empty := openTables(t, table{"t", "a INTEGER, b INTEGER", nil}, table{"u", "c INTEGER", nil})
	full := openTables(t, table{"t", "a INTEGER, b INTEGER", [][]any{{1, 2}}}, table{"u", "c INTEGER", nil})
	broken := openTables(t, table{"v", "a INTEGER", nil})
	for _, c := range []struct {
		pred string
		dbs  []*Database
		want Outcome
	}{
		{"SELECT a FROM t", []*Database{empty, full}, Outcome{Reason: OtherColumns}},
		{"SELECT a FROM t", []*Database{full, empty}, Outcome{Reason: OtherColumns}},
		{"SELECT b, a FROM t", []*Database{empty, full}, Outcome{Verdict: verdict.Right}},
		{"SELECT b, a FROM t", []*Database{broken, full}, Outcome{Verdict: verdict.Right}},
		{"SELECT b, a FROM t", []*Database{full, broken}, Outcome{Verdict: verdict.Right}},
		{"SELECT a FROM t", []*Database{broken, full}, Outcome{Reason: OtherColumns}},
		{"SELECT a FROM t", []*Database{empty, broken}, Outcome{Verdict: verdict.Unjudged, Reason: GoldEmpty}},
		{"SELECT b, a FROM t", []*Database{broken, broken}, Outcome{Verdict: verdict.Unjudged, Reason: GoldFails}},
	} {
		gold := NewGold("SELECT a, b FROM t", Options{Strict: true})
		unjudged := Reason("")
		if c.want.Verdict == verdict.Unjudged {
			unjudged = c.want.Reason
		}
		if reason, err := gold.Unanswered(t.Context(), c.dbs...); err != nil || reason != unjudged {
			t.Errorf("%s: unanswered %q, %v, expected %q", c.pred, reason, err, unjudged)
		}
		got, err := gold.Judge(t.Context(), c.pred, c.dbs...)
		if err != nil || got.Verdict != c.want.Verdict || got.Reason != c.want.Reason {
			t.Errorf("%s: %+v, %v, expected %v %q", c.pred, got, err, c.want.Verdict, c.want.Reason)
		}
	}
}
