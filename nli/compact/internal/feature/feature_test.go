package feature

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/nli/compact/internal/knowledge"
)

// vectors is a table of plane vectors.
type vectors map[string][2]float32

func (v vectors) Dim() int { return 2 }

func (v vectors) Lookup(dst []float32, term string) ([]float32, bool) {
	x, ok := v[term]
	return append(dst, x[:]...), ok
}

type wordList map[string][]string

func (d wordList) Synonyms(term string) []string { return d[term] }

func newExtractor(t testing.TB) *Extractor {
	base, err := knowledge.New(knowledge.Data{
		Headers: 100,
		Counts:  []knowledge.Count{{Word: "birth", N: 9}, {Word: "date", N: 30}, {Word: "name", N: 50}},
		Lemmas: []knowledge.Lemma{
			{Text: "cat", Senses: []knowledge.Sense{{Synset: 1, Weight: 255}}},
			{Text: "dog", Senses: []knowledge.Sense{{Synset: 2, Weight: 255}}},
			{Text: "write", Senses: []knowledge.Sense{{Synset: 3, Weight: 255}}},
		},
		Parents: []uint32{0, 1, 1, 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Extractor{
		Vectors:    vectors{"name": {1, 0}, "title": {1, 1}, "date": {0, 1}, "department": {-1, 0}, "nothing": {0, 0}},
		Dictionary: wordList{"date of birth": {"birthday"}, "name": {"title"}, "dept": {"department"}},
		Knowledge:  base,
	}
}

func pairOf(t testing.TB, a, b string) *Input {
	e := newExtractor(t)
	var in Input
	e.Pair(&in, e.Name(a), e.Name(b))
	return &in
}

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		feature int
		want    float32
	}{
		{"name", "name", cellEqual, 1},
		{"name", "names", cellEqual, 0},
		{"written", "writing", cellLemma, 1},
		{"name", "title", cellCosine, float32(math.Sqrt(.5))},
		{"name", "title", cellCosineKnown, 1},
		{"name", "nothing", cellCosineKnown, 0},
		{"name", "title", cellDictionary, 1},
		{"title", "name", cellDictionary, 1},
		{"name", "date", cellDictionary, 0},
		{"dog", "cat", cellSister, .64},
		{"dog", "dogs", cellSynonym, 1},
		{"dept", "department", cellCosine, 1},
		{"qty", "quantity", cellAbbreviation, 1},
		{"quantity", "qty", cellAbbreviation, 1},
		{"name", "quantity", cellAbbreviation, 0},
		{"1", "2", cellNumbers, 1},
		{"1", "1", cellNumbers, 0},
		{"1", "name", cellOneNumber, 1},
		{"colour", "color", cellEdit, 1 - float32(1)/6},
		{"of", "name", cellStopA, 1},
	} {
		if got := pairOf(t, tt.a, tt.b).Cells[tt.feature]; math.Abs(float64(got-tt.want)) > 1e-5 {
			t.Errorf("%q, %q: cell feature %d is %v, expected %v", tt.a, tt.b, tt.feature, got, tt.want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		feature int
		want    float32
	}{
		{"date of birth", "Date_of_Birth", phraseEqual, 1},
		{"date of birth", "birthday", phraseDictionary, 1},
		{"birthday", "date of birth", phraseDictionary, 1},
		{"student date of birth", "birthday", phraseDictionary, 0},
		{"birthday", "student date of birth", phraseCoverA, 1},
		{"birth date", "date of birth", phraseOverlapA, 1},
		{"birth date", "date of birth", phraseOneOf, 1},
		{"name", "", phraseEmpty, 1},
	} {
		if got := pairOf(t, tt.a, tt.b).Phrase[tt.feature]; got != tt.want {
			t.Errorf("%q, %q: phrase feature %d is %v, expected %v", tt.a, tt.b, tt.feature, got, tt.want)
		}
	}
}

// TestSwap checks that a pair and its swap differ by their roles alone.
func TestSwap(t *testing.T) {
	names := []string{"", "name", "date of birth", "birthday", "dog cat", "dept 1", "written by"}
	for _, a := range names {
		for _, b := range names {
			forward, backward := pairOf(t, a, b), pairOf(t, b, a)
			if diff := cmp.Diff(forward.WordsA, backward.WordsB); diff != "" {
				t.Errorf("%q, %q: words:\n%s", a, b, diff)
			}
			for i := range forward.A {
				for j := range forward.B {
					x := forward.Cells[(i*forward.B+j)*CellDim:][:CellDim]
					y := backward.Cells[(j*forward.A+i)*CellDim:][:CellDim]
					if x[cellHyponym] != y[cellHypernym] || x[cellCosine] != y[cellCosine] || x[cellDictionary] != y[cellDictionary] || x[cellStopA] != y[cellStopB] {
						t.Errorf("%q, %q: cell %d, %d: %v; swapped %v", a, b, i, j, x, y)
					}
				}
			}
		}
	}
}

func TestHead(t *testing.T) {
	e := newExtractor(t)
	for name, want := range map[string]int{
		"home town": 1, "date of birth": 0, "written by": 0, "address 1": 0, "": -1, "of": -1, "1": 0,
	} {
		if got := head(e.Name(name).words); got != want {
			t.Errorf("head of %q is %d, expected %d", name, got, want)
		}
	}
}

func FuzzPair(f *testing.F) {
	f.Add("name", "date of birth")
	f.Add("", "\xff\xfe")
	f.Add(strings.Repeat("a b ", 99), strings.Repeat("x", 999))
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		var in Input
		e.Pair(&in, e.Name(a), e.Name(b))
		if in.A > maxWords || in.B > maxWords || len(in.Cells) != in.A*in.B*CellDim {
			t.Fatalf("%d by %d words, %d numbers", in.A, in.B, len(in.Cells))
		}
		for _, s := range [][]float32{in.Cells, in.WordsA, in.WordsB, in.Phrase} {
			for _, x := range s {
				if !(x >= -1.001 && x <= 1.001) {
					t.Fatalf("feature %v, expected -1..1", x)
				}
			}
		}
	})
}
