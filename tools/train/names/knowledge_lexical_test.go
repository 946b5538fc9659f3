//go:build quality

package names_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

// vectors adds rank correlations with human judgements, size and coverage of the
// embedded vectors.
func (f *figures) vectors(t *testing.T, web *web) {
	for _, s := range []struct {
		name, file, paper string
		goal              float64
	}{
		{"SimLex-999", "EN-SIMLEX-999.txt", "0.58 counter-fitted GloVe (Pearson)", .70},
		{"SimVerb-3500", "EN-SimVerb-3500.txt", "", .68},
	} {
		pairs := wordPairs(t, s.file)
		var human, cosine []float64
		for _, p := range pairs {
			a, _, _ := lexicon.Phrase(lexicon.Default(), p.a)
			b, _, _ := lexicon.Phrase(lexicon.Default(), p.b)
			if a != nil && b != nil {
				human, cosine = append(human, p.score), append(cosine, lexicon.Cosine(a, b))
			}
		}
		test := s.name + ", Spearman of the vectors, " + strconv.Itoa(len(human)) + " of " + strconv.Itoa(len(pairs)) + " pairs"
		f.least(test, "%.3f", stat.Correlation(ranks(human), ranks(cosine), nil), s.goal, s.paper)
	}
	info, err := os.Stat("../../../lexicon/embedded/vectors.tpv.zst")
	if err != nil {
		t.Fatal(err)
	}
	f.most("size of the vectors, MB", "%.2f", float64(info.Size())/1e6, 5, "")
	known, total := 0, 0
	for _, table := range web.tables {
		for _, n := range table {
			_, k, of := lexicon.Phrase(lexicon.Default(), n)
			known, total = known+k, total+of
		}
	}
	f.least("header tokens of TabFact and WTQ with a vector, percent", "%.1f", 100*float64(known)/float64(total), 95, "")
}

// ranks returns the rank of each value, ties sharing their mean.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]float64, len(x))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && x[order[hi]] == x[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return out
}

// hardPairsFile has table 9 of appendix B.1: the trainer leaves its pairs out.
const hardPairsFile = "testdata/table9.tsv"

// hardPair is one of table 9, with RoBERTa-MNLI's entailment in percent.
type hardPair struct {
	a, b     string
	replaces bool
	paper    float64
}

func hardPairs(t *testing.T) []hardPair {
	data, err := os.ReadFile(hardPairsFile)
	if err != nil {
		t.Fatal(err)
	}
	var out []hardPair
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		x := strings.Split(strings.TrimSpace(line), "\t")
		if len(x) != 4 {
			t.Fatalf("%s: line %q, want two names, yes or no, and a figure", hardPairsFile, line)
		}
		paper, err := strconv.ParseFloat(x[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, hardPair{x[0], x[1], x[2] == "yes", paper})
	}
	if len(out) != 10 {
		t.Fatalf("%s: %d pairs, want 10", hardPairsFile, len(out))
	}
	return out
}

// lexical adds what the embedded model says of words and sentences: SimLex-999,
// the hard pairs and Breaking NLI.
func (f *figures) lexical(t *testing.T, ctx context.Context, model nli.Classifier) {
	var items []nli.Pair
	var human, lower []float64
	for _, p := range wordPairs(t, "EN-SIMLEX-999.txt") {
		items, human = append(items, nli.Pair{Premise: p.a, Hypothesis: p.b}), append(human, p.score)
	}
	judgments, err := nli.Score(ctx, model, items)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range judgments {
		lower = append(lower, min(j.Forward.Entailment, j.Backward.Entailment))
	}
	f.least("SimLex-999, Pearson of the lower entailment", "%.3f", stat.Correlation(lower, human, nil), .70, "0.70")
	f.hard(t, ctx, model)
	f.breaking(t, ctx, model)
}

func (f *figures) hard(t *testing.T, ctx context.Context, model nli.Classifier) {
	var pairs []nli.Pair
	hard := hardPairs(t)
	for _, p := range hard {
		pairs = append(pairs, nli.Pair{Premise: p.a, Hypothesis: p.b})
	}
	right := 0
	f.list("\ntable 9: entailment in percent, and RoBERTa-MNLI's; replaceable where over 50")
	for i, s := range classify(t, ctx, model, pairs) {
		p, mark := hard[i], "wrong"
		if s.Entailment > .5 == p.replaces {
			right++
			mark = ""
		}
		kind := "irreplaceable"
		if p.replaces {
			kind = "replaceable"
		}
		f.list("%-14s %-18s %-22s %4.0f %4.0f %s", kind, p.a, p.b, 100*s.Entailment, p.paper, mark)
	}
	f.least("table 9, hard pairs told right of 10", "%.0f", float64(right), 8, "10")
}

