package nli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

// fake scores a pair by its text alone and counts what it is asked.
type fake struct {
	key   string
	score func(Pair) Scores

	mu    sync.Mutex
	asked [][]Pair
}

func (f *fake) Key() string { return f.key }

func (f *fake) Classify(_ context.Context, pairs []Pair) ([]Scores, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, append([]Pair{}, pairs...))
	out := make([]Scores, len(pairs))
	for i, p := range pairs {
		out[i] = f.score(p)
	}
	return out, nil
}

func (f *fake) pairs() int {
	n := 0
	for _, batch := range f.asked {
		n += len(batch)
	}
	return n
}

// hashed gives every pair scores of its own, with all bits of a double.
func hashed(p Pair) Scores {
	k := keyOf("", p)
	e := float64(k[0]) / 256 / math.Pi
	n := float64(k[1]) / 256 / math.E
	return Scores{Entailment: e, Neutral: n, Contradiction: 1 - e - n}
}

func TestSentence(t *testing.T) {
	for _, c := range []struct {
		entity, column string
		typ            dataset.Type
		want           string
	}{
		{"dog", "date of birth", dataset.Time, "dog date of birth (time)"},
		{"", "age", dataset.Number, "age (number)"},
		{"dog", "age", "", "dog age"},
		{"", "", "", ""},
		{" film \n star ", "first\tname", dataset.Text, "film star first name (text)"},
	} {
		if got := Sentence(c.entity, c.column, c.typ); got != c.want {
			t.Errorf("Sentence(%q, %q, %q) = %q, want %q", c.entity, c.column, c.typ, got, c.want)
		}
	}
}

func TestScoreDirections(t *testing.T) {
	f := &fake{key: "k", score: hashed}
	items := []Pair{{Entity: "dog", Premise: "name", Hypothesis: "title", PremiseType: dataset.Text, HypothesisType: dataset.Others}}
	got, err := Score(context.Background(), f, items)
	if err != nil {
		t.Fatal(err)
	}
	forward := Pair{Premise: "dog name (text)", Hypothesis: "dog title (others)"}
	backward := Pair{Premise: forward.Hypothesis, Hypothesis: forward.Premise}
	want := []Judgment{{Forward: hashed(forward), Backward: hashed(backward)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if e := got[0].Entailments(); e != (Entailments{hashed(forward).Entailment, hashed(backward).Entailment}) {
		t.Errorf("Entailments() = %v", e)
	}
}

func TestScoreOrderAndBatchDoNotMatter(t *testing.T) {
	var items []Pair
	for i := range 50 {
		items = append(items, Pair{Entity: "e", Premise: strings.Repeat("a", i%7), Hypothesis: fmt.Sprint("b", i%11)})
	}
	want, err := Scorer{Classifier: &fake{score: hashed}}.Score(context.Background(), items)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{1, 3, 1000} {
		f := &fake{score: hashed}
		reversed := make([]Pair, len(items))
		for i, it := range items {
			reversed[len(items)-1-i] = it
		}
		got, err := Scorer{Classifier: f, Batch: batch}.Score(context.Background(), reversed)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != want[len(want)-1-i] {
				t.Fatalf("batch %d: item %d: %v, want %v", batch, i, got[i], want[len(want)-1-i])
			}
		}
		seen := map[Pair]bool{}
		length := 0
		for _, b := range f.asked {
			if len(b) > batch {
				t.Errorf("batch of %d, want at most %d", len(b), batch)
			}
			for _, p := range b {
				if seen[p] {
					t.Errorf("%v was asked twice", p)
				}
				seen[p] = true
				if n := len(p.Premise) + len(p.Hypothesis); n < length {
					t.Errorf("length %d after %d, want batches by length", n, length)
				} else {
					length = n
				}
			}
		}
	}
}

func TestScoreEmpty(t *testing.T) {
	f := &fake{score: hashed}
	if got, err := Score(context.Background(), f, nil); err != nil || len(got) != 0 || len(f.asked) != 0 {
		t.Errorf("%v, %v, %d calls", got, err, len(f.asked))
	}
}

func TestScoreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &fake{}
	f.score = func(p Pair) Scores { cancel(); return hashed(p) }
	items := []Pair{{Premise: "a", Hypothesis: "b"}, {Premise: "c", Hypothesis: "d"}}
	if _, err := (Scorer{Classifier: f, Batch: 1}).Score(ctx, items); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if len(f.asked) != 1 {
		t.Errorf("%d calls after cancellation in the first, want 1", len(f.asked))
	}
}

// short breaks the contract by leaving out the last score.
type short struct{ fake }

func (s *short) Classify(ctx context.Context, pairs []Pair) ([]Scores, error) {
	out, err := s.fake.Classify(ctx, pairs)
	return out[1:], err
}

func TestScoreBrokenClassifier(t *testing.T) {
	constant := func(s Scores) Classifier { return &fake{key: "m", score: func(Pair) Scores { return s }} }
	for _, c := range []struct {
		name string
		c    Classifier
		want string
	}{
		{"short", &short{fake{key: "m", score: hashed}}, "nli model m: 1 scores, expected one for each of 2 pairs"},
		{"NaN", constant(Scores{Entailment: math.NaN(), Neutral: 1}), `nli model m: premise "a", hypothesis "b": scores {NaN 1 0}`},
		{"negative", constant(Scores{Entailment: -1, Neutral: 1, Contradiction: 1}), "expected probabilities that sum to 1"},
		{"sum", constant(Scores{Entailment: 0.5, Neutral: 0.4}), "expected probabilities that sum to 1"},
	} {
		_, err := Score(context.Background(), c.c, []Pair{{Premise: "a", Hypothesis: "b"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// BenchmarkScore measures what a Scorer adds to its classifier.
func BenchmarkScore(b *testing.B) {
	items := make([]Pair, 10000)
	for i := range items {
		items[i] = Pair{Entity: "dog", Premise: fmt.Sprint("a", i%100), Hypothesis: fmt.Sprint("b", i), PremiseType: dataset.Text, HypothesisType: dataset.Text}
	}
	c := instant{}
	for b.Loop() {
		if _, err := Score(context.Background(), c, items); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(2*len(items)*b.N)/b.Elapsed().Seconds(), "pairs/s")
}

type instant struct{}

func (instant) Key() string { return "instant" }
func (instant) Classify(_ context.Context, pairs []Pair) ([]Scores, error) {
	out := make([]Scores, len(pairs))
	for i := range out {
		out[i].Neutral = 1
	}
	return out, nil
}
