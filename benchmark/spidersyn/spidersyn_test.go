package spidersyn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/question"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, spidersyn.All) }

// shelf is a masked model that predicts the same few words for every blank.
type shelf struct{ err error }

func (shelf) Key() string { return "shelf" }

func (s shelf) Fill(_ context.Context, text string, k int) ([]perturb.Word, error) {
	if strings.Count(text, "[MASK]") != 1 {
		return nil, errors.New("no blank")
	}
	var out []perturb.Word
	for i, w := range []string{"##ing", "of", "Client", "guest", "shop", "price", "cost", "nation", "employee", "worker", "dish", "town"} {
		out = append(out, perturb.Word{Text: w, Probability: 0.5 / float64(i+1)})
	}
	return out[:min(k, len(out))], s.err
}

// few keeps goldens short, and has all models that judge.
func few(t *testing.T) func(*perturb.Pass) {
	names, err := compact.New(compact.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return func(p *perturb.Pass) {
		p.Samples, p.Examples = 1, p.Examples[:5]
		p.NLI, p.Factuality, p.Masked = names, question.Default(), shelf{}
	}
}

func TestAttacks(t *testing.T) { perturbtest.GoldenAll(t, spidersyn.Attacks, few(t)) }

// The error of a masked model ends an attack.
func TestMaskedFails(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	bert := spidersyn.Attackers()[1]
	pass := perturbtest.NewPass(t, spidersyn.Attacks[1], u.DB, perturbtest.Examples(t, u), 1, 1)
	fail := errors.New("broken")
	pass.Masked = shelf{fail}
	if err := spidersyn.Attacks[1].Run(pass); !errors.Is(err, fail) {
		t.Errorf("got %v, want %v", err, fail)
	}
	moves, _, err := bert.Open(pass)
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range pass.Examples {
		if _, err := moves.Of(ex); err != nil && !errors.Is(err, fail) {
			t.Errorf("got %v, want %v", err, fail)
		}
	}
}

func TestValid(t *testing.T) {
	if err := perturb.Validate(slices.Concat(spidersyn.All, spidersyn.Attacks)); err != nil {
		t.Error(err)
	}
}

// TestNothing checks that examples are rejected with a reason where there are no
// resources at all.
func TestNothing(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		for _, p := range slices.Concat(spidersyn.All, spidersyn.Attacks) {
			pass := perturbtest.NewPass(t, p, u.DB, perturbtest.Examples(t, u), 2, 1)
			pass.Resources = perturb.Resources{}
			variants, rejected := perturbtest.RunPass(t, p, pass)
			if len(variants) > 0 || len(rejected) != len(pass.Examples) {
				t.Errorf("%s: %s: %d variants and %d rejected of %d examples, expected all rejected", p.Name, u.DB.ID, len(variants), len(rejected), len(pass.Examples))
			}
			for _, r := range rejected {
				if r.Reason == "" {
					t.Errorf("%s: %s: example %d is rejected without a reason", p.Name, u.DB.ID, r.Example)
				}
			}
		}
	}
}
