package execution

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

func TestEqual(t *testing.T) {
	r := func(rows ...[]any) *sqldata.Result { return result(rows...) }
	type row = []any
	for _, c := range []struct {
		name             string
		a, b             *sqldata.Result
		columnHash, list bool
	}{
		{"empty", r(), r(), true, true},
		{"empty of other widths", &sqldata.Result{Columns: []string{"a"}}, &sqldata.Result{Columns: []string{"a", "b"}}, true, true},
		{"one empty", r(), r(row{1}), false, false},
		{"rows in another order", r(row{1, "a"}, row{2, "b"}), r(row{2, "b"}, row{1, "a"}), true, false},
		{"columns in another order", r(row{1, "a"}, row{2, "b"}), r(row{"a", 1}, row{"b", 2}), true, true},
		{"both", r(row{1, "a"}, row{2, "b"}), r(row{"b", 2}, row{"a", 1}), true, false},
		{"rows that do not go together", r(row{1, "a"}, row{2, "b"}), r(row{1, "b"}, row{2, "a"}), false, false},
		{"multiplicity", r(row{"apple"}, row{"apple"}, row{"pear"}), r(row{"apple"}, row{"pear"}, row{"pear"}), false, false},
		{"fewer rows", r(row{"apple"}, row{"apple"}), r(row{"apple"}), false, false},
		{"fewer columns", r(row{1, 1}), r(row{1}), false, false},
		{"integer and real", r(row{1, 2.0}), r(row{1.0, 2}), true, true},
		{"noise", r(row{0.1 + 0.2, 1}, row{5.5, 2}), r(row{2, 5.5}, row{1, 0.3}), true, false},
		{"no noise", r(row{0.3001}), r(row{0.3}), false, false},
		{"large integers", r(row{1<<53 + 1, 0.5}), r(row{1 << 53, 0.5}), false, false},
		{"a chain of near numbers", r(row{1.0, 1.0}), r(row{1.0000000018, 1.0000000009}), false, false},
		{"bytes that are no UTF-8", r(row{"M\xfcc", 1}), r(row{1, "Mc"}), true, true},
		{"text and number", r(row{"1"}), r(row{1}), false, false},
		{"text and blob", r(row{"a"}), r(row{[]byte("a")}), false, false},
		{"NULL", r(row{nil, 1}), r(row{1, nil}), true, true},
		{"NULL and empty", r(row{nil}), r(row{""}), false, false},
		{"equal columns", r(row{1, 1, 2}, row{2, 2, 1}), r(row{1, 2, 1}, row{2, 1, 2}), true, true},
		{"equal columns of another number", r(row{1, 1, 2}, row{2, 2, 1}), r(row{1, 2, 2}, row{2, 1, 1}), true, false},
		{"symmetric", r(row{0, 1}, row{1, 0}), r(row{1, 0}, row{0, 1}), true, true},
		{"columns alike", r(row{0, 0, 1}, row{0, 1, 0}, row{1, 0, 0}), r(row{1, 1, 0}, row{1, 0, 1}, row{0, 1, 1}), false, false},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			if got := Equal(a, b, false); got != c.columnHash {
				t.Errorf("%s: equal as bags is %v, expected %v", c.name, got, c.columnHash)
			}
			if got := Equal(a, b, true); got != c.list {
				t.Errorf("%s: equal as lists is %v, expected %v", c.name, got, c.list)
			}
		}
	}
}

