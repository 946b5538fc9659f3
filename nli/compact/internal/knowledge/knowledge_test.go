package knowledge

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a taxonomy: dog and cat are animals, hound is a dog as a first sense
// and shares a second with dog; hot and cold are antonyms.
func small() Data {
	return Data{
		Headers: 10,
		Counts:  []Count{{"name", 9}, {"names", 1}},
		Lemmas: []Lemma{
			{"animal", []Sense{{0, 255}}}, {"cat", []Sense{{2, 255}}}, {"cold", []Sense{{4, 255}}},
			{"dog", []Sense{{1, 255}}}, {"hot", []Sense{{5, 255}}}, {"hound", []Sense{{3, 255}, {1, 64}}},
		},
		Parents:  []uint32{0, 1, 1, 2, 0, 0},
		Antonyms: [][2]uint32{{2, 4}},
	}
}

func TestRelate(t *testing.T) {
	b, err := New(small())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		x, y string
		want Relation
	}{
		{"dog", "animal", Relation{Hyponym: .8, Path: .8}},
		{"animal", "dog", Relation{Hypernym: .8, Path: .8}},
		{"dog", "cat", Relation{Sister: .64, Path: .64}},
		{"hound", "dog", Relation{Synonym: .501, Hyponym: .8, Sister: .32, Path: .8}},
		{"dog", "cold", Relation{}},
		{"dog", "unknown", Relation{}},
	} {
		got := Relate(b.Ancestry(tt.x), b.Ancestry(tt.y))
		for _, v := range [][2]float32{{got.Synonym, tt.want.Synonym}, {got.Hyponym, tt.want.Hyponym}, {got.Hypernym, tt.want.Hypernym}, {got.Sister, tt.want.Sister}, {got.Path, tt.want.Path}} {
			if math.Abs(float64(v[0]-v[1])) > .01 {
				t.Errorf("Relate(%s, %s) = %+v, expected %+v", tt.x, tt.y, got, tt.want)
				break
			}
		}
	}
}

func TestBase(t *testing.T) {
	b, err := New(small())
	if err != nil {
		t.Fatal(err)
	}
	if !b.Antonyms("hot", "cold") || !b.Antonyms("cold", "hot") || b.Antonyms("hot", "dog") || b.Antonyms("hot", "lukewarm") {
		t.Error("antonyms are off")
	}
	if got := b.Frequency(b.Word("name")); got != .9 {
		t.Errorf("frequency %v, expected 0.9", got)
	}
	common, rare, unseen := b.IDF(b.Word("name")), b.IDF(b.Word("names")), b.IDF(b.Word("other"))
	if !(0 <= common && common < rare && rare < unseen && unseen == 1) {
		t.Errorf("idf %v, %v, %v, expected ascending to 1", common, rare, unseen)
	}
	if n := b.Senses("hound"); n != 2 {
		t.Errorf("%d senses, expected 2", n)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Data){
		"sense outside":   func(d *Data) { d.Lemmas[0].Senses[0].Synset = 99 },
		"parent outside":  func(d *Data) { d.Parents[1] = 99 },
		"antonym outside": func(d *Data) { d.Antonyms[0][1] = 99 },
		"antonym order":   func(d *Data) { d.Antonyms = append(d.Antonyms, [2]uint32{0, 1}) },
	} {
		d := small()
		spoil(&d)
		if _, err := New(d); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

// TestCycle checks that hypernyms in a ring end.
func TestCycle(t *testing.T) {
	b, err := New(Data{Lemmas: []Lemma{{"a", []Sense{{0, 255}}}}, Parents: []uint32{2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.Ancestry("a")); n > maxLevel+1 {
		t.Errorf("%d nodes, expected at most %d", n, maxLevel+1)
	}
}

func TestCodec(t *testing.T) {
	d := small()
	data := d.Append(nil)
	got, rest, err := Decode(append(slices.Clone(data), 1, 2))
	if err != nil || len(rest) != 2 {
		t.Fatalf("Decode: %v, %d bytes left, expected 2", err, len(rest))
	}
	if diff := cmp.Diff(d, got); diff != "" {
		t.Error(diff)
	}
	for n := range data {
		if _, _, err := Decode(data[:n]); err == nil {
			t.Errorf("%d of %d bytes: expected an error", n, len(data))
		}
	}
}

func FuzzDecode(f *testing.F) {
	d := small()
	f.Add(d.Append(nil))
	f.Add([]byte{1, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, _, err := Decode(data)
		if err != nil {
			return
		}
		if b, err := New(d); err == nil {
			for _, l := range d.Lemmas {
				b.Ancestry(l.Text)
			}
		}
	})
}