func (f *figures) breaking(t *testing.T, ctx context.Context, model nli.Classifier) {
	sentences := breakingNLI(t)
	var pairs []nli.Pair
	for _, s := range sentences {
		pairs = append(pairs, nli.Pair{Premise: s.premise, Hypothesis: s.hypothesis})
	}
	var all outcome
	categories := map[string]*outcome{}
	for i, s := range classify(t, ctx, model, pairs) {
		c := categories[sentences[i].category]
		if c == nil {
			c = &outcome{}
			categories[sentences[i].category] = c
		}
		for _, o := range []*outcome{&all, c} {
			o.own++
			if label(s) == sentences[i].label {
				o.right++
			}
		}
	}
	f.least("Breaking NLI, three-way accuracy, percent", "%.1f", 100*all.recall(), 80, "")
	f.list("\nBreaking NLI by category: pairs, percent right")
	for _, name := range slices.Sorted(maps.Keys(categories)) {
		f.list("%-18s %5d %5.1f", name, categories[name].own, 100*categories[name].recall())
	}
}

func label(s nli.Scores) string {
	switch max(s.Entailment, s.Neutral, s.Contradiction) {
	case s.Entailment:
		return "entailment"
	case s.Contradiction:
		return "contradiction"
	}
	return "neutral"
}

// randomPairs is the number of pairs of headers drawn.
const randomPairs = 4000

// sanity adds the mean entailment of headers by themselves and by headers of
// other tables.
func (f *figures) sanity(t *testing.T, ctx context.Context, model nli.Classifier, web *web) {
	rng := rand.New(rand.NewPCG(1, 2))
	var same, random []nli.Pair
	for len(random) < randomPairs {
		x, y := rng.IntN(len(web.tables)), rng.IntN(len(web.tables))
		a, b := web.tables[x][rng.IntN(len(web.tables[x]))], web.tables[y][rng.IntN(len(web.tables[y]))]
		if x != y && fold(a) != fold(b) {
			random, same = append(random, nli.Pair{Premise: a, Hypothesis: b}), append(same, nli.Pair{Premise: a, Hypothesis: a})
		}
	}
	s, r := score(t, ctx, model, same), score(t, ctx, model, random)
	f.least("identical headers, mean entailment", "%.3f", s.forward/randomPairs, .97, "")
	f.most("headers of different tables, mean entailment", "%.3f", r.forward/randomPairs, .05, "")
}

// speed prints how quick the embedded model is in the steady state.
func speed(t *testing.T, ctx context.Context, model nli.Classifier, web *web) {
	rng := rand.New(rand.NewPCG(1, 3))
	names := web.names[:0:0]
	for _, i := range rng.Perm(len(web.names))[:2000] {
		names = append(names, web.names[i])
	}
	pairs := make([]nli.Pair, 20000)
	for i := range pairs {
		pairs[i] = nli.Pair{Premise: names[rng.IntN(len(names))], Hypothesis: names[rng.IntN(len(names))]}
	}
	classify(t, ctx, model, pairs)
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := model.Classify(ctx, pairs); err != nil {
				b.Fatal(err)
			}
		}
	})
	n := float64(r.N) * float64(len(pairs))
	t.Logf("speed on %d processors: %.0f pairs/s (goal 50000; a 2-layer BERT by cybertron 1700), %.4f allocations a pair (goal 0)",
		runtime.GOMAXPROCS(0), n/r.T.Seconds(), float64(r.MemAllocs)/n)
}

func classify(t *testing.T, ctx context.Context, model nli.Classifier, pairs []nli.Pair) []nli.Scores {
	scores, err := model.Classify(ctx, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// wordPair is two words with how alike people say they are.
type wordPair struct {
	a, b  string
	score float64
}

func wordPairs(t *testing.T, file string) []wordPair {
	data, err := os.ReadFile(shared.File(t, "lexicon", "wordsim", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []wordPair
	for line := range strings.Lines(string(data)) {
		x := strings.Fields(line)
		if len(x) != 3 {
			t.Fatalf("%s: line %q, want two words and a score", file, line)
		}
		score, err := strconv.ParseFloat(x[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, wordPair{x[0], x[1], score})
	}
	return out
}

// sentencePair is one of Breaking NLI.
type sentencePair struct{ premise, hypothesis, label, category string }

func breakingNLI(t *testing.T) []sentencePair {
	file, err := os.Open(shared.File(t, "lexicon", "nli", "breaking-nli.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zr, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(zr)
	s.Scan()
	var out []sentencePair
	for s.Scan() {
		x := strings.Split(s.Text(), "\t")
		if len(x) != 4 {
			t.Fatalf("Breaking NLI: line %q, want premise, hypothesis, label and category", s.Text())
		}
		out = append(out, sentencePair{x[0], x[1], x[2], x[3]})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
