package compact

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
)

// maxWeights is a little above the size of the embedded weights, in bytes.
const maxWeights = 4 << 20

func TestWeightsRoundTrip(t *testing.T) {
	w, err := DecodeWeights(embedded)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, embedded) {
		t.Error("decoding and encoding the embedded weights changed them")
	}
	if len(embedded) > maxWeights {
		t.Errorf("%d bytes of weights, expected at most %d", len(embedded), maxWeights)
	}
}

// tiny are weights of one random network.
func tiny() *Weights {
	return &Weights{
		Knowledge: knowledge.Data{
			Headers: 3,
			Counts:  []knowledge.Count{{Word: "name", N: 2}},
			Kinds:   knowledge.Space{Dim: 1, Terms: []string{"name"}, Rows: []int8{1}},
			Lemmas:  []knowledge.Lemma{{Senses: 1, General: 2}},
		},
		Scale: 1.5, Bias: -.25,
		Networks: []*net.Net{net.Random(rand.New(rand.NewPCG(1, 2)))},
	}
}

func encode(t *testing.T, w *Weights) []byte {
	t.Helper()
	data, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWeightsEncode(t *testing.T) {
	w := tiny()
	data := encode(t, w)
	if !bytes.Equal(data, encode(t, w)) {
		t.Error("the same weights gave other bytes")
	}
	got, err := DecodeWeights(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Scale != w.Scale || got.Bias != w.Bias {
		t.Errorf("calibration %v, %v, expected %v, %v", got.Scale, got.Bias, w.Scale, w.Bias)
	}
	if diff := cmp.Diff(w.Networks[0].Append(nil), got.Networks[0].Append(nil)); len(got.Networks) != 1 || diff != "" {
		t.Errorf("%d networks, expected the one:\n%s", len(got.Networks), diff)
	}
}

// inflated packs a body as a weights file does.
func inflated(t *testing.T, body []byte) []byte {
	t.Helper()
	small, err := packed.Pack(body)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(magic), small...)
}

func TestWeightsRefused(t *testing.T) {
	good := encode(t, tiny())
	spoilt := func(spoil func(w *Weights)) []byte {
		w := tiny()
		spoil(w)
		return encode(t, w)
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "not a weights file"},
		"not ours":       {[]byte("PK\x03\x04"), "not a weights file"},
		"not packed":     {[]byte(magic + "plain"), "weights: "},
		"truncated":      {good[:len(good)/2], "unexpected EOF"},
		"damaged":        {damaged, "weights: "},
		"nothing inside": {inflated(t, nil), "nothing is packed"},
		"no calibration": {inflated(t, (&knowledge.Data{}).Append(nil)), "ends before the calibration"},
		"bomb":           {inflated(t, make([]byte, maxInflated+1)), "bytes unpacked"},
		"bytes left":     {inflated(t, append(body(t, good), 0)), "1 bytes after the last network"},
		"scale 0":        {spoilt(func(w *Weights) { w.Scale = 0 }), "expected 0 < scale"},
		"scale NaN":      {spoilt(func(w *Weights) { w.Scale = math.NaN() }), "expected 0 < scale"},
		"bias NaN":       {spoilt(func(w *Weights) { w.Bias = math.NaN() }), "expected 0 < scale"},
		"no network":     {spoilt(func(w *Weights) { w.Networks = nil }), "0 networks"},
		"many networks":  {spoilt(func(w *Weights) { w.Networks = make([]*net.Net, 17); fill(w.Networks) }), "17 networks"},
		"kinds unsorted": {spoilt(func(w *Weights) {
			w.Knowledge.Kinds = knowledge.Space{Dim: 1, Terms: []string{"b", "a"}, Rows: []int8{1, 2}}
			w.Knowledge.Lemmas = make([]knowledge.Lemma, 2)
		}), "weights: kinds: terms are out of order"},
	} {
		if _, err := Load(tt.data, Lexicon{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, tt.want)
		}
	}
}

func fill(networks []*net.Net) {
	for i := range networks {
		networks[i] = net.New()
	}
}

// body unpacks a weights file.
func body(t *testing.T, data []byte) []byte {
	t.Helper()
	out, err := packed.Unpack(data[len(magic):], maxInflated)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzDecodeWeights(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(embedded[:4000])
	data, err := tiny().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, err := DecodeWeights(data); err == nil && len(w.Networks) == 0 {
			t.Error("weights without a network")
		}
	})
}
