package linker

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/perturb"
)

// plain compares words by their letters alone.
type plain struct{}

func (plain) Likeness(a, b string) namepair.Likeness {
	if a == b {
		return namepair.Likeness{Lemma: 1, Cosine: 1, Trigrams: 1}
	}
	if a[0] == b[0] {
		return namepair.Likeness{Cosine: .3, Trigrams: .2}
	}
	return namepair.Likeness{}
}

func (plain) Lemma(word string) string { return word }

func column(name string, t dataset.Type) dataset.Column {
	return dataset.Column{Name: name, Original: name, Type: t}
}

// shop is a database of two tables, with cells.
func shop() *Schema {
	db := &dataset.Database{ID: "shop", Tables: []dataset.Table{
		{Name: "singer", Original: "singer", Columns: []dataset.Column{column("id", dataset.Number), column("name", dataset.Text), column("age", dataset.Number)}},
		{Name: "concert", Original: "concert", Columns: []dataset.Column{column("singer", dataset.Number), column("city", dataset.Text)}},
	}}
	db.ForeignKeys = []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1}, Target: dataset.ColumnRef{}}}
	db.PrimaryKeys = []dataset.ColumnRef{{}}
	cells := &Cells{columns: map[string][]int32{}, ranges: []valueRange{noNumbers, noNumbers, {18, 70}, noNumbers, noNumbers}}
	cells.put(4, "New York")
	return NewSchema(db, cells, plain{})
}

func examples(t *testing.T, s *Schema) (all []*Example) {
	for i, q := range []struct{ question, query string }{
		{"what is the age of each singer ?", "SELECT age FROM singer"},
		{"which name has a concert in new york ?", "SELECT name FROM singer JOIN concert ON singer.id = concert.singer WHERE city = 'New York'"},
		{"how many singer are there ?", "SELECT count(*) FROM singer"},
	} {
		ex := NewExample(s, &dataset.Example{Index: i, DB: "shop", Question: q.question, Query: q.query})
		var err error
		if ex.Used, err = s.Used(q.query); err != nil {
			t.Fatal(err)
		}
		all = append(all, ex)
	}
	return all
}

// TestBackward compares the gradient with differences of the loss.
func TestBackward(t *testing.T) {
	v := newVocabulary([]string{"age", "each", "name", "singer"}, []string{"age", "name", "singer"})
	samples := v.samples(examples(t, shop()))
	n, g := newNet(5, 4), newNet(5, 4)
	rng := rand.New(rand.NewPCG(1, 2))
	n.randomize(rng)
	var p pass
	n.forward(&p, samples)
	n.backward(g, &p)
	loss := func() float64 {
		var q pass
		n.forward(&q, samples)
		return n.backward(newNet(5, 4), &q)
	}
	unknown := func(i int) bool { // the embeddings of unknown words are no weights
		first := len(n.params) - 9*embedded
		return i >= first && i < first+embedded || i >= first+5*embedded && i < first+6*embedded
	}
	wrong := 0
	for range 300 {
		i := rng.IntN(len(n.params))
		if unknown(i) {
			continue
		}
		const step = 2e-3
		was := n.params[i]
		n.params[i] = was + step
		above := loss()
		n.params[i] = was - step
		below := loss()
		n.params[i] = was
		want := (above - below) / (2 * step)
		if got := float64(g.params[i]); math.Abs(got-want) > .02+.1*math.Abs(want) {
			t.Logf("weight %d: gradient %v, expected about %v", i, got, want)
			wrong++
		}
	}
	if wrong > 3 { // where a step crosses the corner of a maximum
		t.Errorf("%d gradients of 300 are wrong", wrong)
	}
}

func TestFeatures(t *testing.T) {
	s := shop()
	f := func(question string, item, feature int) float32 {
		ex := NewExample(s, &dataset.Example{Question: question})
		return s.Features(ex.Question)[item*Dim+feature]
	}
	const singer, concert, id, name, age, city = 0, 1, 2, 3, 4, 6
	for _, c := range []struct {
		what          string
		question      string
		item, feature int
		want          float32
	}{
		{"a name that stands there", "the age of a singer", age, wholeName, 1},
		{"one that does not", "the age of a singer", name, wholeName, 0},
		{"a cell of two words", "a concert in New York", city, value, 1},
		{"the table of a cell", "a concert in New York", concert, value, 1},
		{"no cell", "a concert in York", city, value, 0},
		{"a number among a column's", "older than 30", age, inRange, 1},
		{"a number outside", "older than 300", age, inRange, 0},
		{"a key that is referred to", "x", id, dynamicDim + isTarget, 1},
		{"the table right before", "singer name", name, afterTable, 1},
		{"a table's best column", "age", singer, parentOf, 1},
	} {
		if got := f(c.question, c.item, c.feature); got != c.want {
			t.Errorf("%s: %v, expected %v", c.what, got, c.want)
		}
	}
}

// TestPacked: features come back as they were, zeros too.
func TestPacked(t *testing.T) {
	s := shop()
	x := s.Features(NewExample(s, &dataset.Example{Question: "singers older than 30 in New York"}).Question)
	p, at := pack(x), 0
	row := slices.Repeat([]float32{7}, Dim)
	for i := range len(x) / Dim {
		at = p.unpack(row, i, at)
		if !slices.Equal(row, x[i*Dim:(i+1)*Dim]) {
			t.Errorf("item %d is %v, expected %v", i, row, x[i*Dim:(i+1)*Dim])
		}
	}
	if at != len(p.values) {
		t.Errorf("%d values, of which %d were read", len(p.values), at)
	}
}

