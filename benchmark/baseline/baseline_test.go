package baseline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// shelf is a masked model that knows a few words, another order of them for each
// text, and some that are to be dropped.
type shelf struct{ err error }

func (s shelf) Key() string { return "shelf" }

func (s shelf) Fill(_ context.Context, text string, k int) ([]perturb.Word, error) {
	if strings.Count(text, "[MASK]") != 1 {
		return nil, errors.New("no blank")
	}
	words := []string{"##ing", "of", "a", "3rd", "Title", "label", "number", "code", "place", "price", "quickly", "member", "work", "period"}
	out := make([]perturb.Word, len(words))
	for i := range words {
		out[i] = perturb.Word{Text: words[(i+len(text))%len(words)], Probability: 0.5 / float64(i+1)}
	}
	out = append(out, perturb.Word{Text: "region", Probability: leastProbability / 2})
	return out[:min(k, len(out))], s.err
}

// few keeps goldens short: one sample of REPLACE and one of ADD, of two examples
// a database.
func few(p *perturb.Pass) { p.Samples, p.Examples = 1, p.Examples[:2] }

func withShelf(p *perturb.Pass) { p.Masked = shelf{} }

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, All, few, withShelf) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
	for i, a := range Attackers() {
		if want := "baseline/" + a.Name; All[i].Name != want {
			t.Errorf("attacker %d is the perturbation %s, want %s", i, All[i].Name, want)
		}
	}
}

// unknown is a table of vectors that cannot be searched.
type unknown struct{ lexicon.Vectors }

// TestLacks runs the attackers without what they need: every example is rejected
// for every sample, with the reason, and [Buckets] says the same.
func TestLacks(t *testing.T) {
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	examples := perturbtest.Examples(t, u)
	for _, test := range []struct {
		attacker *Attacker
		res      perturb.Resources
		want     perturb.Reason
	}{
		{&w2v, perturb.Resources{}, noVectors},
		{&w2v, perturb.Resources{Vectors: (*lexicon.Table)(nil)}, noVectors},
		{&w2v, perturb.Resources{Vectors: unknown{lexicon.Default()}}, noVectors},
		{&textFooler, perturb.Resources{}, noVectors},
		{&bertAttack, perturb.Resources{Vectors: lexicon.Default()}, "no-masked-model"},
		{&bertAttack, perturb.Resources{Masked: shelf{}}, "no-sentence-vectors"},
	} {
		p := test.attacker.perturbation()
		pass := perturbtest.NewPass(t, p, u.DB, examples, 2, 1)
		pass.Resources = test.res
		variants, rejected := perturbtest.RunPass(t, p, pass)
		if len(variants) != 0 || len(rejected) != 4*len(examples) {
			t.Errorf("%s: %d variants and %d rejections, want none and %d", p.Name, len(variants), len(rejected), 4*len(examples))
		}
		for _, r := range rejected {
			if r.Reason != test.want {
				t.Errorf("%s: rejected with %q, want %q", p.Name, r.Reason, test.want)
				break
			}
		}
		_, err := Buckets(t.Context(), test.attacker, []*dataset.Unit{u}, test.res, 1)
		if want := p.Name + ": " + test.want.Text(); err == nil || err.Error() != want {
			t.Errorf("Buckets: error %v, want %q", err, want)
		}
	}
}

// remembering searches its table for each vector once: that is slow.
type remembering struct {
	*lexicon.Table
	near map[string][]lexicon.Near
}

func (r *remembering) Nearest(vec []float32, k int) []lexicon.Near {
	key := fmt.Sprint(k, vec)
	if _, ok := r.near[key]; !ok {
		r.near[key] = r.Table.Nearest(vec, k)
	}
	return slices.Clone(r.near[key])
}

// TestBuckets checks that the perturbations draw from what Buckets gives: REPLACE
// names in the first samples, ADD names in as many more, neither more than five.
func TestBuckets(t *testing.T) {
	units := perturbtest.Units(t, perturbtest.WriteSample(t))[:1]
	res := perturbtest.Resources()
	res.Masked, res.Vectors = shelf{}, &remembering{Table: lexicon.Default(), near: map[string][]lexicon.Near{}}
	const samples = 3
	for _, a := range Attackers() {
		buckets, err := Buckets(t.Context(), a, units, res, 7)
		if err != nil {
			t.Fatal(err)
		}
		pools := pools(t, a, units, res)
		for id, b := range buckets {
			from := pools[id]
			if len(b.Replace) != min(bucketSize, len(from.Replace)) || len(b.Add) != min(bucketSize, len(from.Add)) {
				t.Errorf("%s: %s has %d and %d names, want %d where there are as many", a.Name, id, len(b.Replace), len(b.Add), bucketSize)
			}
			if len(from.Replace) > replaceEnd || len(from.Add) > addEnd-replaceEnd || len(from.Add) > 0 && len(from.Replace) < replaceEnd {
				t.Errorf("%s: %s draws from %d and %d names", a.Name, id, len(from.Replace), len(from.Add))
			}
		}
		counts := map[string]int{}
		for _, u := range units {
			pass := perturbtest.NewPass(t, a.perturbation(), u.DB, perturbtest.Examples(t, u), samples, 7)
			pass.Resources = res
			variants, _ := perturbtest.RunPass(t, a.perturbation(), pass)
			for _, v := range variants {
				for _, e := range v.Edits {
					var names []dataset.Candidate
					var from dataset.Candidate
					switch e := e.(type) {
					case perturb.RenameColumn:
						from = e.From
						ref, _ := u.DB.Lookup(e.Table, e.Column)
						for _, tied := range append(perturb.Tied(u.DB, ref), ref) { // a key takes the name of its target
							names = append(names, buckets[u.DB.ColumnID(tied).Key()].Replace...)
						}
					case perturb.AddColumn:
						from, names = e.From, buckets[dataset.ColumnID{DB: u.DB.ID, Table: e.Table, Column: e.Beside}.Key()].Add
					}
					if !slices.ContainsFunc(names, func(c dataset.Candidate) bool { return cmp.Equal(c, from) }) {
						t.Errorf("%s: sample %d: %+v comes from none of %+v", a.Name, v.Sample, e, names)
					}
					_, added := e.(perturb.AddColumn)
					if added != (v.Sample >= samples) || v.Sample >= 2*samples {
						t.Errorf("%s: sample %d holds %T", a.Name, v.Sample, e)
					}
					counts[map[bool]string{false: "replace", true: "add"}[added]]++
				}
			}
		}
		if counts["replace"] == 0 || counts["add"] == 0 {
			t.Errorf("%s: edits %v, want some of both", a.Name, counts)
		}
	}
}

func TestMaskedError(t *testing.T) {
	res := perturbtest.Resources()
	res.Masked = shelf{errors.New("out of words")}
	units := perturbtest.Units(t, perturbtest.WriteSample(t))
	if _, err := Buckets(t.Context(), &bertAttack, units, res, 1); err == nil || !strings.Contains(err.Error(), ": out of words") {
		t.Errorf("error %v, want the model's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Buckets(ctx, &w2v, units, perturbtest.Resources(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the context was cancelled", err)
	}
}
