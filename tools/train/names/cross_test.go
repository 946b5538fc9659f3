package names

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFold checks that each group is in one fold, and the folds of each origin
// as large as can be.
func TestFold(t *testing.T) {
	tr := tinyTrainer(t)
	fold := tr.fold()
	groups := map[bool]map[string]bool{false: {}, true: {}}
	for i := range tr.samples {
		s := &tr.samples[i]
		if s.kind.handmade() && s.group == "" {
			t.Errorf("%q, %q: hand-made without a group", s.a, s.b)
		}
		if s.group == "" {
			continue
		}
		if k, ok := fold[s.group]; !ok || k < 0 || k >= folds {
			t.Errorf("group %q in fold %d of %d", s.group, k, folds)
		}
		groups[s.kind.adveta()][s.group] = true
	}
	total := 0
	for adveta, of := range groups {
		var sizes [folds]int
		for g := range of {
			sizes[fold[g]]++
			if groups[!adveta][g] {
				t.Errorf("group %q both of ADVETA and not", g)
			}
		}
		if least, most := slices.Min(sizes[:]), slices.Max(sizes[:]); least == 0 || most > least+1 {
			t.Errorf("ADVETA %v: folds of %v groups", adveta, sizes)
		}
		total += len(of)
	}
	if len(fold) != total {
		t.Errorf("%d groups have a fold, expected %d", len(fold), total)
	}
}

// TestCrossValidation turns the truth about the groups of one fold around, and
// checks that what is predicted of them stays, for no stage has seen them, and
// that what is predicted of the others changes.
func TestCrossValidation(t *testing.T) {
	for name, of := range map[string]func(*sample) bool{
		"ADVETA": func(s *sample) bool { return s.kind.adveta() },
		"own":    func(s *sample) bool { return s.kind.handmade() && !s.kind.adveta() },
		"random": func(s *sample) bool { return s.kind == kindRandom },
	} {
		t.Run(name, func(t *testing.T) { testCrossValidation(t, of) })
	}
}

func testCrossValidation(t *testing.T, of func(*sample) bool) {
	tr := tinyTrainer(t)
	fold := tr.fold()
	const turned = 1
	groups := map[string]bool{}
	truth := func(s *sample) bool { return s.group != "" && fold[s.group] == turned && of(s) }
	for i := range tr.samples {
		if s := &tr.samples[i]; truth(s) {
			groups[s.group] = true
		}
	}
	before := tr.predictAll(t)
	tr.flip(truth)
	after := tr.predictAll(t)
	changed, same := 0, 0
	others := false
	for i, p := range before {
		q := after[i]
		if p.fold != fold[p.Group] || p.A != q.A || p.B != q.B {
			t.Fatalf("%q, %q of %s in fold %d; again %q, %q", p.A, p.B, p.Group, p.fold, q.A, q.B)
		}
		switch equal := p.logits == q.logits; {
		case p.fold != turned:
			others = others || !equal
		case !groups[p.Group]:
		case equal:
			same++
		default:
			changed++
		}
	}
	if changed > 0 || same == 0 {
		t.Errorf("%d of %d predictions changed with the truth about them, expected none", changed, changed+same)
	}
	if !others {
		t.Error("no other prediction changed, expected it")
	}
}

// predictAll trains both stages with cross-validation.
func (t *trainer) predictAll(tb testing.TB) []Prediction {
	tb.Helper()
	out, err := t.crossValidate(context.Background(), t.mustRun(tb, t.opt.first(), nil, nil))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestPredicted checks that each pair of a group is predicted once, but for
// those that hold one way.
func TestPredicted(t *testing.T) {
	tr := tinyTrainer(t)
	out := tr.predictAll(t)
	counts := map[[3]string]int{}
	for _, p := range out {
		counts[[3]string{p.Group, p.A, p.B}]++
		for _, x := range []float64{p.Forward, p.Backward} {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%q, %q: %v, %v, expected calibrated probabilities", p.A, p.B, p.Forward, p.Backward)
			}
		}
	}
	for i := range tr.samples {
		s := &tr.samples[i]
		key := [3]string{s.group, s.a, s.b}
		if s.group == "" || s.kind == kindBroader || s.kind == kindNarrower {
			continue
		}
		if counts[key] != 1 {
			t.Errorf("%q predicted %d times, expected once", key, counts[key])
		}
		delete(counts, key)
	}
	if len(counts) > 0 {
		t.Errorf("predicted %v, expected no others", counts)
	}
}

