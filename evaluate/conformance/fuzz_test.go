package conformance

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// FuzzPrediction judges any text as a prediction, by both metrics and in both
// modes: nothing panics, no file is touched, and the time limit holds.
func FuzzPrediction(f *testing.F) {
	s := load(f)
	for _, p := range s.Pairs() {
		f.Add(p.Pred)
	}
	attacks, err := Hostile()
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range attacks {
		if quick := !strings.Contains(a.SQL, "RECURSIVE") && !strings.Contains(a.SQL, "zeroblob"); quick && len(a.SQL) < 200 {
			f.Add(a.SQL)
		}
	}
	dir := f.TempDir()
	f.Setenv("TMPDIR", dir)
	p := &Pair{ID: "fuzz", Database: "small"}
	if err := s.createDatabase(f.Context(), dir, p); err != nil {
		f.Fatal(err)
	}
	db := s.Schema(p)
	db.SQLite = dataset.SQLitePath(dir, db.ID)
	const gold = "SELECT name FROM t WHERE id < 3 AND x = 1 ORDER BY name"
	judges := []*execution.Gold{
		execution.NewGold(gold, fuzzOptions(false, true)),
		execution.NewGold(gold, fuzzOptions(true, false)),
	}
	exactGold := exact.NewSchema(db).Gold(gold)
	f.Fuzz(func(t *testing.T, pred string) {
		before, start := snapshot(t, dir), time.Now()
		exactGold.Judge(pred, false)
		exactGold.Judge(pred, true)
		file, err := execution.Open(t.Context(), db.SQLite)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for _, judge := range judges {
			out, err := judge.Judge(t.Context(), pred, file)
			if err != nil {
				t.Fatal(err)
			}
			if (out.Verdict == verdict.Right) != (out.Reason == "") {
				t.Errorf("verdict %v with reason %q", out.Verdict, out.Reason)
			}
		}
		if d := time.Since(start); d > 2*fuzzLimit+slack {
			t.Errorf("took %v", d)
		}
		if !maps.Equal(before, snapshot(t, dir)) {
			t.Error("touched a file")
		}
	})
}

const fuzzLimit = 50 * time.Millisecond

func fuzzOptions(strict, plug bool) execution.Options {
	o := execution.Options{Strict: strict, PlugValue: plug}
	o.Limits.Time = fuzzLimit
	return o
}
