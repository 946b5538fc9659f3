package compact

import (
	"bytes"
	"testing"
)

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
	if limit := 2 << 20; len(embedded) > limit {
		t.Errorf("%d bytes of weights, expected at most %d", len(embedded), limit)
	}
}

func TestWeightsRefused(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":     nil,
		"not ours":  []byte("PK\x03\x04"),
		"no gzip":   []byte(magic + "plain"),
		"truncated": embedded[:len(embedded)/2],
		"damaged":   append(append(bytes.Clone(embedded[:1000]), embedded[1000]^1), embedded[1001:]...),
	} {
		if _, err := Load(data, nil, nil); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

func FuzzDecodeWeights(f *testing.F) {
	f.Add([]byte(magic))
	f.Add(embedded[:4000])
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, err := DecodeWeights(data); err == nil && len(w.Networks) == 0 {
			t.Error("weights without a network")
		}
	})
}
