package lexicon

import (
	"math"
	"testing"
)

// fake is a table of plain float vectors.
type fake map[string][]float32

func (f fake) Dim() int { return 3 }

func (f fake) Lookup(dst []float32, term string) ([]float32, bool) {
	v, ok := f[term]
	return append(dst, v...), ok
}

var phraseTable = fake{
	"home":          {1, 0, 0},
	"town":          {0, 1, 0},
	"birth":         {0, 0, 1},
	"date of birth": {0, -1, 0},
	"date":          {0, 1, 0},
	"of":            {1, 0, 0},
	"write":         {0, 0, -1},
	"7":             {0, 1, 0},
	"opposite":      {-1, 0, 0},
}

func TestPhrase(t *testing.T) {
	h := float32(math.Sqrt(0.5))
	for _, tt := range []struct {
		name         string
		want         []float32
		known, total int
	}{
		{"home", []float32{1, 0, 0}, 1, 1},
		{"Home_Town", []float32{h, h, 0}, 2, 2},
		{"hometowns", nil, 0, 1},
		{"hometown", []float32{h, h, 0}, 1, 1},
		{"homes", []float32{1, 0, 0}, 1, 1},
		{"written", []float32{0, 0, -1}, 1, 1},
		{"Date of Births", []float32{0, -1, 0}, 3, 3},
		{"date of qqq", []float32{0.1 / float32(math.Sqrt(1.01)), 1 / float32(math.Sqrt(1.01)), 0}, 2, 3},
		{"of", []float32{1, 0, 0}, 1, 1},
		{"birth 7", []float32{0, h, h}, 2, 2},
		{"birth 8", []float32{0, 0, 1}, 1, 1},
		{"8", nil, 0, 0},
		{"", nil, 0, 0},
		{"qqq", nil, 0, 1},
		{"home opposite", nil, 0, 2},
	} {
		vec, known, total := Phrase(phraseTable, tt.name)
		if !near(vec, tt.want) || (vec == nil) != (tt.want == nil) || known != tt.known || total != tt.total {
			t.Errorf("Phrase(%q) = %v, %d, %d, want %v, %d, %d", tt.name, vec, known, total, tt.want, tt.known, tt.total)
		}
	}
}

func TestCosine(t *testing.T) {
	for _, tt := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 2}, []float32{2, 4}, 1},
		{[]float32{1, 0}, []float32{0, 3}, 0},
		{[]float32{1, 1}, []float32{-1, -1}, -1},
		{[]float32{0, 0}, []float32{1, 1}, 0},
		{[]float32{1}, []float32{1, 1}, 0},
		{nil, nil, 0},
	} {
		if got := Cosine(tt.a, tt.b); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Cosine(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

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
