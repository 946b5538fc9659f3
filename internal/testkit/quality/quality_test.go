//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
)

// TestCandidates asks, for each column that ADVETA-Spider has names for, whether
// one of them is among the proposals: 20 retrieved from 19,000 web tables, 20
// from the dictionary and 10 attributes, before any decision.
func TestCandidates(t *testing.T) {
	ctx := context.Background()
	var report bytes.Buffer
	units := spiderDev(t)
	human := perturbtest.HumanNames(t, units)
	aug := augmenter(t, ctx)

	type count struct {
		columns, any int
		by           map[string]int // source
	}
	tally := func(c *count, human []dataset.Candidate, proposals []augment.Judged) {
		if len(human) == 0 {
			return
		}
		c.columns++
		want := map[string]bool{}
		for _, h := range human {
			want[fold(h.Name)] = true
		}
		found := map[string]bool{}
		for _, p := range proposals {
			if want[fold(p.Name)] {
				found[p.Source] = true
			}
		}
		if len(found) > 0 {
			c.any++
		}
		for source := range found {
			if c.by == nil {
				c.by = map[string]int{}
			}
			c.by[source]++
		}
	}
	measure := func() (replace, add count) {
		for _, u := range units {
			for table := range u.DB.Tables {
				proposals, err := aug.Propose(ctx, u, table)
				if err != nil {
					t.Fatal(err)
				}
				for column := range u.DB.Tables[table].Columns {
					list := slices.DeleteFunc(slices.Clone(proposals), func(p augment.Judged) bool { return p.Column != column })
					b := human[u.DB.ColumnID(dataset.ColumnRef{Table: table, Column: column}).Key()]
					tally(&replace, b.Replace, list)
					tally(&add, b.Add, list)
				}
			}
		}
		return replace, add
	}
	line := func(name string, c count, goal float64) {
		share := func(n int) float64 { return 100 * float64(n) / float64(c.columns) }
		fmt.Fprintf(&report, "%-8s %3d columns: a human name is proposed for %.1f%% (goal %.0f%%); by the thesaurus %.1f%%, by retrieval %.1f%%, by the dictionary %.1f%%, by attributes %.1f%%\n",
			name, c.columns, share(c.any), goal, share(c.by["thesaurus"]), share(c.by["retrieval"]), share(c.by["dictionary"]), share(c.by["attributes"]))
	}
	replace, add := measure()
	line("REPLACE", replace, 45)
	line("ADD", add, 25)
	var kept [2]int
	for _, u := range units {
		columns, err := aug.Unit(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			for side, lists := range [2][2][]dataset.Candidate{{human[c.ID.Key()].Replace, c.Bucket.Replace}, {human[c.ID.Key()].Add, c.Bucket.Add}} {
				same := func(x, y dataset.Candidate) bool { return fold(x.Name) == fold(y.Name) }
				if slices.ContainsFunc(lists[0], func(h dataset.Candidate) bool {
					return slices.ContainsFunc(lists[1], func(o dataset.Candidate) bool { return same(h, o) })
				}) {
					kept[side]++
				}
			}
		}
	}
	fmt.Fprintf(&report, "a human name is among those kept: REPLACE %.1f%%, ADD %.1f%%\n",
		100*float64(kept[0])/float64(replace.columns), 100*float64(kept[1])/float64(add.columns))
	golden(t, "candidates", report.String())
}

// fold makes names equal that differ in case, punctuation or number.
func fold(name string) string {
	words := lexicon.Words(name)
	for i, w := range words {
		words[i] = english.Singular(w)
	}
	return strings.Join(words, " ")
}

func spiderDev(t *testing.T) []*dataset.Unit {
	dir := filepath.Dir(shared.File(t, "data", "spider", "dev.json"))
	return readUnits(t, dir, "dev")
}

// augmenter is the product's own, over WTQ, TabFact and T2D.
func augmenter(t *testing.T, ctx context.Context) *augment.Augmenter {
	dir := filepath.Join(t.TempDir(), "corpus")
	index := corpus(t, ctx, dir)
	vectors := lexicon.Default()
	index.Rescorer = &retriever.Rescorer{Vectors: vectors}
	classifier, err := compact.New(compact.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	reranker := &rerank.Reranker{Vectors: vectors}
	return &augment.Augmenter{
		Sources: augment.Sources(),
		Resources: augment.Resources{
			Index: index, Tables: augment.DefaultTables, Dictionary: lexicon.DefaultDictionary(), Selector: rerank.NewSelector(reranker), Seed: 1,
		},
		Classifier: classifier, Policy: nli.Paper(), Entities: &nli.EntityPredictor{Classifier: classifier},
		Validity: &augment.Validity{Min: augment.DefaultMinValidity, Weights: augment.DefaultValidity()},
	}
}

func corpus(t *testing.T, ctx context.Context, dir string) *retriever.Index {
	tables := func(report func(error), each func(*retriever.Table) error) error {
		for _, s := range [][]string{{"csv", "wtq", "csv.tar.gz"}, {"tabfact", "tabfact", "all_csv.tar.gz"}, {"wdc", "webtables", "semaida_T2D.tar.gz"}} {
			stream, err := retriever.Open(s[0], shared.File(t, "data", s[1], s[2]), retriever.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := stream(report, each); err != nil {
				return err
			}
		}
		return nil
	}
	stats, err := retriever.Build(ctx, dir, tables, retriever.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(stats)
	index, err := retriever.OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

func golden(t *testing.T, name, got string) {
	t.Log("\n" + got)
	path := filepath.Join("testdata", name+".golden")
	if update() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (-update rewrites it):\ngot\n%swant\n%s", path, got, want)
	}
}

// readUnits reads a split of a data directory; what is odd about it is logged.
func readUnits(t testing.TB, dir, split string) []*dataset.Unit {
	t.Helper()
	units, err := dataset.Units(dir, split, told(t))
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// told fails the test by whatever cannot be used, and logs notes.
func told(t testing.TB) func(error) {
	return func(err error) {
		if dataset.IsNote(err) {
			t.Log(err)
		} else {
			t.Error(err)
		}
	}
}
