package names

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/lexicon"
)

func newBase(t *testing.T) *knowledge.Base {
	t.Helper()
	b, err := knowledge.New(knowledge.Data{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// planted are vectors of eight components.
type planted map[string][]float32

func (planted) Dim() int { return 8 }

func (p planted) Lookup(dst []float32, term string) ([]float32, bool) {
	v, ok := p[term]
	return append(dst, v...), ok
}

// plant makes synonyms that differ much in component 1 and words that exclude
// each other, which differ there too, but in component 5 most for how little
// synonyms do.
func plant() (v planted, same, apart [][2]string) {
	rng := rand.New(rand.NewPCG(1, 2))
	v = planted{}
	add := func(name string, like []float32, spread [8]float64) []float32 {
		x := make([]float32, 8)
		for i := range x {
			x[i] = float32(.02 * rng.NormFloat64())
			if like != nil {
				x[i] = like[i] + float32(spread[i]*rng.NormFloat64())
			}
		}
		v[name] = x
		return x
	}
	for i := range 200 {
		word, synonym, other := fmt.Sprintf("w%d", i), fmt.Sprintf("s%d", i), fmt.Sprintf("o%d", i)
		x := add(word, nil, [8]float64{})
		add(synonym, x, [8]float64{1: 1, 2: .1, 5: .02})
		add(other, x, [8]float64{1: 1, 2: .1, 5: .3})
		same, apart = append(same, [2]string{word, synonym}), append(apart, [2]string{word, other})
	}
	return v, same, apart
}

func TestMetric(t *testing.T) {
	v, same, apart := plant()
	m, err := metric(v, append(same, [2]string{"w1", "unknown"}), apart)
	if err != nil {
		t.Fatal(err)
	}
	if m.In != 8 || m.Out != 8 || len(m.Rows) != 64 {
		t.Fatalf("%d × %d, %d values; expected 8 × 8", m.In, m.Out, len(m.Rows))
	}
	first := m.Rows[:8]
	for i, x := range first {
		if i != 5 && math.Abs(float64(x)) > .2*float64(first[5]) {
			t.Errorf("first direction %v, expected component 5 above all, and positive", first)
			break
		}
	}
	again, err := metric(v, same, apart)
	if err != nil || !cmp.Equal(m, again) {
		t.Errorf("%v; made again: %v, was %v", err, again, m)
	}
}

func TestMetricUnknown(t *testing.T) {
	v, same, apart := plant()
	none := [][2]string{{"w1", "unknown"}}
	for name, pairs := range map[string][2][][2]string{"no synonyms": {none, apart}, "nothing apart": {same, nil}} {
		if m, err := metric(v, pairs[0], pairs[1]); err != nil || m.Out != 0 || m.Rows != nil {
			t.Errorf("%s: %+v, %v; expected no metric", name, m, err)
		}
	}
	equal := planted{"a": make([]float32, 8), "b": make([]float32, 8)}
	if _, err := metric(equal, [][2]string{{"a", "b"}}, [][2]string{{"a", "b"}}); err == nil || !strings.Contains(err.Error(), "degenerate") {
		t.Errorf("equal synonyms: error %v, expected them to be degenerate", err)
	}
}

func TestKinds(t *testing.T) {
	src := tinySources()
	w, err := readWordNet(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	var d, again knowledge.Data
	for _, d := range []*knowledge.Data{&d, &again} {
		if err := w.kinds(context.Background(), d, 1, func(term string) bool { return term != "metropolis" }); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("made again:\n%s", diff)
	}
	b, err := knowledge.New(d)
	if err != nil {
		t.Fatal(err)
	}
	cosine := func(x, y string) float32 {
		u, v := b.Kind(x), b.Kind(y)
		if u == nil || v == nil {
			t.Fatalf("kind of %q or %q is unknown", x, y)
		}
		return lexicon.Dot(u, v)
	}
	for _, tt := range []struct{ a, near, far string }{
		{"first", "last", "city"}, // antonyms
		{"first", "final", "city"},
		{"lose", "win", "salary"},
		{"city", "country", "salary"}, // sisters
		{"student", "teacher", "price"},
		{"salary", "wage", "price"}, // synonyms before sisters
		{"city", "place", "money"},
	} {
		if near, far := cosine(tt.a, tt.near), cosine(tt.a, tt.far); near < far+.1 {
			t.Errorf("%s: %.2f to %s, %.2f to %s", tt.a, near, tt.near, far, tt.far)
		}
	}
	if c := cosine("salary", "wage"); c < .99 {
		t.Errorf("synonyms of one sense: %v, expected 1", c)
	}
	if b.Kind("metropolis") != nil {
		t.Error("a term that was not kept is known")
	}
	if n := b.Senses("win"); n != 2 {
		t.Errorf("win has %d senses, expected 2", n)
	}
	general := []float32{b.General("thing"), b.General("person"), b.General("student")}
	if !(general[0] > general[1] && general[1] > general[2] && general[2] == 0) {
		t.Errorf("thing, person, student are general by %v, expected less and less to 0", general)
	}
}

func TestWordNet(t *testing.T) {
	src := tinySources()
	w, err := readWordNet(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		lemma string
		step  func(int) []int
		want  string
	}{
		{"salary", w.itself, "pay wage"},
		{"salary", w.above, "money"},
		{"salary", w.beside, "cost price"},
		{"place", w.below, "city country land metropolis"},
		{"thing", w.above, ""},
		{"absent", w.itself, ""},
	} {
		var got []string
		for _, s := range w.related(tt.lemma, tt.step) {
			got = append(got, s.word)
			if !(s.strength > 0 && s.strength <= 1) {
				t.Errorf("%s for %s: strength %v, expected 0..1", s.word, tt.lemma, s.strength)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, expected %s", tt.lemma, got, tt.want)
		}
	}
	for _, pair := range [][2]string{{"first", "last"}, {"last", "first"}, {"win", "defeat"}, {"defeat", "win"}, {"win", "lose"}} {
		if !slices.Contains(w.opposites[pair[0]], pair[1]) {
			t.Errorf("%s is no opposite of %s: %v", pair[1], pair[0], w.opposites[pair[0]])
		}
	}
}

// TestCycle checks that hypernyms in a ring end.
func TestCycle(t *testing.T) {
	w := tornWordNet(t)
	var d knowledge.Data
	if err := w.kinds(context.Background(), &d, 1, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if len(d.Lemmas) != 3 {
		t.Errorf("%d lemmas, expected 3", len(d.Lemmas))
	}
}

// tornWordNet has a ring of two synsets and one that is by itself.
func tornWordNet(t *testing.T) *wordnet {
	t.Helper()
	src := Sources{
		Synsets: writeFile(t, "synsets.tsv", "1-n\tn\tnoun.x\ta\t\thypernym:2-n\n2-n\tn\tnoun.x\tb\t\thypernym:1-n\n3-n\tn\tnoun.y\tc\t\thypernym:9-n\n"),
		Senses:  writeFile(t, "senses.tsv", "a\tn\ta%1\t1-n\t\nb\tn\tb%1\t2-n\t\nc\tn\tc%1\t3-n\t\n"),
	}
	w, err := readWordNet(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestNothingToPlace checks sources that tell no term from another.
func TestNothingToPlace(t *testing.T) {
	w := tornWordNet(t)
	for name, keep := range map[string]func(string) bool{
		"no term":         func(string) bool { return false },
		"one term":        func(term string) bool { return term == "c" },
		"terms of a kind": func(term string) bool { return term != "c" },
	} {
		var d knowledge.Data
		if err := w.kinds(context.Background(), &d, 1, keep); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := knowledge.New(d); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tables := slices.Repeat([]table{{[]string{"name"}}}, 5)
	if _, err := columns(context.Background(), tables, func(s string) string { return s }, 1); err != nil {
		t.Errorf("tables of one column: %v", err)
	}
}

func TestColumnSpace(t *testing.T) {
	var tables []table
	add := func(n int, names ...string) {
		for range n {
			tables = append(tables, table{names})
		}
	}
	add(4, "price", "quantity", "product")
	add(4, "cost", "quantity", "product")
	add(4, "age", "name", "height")
	add(4, "born", "name", "height")
	add(4, "home town", "name")
	add(2, "rare", "name")
	add(3, "one two three four five six", "name")
	lemmas := func(s string) string { return s }
	s, err := columns(context.Background(), tables, lemmas, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"age", "born", "cost", "five", "four", "height", "home", "home town", "name", "one", "price", "product", "quantity", "six", "three", "town", "two"}
	if diff := cmp.Diff(want, s.Terms); diff != "" {
		t.Errorf("terms:\n%s", diff)
	}
	if again, err := columns(context.Background(), tables, lemmas, 1); err != nil || !cmp.Equal(s, again) {
		t.Errorf("made again, it differs; error %v", err)
	}
	b, err := knowledge.New(knowledge.Data{Columns: s})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ a, near, far string }{{"price", "cost", "age"}, {"age", "born", "cost"}} {
		if near, far := lexicon.Dot(b.Column(tt.a), b.Column(tt.near)), lexicon.Dot(b.Column(tt.a), b.Column(tt.far)); near < far+.3 {
			t.Errorf("%s: %.2f to %s, %.2f to %s", tt.a, near, tt.near, far, tt.far)
		}
	}
	if none, err := columns(context.Background(), tables[:2], lemmas, 1); err != nil || len(none.Terms) > 0 {
		t.Errorf("two tables: %v, %v; expected nothing", none, err)
	}
}
