package questions

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/question"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestModel trains the model of whole questions on Spider's training set
// anew, which must give the embedded weights, and measures it on Spider dev.
func TestModel(t *testing.T) {
	shared.Quality(t)
	ctx := t.Context()
	tables := shared.File(t, "data", "spider", "tables.json")
	weights, held, err := Train(ctx, Sources{
		Spider:    shared.File(t, "data", "spider", "train_spider_min.jsonl.gz"),
		SpiderSyn: shared.File(t, "data", "spider-syn", "train_spider.json.gz"),
		Written:   "written.tsv",
		Tables:    tables,
	}, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := os.ReadFile("../../../nli/question/weights.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights, embedded) {
		t.Error("the weights differ from those embedded")
	}
	dev, err := Evaluate(ctx, question.Default(), Sources{
		Spider:    shared.File(t, "data", "spider", "dev.json"),
		SpiderSyn: shared.File(t, "data", "spider-syn", "dev.json"),
		Tables:    tables,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	perturbtest.Compare(t, "testdata/model.golden", fmt.Appendf(nil, "# training databases, cross-validated\n%s\n# Spider dev\n%s", held, dev))
}

// Evaluate judges the pairs of a split. Its sources must not be those of the
// training.
func Evaluate(ctx context.Context, model nli.Classifier, src Sources, seed uint64) (*Report, error) {
	pairs, err := Pairs(src, seed)
	if err != nil {
		return nil, err
	}
	sentences := make([]nli.Pair, len(pairs))
	for i, p := range pairs {
		sentences[i] = nli.Pair{Premise: p.A, Hypothesis: p.B}
	}
	found, err := model.Classify(ctx, sentences)
	if err != nil {
		return nil, err
	}
	scores := make([][question.Classes]float64, len(pairs))
	for i, s := range found {
		scores[i] = [question.Classes]float64{s.Entailment, s.Neutral, s.Contradiction}
	}
	return newReport(pairs, scores), nil
}
