package dense

import "unsafe"

// addProduct does what [AddProduct] does, in plain Go. It sums each element in the order of blas32 on amd64, so that
// every processor gives the same bits.
func addProduct(c, a, b Matrix) {
	for r := range c.Rows {
		row := c.Row(r)
		for j := range row {
			row[j] += dot(a.Row(r), b.Row(j))
		}
	}
}

// dot returns the dot product of vectors of one length as blas32 sums it on amd64: one by one up to where y
// is aligned to 16 bytes, then in two groups of four sums, then one by one again. The conversions keep
// processors that fuse a product and a sum from rounding otherwise.
func dot(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float32
	for len(x) > 0 && uintptr(unsafe.Pointer(&y[0]))%16 != 0 {
		s0 += float32(x[0] * y[0])
		x, y = x[1:], y[1:]
	}
	for ; len(x) >= 16; x, y = x[16:], y[16:] {
		u, v := (*[16]float32)(x), (*[16]float32)(y)
		s0, t0 = s0+float32(u[0]*v[0])+float32(u[8]*v[8]), t0+float32(u[4]*v[4])+float32(u[12]*v[12])
		s1, t1 = s1+float32(u[1]*v[1])+float32(u[9]*v[9]), t1+float32(u[5]*v[5])+float32(u[13]*v[13])
		s2, t2 = s2+float32(u[2]*v[2])+float32(u[10]*v[10]), t2+float32(u[6]*v[6])+float32(u[14]*v[14])
		s3, t3 = s3+float32(u[3]*v[3])+float32(u[11]*v[11]), t3+float32(u[7]*v[7])+float32(u[15]*v[15])
	}
	s0, s1, s2, s3 = s0+t0, s1+t1, s2+t2, s3+t3
	for ; len(x) >= 4; x, y = x[4:], y[4:] {
		u, v := (*[4]float32)(x), (*[4]float32)(y)
		s0, s1, s2, s3 = s0+float32(u[0]*v[0]), s1+float32(u[1]*v[1]), s2+float32(u[2]*v[2]), s3+float32(u[3]*v[3])
	}
	for i := range x {
		s0 += float32(x[i] * y[i])
	}
	return (s0 + s1) + (s2 + s3)
}
