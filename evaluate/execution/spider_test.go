package execution

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// spiderDev is Spider's dev split with the databases that have content.
type spiderDev struct {
	golds, ids []string
	dir        string
}

func readSpiderDev(tb testing.TB) spiderDev {
	tb.Helper()
	d := spiderDev{dir: shared.Untar(tb, "data", "spider", "databases_dev.tar.gz")}
	for _, line := range readLines(tb, shared.File(tb, "data", "spider", "dev_gold.sql")) {
		sql, id, _ := strings.Cut(line, "\t")
		d.golds, d.ids = append(d.golds, sql), append(d.ids, id)
	}
	return d
}

// predictions reads a file of the folder of predictions for Spider dev.
func predictions(tb testing.TB, name string) []string {
	return readLines(tb, shared.File(tb, "data", "predictions", "spider-dev", name))
}

func readLines(tb testing.TB, path string) []string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// path returns the path of an example's database, or false where it has no
// content.
func (d spiderDev) path(i int) (string, bool) {
	path := filepath.Join(d.dir, "database", d.ids[i], d.ids[i]+".sqlite")
	_, err := os.Stat(path)
	return path, err == nil
}

// open opens the database of an example once; it returns nil where there is no
// content.
func (d spiderDev) open(tb testing.TB, opened map[string]*Database, i int) *Database {
	tb.Helper()
	path, ok := d.path(i)
	if !ok {
		return nil
	}
	if opened[path] == nil {
		db, err := Open(tb.Context(), path)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { db.Close() })
		opened[path] = db
	}
	return opened[path]
}

// TestOfficialVerdicts judges the three prediction files for which there are
// verdicts of the official test-suite evaluator, with its defaults, on the one
// database of each example. Its file has "-" where the database has no content.
func TestOfficialVerdicts(t *testing.T) {
	dev := readSpiderDev(t)
	dbs := map[string]*Database{}
	judged := 0
	for _, name := range []string{"codes-1b", "dail-sql_gpt-4", "graphix_via_dail-sql"} {
		preds := predictions(t, name+".txt")
		official := predictions(t, "official_verdicts/ex_"+name+".txt")[0]
		reasons := map[Reason]int{}
		doubts := map[Reason]int{}
		for i, gold := range dev.golds {
			db := dev.open(t, dbs, i)
			if (db == nil) != (official[i] == '-') {
				t.Fatalf("%s:%d: the official verdict is %c, but whether there is content is %v", name, i+1, official[i], db != nil)
			}
			if db == nil {
				continue
			}
			out, err := NewGold(gold, Options{}).Judge(t.Context(), preds[i], db)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			if (out.Verdict == verdict.Right) != (official[i] == '1') {
				t.Errorf("%s:%d: %v, officially %c; %+v\ngold %s\npred %s", name, i+1, out.Verdict, official[i], out, gold, preds[i])
			}
			reasons[out.Reason]++
			doubts[out.Doubt.Reason]++
			judged++
		}
		t.Logf("%s: reasons %v, doubts %v", name, reasons, doubts)
	}
	if judged != 2916 {
		t.Errorf("%d are judged, expected 2916", judged)
	}
}