// TestTrain learns three questions, the same whatever runs beside it, and whether or not the
// examples have let go of their schemas.
func TestTrain(t *testing.T) {
	o := DefaultOptions()
	o.Epochs, o.Networks, o.Dropout, o.Forget = 150, 1, 0, 0
	var files [2][]byte
	for i := range files {
		learned := examples(t, shop())
		if i == 1 {
			for _, ex := range learned {
				ex.Settle()
			}
		}
		m, err := Train(context.Background(), learned, o, func() {})
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range examples(t, shop()) {
			for k, p := range m.Score(ex) {
				if (p >= Threshold) != ex.Used[k] {
					t.Errorf("%s: item %d has %v, expected used %v", ex.Source.Question, k, p, ex.Used[k])
				}
			}
		}
		if files[i], err = m.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same training gives two files")
	}
	m, err := Decode(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := m.Encode(); !bytes.Equal(again, files[0]) {
		t.Error("a file that is read and written is another")
	}
	for n := range 16 {
		if _, err := Decode(files[0][:n*len(files[0])/16]); err == nil {
			t.Fatalf("the first %d sixteenths of a file are read", n)
		}
	}
}

// TestWeight: an example of a lower weight is learned from less, one of weight 1 as one
// without.
func TestWeight(t *testing.T) {
	o := DefaultOptions()
	o.Epochs, o.Networks, o.Dropout, o.Forget = 30, 1, 0, 0
	loss := map[float32]float64{}
	for _, weight := range []float32{0, 1, .1} {
		learned := examples(t, shop())
		learned[1].Weight = weight
		m, err := Train(context.Background(), learned, o, func() {})
		if err != nil {
			t.Fatal(err)
		}
		ex := examples(t, shop())[1]
		loss[weight] = Loss(ex, m.Score(ex))
	}
	if loss[0] != loss[1] || loss[.1] <= loss[1] {
		t.Errorf("the loss by weight is %v, expected that of 0 to be that of 1, that of 0.1 higher", loss)
	}
}

// TestDecodeBounds: a header may name what it likes, memory is taken for what is there.
func TestDecodeBounds(t *testing.T) {
	words := func(n int) []string { return slices.Repeat([]string{"a"}, n) }
	for name, h := range map[string]header{
		"words without weights":    {Features: Dim, Networks: MaxNetworks, Question: words(1e5), Names: words(1e5)},
		"networks without weights": {Features: Dim, Networks: MaxNetworks},
		"a header without end":     {Features: Dim, Networks: 1, Card: strings.Repeat("x", maxHeader)},
	} {
		body, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		small, err := packed.Pack(append(body, '\n'))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Decode(append([]byte(magic), small...))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%s: %v, expected that it is damaged", name, err)
		}
		if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 64 {
			t.Errorf("%s: takes %d MiB, expected at most 64", name, taken)
		}
	}
}

// BenchmarkScore is the embedded linker's time of a question on a small schema.
func BenchmarkScore(b *testing.B) {
	m, s := Default(), shop()
	n := 0
	for b.Loop() {
		m.Score(NewExample(s, &dataset.Example{DB: "shop", Question: "which name has a concert in new york ?"}))
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "questions/s")
}

func TestDefault(t *testing.T) {
	m := Default()
	if len(m.nets) == 0 || m.Card == "" || len(weights) > 2<<20 {
		t.Errorf("%d networks, card of %d bytes, file of %d, expected some, and at most 2 MiB", len(m.nets), len(m.Card), len(weights))
	}
}

// TestEdited keeps the cells where columns are renamed and added.
func TestEdited(t *testing.T) {
	s, err := shop().Edited([]perturb.Edit{
		perturb.AddColumn{Table: "singer", Beside: "age", Name: "height", Natural: "height", Type: dataset.Text, Cells: []string{"very tall"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]int32{"new york": 5, "very tall": 3} {
		if found := s.cells.find(cell); len(found) != 1 || found[0] != want {
			t.Errorf("%q: columns %v, expected %d", cell, found, want)
		}
	}
	if !s.cells.ranges[2].holds(30) || s.cells.ranges[3].holds(30) {
		t.Error("the numbers of a column are not where they were")
	}
}

func TestArea(t *testing.T) {
	for _, c := range []struct {
		items []Ranked
		want  float64
	}{
		{[]Ranked{{.9, true}, {.1, false}}, 1},
		{[]Ranked{{.1, true}, {.9, false}}, 0},
		{[]Ranked{{.5, true}, {.5, false}}, .5},
		{[]Ranked{{.9, true}, {.8, false}, {.7, true}, {.1, false}}, .75},
	} {
		if got := Area(c.items); got != c.want {
			t.Errorf("%v: %v, expected %v", c.items, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(weights[:min(len(weights), 4096)])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Decode(data); err == nil {
			m.Score(NewExample(shop(), &dataset.Example{Question: "age"}))
		}
	})
}
