package vec

import "testing"

func TestDot(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 5, 8, 11} {
		a, b := make([]float32, n), make([]float32, n)
		var want float32
		for i := range n {
			a[i], b[i] = float32(i+1), float32(2*i-3)
			want += a[i] * b[i] // whole numbers: exact in any order
		}
		if got := Dot(a, b); got != want {
			t.Errorf("length %d: %v, want %v", n, got, want)
		}
	}
}
