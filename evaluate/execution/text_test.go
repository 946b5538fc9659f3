package execution

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

func TestPrepare(t *testing.T) {
	for _, c := range []struct{ in, want, kept string }{
		{"SELECT a FROM t WHERE x > = 1 AND y! = 2 AND z < = 3", "SELECT a FROM t WHERE x >= 1 AND y!= 2 AND z <= 3", ""},
		{"SELECT year ( CURDATE( ) ) - x", "SELECT 2020- x", ""},
		{"select distinct a from t", "SELECT a FROM t", "select distinct a from t"},
		{"SELECT count( DISTINCT a) FROM (SELECT DISTINCT a FROM t)", "SELECT count(a) FROM (SELECT a FROM t)", "SELECT count( DISTINCT a) FROM (SELECT DISTINCT a FROM t)"},
		{"SELECT a FROM t WHERE b IS DISTINCT FROM 'distinct'", "SELECT a FROM t WHERE b IS DISTINCT FROM 'distinct'", ""},
		{"SELECT DISTINCT FROM t", "SELECT DISTINCT FROM t", ""},
		{"SELECT 'DISTINCT x'", "SELECT 'DISTINCT x'", ""},
		{"", "", ""},
	} {
		if c.kept == "" {
			c.kept = c.want
		}
		if got := prepare(c.in, false); got != c.want {
			t.Errorf("%q becomes %q, expected %q", c.in, got, c.want)
		}
		if got := prepare(c.in, true); got != c.kept {
			t.Errorf("%q becomes %q with DISTINCT kept, expected %q", c.in, got, c.kept)
		}
	}
}

// FuzzJudge judges whatever text by whatever text: there is a verdict, and a
// reason unless right, and both can be printed.
func FuzzJudge(f *testing.F) {
	db := pets(f)
	f.Add("SELECT id FROM t ORDER BY x LIMIT 2", "SELECT DISTINCT id FROM t WHERE name = 'Ann' LIMIT 1")
	f.Add("SELECT name, count(*) FROM t GROUP BY name", `SELECT "name" FROM t UNION SELECT value FROM boxes`)
	f.Add("SELECT * FROM t WHERE x > (SELECT avg(x) FROM t)", "SELECT 1; DROP TABLE t")
	f.Add("SELECT 'M\xfc\n'", "WITH e AS (SELECT 1) DELETE FROM t\x00")
	f.Fuzz(func(t *testing.T, gold, pred string) {
		for _, o := range []Options{{PlugValue: true}, {Strict: true}} {
			o.Limits = sqldata.Limits{Time: 20 * time.Millisecond, Rows: 1000, Work: 8 << 20}
			out, err := NewGold(gold, o).Judge(t.Context(), pred, db)
			if err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			if (out.Verdict == verdict.Right) != (out.Reason == "") {
				t.Errorf("%+v: %+v", o, out)
			}
			for _, s := range []string{out.Detail, out.Doubt.Detail} {
				if len(s) > maxDetail || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
					t.Errorf("%+v: detail %q is not one short line", o, s)
				}
			}
		}
	})
}
