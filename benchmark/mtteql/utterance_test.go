package mtteql_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestUtterance(t *testing.T) { perturbtest.GoldenAll(t, mtteql.Utterance) }

func TestUtteranceValid(t *testing.T) {
	if err := perturb.Validate(mtteql.Utterance); err != nil {
		t.Error(err)
	}
}

// TestUtteranceCap checks that a larger cap only adds variants, that all variants of
// a question differ, and that they do not depend on the other examples.
func TestUtteranceCap(t *testing.T) {
	for _, p := range mtteql.Utterance {
		for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
			examples := perturbtest.Examples(t, u)
			many, _ := perturbtest.Run(t, p, u.DB, examples, nil, 9, 1)
			few, _ := perturbtest.Run(t, p, u.DB, examples[len(examples)/2:], nil, 4, 1)
			type key struct{ example, sample int }
			asked, seen := map[key]string{}, map[string]bool{}
			for _, v := range many {
				ex := v.Examples[0]
				now, err := perturb.ApplyQuestion(ex.Question, v.Edits)
				if err != nil {
					t.Fatal(err)
				}
				if id := fmt.Sprint(ex.Index, now); seen[id] || now == ex.Question {
					t.Errorf("%s: example %d: %q stands twice", p.Name, ex.Index, now)
				} else {
					seen[id] = true
				}
				asked[key{ex.Index, v.Sample}] = now
			}
			for _, v := range few {
				ex := v.Examples[0]
				now, _ := perturb.ApplyQuestion(ex.Question, v.Edits)
				if diff := cmp.Diff(asked[key{ex.Index, v.Sample}], now); diff != "" || v.Sample >= 4 {
					t.Errorf("%s: example %d, sample %d (-cap 9 +cap 4):\n%s", p.Name, ex.Index, v.Sample, diff)
				}
			}
		}
	}
}
