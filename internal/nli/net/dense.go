package net

// dense is a layer y = Wx + b; w is row-major, one row an output.
type dense struct {
	in, out int
	w, b    []float32
}

func (d *dense) weights() matrix { return matrix{d.out, d.in, d.in, d.w} }

// forward computes y = Wx + b for each row.
func (d *dense) forward(y *matrix, x matrix) {
	y.resize(x.Rows, d.out)
	for r := range y.Rows {
		copy(y.row(r), d.b)
	}
	addProduct(*y, x, d.weights())
}

// transposes are the memory of [dense.backward].
type transposes struct{ w, x, dy matrix }

// chunk is of how many rows the gradient of the weights is taken at a time, so
// that they stay in the nearest caches.
const chunk = 256

// backward adds the gradient of the weights to g, and W'dy to as many columns as
// dx has.
func (d *dense) backward(g *dense, t *transposes, dx, dy, x matrix) {
	for r := range dy.Rows {
		axpy(g.b, 1, dy.row(r))
	}
	if d.out <= Classes {
		d.backwardNarrow(g, dx, dy, x)
		return
	}
	for r := 0; r < dy.Rows; r += chunk {
		end := min(r+chunk, dy.Rows)
		t.dy.transpose(dy.span(r, end))
		t.x.transpose(x.span(r, end))
		addProduct(g.weights(), t.dy, t.x)
	}
	if dx.Cols > 0 {
		t.w.transpose(d.weights().columns(0, dx.Cols))
		addProduct(dx, dy, t.w)
	}
}

// backwardNarrow is backward for few outputs, which are not worth transposing.
func (d *dense) backwardNarrow(g *dense, dx, dy, x matrix) {
	w, gw := d.weights(), g.weights()
	for r := range dy.Rows {
		for o, s := range dy.row(r) {
			axpy(gw.row(o), s, x.row(r))
			if dx.Cols > 0 {
				axpy(dx.row(r), s, w.row(o))
			}
		}
	}
}

func (d *dense) fold(at int, s Scale) {
	for o := range d.out {
		row := d.w[o*d.in:]
		for i := range s.Mean {
			row[at+i] /= s.Deviation[i]
			d.b[o] -= row[at+i] * s.Mean[i]
		}
	}
}
