package namepair

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/lexicon"
)

// dim is that of the vectors of the tests: the coarse part is component 0, the
// fine part components 2 to 7.
const dim = 8

// vectors are the first components of vectors.
type vectors map[string][]float32

func (v vectors) Dim() int { return dim }

func (v vectors) Lookup(dst []float32, term string) ([]float32, bool) {
	x, ok := v[term]
	if !ok {
		return dst, false
	}
	return append(append(dst, x...), make([]float32, dim-len(x))...), true
}

var testVectors = vectors{
	"name": {1}, "title": {1, 1}, "date": {0, 1}, "department": {-1}, "nothing": {},
	"height": {1, 0, 1}, "weight": {1, 0, -1},
	"party": {0, 0, 0, 1}, "political party": {0, 0, 0, 0, 1}, "faction": {0, 0, 0, 0, 1},
	"tall height": {0, 0, 0, 0, 0, 1}, "hot dog": {0, 0, 0, 0, 0, 0, 1},
}

const testDictionary = `
date of birth: birthday
name: title
dept: department
code: number [transport]
`

const testContrasts = `
measure: height | weight, mass
side: home team | away team, visitors
`

const testDomains = `
health: patient
transport: train, flight
`

func newExtractor(t testing.TB) *Extractor {
	t.Helper()
	base, err := knowledge.New(knowledge.Data{
		Headers: 100,
		Counts:  []knowledge.Count{{Word: "birth", N: 9}, {Word: "date", N: 30}, {Word: "name", N: 50}},
		Kinds: knowledge.Space{
			Dim: 2, Terms: []string{"animal", "cat", "dog", "hot dog", "write"},
			Rows: []int8{10, 0, 6, 8, 8, 6, 0, 5, 0, 0},
		},
		Lemmas: []knowledge.Lemma{{Senses: 1, General: 255}, {Senses: 1, General: 51}, {Senses: 1, General: 51}, {Senses: 1}, {Senses: 1}},
		Columns: knowledge.Space{
			Dim: 2, Terms: []string{"birth", "date", "date of birth"},
			Rows: []int8{3, 4, 4, 3, 1, 0},
		},
		Metric: knowledge.Metric{In: dim, Out: 2, Rows: []float32{
			0, 0, 5, 0, 0, 0, 0, 0,
			0, 5, 0, 0, 0, 0, 0, 0,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &Extractor{Vectors: testVectors, Knowledge: base}
	fail := func(err error) { t.Error(err) }
	var errs [3]error
	e.Dictionary, errs[0] = lexicon.ReadThesaurus("dictionary", strings.NewReader(testDictionary), fail)
	e.Contrasts, errs[1] = lexicon.ReadContrasts("contrasts", strings.NewReader(testContrasts), fail)
	e.Domains, errs[2] = lexicon.ReadDomainWords("domains", strings.NewReader(testDomains), fail)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return e
}

// names prepares a pair in a context.
func names(e *Extractor, context, a, b string) Names {
	return e.Names(Parts{Entity: context, A: a, B: b})
}

func pairOf(t testing.TB, context, a, b string) *Input {
	t.Helper()
	e := newExtractor(t)
	var in Input
	e.Pair(&in, names(e, context, a, b))
	return &in
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-5 }

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		a, b    string
		feature int
		want    float32
	}{
		{"name", "name", cellEqual, 1},
		{"name", "names", cellEqual, 0},
		{"written", "writing", cellLemma, 1},
		{"date", "dates", cellStem, 1},
		{"name", "title", cellCosine, float32(math.Sqrt(.5))},
		{"name", "title", cellCosineKnown, 1},
		{"name", "nothing", cellCosineKnown, 0},
		{"height", "weight", cellCosine, 0},
		{"height", "weight", cellCoarse, 1},
		{"height", "weight", cellFine, -1},
		{"name", "department", cellCoarse, -1},
		{"name", "title", cellFine, 0},
		{"height", "weight", cellMetric, -1},
		{"height", "title", cellMetric, 0},
		{"title", "date", cellMetric, 1},
		{"name", "height", cellMetric, 0},
		{"name", "title", cellDictionary, 1},
		{"title", "name", cellDictionary, 1},
		{"name", "date", cellDictionary, 0},
		{"dog", "dogs", cellDictionary, 1},
		{"height", "weight", cellContrast, 1},
		{"weights", "height", cellContrast, 1},
		{"weight", "mass", cellContrast, 0},
		{"height", "height", cellContrast, 0},
		{"height", "date", cellContrast, 0},
		{"home team", "visitors", cellContrast, 1},
		{"home", "visitors", cellContrast, 0},
		{"dog", "cat", cellKind, .96},
		{"dog", "dogs", cellKind, 1},
		{"dog", "cat", cellKindKnown, 1},
		{"dog", "write", cellKindKnown, 0},
		{"dog", "animal", cellGeneral, .8},
		{"animal", "dog", cellGeneral, -.8},
		{"animal", "unknown", cellGeneral, 0},
		{"birth", "date", cellColumn, .96},
		{"birth", "date", cellColumnKnown, 1},
		{"birth", "name", cellColumnKnown, 0},
		{"dept", "department", cellCosine, 1},
		{"qty", "quantity", cellAbbreviation, 1},
		{"quantity", "qty", cellAbbreviation, 1},
		{"name", "quantity", cellAbbreviation, 0},
		{"1", "2", cellNumbers, 1},
		{"1", "1", cellNumbers, 0},
		{"first", "2", cellNumbers, 1},
		{"third", "fourth", cellNumbers, 1},
		{"two", "2", cellNumbers, 0},
		{"second", "1", cellNumbers, 0},
		{"two", "2", cellLemma, 1},
		{"1st", "one", cellLemma, 1},
		{"1", "name", cellOneNumber, 1},
		{"1", "one", cellOneNumber, 1},
		{"1", "2", cellOneNumber, 0},
		{"colour", "color", cellEdit, 1 - float32(1)/6},
		{"name", "name", cellTrigrams, 1},
		{"of", "name", cellStopA, 1},
		{"of", "name", cellStopB, 0},
		{"name", "date", cellHeads, 1},
		{"of", "date", cellHeads, 0},
	} {
		if got := pairOf(t, "", tt.a, tt.b).Cells[tt.feature]; !near(got, tt.want) {
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
		{"height", "weight", phraseContrast, 1},
		{"greatest height", "mass in kg", phraseContrast, 1},
		{"home team", "away team", phraseContrast, 1},
		{"team at home", "away team", phraseContrast, 0},
		{"height", "date", phraseContrast, 0},
		{"title", "height", phraseAlignA, .5},
		{"title", "height xyzzy", phraseAlignA, .5},
		{"title", "height xyzzy", phraseAlignB, .25},
		{"height xyzzy", "title", phraseAlignA, .25},
		{"name", "title", phraseAlignA, 1}, // by the dictionary
		{"name", "department", phraseAlignA, 0},
		{"", "name", phraseAlignA, 0},
		{"party", "political party", phraseWhole, 0},
		{"political party", "faction", phraseWhole, 1},
		{"political party", "faction", phraseWholeKnown, 1},
		{"title", "date", phraseMetric, 1},
		{"hot dog", "dog", phraseKind, .6},
		{"hot dog", "hot cat", phraseKindKnown, 0},
		{"date", "date of birth", phraseColumn, .8},
		{"birth date", "date", phraseColumnKnown, 0},
		{"hot dog", "big cat", phraseHeadKind, .96},
		{"big dogs", "small dog", phraseHeadLemma, 1},
	} {
		if got := pairOf(t, "", tt.a, tt.b).Phrase[tt.feature]; !near(got, tt.want) {
			t.Errorf("%q, %q: phrase feature %d is %v, expected %v", tt.a, tt.b, tt.feature, got, tt.want)
		}
	}
}

// TestContrastCells checks that all words of two terms that exclude each other
// are marked, and no others.
func TestContrastCells(t *testing.T) {
	in := pairOf(t, "", "home team name", "number of visitors")
	for i := range in.A {
		for j := range in.B {
			want := bit(i < 2 && j == 2)
			if got := in.Cells[(i*in.B+j)*CellDim+cellContrast]; got != want {
				t.Errorf("cell %d, %d: contrast %v, expected %v", i, j, got, want)
			}
		}
	}
}

// TestDomain checks where a synonym of one domain holds: the context decides,
// else the names.
func TestDomain(t *testing.T) {
	for _, tt := range []struct {
		context, a, b string
		want          bool
	}{
		{"", "code", "number", false},
		{"train", "code", "number", true},
		{"train", "number", "code", true},
		{"patient", "code", "number", false},
		{"old", "code", "number", false},
		{"", "flight code", "train number", true},
		{"", "flight code", "number", true},
		{"", "code", "train number", true},
		{"", "flight code", "patient number", false},
		{"old", "flight code", "number", true},
		{"patient", "flight code", "train number", false},
		{"train", "patient code", "patient number", true},
	} {
		in := pairOf(t, tt.context, tt.a, tt.b)
		last := in.Cells[(in.A*in.B-1)*CellDim:]
		if got := last[cellDictionary] == 1; got != tt.want {
			t.Errorf("%q against %q in %q: synonyms %v, expected %v", tt.a, tt.b, tt.context, got, tt.want)
		}
	}
}

// TestSense checks that a name of one word has the sense of the term that it is
// with the last word of its context.
func TestSense(t *testing.T) {
	for _, tt := range []struct {
		context, a, b string
		feature       int
		want          float32
	}{
		{"", "party", "faction", cellCosine, 0},
		{"political", "party", "faction", cellCosine, 1},
		{"political", "faction", "party", cellCosine, 1},
		{"a political", "party", "faction", cellCosine, 1},
		{"political big", "party", "faction", cellCosine, 0},
		{"big", "party", "faction", cellCosine, 0}, // no term
		{"political", "parties", "faction", cellCosine, 1},
		{"political", "party name", "faction", cellCosine, 0}, // more than a word
		{"political", "party", "party 1", cellEqual, 1},
		{"political", "party", "faction", cellCoarse, 0},
		{"political", "party", "faction", cellFine, 1},
		{"tall", "height", "weight", cellMetric, 0}, // the term goes nowhere in the metric
		{"", "dog", "cat", cellKind, .96},
		{"hot", "dog", "cat", cellKind, .8},
		{"hot", "dog", "animal", cellGeneral, 1},
		{"hot", "dogs", "dog", cellDictionary, 1},
	} {
		if got := pairOf(t, tt.context, tt.a, tt.b).Cells[tt.feature]; !near(got, tt.want) {
			t.Errorf("%q, %q in %q: cell feature %d is %v, expected %v", tt.a, tt.b, tt.context, tt.feature, got, tt.want)
		}
	}
	for feature, want := range map[int]float32{phraseCosine: 1, phraseWhole: 1, phraseWholeKnown: 1, phraseAlignA: 1, phraseHeadCosine: 1} {
		if got := pairOf(t, "political", "party", "faction").Phrase[feature]; !near(got, want) {
			t.Errorf("phrase feature %d is %v, expected %v", feature, got, want)
		}
	}
}

// TestSenseApart checks that a sense is that of its term alone.
func TestSenseApart(t *testing.T) {
	e := newExtractor(t)
	var before, after Input
	e.Pair(&before, names(e, "", "party", "faction"))
	e.Pair(&after, names(e, "political", "party", "faction"))
	e.Pair(&after, names(e, "", "party", "faction"))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("after the term the word reads:\n%s", diff)
	}
}

// swapped are features that change roles when a pair is swapped.
var swapped = [][2]int{
	{phraseOverlapA, phraseOverlapB}, {phraseCoverA, phraseCoverB}, {phraseAlignA, phraseAlignB}, {phraseLengthA, phraseLengthB},
}

// TestSwap checks that a pair and its swap differ by their roles alone.
func TestSwap(t *testing.T) {
	e := newExtractor(t)
	all := []string{"", "party", "name", "date of birth", "birthday", "dog cat", "animal", "dept 1", "written by", "train code", "number", "home team", "visitors", "political party"}
	for _, context := range []string{"", "train", "political"} {
		for _, a := range all {
			for _, b := range all {
				var forward, backward Input
				e.Pair(&forward, names(e, context, a, b))
				e.Pair(&backward, names(e, context, b, a))
				backward.swap()
				if diff := cmp.Diff(forward, backward); diff != "" {
					t.Errorf("%q, %q in %q: swapped twice:\n%s", a, b, context, diff)
				}
			}
		}
	}
}

// swap turns the features of a pair into those of the swapped pair.
func (in *Input) swap() {
	cells := make([]float32, len(in.Cells))
	for i := range in.A {
		for j := range in.B {
			to := cells[(j*in.A+i)*CellDim:][:CellDim]
			copy(to, in.Cells[(i*in.B+j)*CellDim:])
			to[cellStopA], to[cellStopB] = to[cellStopB], to[cellStopA]
			to[cellGeneral] = 0 - to[cellGeneral]
		}
	}
	for _, s := range swapped {
		in.Phrase[s[0]], in.Phrase[s[1]] = in.Phrase[s[1]], in.Phrase[s[0]]
	}
	in.A, in.B, in.Cells, in.WordsA, in.WordsB = in.B, in.A, cells, in.WordsB, in.WordsA
}

// TestPairAllocations checks that pairs of known names allocate nothing.
func TestPairAllocations(t *testing.T) {
	e := newExtractor(t)
	n := names(e, "train", "code of flight", "home team number 1")
	var in Input
	e.Pair(&in, n)
	got := testing.AllocsPerRun(20, func() {
		e.Name("code of flight")
		e.Pair(&in, n)
	})
	if got != 0 {
		t.Errorf("%v allocations a pair, expected none", got)
	}
}

func FuzzPair(f *testing.F) {
	f.Add("", "name", "date of birth")
	f.Add("train", "code", "number 1")
	f.Add("political", "party", "faction")
	f.Add("home team", "", "\xff\xfe")
	f.Add(strings.Repeat("c ", 99), strings.Repeat("a b ", 99), strings.Repeat("x", 999))
	e := newExtractor(f)
	f.Fuzz(func(t *testing.T, context, a, b string) {
		var in Input
		e.Pair(&in, names(e, context, a, b))
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
