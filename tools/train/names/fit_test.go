package names

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
)

var approximately = cmpopts.EquateApprox(0, 1e-9)

func tinyTrainer(t *testing.T) *trainer {
	t.Helper()
	samples, err := extract(context.Background(), tinyMaker(t, tinySources()))
	if err != nil {
		t.Fatal(err)
	}
	return &trainer{opt: tinyOptions(5).withDefaults(), samples: samples, scales: standardise(samples)}
}

func (t *trainer) mustRun(tb testing.TB, s stage, start []*net.Net, hold func(*sample) bool) []*net.Net {
	tb.Helper()
	nets, losses, err := t.networks(context.Background(), s, start, hold)
	if err != nil {
		tb.Fatal(err)
	}
	if len(nets) != t.opt.Networks || len(losses) != t.opt.Networks {
		tb.Fatalf("%d networks, %d losses, expected %d", len(nets), len(losses), t.opt.Networks)
	}
	return nets
}

func sameNets(a, b []*net.Net) bool {
	return slices.EqualFunc(a, b, func(x, y *net.Net) bool { return bytes.Equal(x.Append(nil), y.Append(nil)) })
}

// flip turns the targets of some samples around.
func (t *trainer) flip(which func(*sample) bool) {
	for i := range t.samples {
		if s := &t.samples[i]; which(s) {
			for d := range s.targets {
				s.targets[d].entails = 1 - s.targets[d].entails
			}
		}
	}
}

// TestADVETALast checks that the last stage alone learns of ADVETA.
func TestADVETALast(t *testing.T) {
	tr := tinyTrainer(t)
	adveta := func(s *sample) bool { return s.kind.adveta() }
	first := tr.mustRun(t, tr.opt.first(), nil, nil)
	last := tr.mustRun(t, tr.opt.last(), first, nil)
	if !sameNets(first, tr.mustRun(t, tr.opt.first(), nil, adveta)) {
		t.Error("without ADVETA the first stage gave other networks")
	}
	tr.flip(adveta)
	if !sameNets(first, tr.mustRun(t, tr.opt.first(), nil, nil)) {
		t.Error("with ADVETA turned around the first stage gave other networks")
	}
	if sameNets(last, tr.mustRun(t, tr.opt.last(), first, nil)) {
		t.Error("with ADVETA turned around the last stage gave the same networks")
	}
}

// TestJudge compares the gradient of the loss by the logits with differences,
// for all kinds and targets.
func TestJudge(t *testing.T) {
	for k := range kinds {
		for _, entails := range []float64{0, .3, 1} {
			for _, rest := range []int{neutral, contradiction, open_} {
				testJudge(t, &pair{kind: k, targets: [2]target{{entails, rest}, {1 - entails, open_}}})
			}
		}
	}
}

func testJudge(t *testing.T, p *pair) {
	logits := [2][net.Classes]float32{{.3, -.2, .5}, {-.4, .1, .2}}
	loss := func() (float64, [2][net.Classes]float32) {
		return judge(p, [2][net.Classes]float64{net.Probabilities(logits[0]), net.Probabilities(logits[1])})
	}
	_, grads := loss()
	for d := range logits {
		for c := range logits[d] {
			const h = 1e-2
			old := logits[d][c]
			logits[d][c] = old + h
			up, _ := loss()
			logits[d][c] = old - h
			down, _ := loss()
			logits[d][c] = old
			if want := (up - down) / (2 * h); math.Abs(want-float64(grads[d][c])) > 1e-3 {
				t.Errorf("%s, %+v: gradient %d, %d is %v, expected %v", judgements[p.kind].name, p.targets, d, c, grads[d][c], want)
			}
		}
	}
}

// TestHide checks that hiding the word lists makes a pair like one that they do
// not hold, but for equal lemmas.
func TestHide(t *testing.T) {
	e := testLexicon(t).Extractor(newBase(t))
	input := func(a, b string) namepair.Input {
		var in namepair.Input
		e.Pair(&in, e.Names(namepair.Parts{A: a, B: b}))
		return in
	}
	listed, equal := sample{}, sample{}
	for d := range 2 {
		listed.inputs[d], equal.inputs[d] = input("name", "title"), input("title id", "titles")
	}
	samples := []sample{listed, equal}
	scales := standardise(samples)
	original := samples[1].inputs[0]
	before := slices.Clone(original.Cells)
	var dst namepair.Input
	hide(&dst, &samples[0].inputs[0], scales, namepair.WordLists)
	for _, f := range namepair.WordLists.Cells {
		if raw := dst.Cells[f]*scales[0].Deviation[f] + scales[0].Mean[f]; math.Abs(float64(raw)) > 1e-5 {
			t.Errorf("cell feature %d is %v, expected it hidden", f, raw)
		}
	}
	for _, f := range namepair.WordLists.Phrase {
		if raw := dst.Phrase[f]*scales[2].Deviation[f] + scales[2].Mean[f]; math.Abs(float64(raw)) > 1e-5 {
			t.Errorf("phrase feature %d is %v, expected it hidden", f, raw)
		}
	}
	hide(&dst, &samples[1].inputs[0], scales, namepair.WordLists)
	if !slices.Equal(dst.Cells[:namepair.CellDim], before[:namepair.CellDim]) {
		t.Error("the cell of equal lemmas changed")
	}
	if !slices.Equal(original.Cells, before) {
		t.Error("the sample itself changed")
	}
}

// TestStandardise checks mean and deviation of the features of all samples.
func TestStandardise(t *testing.T) {
	tr := tinyTrainer(t)
	var sum, square, n float64
	f := namepair.WordLists.Cells[0]
	for i := range tr.samples {
		for _, in := range tr.samples[i].inputs {
			for cell := range slices.Chunk(in.Cells, namepair.CellDim) {
				x := float64(cell[f])
				sum, square, n = sum+x, square+x*x, n+1
			}
		}
	}
	if mean := sum / n; math.Abs(mean) > 1e-4 || math.Abs(square/n-1) > 1e-3 {
		t.Errorf("mean %v, square %v, expected 0 and 1", mean, square/n)
	}
	for k, s := range tr.scales {
		if low := slices.Min(s.Deviation); low < .05 {
			t.Errorf("scale %d: deviation %v, expected at least 0.05", k, low)
		}
	}
}
