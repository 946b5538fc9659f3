//go:build quality

package quality

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/tabperturb/tabperturb/internal/shared"
	"github.com/tabperturb/tabperturb/nli/question"
	"github.com/tabperturb/tabperturb/tools/train/questions"
)

// TestQuestionModel trains the model of whole questions on Spider's training set
// anew, which must give the embedded weights, and measures it on Spider dev.
func TestQuestionModel(t *testing.T) {
	ctx := context.Background()
	tables := shared.File(t, "data", "spider", "tables.json")
	weights, held, err := questions.Train(ctx, questions.Sources{
		Spider:    shared.File(t, "data", "spider", "train_spider_min.jsonl.gz"),
		SpiderSyn: shared.File(t, "data", "spider-syn", "train_spider.json.gz"),
		Tables:    tables,
	}, questions.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := os.ReadFile("../../nli/question/weights.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(weights, embedded) {
		t.Error("the weights differ from those embedded")
	}
	dev, err := questions.Evaluate(ctx, question.Default(), questions.Sources{
		Spider:    shared.File(t, "data", "spider", "dev.json"),
		SpiderSyn: shared.File(t, "data", "spider-syn", "dev.json"),
		Tables:    tables,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "questionmodel", fmt.Sprintf("# training databases, cross-validated\n%s\n# Spider dev\n%s", held, dev))
}
