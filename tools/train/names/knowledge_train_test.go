//go:build quality

package names_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/tools/train/names"
)

// trainSeed is the command's default.
const trainSeed = 1

// retrained trains the embedded weights anew, checks that they come out the
// same, and returns what networks that had not seen them say of ADVETA's names:
// those of a fifth of the databases in turn, and all.
func retrained(t *testing.T, ctx context.Context) (held, unseen []names.Prediction) {
	start := time.Now()
	weights, report, err := names.Train(ctx, compact.Embedded(), sources(t), names.Options{Seed: trainSeed})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("trained in %.0f s: %s", time.Since(start).Seconds(), report)
	embedded, err := os.ReadFile("../../../nli/compact/weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights, embedded) {
		t.Errorf("the weights trained anew (%d bytes) differ from the embedded ones (%d bytes)", len(weights), len(embedded))
	}
	held = slices.DeleteFunc(slices.Clone(report.Predictions), func(p names.Prediction) bool { return !p.ADVETA })
	return held, report.Unseen
}

// sources are those of the embedded weights. Their order matters: it decides
// which of two equal pairs counts.
func sources(t *testing.T) names.Sources {
	lex := func(elem ...string) string { return shared.File(t, append([]string{"lexicon"}, elem...)...) }
	data := func(elem ...string) string { return shared.File(t, append([]string{"data"}, elem...)...) }
	return names.Sources{
		Synsets:     lex("wordnet", "oewn-synsets.tsv.gz"),
		Senses:      lex("wordnet", "oewn-senses.tsv.gz"),
		Paraphrases: []string{lex("synonyms", "ppdb-xl.txt.gz"), data("lexical-counter-fitting", "ppdb_synonyms.txt.gz")},
		Antonyms: []string{
			data("lexical-counter-fitting", "ppdb_antonyms.txt.gz"), data("lexical-counter-fitting", "wordnet_antonyms.txt.gz"),
		},
		TabFact:  []string{data("tabfact", "all_csv.tar.gz")},
		WTQ:      []string{data("wtq", "csv.tar.gz")},
		FeTaQA:   []string{data("fetaqa", "fetaQA-v1_dev.jsonl.gz"), data("fetaqa", "fetaQA-v1_test.jsonl.gz")},
		InfoTabs: []string{data("webtables", "infotabs_json.tar.gz")},
		Spider:   []string{data("spider", "tables.json")},
		Columns:  []string{"data/schemas.txt", "data/web.txt"},
		Words:    []string{"data/words.txt"},
		Replace:  data("adveta", "spider-rpl-candidates.json"),
		Add:      data("adveta", "spider-add-candidates.json"),
		Exclude: []string{
			lex("wordsim", "EN-SIMLEX-999.txt"), lex("wordsim", "EN-SimVerb-3500.txt"), lex("nli", "breaking-nli.tsv.gz"), hardPairsFile,
		},
		HeldOut: heldOut(t),
	}
}

// heldOut names what ADVETA's three data sets are made from as far as it is
// here: the tables of Squall's development fold 0 and the databases of Spider
// dev.
func heldOut(t *testing.T) map[string]bool {
	f, err := os.Open(filepath.Join(shared.Untar(t, "data", "squall", "dev_fold_ids.tar.gz"), "data", "dev-0.ids"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	held, err := names.ReadHeldOut(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range spiderDev(t) {
		held[u.DB.ID] = true
	}
	if want := 336 + 20; len(held) != want {
		t.Fatalf("%d names held out, want %d", len(held), want)
	}
	return held
}

// TestLeak checks that no pair of a test set is among those that the weights are
// trained from, and none of ADVETA's but in the kinds that are its own, of which
// the last stage alone learns.
func TestLeak(t *testing.T) {
	pairs, err := names.Pairs(context.Background(), compact.Embedded(), sources(t), trainSeed)
	if err != nil {
		t.Fatal(err)
	}
	sets := testSets(t)
	adveta := advetaPairs(t)
	leaks, found := map[string][]string{}, map[[2]string]bool{}
	for _, p := range pairs {
		k := pairKey(p.A, p.B)
		note := func(set string) { leaks[set] = append(leaks[set], p.Kind+": "+p.A+" / "+p.B) }
		if k[0] == k[1] {
			continue
		}
		for _, s := range sets {
			if s.pairs[k] {
				note(s.name)
			}
		}
		switch {
		case strings.HasPrefix(p.Kind, "adveta "):
			found[k] = true
		case adveta[k]:
			note("ADVETA")
		}
	}
	t.Logf("%d pairs to train from", len(pairs))
	for _, s := range append(sets, testSet{name: "ADVETA"}) {
		if l := leaks[s.name]; len(l) > 0 {
			t.Errorf("%d pairs of %s are trained from: %s", len(l), s.name, strings.Join(l[:min(len(l), 40)], "; "))
		}
	}
	// Had the trainer spelt its names in another way, nothing would leak.
	missing := 0
	for k := range adveta {
		if !found[k] {
			missing++
		}
	}
	if missing*50 > len(adveta) {
		t.Errorf("%d of %d pairs of ADVETA are not found in training, want at most 2%%", missing, len(adveta))
	}
}

// testSet is a set of pairs that nothing may be trained from, by pairKey.
type testSet struct {
	name  string
	pairs map[[2]string]bool
}

func testSets(t *testing.T) []testSet {
	simlex, simverb, breaking, hard := testSet{name: "SimLex-999"}, testSet{name: "SimVerb-3500"}, testSet{name: "Breaking NLI"}, testSet{name: "table 9"}
	put := func(s *testSet, a, b string) {
		if s.pairs == nil {
			s.pairs = map[[2]string]bool{}
		}
		s.pairs[pairKey(a, b)] = true
	}
	for _, p := range wordPairs(t, "EN-SIMLEX-999.txt") {
		put(&simlex, p.a, p.b)
	}
	for _, p := range wordPairs(t, "EN-SimVerb-3500.txt") {
		put(&simverb, p.a, p.b)
	}
	for _, s := range breakingNLI(t) {
		put(&breaking, different(s.premise, s.hypothesis), different(s.hypothesis, s.premise))
	}
	for _, p := range hardPairs(t) {
		put(&hard, p.a, p.b)
	}
	return []testSet{simlex, simverb, breaking, hard}
}

// different returns the words of a between those that it begins and ends with
// like b, one at least.
func different(a, b string) string {
	x, y := strings.Fields(fold(a)), strings.Fields(fold(b))
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return strings.Join(x, " ")
}

// advetaPairs are the columns of ADVETA-Spider with all names for them.
func advetaPairs(t *testing.T) map[[2]string]bool {
	units := spiderDev(t)
	human := perturbtest.HumanNames(t, units)
	out := map[[2]string]bool{}
	for _, u := range units {
		for ti, table := range u.DB.Tables {
			for ci, c := range table.Columns {
				b := human[u.DB.ColumnID(dataset.ColumnRef{Table: ti, Column: ci}).Key()]
				for _, h := range slices.Concat(b.Replace, b.Add) {
					if k := pairKey(c.Name, h.Name); k[0] != k[1] {
						out[k] = true
					}
				}
			}
		}
	}
	return out
}
