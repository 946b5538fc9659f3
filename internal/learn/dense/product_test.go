//go:build amd64

package dense

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestProductPortable checks that the product in plain Go has the bits of that which amd64 takes, for rows that begin
// at any address.
func TestProductPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func(rows, cols, offset int) Matrix {
		stride := cols + rng.IntN(5)
		data := make([]float32, offset+rows*stride)
		for i := range data {
			data[i] = float32(rng.NormFloat64())
		}
		return Matrix{rows, cols, stride, data[offset:]}
	}
	for cols := 1; cols < 100; cols++ {
		a, b, c := random(1+rng.IntN(70), cols, rng.IntN(4)), random(1+rng.IntN(20), cols, rng.IntN(4)), Matrix{}
		c.Zero(a.Rows, b.Rows)
		want := Matrix{c.Rows, c.Cols, c.Stride, slices.Clone(c.Data)}
		AddProduct(want, a, b)
		if addProduct(c, a, b); !slices.Equal(c.Data, want.Data) {
			t.Errorf("%d columns: the product differs from that of blas32", cols)
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	for name, product := range map[string]func(c, x, y Matrix){"blas": AddProduct, "plain": addProduct} {
		var c, x, y Matrix
		x.Zero(64, 60)
		y.Zero(48, 60)
		c.Zero(64, 48)
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			for b.Loop() {
				product(c, x, y)
			}
		})
	}
}
