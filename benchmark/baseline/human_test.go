package baseline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestHuman measures the attackers that need no model by the names that people
// chose for ADVETA-Spider.
func TestHuman(t *testing.T) {
	shared.Quality(t)
	units := perturbtest.Units(t, spiderDev(t))
	human := perturbtest.HumanNames(t, units)
	var report bytes.Buffer
	fmt.Fprintf(&report, "%-12s %-22s %8s %8s\n", "attacker", "names of a column", "REPLACE", "ADD")
	for _, a := range Attackers() {
		if a.Needs == perturb.NeedsMasked {
			continue
		}
		drawn, err := Buckets(t.Context(), a, units, perturbtest.Resources(), 1)
		if err != nil {
			t.Fatal(err)
		}
		ranked := pools(t, a, units, perturbtest.Resources())
		// CTA's figure counts all that it proposes, so that of all 50 ranks stands beside it.
		both := dataset.Buckets{}
		for id, b := range ranked {
			all := slices.Concat(b.Replace, b.Add)
			both[id] = dataset.Bucket{Replace: all, Add: all}
		}
		for _, names := range []struct {
			what    string
			buckets dataset.Buckets
		}{{"5 and 5 drawn", drawn}, {"15 and 35 ranked", ranked}, {"all 50 on both sides", both}} {
			replace, add := Agreement(human, names.buckets)
			fmt.Fprintf(&report, "%-12s %-22s %7.1f%% %7.1f%%\n", a.Name, names.what, replace.Percent(), add.Percent())
		}
	}
	perturbtest.Compare(t, "testdata/human.golden", report.Bytes())
}

// spiderDev is a folder of Spider's development set with its databases.
func spiderDev(t *testing.T) string {
	dir := t.TempDir()
	for name, target := range map[string]string{
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"dev.json":    shared.File(t, "data", "spider", "dev.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pools returns, in the place of the five names of each side that [Buckets] draws, all
// that they are drawn from: 15 for REPLACE and 35 for ADD.
func pools(t *testing.T, a *Attacker, units []*dataset.Unit, res perturb.Resources) dataset.Buckets {
	buckets := dataset.Buckets{}
	for _, u := range units {
		p := perturbtest.NewPass(t, a.perturbation(), u.DB, nil, 1, 0)
		p.Resources = res
		rank, lacks := a.open(p)
		if lacks != "" {
			t.Fatal(lacks.Text())
		}
		for i, table := range u.DB.Tables {
			for c := range table.Columns {
				ref := dataset.ColumnRef{Table: i, Column: c}
				if !table.Columns[c].Nameable() {
					continue
				}
				names, err := pool(p, ref, rank)
				if err != nil {
					t.Fatal(err)
				}
				buckets[u.DB.ColumnID(ref).Key()] = names
			}
		}
	}
	return buckets
}

// Share is a number of columns out of others.
type Share struct{ Columns, Of int }

// Percent returns the share in percent, 0 of none.
func (s Share) Percent() float64 {
	if s.Of == 0 {
		return 0
	}
	return 100 * float64(s.Columns) / float64(s.Of)
}

// Agreement counts the columns for which names holds, on the same side of the
// bucket, one of the names that people chose, of those for which they chose any.
// Names are equal that differ in case, punctuation and number.
func Agreement(human, names dataset.Buckets) (replace, add Share) {
	for id := range human {
		replace.count(human[id].Replace, names[id].Replace)
		add.count(human[id].Add, names[id].Add)
	}
	return replace, add
}

func (s *Share) count(human, names []dataset.Candidate) {
	if len(human) == 0 {
		return
	}
	s.Of++
	chosen := map[string]bool{}
	for _, c := range human {
		chosen[lexicon.Normal(c.Name)] = true
	}
	if slices.ContainsFunc(names, func(c dataset.Candidate) bool { return chosen[lexicon.Normal(c.Name)] }) {
		s.Columns++
	}
}

func TestAgreement(t *testing.T) {
	list := func(names ...string) (out []dataset.Candidate) {
		for _, n := range names {
			out = append(out, dataset.Candidate{Name: n})
		}
		return out
	}
	id := func(column string) dataset.ColumnID { return dataset.ColumnID{DB: "d", Table: "t", Column: column} }
	human := dataset.Buckets{
		id("a"): {Replace: list("home town", "place"), Add: list("country")},
		id("b"): {Replace: list("x"), Add: list("y")},
		id("c"): {Add: list("songs")},
	}
	names := dataset.Buckets{
		id("a"): {Replace: list("Home-Towns"), Add: list("place")},
		id("b"): {Replace: list("y"), Add: list("x", "y")},
		id("c"): {Replace: list("song"), Add: list("SONG")},
		id("d"): {Replace: list("z")},
	}
	replace, add := Agreement(human, names)
	if want := (Share{1, 2}); replace != want {
		t.Errorf("REPLACE %v, want %v", replace, want)
	}
	if want := (Share{2, 3}); add != want || add.Percent() < 66.6 || add.Percent() > 66.7 {
		t.Errorf("ADD %v, want %v", add, want)
	}
	if p := (Share{}).Percent(); p != 0 {
		t.Errorf("none of none are %v%%", p)
	}
}
