package question

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/tabperturb/tabperturb/nli"
)

// judged are pairs of our own, with whether they ask the same.
var judged = []struct {
	premise, hypothesis string
	same                bool
}{
	// Carriers, politeness, counts.
	{"Find the number of pets.", "How many pets are there?", true},
	{"What are the titles of all films?", "Please show me the titles of all films.", true},
	{"Show the name of teachers aged either 32 or 33.", "Which teachers are aged either 32 or 33?", true},
	{"How many pets are owned by students older than 20?", "Find the number of pets owned by students who are older than 20.", true},
	{"List the themes of all concerts and the number of singers in each concert.", "Show the themes for all concerts and how many singers are in each.", true},
	{"Show the names of the nurses.", "Who are the nurses? List their names.", true},
	// What values and carriers imply.
	{"What are the ids of the students who do not own cats as pets?", "Find the ids of students who don't own cats.", true},
	{"Which singers come from a country whose name is France?", "Which singers are from France?", true},
	{"List the players whose country is France.", "List the players from France.", true},
	{"Show the average age of American drivers.", "Show the average age of drivers from the USA.", true},
	{"What is the average life expectancy of countries in the region of Central Africa?", "For countries in Central Africa, what is the average life expectancy?", true},
	{"What is the text of the document with the name 'Summer notes'?", "What is the text of the document 'Summer notes'?", true},
	// Numbers and comparisons.
	{"Find all airlines that have at least 10 flights.", "Find all airlines that have at least ten flights.", true},
	{"Find all airlines that have at least 10 flights.", "Find all airlines with 10 or more flights.", true},
	{"Which shops sell more than 3 brands?", "Which shops sell at least 4 brands?", true},
	{"Which cities have over 5,000,000 inhabitants?", "Which cities have more than 5 million inhabitants?", true},
	{"Find the ships built before 1900.", "Find the ships that were built prior to 1900.", true},
	// Extremes and orders.
	{"What is the name of the oldest dog?", "What is the name of the dog with the highest age?", true},
	{"Which airport has the highest number of flights?", "Which airport has the most flights?", true},
	{"List the cars in descending order of price.", "List the cars from the most expensive to the cheapest.", true},
	{"List all songs sorted by title.", "List all songs ordered by title.", true},
	// Synonyms.
	{"Find the first name of the heads of departments.", "Find the given name of the leaders of departments.", true},
	{"How many movies did each director make?", "How many films did each director make?", true},

	{"List the players from the oldest to the youngest.", "List the players from the youngest to the oldest.", false},
	{"List the cars in ascending order of weight.", "List the cars in descending order of weight.", false},
	{"Show the airlines in the USA.", "Show the airlines in France.", false},
	{"How many flights leave from 'APG'?", "How many flights leave from 'CVO'?", false},
	{"Which flights go from Paris to Rome?", "Which flights go from Rome to Paris?", false},
	{"What are the names of students who play football?", "What are the names of students?", false},
	{"What are the names of students?", "What are the names of students older than 20?", false},
	{"Find the shops with more than 3 employees.", "Find the shops with less than 3 employees.", false},
	{"Find the shops with more than 3 employees.", "Find the shops with at least 3 employees.", false},
	{"Find the shops with more than 3 employees.", "Find the shops with more than 5 employees.", false},
	{"Find the three largest cities.", "Find the four largest cities.", false},
	{"What is the youngest singer's name?", "What is the oldest singer's name?", false},
	{"What is the average price of the products?", "What is the maximum price of the products?", false},
	{"Which teachers do not teach math?", "Which teachers teach math?", false},
	{"What is the name of the oldest dog?", "What is the weight of the oldest dog?", false},
	{"Show the name and the age of each singer.", "Show the age of each singer.", false},
	{"How many singers are there?", "What are the names of the singers?", false},
	{"What is the capacity of the largest stadium?", "Which pilot won most matches?", false},
}

