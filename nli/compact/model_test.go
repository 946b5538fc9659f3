package compact_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
)

var update = flag.Bool("update", false, "rewrite golden files")

// model is the embedded one, loaded once for all tests.
var model = sync.OnceValues(func() (*compact.Model, error) {
	return compact.New(lexicon.Default(), lexicon.DefaultDictionary())
})

func open(tb testing.TB) *compact.Model {
	tb.Helper()
	m, err := model()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func classify(tb testing.TB, pairs ...nli.Pair) []nli.Scores {
	tb.Helper()
	scores, err := open(tb).Classify(context.Background(), pairs)
	if err != nil {
		tb.Fatal(err)
	}
	return scores
}

func class(s nli.Scores) string {
	switch max(s.Entailment, s.Neutral, s.Contradiction) {
	case s.Entailment:
		return "entailment"
	case s.Neutral:
		return "neutral"
	}
	return "contradiction"
}

// TestGolden pins the class of handwritten pairs and how many are right.
func TestGolden(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows = rows[1:]
	var pairs []nli.Pair
	for _, row := range rows {
		pairs = append(pairs, nli.Pair{
			Premise:    nli.Sentence(row[0], row[1], dataset.Text),
			Hypothesis: nli.Sentence(row[0], row[2], dataset.Text),
		})
	}
	var got bytes.Buffer
	right := map[string]int{}
	all := map[string]int{}
	for i, s := range classify(t, pairs...) {
		want, is := rows[i][3], class(s)
		all[want]++
		mark := "wrong"
		if is == want {
			right[want]++
			mark = "right"
		}
		fmt.Fprintf(&got, "%s\t%s\t%s\t%s\t%s\n", mark, rows[i][1], rows[i][2], want, is)
	}
	for _, c := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&got, "%s: %d of %d right\n", c, right[c], all[c])
		t.Logf("%s: %d of %d right", c, right[c], all[c])
	}
	golden := filepath.Join("testdata", "pairs.golden")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("classes changed (-want +got):\n%s", diff)
	}
}

// words are names to draw random ones from.
var words = strings.Fields(`name id code date year city country total amount price cost team player score points
	status type first last birth death start end number of percent % # qty dept xyzzy 42 café 姓名`)

func randomName(rng *rand.Rand) string {
	n := make([]string, rng.IntN(5))
	for i := range n {
		n[i] = words[rng.IntN(len(words))]
	}
	return strings.Join(n, " ")
}

func randomPairs(n int) []nli.Pair {
	rng := rand.New(rand.NewPCG(1, 2))
	pairs := make([]nli.Pair, n)
	for i := range pairs {
		pairs[i] = nli.Pair{Premise: randomName(rng), Hypothesis: randomName(rng)}
	}
	return pairs
}

func TestProbabilities(t *testing.T) {
	for i, s := range classify(t, randomPairs(2000)...) {
		checkScores(t, randomPairs(2000)[i], s)
	}
}

func checkScores(t *testing.T, p nli.Pair, s nli.Scores) {
	t.Helper()
	for _, x := range []float64{s.Entailment, s.Neutral, s.Contradiction} {
		if !(x >= 0 && x <= 1) {
			t.Fatalf("%q: %+v, expected probabilities", p, s)
		}
	}
	if sum := s.Entailment + s.Neutral + s.Contradiction; math.Abs(sum-1) > 1e-9 {
		t.Fatalf("%q: sum %v, expected 1", p, sum)
	}
}

// TestBatch checks that scores depend neither on the batch nor on its order.
func TestBatch(t *testing.T) {
	pairs := randomPairs(1500)
	all := classify(t, pairs...)
	for i := 0; i < len(pairs); i += 97 {
		if one := classify(t, pairs[i])[0]; one != all[i] {
			t.Errorf("%q: %+v alone, %+v in a batch", pairs[i], one, all[i])
		}
	}
	slices.Reverse(pairs)
	reversed := classify(t, pairs...)
	slices.Reverse(reversed)
	if diff := gocmp.Diff(all, reversed); diff != "" {
		t.Errorf("order matters:\n%s", diff)
	}
}