// TestUnseen checks that what is predicted without ADVETA does not depend on it.
func TestUnseen(t *testing.T) {
	tr := tinyTrainer(t)
	base := tr.mustRun(t, tr.opt.first(), nil, nil)
	adveta := func(s *sample) bool { return s.kind.adveta() }
	before, err := tr.unseen(context.Background(), base, calibration{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	tr.flip(adveta)
	after, err := tr.unseen(context.Background(), base, calibration{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after, cmp.AllowUnexported(Prediction{})); diff != "" {
		t.Error(diff)
	}
	if want := 18; len(before) != want {
		t.Errorf("%d predictions, expected %d", len(before), want)
	}
}

func TestPlatt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var logits, targets, weights []float64
	for i := range 4000 {
		x := rng.NormFloat64() * 3
		target := 1 / (1 + math.Exp(-(.5*x + .7)))
		weight := 1.0
		if i%4 == 0 { // counts for nothing
			target, weight = 1-target, 0
		}
		logits, targets, weights = append(logits, x), append(targets, target), append(weights, weight)
	}
	if c := platt(logits, targets, weights); math.Abs(c.scale-.5) > .01 || math.Abs(c.bias-.7) > .01 {
		t.Errorf("%+v, expected scale 0.5, bias 0.7", c)
	}
}

// TestPlattBounds fits what has no best fit.
func TestPlattBounds(t *testing.T) {
	for name, tt := range map[string]struct{ logits, targets []float64 }{
		"nothing":    {},
		"one":        {[]float64{1}, []float64{1}},
		"all true":   {[]float64{1, 2, 3}, []float64{1, 1, 1}},
		"separable":  {[]float64{-1, -2, 1, 2}, []float64{0, 0, 1, 1}},
		"turned":     {[]float64{-1, -2, 1, 2}, []float64{1, 1, 0, 0}},
		"all alike":  {[]float64{1, 1, 1}, []float64{0, 1, 1}},
		"far out":    {[]float64{-900, 900}, []float64{0, 1}},
		"undecided":  {[]float64{0, 0}, []float64{1, 0}},
		"far turned": {[]float64{-900, 900}, []float64{1, 0}},
	} {
		weights := slices.Repeat([]float64{1}, len(tt.logits))
		if c := platt(tt.logits, tt.targets, weights); !(c.scale >= .1 && c.scale <= 10 && math.Abs(c.bias) <= 10) {
			t.Errorf("%s: %+v, expected a scale of 0.1 to 10 and a bias within 10", name, c)
		}
	}
}

func TestCalibrate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []Prediction
	add := func(n, fold int, mean float64, p Prediction) {
		for range n {
			p.fold, p.logits = fold, [2]float64{mean + rng.NormFloat64(), mean + rng.NormFloat64()}
			all = append(all, p)
		}
	}
	for fold := range 2 {
		add(100, fold, 1, Prediction{ADVETA: true, Replaces: true})
		add(100, fold, -1, Prediction{ADVETA: true})
		add(100, fold, -2, Prediction{Random: true})
	}
	want := calibrate(all, 1)
	if c := calibrate(all, 0); c == want {
		t.Error("another fold left out gave the same calibration")
	}
	check := func(what string, got calibration, same bool) {
		t.Helper()
		if (got == want) != same {
			t.Errorf("%s: %+v, was %+v", what, got, want)
		}
	}
	// Neither what is left out nor our own names beside ADVETA's count.
	changed := slices.Clone(all)
	for i := range changed {
		if p := &changed[i]; p.fold == 1 {
			p.Replaces, p.logits = !p.Replaces, [2]float64{5, 5}
		}
	}
	check("fold left out", calibrate(changed, 1), true)
	check("our own beside ADVETA's", calibrate(append(slices.Clone(all), Prediction{logits: [2]float64{3, 3}}, Prediction{Replaces: true}), 1), true)
	check("one more of ADVETA", calibrate(append(slices.Clone(all), Prediction{ADVETA: true, logits: [2]float64{9, 9}}), 1), false)
	// How many there are of each class does not count.
	twice := slices.Clone(all)
	for _, p := range all {
		if p.Replaces {
			twice = append(twice, p)
		}
	}
	if c := calibrate(twice, 1); math.Abs(c.scale-want.scale)+math.Abs(c.bias-want.bias) > 1e-6 {
		t.Errorf("replacements twice: %+v, was %+v", c, want)
	}
	// The mean probability over all proposals is the share of the replacements.
	var sum [3]float64
	for _, p := range all {
		if p.fold == 1 {
			continue
		}
		for _, l := range p.logits {
			sum[class(p)] += want.of(l) / 200
		}
	}
	var mean float64
	for c, share := range proposals {
		mean += share * sum[c]
	}
	if math.Abs(mean-proposals[0]) > 1e-6 {
		t.Errorf("mean probability %v, expected %v", mean, proposals[0])
	}
}

// class numbers replacements, distractors and random headers.
func class(p Prediction) int {
	switch {
	case p.Replaces:
		return 0
	case p.Random:
		return 2
	}
	return 1
}

func TestArea(t *testing.T) {
	p := func(replaces bool, forward, backward float64) Prediction {
		return Prediction{Replaces: replaces, Forward: forward, Backward: backward}
	}
	for name, tt := range map[string]struct {
		predictions []Prediction
		want        float64
	}{
		"perfect":     {[]Prediction{p(true, .9, .8), p(false, .9, .1), p(true, .7, .7)}, 1},
		"turned":      {[]Prediction{p(false, .9, .8), p(true, .9, .1)}, 0},
		"half":        {[]Prediction{p(true, .9, .9), p(false, .5, .5), p(true, .1, .1)}, .5},
		"equal":       {[]Prediction{p(true, .5, .5), p(false, .5, .5)}, .5},
		"equal later": {[]Prediction{p(false, .5, .5), p(true, .5, .5), p(true, .9, .9)}, .75},
		"no negative": {[]Prediction{p(true, .5, .5)}, 0},
		"none":        {nil, 0},
	} {
		if got := Area(tt.predictions); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, expected %v", name, got, tt.want)
		}
	}
}