func TestJudgements(t *testing.T) {
	pairs := make([]nli.Pair, len(judged))
	for i, c := range judged {
		pairs[i] = nli.Pair{Premise: c.premise, Hypothesis: c.hypothesis}
	}
	scores, err := Default().Classify(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range judged {
		if s := scores[i]; (s.Entailment >= .5) != c.same {
			t.Errorf("%q, %q: entailment %.3f, want the same: %v", c.premise, c.hypothesis, s.Entailment, c.same)
		}
	}
}

func TestIdentical(t *testing.T) {
	for _, q := range []string{"How many cats?", "List the names of all pilots older than 30.", "'x'"} {
		if s := one(t, q, q); s.Entailment <= .95 {
			t.Errorf("%q against itself: %.3f, want more than 0.95", q, s.Entailment)
		}
	}
	if s := one(t, "How many cats?", ""); s.Entailment > .05 {
		t.Errorf("against nothing: %.3f", s.Entailment)
	}
}

// Contradiction is more probable than neutrality where a direction is turned
// round, and less where a column is lost.
func TestContradiction(t *testing.T) {
	if s := one(t, "Find the ships longer than 30 metres.", "Find the ships shorter than 30 metres."); s.Contradiction < s.Neutral {
		t.Errorf("another direction: %+v", s)
	}
	if s := one(t, "Show the name, weight and price of each bike.", "Show the name and price of each bike."); s.Contradiction > s.Neutral {
		t.Errorf("a lost column: %+v", s)
	}
}

func one(tb testing.TB, premise, hypothesis string) nli.Scores {
	tb.Helper()
	scores, err := Default().Classify(context.Background(), []nli.Pair{{Premise: premise, Hypothesis: hypothesis}})
	if err != nil {
		tb.Fatal(err)
	}
	return scores[0]
}

// all are the pairs of the table in both directions.
func all() []nli.Pair {
	var out []nli.Pair
	for _, c := range judged {
		out = append(out, nli.Pair{Premise: c.premise, Hypothesis: c.hypothesis}, nli.Pair{Premise: c.hypothesis, Hypothesis: c.premise})
	}
	return out
}

// Scores are symmetric, sum to 1, and depend neither on the batch nor on what was
// scored before.
func TestScores(t *testing.T) {
	fresh, err := Load(embedded)
	if err != nil {
		t.Fatal(err)
	}
	pairs := all()
	scores, err := fresh.Classify(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if sum := s.Entailment + s.Neutral + s.Contradiction; math.Abs(sum-1) > 1.6e-4 {
			t.Errorf("%v: sum %v", pairs[i], sum)
		}
		if i%2 == 1 && s != scores[i-1] {
			t.Errorf("%v: %v, the other way round %v", pairs[i], s, scores[i-1])
		}
		if alone := one(t, pairs[i].Premise, pairs[i].Hypothesis); alone != s {
			t.Errorf("%v: %v in a batch, %v alone", pairs[i], s, alone)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Default().Classify(ctx, all()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestWeights(t *testing.T) {
	w, err := DecodeWeights(embedded)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, embedded) {
		t.Error("encoding the decoded weights gives other bytes")
	}
	if len(embedded) > 200<<10 {
		t.Errorf("%d bytes, expected at most 200 KiB", len(embedded))
	}
	broken := map[string]func(*Weights){
		"no networks":       func(w *Weights) { w.Nets = nil },
		"another length":    func(w *Weights) { w.Mean = w.Mean[1:] },
		"a layer too short": func(w *Weights) { w.Nets[0].Out = w.Nets[0].Out[1:] },
		"a short unit":      func(w *Weights) { w.Nets[0].Hidden[0] = w.Nets[0].Hidden[0][1:] },
		"a short class":     func(w *Weights) { w.Nets[0].Out[0] = nil },
	}
	for name, damage := range broken {
		w, err := DecodeWeights(embedded)
		if err != nil {
			t.Fatal(err)
		}
		damage(w)
		data, err := w.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeWeights(data); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := DecodeWeights([]byte("not packed")); err == nil {
		t.Error("text accepted as weights")
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range judged[:8] {
		f.Add(c.premise, c.hypothesis)
	}
	f.Add("", "\xff'\"at least")
	f.Fuzz(func(t *testing.T, premise, hypothesis string) {
		if s, r := one(t, premise, hypothesis), one(t, hypothesis, premise); s != r || !(s.Entailment >= 0 && s.Entailment <= 1) {
			t.Errorf("%q, %q: %v and %v", premise, hypothesis, s, r)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	pairs := all()
	for b.Loop() {
		if _, err := Default().Classify(context.Background(), pairs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "pairs/s")
}