// TestEntity checks that neither the entity nor the type counts.
func TestEntity(t *testing.T) {
	bare := nli.Pair{Premise: "birth place", Hypothesis: "home town"}
	want := classify(t, bare)[0]
	for _, entity := range []string{"", "dog", "track and field athlete"} {
		for _, typ := range []dataset.Type{"", dataset.Text, dataset.Number} {
			p := nli.Pair{
				Premise:    nli.Sentence(entity, bare.Premise, typ),
				Hypothesis: nli.Sentence(entity, bare.Hypothesis, typ),
			}
			if got := classify(t, p)[0]; got != want {
				t.Errorf("%q: %+v, expected %+v as without entity and type", p, got, want)
			}
		}
	}
}

func TestIdentical(t *testing.T) {
	for _, name := range []string{"name", "date of birth", "xyzzy", "Home_Town", "42"} {
		p := nli.Pair{Premise: nli.Sentence("dog", name, dataset.Text), Hypothesis: nli.Sentence("dog", name, dataset.Number)}
		if s := classify(t, p)[0]; s.Entailment < .97 {
			t.Errorf("%q against itself: entailment %v, expected at least 0.97", name, s.Entailment)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t).Classify(ctx, randomPairs(10)); err == nil {
		t.Error("cancelled: expected an error")
	}
}

func TestOddNames(t *testing.T) {
	odd := []string{"", " ", "(text)", "()", ")", "\xff\xfe", "a\xffb", "qwrtz plmk", strings.Repeat("word ", 100000), strings.Repeat("x", 1<<20), "%", "of the", "名前"}
	for _, a := range odd {
		for _, b := range odd {
			p := nli.Pair{Premise: a, Hypothesis: b}
			checkScores(t, nli.Pair{}, classify(t, p)[0])
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("singer name (text)", "singer title (text)")
	f.Add("", "\xff")
	f.Add("date of birth", "birth date")
	f.Fuzz(func(t *testing.T, a, b string) {
		p := nli.Pair{Premise: a, Hypothesis: b}
		checkScores(t, p, classify(t, p)[0])
	})
}

// noSynonyms is an empty dictionary.
type noSynonyms struct{}

func (noSynonyms) Synonyms(string) []string { return nil }

func TestKey(t *testing.T) {
	key := open(t).Key()
	if !strings.HasPrefix(key, "compact-") || len(key) < 20 {
		t.Errorf("key %q, expected compact- and a hash", key)
	}
	same, err := compact.New(lexicon.Default(), lexicon.DefaultDictionary())
	if err != nil {
		t.Fatal(err)
	}
	other, err := compact.New(lexicon.Default(), noSynonyms{})
	if err != nil {
		t.Fatal(err)
	}
	if same.Key() != key || other.Key() == key {
		t.Errorf("keys %s, again %s, with another dictionary %s", key, same.Key(), other.Key())
	}
}

// BenchmarkClassify scores targets against many candidates in both directions.
func BenchmarkClassify(b *testing.B) {
	var pairs []nli.Pair
	rng := rand.New(rand.NewPCG(3, 4))
	candidates := make([]string, 2000)
	for i := range candidates {
		candidates[i] = nli.Sentence("dog", randomName(rng), dataset.Text)
	}
	for range 5 {
		target := nli.Sentence("dog", randomName(rng), dataset.Text)
		for _, c := range candidates {
			pairs = append(pairs, nli.Pair{Premise: target, Hypothesis: c}, nli.Pair{Premise: c, Hypothesis: target})
		}
	}
	m := open(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Classify(context.Background(), pairs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(pairs))/b.Elapsed().Seconds(), "pairs/s")
}

// candidate is a hand-made name of ADVETA for a column.
type candidate struct {
	column, name string
	replaces     bool
}

func readADVETA(tb testing.TB) []candidate {
	var out []candidate
	for _, kind := range []string{"rpl", "add"} {
		data, err := os.ReadFile(shared.File(tb, "data", "adveta", "spider-"+kind+"-candidates.json"))
		if err != nil {
			tb.Fatal(err)
		}
		var tables map[string]struct {
			Candidates map[string][]string `json:"dict"`
		}
		if err := json.Unmarshal(data, &tables); err != nil {
			tb.Fatal(err)
		}
		for _, id := range slices.Sorted(maps.Keys(tables)) {
			for _, column := range slices.Sorted(maps.Keys(tables[id].Candidates)) {
				for _, name := range tables[id].Candidates[column] {
					if strings.TrimSpace(name) != "" {
						out = append(out, candidate{column, name, kind == "rpl"})
					}
				}
			}
		}
	}
	return out
}

// minArea is a little below the area that the embedded weights reach.
const minArea = .845

// TestADVETA measures how well the entailments tell ADVETA's replacements from
// its distractors on the Spider tables, none of which the weights have seen.
func TestADVETA(t *testing.T) {
	candidates := readADVETA(t)
	var pairs []nli.Pair
	for _, c := range candidates {
		p := nli.Pair{Premise: nli.Sentence("", c.column, ""), Hypothesis: nli.Sentence("", c.name, "")}
		pairs = append(pairs, p, nli.Pair{Premise: p.Hypothesis, Hypothesis: p.Premise})
	}
	scores := classify(t, pairs...)
	both := make([]float64, len(candidates))
	var all, kept, right [2]float64 // by REPLACE, ADD
	for i, c := range candidates {
		e1, e2 := scores[2*i].Entailment, scores[2*i+1].Entailment
		both[i] = math.Sqrt(e1 * e2)
		for k, chosen := range []bool{min(e1, e2) >= .65, max(e1, e2) <= .45} {
			if mine := c.replaces == (k == 0); mine {
				all[k]++
				if chosen {
					right[k]++
				}
			}
			if chosen {
				kept[k]++
			}
		}
	}
	area := rocArea(both, candidates)
	t.Logf("area under the ROC curve %.4f over %d candidates", area, len(candidates))
	t.Logf("REPLACE at 0.65: recall %.3f, precision %.3f; ADD at 0.45: recall %.3f, precision %.3f",
		right[0]/all[0], right[0]/kept[0], right[1]/all[1], right[1]/kept[1])
	if area < minArea {
		t.Errorf("area %.4f, expected at least %.3f", area, minArea)
	}
}

func rocArea(scores []float64, candidates []candidate) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	y, classes := make([]float64, len(order)), make([]bool, len(order))
	for i, at := range order {
		y[i], classes[i] = scores[at], candidates[at].replaces
	}
	tpr, fpr, _ := stat.ROC(nil, y, classes, nil)
	var area float64
	for i := 1; i < len(fpr); i++ {
		area += (fpr[i] - fpr[i-1]) * (tpr[i] + tpr[i-1]) / 2
	}
	return area
}

// TestRandomHeaders checks that columns of different databases hardly entail
// each other.
func TestRandomHeaders(t *testing.T) {
	data, err := os.ReadFile(shared.File(t, "data", "spider", "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schemas []struct {
		Columns [][2]any `json:"column_names"`
	}
	if err := json.Unmarshal(data, &schemas); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	column := func(schema int) string {
		c := schemas[schema].Columns[1:]
		return fmt.Sprint(c[rng.IntN(len(c))][1])
	}
	var pairs []nli.Pair
	for len(pairs) < 4000 {
		a := rng.IntN(len(schemas))
		b := (a + 1 + rng.IntN(len(schemas)-1)) % len(schemas)
		if p := (nli.Pair{Premise: column(a), Hypothesis: column(b)}); lexicon.Normal(p.Premise) != lexicon.Normal(p.Hypothesis) {
			pairs = append(pairs, p)
		}
	}
	var sum float64
	for _, s := range classify(t, pairs...) {
		sum += s.Entailment
	}
	mean := sum / float64(len(pairs))
	t.Logf("mean entailment of random headers %.3f", mean)
	if mean > .1 {
		t.Errorf("mean entailment of random headers %.3f, expected at most 0.1", mean)
	}
}
