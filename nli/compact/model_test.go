package compact_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
)

var update = flag.Bool("update", false, "rewrite golden files")

// model is the embedded one, loaded once for all tests.
var model = sync.OnceValues(func() (*compact.Model, error) {
	return compact.New(compact.Embedded())
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
		pairs = append(pairs, named(row[0], row[1], row[2], dataset.Text))
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
	pairs := randomPairs(2000)
	for i, s := range classify(t, pairs...) {
		checkScores(t, pairs[i], s)
	}
}

func checkScores(t *testing.T, p nli.Pair, s nli.Scores) {
	t.Helper()
	for _, x := range []float64{s.Entailment, s.Neutral, s.Contradiction} {
		if !(x >= 0 && x <= 1) {
			t.Fatalf("%q: %+v, expected probabilities", p, s)
		}
	}
	if sum := s.Entailment + s.Neutral + s.Contradiction; math.Abs(sum-1) > 1.6e-4 {
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

// TestEntity checks that neither the type nor an entity of no domain counts.
func TestEntity(t *testing.T) {
	bare := nli.Pair{Premise: "birth place", Hypothesis: "home town"}
	want := classify(t, bare)[0]
	for _, entity := range []string{"", "dog", "very old thing"} {
		if domain := lexicon.DefaultDomainWords().Domain(entity, nil); domain != "" {
			t.Fatalf("%q is of the domain %s, expected an entity of none", entity, domain)
		}
		for _, typ := range []dataset.Type{"", dataset.Text, dataset.Number} {
			p := named(entity, bare.Premise, bare.Hypothesis, typ)
			if got := classify(t, p)[0]; got != want {
				t.Errorf("%q: %+v, expected %+v as without entity and type", p, got, want)
			}
		}
	}
}

func named(entity, a, b string, typ dataset.Type) nli.Pair {
	return nli.Pair{Entity: entity, Premise: a, Hypothesis: b, PremiseType: typ, HypothesisType: typ}
}

// with returns the embedded model with another lexicon.
func with(t *testing.T, change func(*compact.Lexicon)) *compact.Model {
	t.Helper()
	l := compact.Embedded()
	change(&l)
	m, err := compact.New(l)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func thesaurus(t *testing.T, text string) lexicon.Dictionary {
	t.Helper()
	d, err := lexicon.ReadThesaurus("test", strings.NewReader(text), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDomain checks that an entity tells in which domain synonyms hold.
func TestDomain(t *testing.T) {
	without := with(t, func(l *compact.Lexicon) { l.Dictionary = noSynonyms{} })
	transport := with(t, func(l *compact.Lexicon) { l.Dictionary = thesaurus(t, "code: number [transport]") })
	for entity, counts := range map[string]bool{"train": true, "flight": true, "patient": false, "dog": false, "": false} {
		pair := []nli.Pair{named(entity, "code", "number", dataset.Text)}
		before, err := without.Classify(context.Background(), pair)
		if err != nil {
			t.Fatal(err)
		}
		after, err := transport.Classify(context.Background(), pair)
		if err != nil {
			t.Fatal(err)
		}
		if rises := after[0].Entailment > before[0].Entailment+.05; rises != counts || !counts && before[0] != after[0] {
			t.Errorf("%q: entailment %.3f with a synonym of transport, %.3f without one", pair[0], after[0].Entailment, before[0].Entailment)
		}
	}
}

func TestIdentical(t *testing.T) {
	for _, name := range []string{"name", "date of birth", "xyzzy", "Home_Town", "42"} {
		p := nli.Pair{Entity: "dog", Premise: name, Hypothesis: name, PremiseType: dataset.Text, HypothesisType: dataset.Number}
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

// TestKey checks that a model that may say something else has another key.
func TestKey(t *testing.T) {
	key := open(t).Key()
	if !strings.HasPrefix(key, "compact-") || len(key) < 20 {
		t.Errorf("key %q, expected compact- and a hash", key)
	}
	if same := with(t, func(*compact.Lexicon) {}).Key(); same != key {
		t.Errorf("key %s, again %s", key, same)
	}
	none := func(l *compact.Lexicon) { l.Dictionary = noSynonyms{} }
	keys := map[string]string{}
	for name, change := range map[string]func(*compact.Lexicon){
		"embedded":      func(*compact.Lexicon) {},
		"no synonyms":   none,
		"one of sport":  func(l *compact.Lexicon) { l.Dictionary = thesaurus(t, "name: title [sport]") },
		"one of health": func(l *compact.Lexicon) { l.Dictionary = thesaurus(t, "name: title [health]") },
		"one of all":    func(l *compact.Lexicon) { l.Dictionary = thesaurus(t, "name: title") },
		"vectors":       func(l *compact.Lexicon) { l.Vectors = negative{l.Vectors} },
		"no contrasts":  func(l *compact.Lexicon) { l.Contrasts = &lexicon.Contrasts{} },
		"no domains":    func(l *compact.Lexicon) { l.Domains = &lexicon.DomainWords{} },
	} {
		key := with(t, change).Key()
		if other, ok := keys[key]; ok {
			t.Errorf("with %s and with %s: the same key", name, other)
		}
		keys[key] = name
	}
}

// negative are vectors of the other sign.
type negative struct{ lexicon.Vectors }

func (n negative) Lookup(dst []float32, term string) ([]float32, bool) {
	at := len(dst)
	dst, ok := n.Vectors.Lookup(dst, term)
	for i := at; i < len(dst); i++ {
		dst[i] = -dst[i]
	}
	return dst, ok
}

// targetPairs are pairs of targets and many candidates in both directions.
func targetPairs(targets, candidates int) []nli.Pair {
	rng := rand.New(rand.NewPCG(3, 4))
	names := make([]string, candidates)
	for i := range names {
		names[i] = randomName(rng)
	}
	var pairs []nli.Pair
	for range targets {
		target := randomName(rng)
		for _, c := range names {
			p := named("dog", target, c, dataset.Text)
			pairs = append(pairs, p, p.Swap())
		}
	}
	return pairs
}

// BenchmarkClassify scores targets against many candidates in both directions.
func BenchmarkClassify(b *testing.B) {
	pairs := targetPairs(5, 2000)
	m := open(b)
	if _, err := m.Classify(context.Background(), pairs); err != nil { // the names are known then
		b.Fatal(err)
	}
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if _, err := m.Classify(context.Background(), pairs); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	n := float64(b.N * len(pairs))
	b.ReportMetric(n/b.Elapsed().Seconds(), "pairs/s")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/pair")
}

// TestOpen: weights in a file are those that are embedded; another file is named.
func TestOpen(t *testing.T) {
	m, err := compact.Open("weights.bin", compact.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	own, err := compact.New(compact.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	if m.Key() != own.Key() {
		t.Errorf("the key is %s, expected %s", m.Key(), own.Key())
	}
	for path, want := range map[string]string{"model.go": "model.go: weights: not a weights file", "testdata": "testdata: expected a file", "none": "none: no such file"} {
		if _, err := compact.Open(path, compact.Embedded()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", path, err, want)
		}
	}
}
