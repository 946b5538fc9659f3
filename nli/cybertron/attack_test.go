//go:build attack

package cybertron

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// TestDamagedCheckpoints reads checkpoints of both forms of pickles, damaged at random: each
// is read whole or refused, in time.
func TestDamagedCheckpoints(t *testing.T) {
	m := newTiny(t, 2, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	longest := time.Duration(0)
	const times = 3000
	for i := range times {
		data := m.zip(t, "torch.FloatStorage")
		if i%2 == 1 {
			data = m.legacy()
		}
		data = bytes.Clone(data)
		for range 1 + rng.IntN(6) {
			switch at := rng.IntN(len(data)); rng.IntN(3) {
			case 0:
				data[at] = byte(rng.Uint32())
			case 1:
				data = append(data[:at], data[min(len(data), at+1+rng.IntN(16)):]...)
			default:
				data = data[:max(1, at)]
			}
		}
		begin := time.Now()
		if c, err := readCheckpoint(bytes.NewReader(data), int64(len(data))); err == nil {
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
