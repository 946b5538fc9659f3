package dense

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// serial is how many rows [AddProduct] takes at a time. Up to 192 columns, blas32
// multiplies so few without starting goroutines.
const serial = 64

// AddProduct adds ABᵀ to c. All products are of this form, because rows of b by
// rows of a are what blas32 multiplies fastest where matrices are narrow. The
// order in which it sums an element depends on the alignment of b's row alone, so
// that what a row of a comes to does not depend on the others. Weights have the
// same alignment in every network: they lie in one slice, too large not to begin
// at a page.
func AddProduct(c, a, b Matrix) {
	for r := 0; r < c.Rows; r += serial {
		end := min(r+serial, c.Rows)
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, blas32.General(a.Span(r, end)), blas32.General(b), 1, blas32.General(c.Span(r, end)))
	}
}