// permuted returns the result with its columns and rows in another order.
func permuted(rng *rand.Rand, res *sqldata.Result, rows bool) *sqldata.Result {
	columns, order := rng.Perm(len(res.Columns)), positions(len(res.Rows), true)
	if rows {
		order = rng.Perm(len(res.Rows))
	}
	out := &sqldata.Result{Columns: res.Columns}
	for _, r := range order {
		var row []sqldata.Value
		for _, c := range columns {
			row = append(row, res.Rows[r][c])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// randomResult draws cells from a few values, so that columns look alike.
func randomResult(rng *rand.Rand, rows, columns int) *sqldata.Result {
	values := []sqldata.Value{sqldata.NewInt(0), sqldata.NewInt(1), sqldata.NewFloat(0.5), sqldata.NewText("a"), {}}[:1+rng.IntN(5)]
	res := &sqldata.Result{Columns: make([]string, columns)}
	for range rows {
		var row []sqldata.Value
		for range columns {
			row = append(row, values[rng.IntN(len(values))])
		}
		res.Rows = append(res.Rows, row)
	}
	return res
}

// TestEqualProperty: an answer equals its permutations, with noise in its reals
// too, and no longer once a cell has changed.
func TestEqualProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := randomResult(rng, 1+rng.IntN(12), 1+rng.IntN(7))
		list, columnHash := permuted(rng, a, false), permuted(rng, a, true)
		for _, row := range columnHash.Rows {
			for i, v := range row {
				if v.Kind() == sqldata.Real {
					row[i] = sqldata.NewFloat(v.Float() * (1 + 4e-16*float64(rng.IntN(3)-1)))
				}
			}
		}
		if !Equal(a, list, true) || !Equal(list, a, false) || !Equal(a, columnHash, false) {
			t.Fatalf("%v differs from its permutations %v and %v", a.Rows, list.Rows, columnHash.Rows)
		}
		columnHash.Rows[rng.IntN(len(columnHash.Rows))][rng.IntN(len(columnHash.Columns))] = sqldata.NewText("other")
		if Equal(a, columnHash, false) || Equal(columnHash, a, true) {
			t.Fatalf("%v and %v are equal", a.Rows, columnHash.Rows)
		}
	}
}

// TestEqualByTrial compares with all permutations of columns tried.
func TestEqualByTrial(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	equal := 0
	for range 3000 {
		rows, columns := 1+rng.IntN(4), 1+rng.IntN(4)
		a := randomResult(rng, rows, columns)
		b := randomResult(rng, rows, columns)
		for _, ordered := range []bool{false, true} {
			want := byTrial(a, b, ordered)
			if got := Equal(a, b, ordered); got != want {
				t.Fatalf("%v and %v: ordered %v: equal is %v, expected %v", a.Rows, b.Rows, ordered, got, want)
			}
			if want {
				equal++
			}
		}
	}
	if equal < 100 {
		t.Errorf("only %d were equal: the test shows little", equal)
	}
}

// byTrial compares as the official evaluator does.
func byTrial(a, b *sqldata.Result, ordered bool) bool {
	compare := sqldata.EqualBag
	if ordered {
		compare = sqldata.EqualList
	}
	var try func(chosen []int) bool
	try = func(chosen []int) bool {
		if len(chosen) == len(b.Columns) {
			c := &sqldata.Result{Columns: a.Columns}
			for _, row := range b.Rows {
				var cells []sqldata.Value
				for _, i := range chosen {
					cells = append(cells, row[i])
				}
				c.Rows = append(c.Rows, cells)
			}
			return compare(a, c)
		}
		for i := range b.Columns {
			if !slices.Contains(chosen, i) && try(append(slices.Clone(chosen), i)) {
				return true
			}
		}
		return false
	}
	return try(nil)
}

// TestEqualGraphs compares answers made so that refinement alone tells no columns
// apart: the two strongly regular graphs of 16 nodes with 6 neighbours each.
func TestEqualGraphs(t *testing.T) {
	rook := graph(func(a, b int) bool { return (a/4 == b/4) != (a%4 == b%4) })
	shrikhande := graph(func(a, b int) bool {
		d := [2]int{(a/4 - b/4 + 4) % 4, (a%4 - b%4 + 4) % 4}
		return slices.Contains([][2]int{{0, 1}, {0, 3}, {1, 0}, {3, 0}, {1, 1}, {3, 3}}, d)
	})
	if Equal(rook, shrikhande, false) {
		t.Error("the two graphs are equal")
	}
	same := permuted(rand.New(rand.NewPCG(5, 6)), rook, true)
	if !Equal(rook, same, false) {
		t.Error("a graph is not equal to itself")
	}
	s := newSearch(rook, same, nil)
	s.work = 3000 // cells: some rounds of refinement
	if s.findPermutation(s.gold.colours(), s.pred.colours()) || s.work > 0 {
		t.Error("a search does not end at its bound")
	}
}

// graph returns the edges of a graph on 16 nodes, a row each, with a 1 in the
// columns of its two nodes.
func graph(joined func(a, b int) bool) *sqldata.Result {
	var rows [][]any
	for a := range 16 {
		for b := range a {
			if joined(a, b) {
				row := make([]any, 16)
				for i := range row {
					row[i] = 0
				}
				row[a], row[b] = 1, 1
				rows = append(rows, row)
			}
		}
	}
	return result(rows...)
}

// TestEqualLarge: 20,000 rows that differ in one cell are told apart quickly.
func TestEqualLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	a := &sqldata.Result{Columns: make([]string, 6)}
	for i := range 20_000 {
		a.Rows = append(a.Rows, []sqldata.Value{
			sqldata.NewInt(int64(i)), sqldata.NewInt(rng.Int64N(10)), sqldata.NewInt(rng.Int64N(10)),
			sqldata.NewFloat(rng.Float64()), sqldata.NewText("same"), sqldata.NewText(string(rune('a' + rng.IntN(20)))),
		})
	}
	b := permuted(rng, a, true)
	if !Equal(a, b, false) {
		t.Error("a permutation is not equal")
	}
	b.Rows[7][slices.Index(b.Rows[7], sqldata.NewText("same"))] = sqldata.NewText("other")
	if Equal(a, b, false) {
		t.Error("a changed cell is not seen")
	}
}

