package compact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

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
