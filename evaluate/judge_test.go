package evaluate

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestJudgeKeeps judges pairs whose databases alternate with judges that may keep much and
// next to nothing: the verdicts are the same, and the bounds hold.
func TestJudgeKeeps(t *testing.T) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	dbs, err := dataset.Schemas(filepath.Join(dir, "tables.json"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Metrics: []Metric{exactMatch, executionMatch}, Databases: dbs, Content: filepath.Join(dir, "database")}
	var pairs []*dataset.Pair
	for p, err := range streamtest.All(dataset.Pairs(filepath.Join(dir, "dev.json"), filepath.Join(dir, "predictions.txt"))) {
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	much, little := Judges(o)(), Judges(o)()
	defer much.Close()
	defer little.Close()
	little.worker.limits = limits{ids: 1 << 20, cost: 2 << 20, golds: 3, text: 300, answer: 4}
	for i := range pairs {
		p := pairs[i*37%len(pairs)]
		want, err := much.Judge(t.Context(), p, o.Metrics)
		if err != nil {
			t.Fatal(err)
		}
		got, err := little.Judge(t.Context(), p, o.Metrics)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Reason(o.Metrics), got.Reason(o.Metrics)); diff != "" {
			t.Errorf("pair %d (-keeps much +keeps little):\n%s", p.Index, diff)
		}
		w := little.worker
		if w.cost() > w.limits.cost || len(w.golds) > w.limits.golds || w.text > w.limits.text+len(p.Query) {
			t.Fatalf("keeps files of %d bytes, %d golds of %d bytes, expected %+v at most", w.cost(), len(w.golds), w.text, w.limits)
		}
	}
	if n := len(much.worker.open); n != len(dbs) {
		t.Errorf("%d databases are open, expected all %d", n, len(dbs))
	}
	if _, err := little.Judge(t.Context(), &dataset.Pair{Example: &dataset.Example{DB: "nowhere"}}, o.Metrics); err == nil {
		t.Error("a database that is unknown is judged on, expected an error")
	}
}