// FuzzEqual reads two small answers from bytes: Equal is symmetric and agrees with
// trying all permutations.
func FuzzEqual(f *testing.F) {
	f.Add([]byte{3, 2, 0, 1, 2, 3, 4, 5, 1, 0, 3, 2, 5, 4})
	f.Add([]byte{2, 3, 1, 1, 2, 2, 2, 1, 2, 1, 1, 1, 2, 2})
	f.Add([]byte{0, 1, 6, 7, 7, 6})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		a := &sqldata.Result{Columns: make([]string, 1+data[1]%4)}
		b := &sqldata.Result{Columns: a.Columns}
		rest := data[2:]
		for range 1 + data[0]%5 {
			for _, res := range []*sqldata.Result{a, b} {
				var row []sqldata.Value
				for range res.Columns {
					var v sqldata.Value
					v, rest = fuzzCell(rest)
					row = append(row, v)
				}
				res.Rows = append(res.Rows, row)
			}
		}
		for _, ordered := range []bool{false, true} {
			want := byTrial(a, b, ordered)
			if Equal(a, b, ordered) != want || Equal(b, a, ordered) != want {
				t.Errorf("%v and %v: ordered %v: expected %v both ways", a.Rows, b.Rows, ordered, want)
			}
		}
	})
}

func fuzzCell(data []byte) (sqldata.Value, []byte) {
	if len(data) == 0 {
		return sqldata.Value{}, nil
	}
	switch kind, rest := data[0], data[1:]; kind % 6 {
	case 0:
		return sqldata.Value{}, rest
	case 1, 2:
		return sqldata.NewInt(int64(kind / 6 % 4)), rest
	case 3:
		return sqldata.NewFloat(float64(kind/6%8) / 2), rest
	case 4:
		return sqldata.NewText(string(rune('a' + kind/6%4))), rest
	default:
		var b [8]byte
		n := copy(b[:], rest)
		return sqldata.NewInt(int64(binary.LittleEndian.Uint64(b[:]))), rest[n:]
	}
}

func BenchmarkEqual(b *testing.B) {
	rng := rand.New(rand.NewPCG(9, 10))
	small := result([]any{1, "a"}, []any{2, "b"}, []any{3, "c"})
	large := randomResult(rng, 5000, 6)
	for _, c := range []struct {
		name string
		a, b *sqldata.Result
	}{{"same", small, small}, {"permuted", small, permuted(rng, small, true)}, {"large", large, permuted(rng, large, true)}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if !Equal(c.a, c.b, false) {
					b.Fatal("not equal")
				}
			}
		})
	}
}
