//go:build attack

package cybertron

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDamagedCheckpoints reads checkpoints of safetensors and of both forms of pickles, damaged at random: each
// is read whole or refused, in time.
func TestDamagedCheckpoints(t *testing.T) {
	m := newTiny(t, 2, 1)
	forms := [][]byte{m.zip(t, "torch.FloatStorage"), m.legacy(t), m.safetensors(t, "F32")}
	rng := rand.New(rand.NewPCG(1, 1))
	longest := time.Duration(0)
	const times = 4500
	for i := range times {
		data := damage(rng, forms[i%len(forms)], i%2 == 0)
		read := readCheckpoint
		if i%len(forms) == 2 {
			read = readSafetensors
		}
		begin := time.Now()
		if c, err := read(bytes.NewReader(data), int64(len(data))); err == nil {
			for _, s := range m.layout {
				if c.check(s) == nil {
					if _, err := c.read(s); err != nil {
						t.Errorf("%s: %v", s.name, err)
					}
				}
			}
		}
		longest = max(longest, time.Since(begin))
	}
	if longest > time.Second {
		t.Errorf("the longest took %v", longest)
	}
	t.Logf("%d damaged checkpoints, the longest took %v", times, longest)
}

// TestDamagedCheckpointsTexts opens folders of RoBERTa of which one file of text is damaged at random: each is refused
// in one line or scores pairs.
func TestDamagedCheckpointsTexts(t *testing.T) {
	m := newTinyRoBERTa(t, 16, 1)
	files, whole := m.torch(t), m.tokenizerJSON(t, false, m.merges)
	rng := rand.New(rand.NewPCG(1, 1))
	opened := 0
	const times = 1500
	for i := range times {
		dir, name := files, []string{configFile, piecesFile, mergesFile, tokenizerFile, bpeFile}[i%5]
		if name == bpeFile {
			dir = whole
		}
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, damage(rng, data, false))
		model, err := Open(dir, Options{})
		if err == nil {
			opened++
			_, err = model.Classify(t.Context(), testPairs[:5])
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, expected one line", name, err)
		}
		write(t, path, data)
	}
	t.Logf("%d folders with a damaged file of text, %d of which open", times, opened)
}

// damage changes, removes or cuts off some bytes of a copy of data, near its beginning if early.
func damage(rng *rand.Rand, data []byte, early bool) []byte {
	data = bytes.Clone(data)
	for range 1 + rng.IntN(6) {
		bound := len(data)
		if early {
			bound = min(bound, 256)
		}
		switch at := rng.IntN(bound); rng.IntN(10) {
		case 0, 1, 2, 3, 4, 5, 6:
			data[at] = byte(rng.Uint32())
		case 7, 8:
			data = slices.Delete(data, at, min(len(data), at+1+rng.IntN(16)))
		default:
			data = data[:max(1, at)]
		}
		if len(data) == 0 {
			return data
		}
	}
	return data
}
