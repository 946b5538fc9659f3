package baseline

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestClassesOf(t *testing.T) {
	for _, test := range []struct {
		want  class
		words string
	}{
		{noun, "region name song table hospital journal year rank city quantity music nationhood family business fish"},
		{adjective, "zonal famous useless careful readable economic territorial big larger largest happier unhappy"},
		{adjective | noun, "total first representative nominated training"},
		{adverb, "quickly always"},
		{adverb | adjective, "daily worldwide"},
		{function, "of the their which"},
	} {
		for w := range strings.FieldsSeq(test.words) {
			if got := classesOf(w); got != test.want {
				t.Errorf("%s is %04b, want %04b", w, got, test.want)
			}
		}
	}
	if sameClass("region", "zonal") || !sameClass("total", "sum") || !sameClass("total", "whole") {
		t.Error("classes that nouns and adjectives share are told wrongly")
	}
}

// TestClassList checks the list of words: classes that are known, each word once.
func TestClassList(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(classesText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		classes, words, ok := strings.Cut(line, ": ")
		if !ok {
			t.Errorf("%q: expected classes and words", line)
		}
		for name := range strings.SplitSeq(classes, "+") {
			if classNames[name] == 0 {
				t.Errorf("%q: class %q is unknown", line, name)
			}
		}
		for w := range strings.FieldsSeq(words) {
			if seen[w] || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
				t.Errorf("%q: expected lower-case words, each once", w)
			}
			seen[w] = true
		}
	}
}

func TestCombine(t *testing.T) {
	var got []string
	for _, r := range combine(strings.Fields("song of name"), [][]substitute{
		{{"ballad", -0.1}, {"tune", -0.3}}, nil, {{"title", -0.15}},
	}) {
		got = append(got, strings.Join(r.words, " ")+" / "+strings.Join(r.evidence, "; "))
	}
	want := []string{
		"ballad of name / song -> ballad", "song of title / name -> title", "ballad of title / song -> ballad; name -> title",
		"tune of name / song -> tune", "tune of title / song -> tune; name -> title",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got := combine([]string{"song"}, [][]substitute{nil}); len(got) != 0 {
		t.Errorf("no substitutes make %v", got)
	}
	many := make([]substitute, 100)
	for i := range many {
		many[i] = substitute{strings.Repeat("x", i+1), -float64(i)}
	}
	words := strings.Fields(strings.Repeat("w ", maxWords))
	if got := combine(words, slices.Repeat([][]substitute{many}, maxWords)); len(got) > maxNames {
		t.Errorf("%d names, want at most %d", len(got), maxNames)
	}
}

// oneColumn is a pass over a table with one column.
func oneColumn(t *testing.T, table, column string) *perturb.Pass {
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{{
		Name: table, Original: table, Columns: []dataset.Column{{Name: column, Original: column, Type: dataset.Text}},
	}}}
	p := perturbtest.NewPass(t, W2V, db, nil, 1, 1)
	p.Masked = shelf{}
	return p
}

// TestRanks checks what all attackers promise of odd names: no more than addEnd
// candidates, none twice or equal to the column, and no more than a bounded
// amount of work.
func TestRanks(t *testing.T) {
	for _, column := range []string{
		"", "song name", "Song_Name", "title", "18-49 share", "order", "qqqzzz", "of", "[MASK]", "名前", "\xff\x00",
		strings.Repeat("very ", 2000) + "long", strings.Repeat("x", 10_000), "a b c d e f g h i j k l m n o p",
		"first name of the oldest member of the club per year",
	} {
		for _, a := range Attackers() {
			p := oneColumn(t, "[MASK] table", column)
			rank, lacks := a.open(p)
			if lacks != "" {
				t.Fatal(lacks)
			}
			found, err := rank(dataset.ColumnRef{})
			if err != nil {
				t.Fatalf("%s: %.40q: %v", a.Name, column, err)
			}
			if len(found) > addEnd {
				t.Errorf("%s: %.40q: %d names, want at most %d", a.Name, column, len(found), addEnd)
			}
			seen := map[string]bool{lexicon.Key(column): true}
			for _, c := range found {
				if seen[c.Name] || c.Source != a.Name {
					t.Errorf("%s: %.40q has %+v, expected other names, each once", a.Name, column, c)
				}
				seen[c.Name] = true
			}
		}
	}
}

// TestWordVectors pins the order of W2V: that of cosines, terms of the vocabulary
// beside names with a word replaced.
func TestWordVectors(t *testing.T) {
	f, _ := newFinder(lexicon.Default())
	found := f.wordVectors([]string{"song", "name"})
	var whole, replaced int
	for i, c := range found {
		if i > 0 && c.Similarity > found[i-1].Similarity {
			t.Errorf("%s, %.3f, follows %.3f", c.Name, c.Similarity, found[i-1].Similarity)
		}
		if c.Evidence == "" {
			whole++
		} else {
			replaced++
		}
	}
	if whole == 0 || replaced == 0 {
		t.Errorf("%d terms and %d names with a word replaced, want both", whole, replaced)
	}
}

// TestNearest compares the search of the table with its definition.
func TestNearest(t *testing.T) {
	table := lexicon.Default()
	vec, _, _ := lexicon.Phrase(table, "song name")
	near := table.Nearest(vec, 20)
	if len(near) != 20 || len(table.Nearest(vec, 0)) != 0 || len(table.Nearest(vec[1:], 5)) != 0 {
		t.Fatalf("%d terms, want 20, and none of other lengths", len(near))
	}
	least := near[len(near)-1].Cosine
	var buf []float32
	within := 0
	for i := range table.Len() {
		buf, _ = table.Lookup(buf[:0], table.Term(i))
		c := lexicon.Cosine(vec, buf)
		if c > least+0.01 {
			within++
		}
		for _, n := range near {
			if n.Term == table.Term(i) && (n.Cosine < c-0.01 || n.Cosine > c+0.01) {
				t.Errorf("%s has cosine %.4f, want %.4f", n.Term, n.Cosine, c)
			}
		}
	}
	if within > len(near) {
		t.Errorf("%d terms are nearer than the last of %d", within, len(near))
	}
}

func TestSentence(t *testing.T) {
	p := oneColumn(t, "[CLS]singer", "song name")
	s := newSentence(p, dataset.ColumnRef{})
	if got, want := s.with("X"), "The X of the  CLS singer."; got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
	same, near, far := s.similarity(p.Vectors, "song name"), s.similarity(p.Vectors, "song title"), s.similarity(p.Vectors, "airport")
	if same < 0.999 || near >= same || far >= near {
		t.Errorf("similarities %.3f, %.3f, %.3f, want the same name at 1 and a far one last", same, near, far)
	}
	u := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	pass := perturbtest.NewPass(t, W2V, u.DB, nil, 1, 1)
	got := newSentence(pass, dataset.ColumnRef{Column: 1}).with("name")
	if want := "The name of the branches is Central, Children's House or College."; got != want {
		t.Errorf("sentence %q, want %q", got, want)
	}
}
