package lexicon

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// smallTable returns the bytes of a table of four terms.
func smallTable(tb testing.TB) []byte {
	tb.Helper()
	terms := []string{"salary", "home town", "home", "age"}
	rows := [][]int8{{3, 4, 0}, {1, 0, 0}, {0, -2, 0}, {0, 0, 127}}
	var out bytes.Buffer
	if err := WriteVectors(&out, 3, terms, func(i int) ([]int8, error) { return rows[i], nil }); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestTable(t *testing.T) {
	table, err := Load(smallTable(t))
	if err != nil {
		t.Fatal(err)
	}
	if table.Dim() != 3 || table.Len() != 4 {
		t.Fatalf("%d × %d, want 4 × 3", table.Len(), table.Dim())
	}
	var terms []string
	for i := range table.Len() {
		terms = append(terms, table.Term(i))
	}
	if want := []string{"age", "home", "home town", "salary"}; !slices.Equal(terms, want) {
		t.Errorf("terms %q, want %q", terms, want)
	}
	for _, tt := range []struct {
		term string
		want []float32
	}{
		{"salary", []float32{0.6, 0.8, 0}},
		{"home", []float32{0, -1, 0}},
		{"home town", []float32{1, 0, 0}},
		{"age", []float32{0, 0, 1}},
		{"a", nil}, {"home t", nil}, {"zoo", nil}, {"", nil},
	} {
		got, ok := table.Lookup([]float32{7}, tt.term)
		if ok != (tt.want != nil) || got[0] != 7 || !near(got[1:], tt.want) {
			t.Errorf("Lookup(%q) = %v, %v, want %v appended", tt.term, got, ok, tt.want)
		}
	}
}

func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-6 })
}

func TestLookupAllocatesNothing(t *testing.T) {
	table, err := Load(smallTable(t))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float32, 0, 3)
	if n := testing.AllocsPerRun(100, func() { table.Lookup(dst, "home town") }); n != 0 {
		t.Errorf("%v allocations a lookup, want 0", n)
	}
}

func TestOpenClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.tpv")
	if err := os.WriteFile(path, smallTable(t), 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := table.Lookup(nil, "salary"); !ok {
		t.Error("salary is missing")
	}
	for range 2 {
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := table.Lookup(nil, "salary"); ok {
		t.Error("a closed table answers")
	}
}

// resum sets the checksum that belongs to the changed bytes.
func resum(data []byte) []byte {
	body := len(data) - 4
	binary.LittleEndian.PutUint32(data[body:], crc32.Checksum(data[:body], castagnoli()))
	return data
}

func TestLoadRefuses(t *testing.T) {
	put := func(off int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[off:], v)
			return resum(b)
		}
	}
	for _, tt := range []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, "not a vector file"},
		{"other file", func(b []byte) []byte { b[0] = 'x'; return b }, "not a vector file"},
		{"cut", func(b []byte) []byte { return b[:len(b)-1] }, "expected"},
		{"longer", func(b []byte) []byte { return append(b, 0) }, "expected"},
		{"flipped bit", func(b []byte) []byte { b[len(b)-6] ^= 1; return b }, "checksum"},
		{"version", put(offVersion, 9), "version 9, expected 1"},
		{"no components", put(offDim, 0), "expected 1 to"},
		{"huge dim", put(offDim, math.MaxUint32), "expected 1 to"},
		{"huge count", put(offCount, math.MaxUint32), "expected at most"},
		{"huge terms", put(offTerms, math.MaxUint32), "expected"},
		{"offset past end", put(tpvHeader+4, 1<<30), "term 0"},
		{"descending offset", put(tpvHeader+8, 1), "term 1"},
		{"last offset", put(tpvHeader+16, 3), "terms lie at"},
		{"unordered", func(b []byte) []byte { b[tpvHeader+64] = 'z'; return resum(b) }, "ascending"},
	} {
		if _, err := Load(tt.damage(smallTable(t))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.tpv")
	for _, content := range []string{"", "text", strings.Repeat("x", 100)} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "bad.tpv") {
			t.Errorf("Open of %.10q: error %v, want one that names the file", content, err)
		}
	}
}

func TestWriteVectorsRefuses(t *testing.T) {
	row := func(int) ([]int8, error) { return []int8{1, 2}, nil }
	for _, tt := range []struct {
		name  string
		dim   int
		terms []string
	}{
		{"repeat", 2, []string{"a", "b", "a"}},
		{"empty term", 2, []string{""}},
		{"long term", 2, []string{strings.Repeat("a", MaxTermLen+1)}},
		{"other dim", 3, []string{"a"}},
		{"no dim", 0, []string{"a"}},
	} {
		if err := WriteVectors(&bytes.Buffer{}, tt.dim, tt.terms, row); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}

func TestQuantize(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tt := range []struct {
		vec  []float32
		want []int8
	}{
		{[]float32{1, -0.5, 0}, []int8{127, -64, 0}},
		{[]float32{-2e30, 1e30}, []int8{-127, 64}},
		{[]float32{0, 0}, nil},
		{[]float32{nan, 1}, nil},
		{[]float32{1, nan}, nil},
		{[]float32{inf, 1}, nil},
	} {
		got := make([]int8, len(tt.vec))
		if ok := Quantize(got, tt.vec); ok != (tt.want != nil) || ok && !slices.Equal(got, tt.want) {
			t.Errorf("Quantize(%v) = %v, %v, want %v", tt.vec, got, ok, tt.want)
		}
	}
}

func TestDefault(t *testing.T) {
	table := Default()
	if table.Len() < 40_000 || len(vectorsFile) > 5_000_000 {
		t.Errorf("embedded table: %d terms in %d bytes, want 40,000 in 5,000,000", table.Len(), len(vectorsFile))
	}
	for i := range table.Len() {
		if term := table.Term(i); Key(term) != term {
			t.Errorf("term %q is not its key %q", term, Key(term))
		}
		if inverseNorm(table.row(i)) == 0 {
			t.Errorf("vector of %q is zero", table.Term(i))
		}
	}
}

// FuzzLoad damages a table behind a good checksum: Load refuses it, or every
// use of it is safe.
func FuzzLoad(f *testing.F) {
	good := smallTable(f)
	f.Add(good)
	f.Add(good[:tpvHeader])
	for _, off := range []int{offVersion, offDim, offCount, offTerms, tpvHeader + 4, 2 * tpvHeader} {
		bad := bytes.Clone(good)
		bad[off] ^= 0xff
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= tpvHeader {
			data = resum(bytes.Clone(data))
		}
		table, err := Load(data)
		if err != nil {
			return
		}
		for i := range table.Len() {
			if at, ok := table.Index(table.Term(i)); !ok || at != i {
				t.Fatalf("term %d, %q, found at %d, %v", i, table.Term(i), at, ok)
			}
			table.Lookup(nil, table.Term(i))
		}
		Phrase(table, "Home_Towns of 3 ages")
	})
}

func BenchmarkLoadEmbedded(b *testing.B) {
	for b.Loop() {
		if _, err := loadPacked(vectorsFile); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/load")
}

func BenchmarkLookup(b *testing.B) {
	table := Default()
	dst := make([]float32, 0, table.Dim())
	for b.Loop() {
		table.Lookup(dst, "salary")
	}
}

func BenchmarkPhrase(b *testing.B) {
	names := []string{"Home_Town", "date of birth", "stuID", "number of wins", "firstname", "qqqzzz"}
	table := Default()
	for b.Loop() {
		for _, name := range names {
			Phrase(table, name)
		}
	}
	b.ReportMetric(float64(b.N*len(names))/b.Elapsed().Seconds(), "names/s")
}
