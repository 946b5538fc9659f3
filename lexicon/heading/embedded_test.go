package heading

import "testing"

// TestEmbedded reads the embedded files, which must be without faults, and prints how
// much they hold.
func TestEmbedded(t *testing.T) {
	th, err := readEmbedded(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	senses, replace, add := 0, 0, 0
	count := func(of map[string][]*entry) (entries int) {
		for _, list := range of {
			for _, e := range list {
				entries++
				senses += len(e.senses)
				for _, s := range e.senses {
					replace, add = replace+len(s.replace), add+len(s.add)
				}
			}
		}
		return entries
	}
	plain, slotted := count(th.entries), count(th.slotted)
	t.Logf("%d entries of %d headings, %d of headings with a slot: %d senses, %d names to replace, %d to add", plain, len(th.entries), slotted, senses, replace, add)
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := readEmbedded(func(error) {}); err != nil {
			b.Fatal(err)
		}
	}
}
