package sqldata

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var inf, nan = math.Inf(1), math.NaN()

func TestEqual(t *testing.T) {
	i, f, s := NewInt, NewFloat, NewText
	third := 1.0 / 3
	for _, c := range []struct {
		name      string
		a, b      [][]Value
		list, bag bool
	}{
		{"empty", nil, nil, true, true},
		{"order", [][]Value{{i(1)}, {i(2)}}, [][]Value{{i(2)}, {i(1)}}, false, true},
		{"multiplicity", [][]Value{{i(1)}, {i(1)}, {i(2)}}, [][]Value{{i(1)}, {i(2)}, {i(2)}}, false, false},
		{"rows", [][]Value{{i(1)}}, [][]Value{{i(1)}, {i(1)}}, false, false},
		{"columns swapped", [][]Value{{i(1), i(2)}}, [][]Value{{i(2), i(1)}}, false, false},
		{"integer and real", [][]Value{{i(2)}}, [][]Value{{f(2)}}, true, true},
		{"large integers", [][]Value{{i(1<<53 + 1)}}, [][]Value{{i(1 << 53)}}, false, false},
		{"large reals", [][]Value{{f(123456789.25)}, {f(123456789.75)}}, [][]Value{{f(123456789.75)}, {f(123456789.25)}}, false, true},
		{"noise", [][]Value{{f(0.1 + 0.2)}}, [][]Value{{f(0.3)}}, true, true},
		{"noise at an integer", [][]Value{{f(3 * third)}}, [][]Value{{i(1)}}, true, true},
		{"no noise", [][]Value{{f(0.3001)}}, [][]Value{{f(0.3)}}, false, false},
		{"small", [][]Value{{f(1e-12)}}, [][]Value{{f(2e-12)}}, false, false},
		{"infinite", [][]Value{{f(inf)}, {f(-inf)}}, [][]Value{{f(-inf)}, {f(inf)}}, false, true},
		{"infinite and finite", [][]Value{{f(inf)}}, [][]Value{{f(1)}}, false, false},
		{"tiny and huge", [][]Value{{f(5e-324)}, {f(1e308)}}, [][]Value{{f(1e308)}, {f(5e-324)}}, false, true},
		{"NULL", [][]Value{{{}}}, [][]Value{{{}}}, true, true},
		{"NULL and 0", [][]Value{{{}}}, [][]Value{{i(0)}}, false, false},
		{"NULL and empty", [][]Value{{{}}}, [][]Value{{s("")}}, false, false},
		{"text and number", [][]Value{{s("1")}}, [][]Value{{i(1)}}, false, false},
		{"text and blob", [][]Value{{s("a")}}, [][]Value{{NewBlob("a")}}, false, false},
		{"case", [][]Value{{s("a")}}, [][]Value{{s("A")}}, false, false},
		{"noise decides no order", [][]Value{{f(0.1 + 0.2), s("b")}, {f(0.3), s("a")}}, [][]Value{{f(0.3), s("b")}, {f(0.1 + 0.2), s("a")}}, true, true},
		{"kinds mixed", [][]Value{{i(2)}, {s("x")}, {{}}, {f(1.5)}}, [][]Value{{{}}, {f(2)}, {f(1.5)}, {s("x")}}, false, true},
	} {
		width := 1
		if len(c.a) > 0 {
			width = len(c.a[0])
		}
		a, b := &Result{Columns: make([]string, width), Rows: c.a}, &Result{Columns: make([]string, width), Rows: c.b}
		if EqualList(a, b) != c.list || EqualList(b, a) != c.list {
			t.Errorf("%s: equal as lists is %v, expected %v", c.name, !c.list, c.list)
		}
		if EqualBag(a, b) != c.bag || EqualBag(b, a) != c.bag {
			t.Errorf("%s: equal as bags is %v, expected %v", c.name, !c.bag, c.bag)
		}
	}
	if EqualBag(&Result{Columns: []string{"a"}}, &Result{Columns: []string{"a", "b"}}) {
		t.Error("answers with one and with two columns are equal")
	}
}

// TestEqualBagProperty: a shuffled answer equals its original, with noise in
// its reals too; one cell changed makes it another.
func TestEqualBagProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	value := func() Value {
		switch rng.IntN(4) {
		case 0:
			return NewInt(rng.Int64N(4))
		case 1:
			return NewFloat(rng.NormFloat64())
		case 2:
			return NewText(string(rune('a' + rng.IntN(3))))
		}
		return Value{}
	}
	for range 500 {
		a := &Result{Columns: make([]string, 3)}
		for range 1 + rng.IntN(30) {
			a.Rows = append(a.Rows, []Value{value(), value(), value()})
		}
		b := &Result{Columns: a.Columns}
		for _, row := range a.Rows {
			row = slices.Clone(row)
			for i, v := range row {
				if v.kind == Real {
					row[i] = NewFloat(v.Float() * (1 + 4e-16*float64(rng.IntN(3)-1)))
				}
			}
			b.Rows = append(b.Rows, row)
		}
		rng.Shuffle(len(b.Rows), func(i, j int) { b.Rows[i], b.Rows[j] = b.Rows[j], b.Rows[i] })
		if !EqualBag(a, b) {
			t.Fatalf("%v and %v differ", a.Rows, b.Rows)
		}
		b.Rows[rng.IntN(len(b.Rows))][rng.IntN(3)] = NewText("other")
		if EqualBag(a, b) {
			t.Fatalf("%v and %v are equal", a.Rows, b.Rows)
		}
	}
}
