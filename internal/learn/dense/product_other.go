//go:build !amd64

package dense

// AddProduct adds ABᵀ to c.
func AddProduct(c, a, b Matrix) { addProduct(c, a, b) }
