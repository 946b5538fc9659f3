package heading

import "testing"

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := open(func(error) {}); err != nil {
			b.Fatal(err)
		}
	}
}
