package names

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
)

// excluding makes pairs without every third of those that the sources yield,
// of all kinds and either way round, and without two pairs of words. It tells
// which are left out.
func excluding(t *testing.T) (m *maker, excluded func(a, b string) bool) {
	t.Helper()
	var text strings.Builder
	for i, p := range tinyMaker(t, tinySources()).pairs {
		if a, b := p.a, p.b; i%3 == 0 && a != b {
			if i%2 == 0 {
				a, b = b, a
			}
			text.WriteString(a + "\t" + b + "\n")
		}
	}
	src := tinySources()
	src.Exclude = []string{writeFile(t, "pairs.txt", text.String()), writeFile(t, "words.txt", "place location 7.1\nWins losses 2\n")}
	m = tinyMaker(t, src)
	keys := map[[2]string]bool{}
	for _, file := range src.Exclude {
		if err := readExcluded(context.Background(), file, func(a, b string) { keys[m.key(a, b)] = true }); err != nil {
			t.Fatal(err)
		}
	}
	if len(keys) < 20 || len(m.pairs) < 100 {
		t.Fatalf("%d pairs excluded, %d left, expected many", len(keys), len(m.pairs))
	}
	return m, func(a, b string) bool { return keys[m.key(a, b)] }
}

// TestExcluded checks that no pair that is excluded is trained from.
func TestExcluded(t *testing.T) {
	m, excluded := excluding(t)
	for _, p := range m.pairs {
		if excluded(p.a, p.b) && !p.held {
			t.Errorf("%s pair %q, %q is excluded", judgements[p.kind].name, p.a, p.b)
		}
	}
}

// TestExcludedWithin checks that the network does not read an excluded pair as
// what is left of a pair without its common beginning.
func TestExcludedWithin(t *testing.T) {
	m, excluded := excluding(t)
	for _, p := range m.pairs {
		c := namepair.Cut(p.entity, p.a, p.b)
		if !p.held && excluded(c.A, c.B) {
			t.Errorf("%s pair %q, %q: %q, %q is excluded", judgements[p.kind].name, p.a, p.b, c.A, c.B)
		}
	}
}

// TestAddOnce checks which of two pairs of the same names counts.
func TestAddOnce(t *testing.T) {
	m := &maker{extractor: testLexicon(t).Extractor(newBase(t)), seen: map[[2]string]bool{}, excluded: map[[2]string]bool{}}
	m.exclude("Old Names", "new name")
	for _, tt := range []struct {
		kind kind
		a, b string
		want bool
	}{
		{kindTable, "dog", "cat", true},
		{kindTable, "cat", "dog", false},
		{kindSynonym, "dogs", "cats", false},
		{kindADVETADistractor, "dog", "cat", true}, // a test counts a pair as often as it has it
		{kindADVETAReplacement, "cow", "ox", true},
		{kindReplacement, "ox", "cow", false},
		{kindSame, "dog", "dog", true},
		{kindTable, "dog", "dog", false},
		{kindSame, "dog", "horse", false},
		{kindTable, "dog", "", false},
		{kindADVETAReplacement, "", "dog", false},
		{kindTable, "new name", "old name", false},
		{kindReplacement, "old name", "new name", false},
		{kindADVETAReplacement, "new names", "old name", true}, // measured on
	} {
		if got := m.add(tt.kind, tt.a, tt.b, 1) != nil; got != tt.want {
			t.Errorf("%s pair %q, %q: added %v, expected %v", judgements[tt.kind].name, tt.a, tt.b, got, tt.want)
		}
	}
	for _, p := range m.pairs {
		if want := p.a == "new names"; p.held != want {
			t.Errorf("%s pair %q, %q: held %v, expected %v", judgements[p.kind].name, p.a, p.b, p.held, want)
		}
	}
}

// TestHandwritten checks what becomes of names that people wrote.
func TestHandwritten(t *testing.T) {
	m := tinyMaker(t, tinySources())
	find := func(a, b string) *pair {
		for i := range m.pairs {
			if p := &m.pairs[i]; p.a == a && p.b == b {
				return p
			}
		}
		t.Fatalf("no pair %q, %q", a, b)
		return nil
	}
	for _, tt := range []struct {
		a, b    string
		kind    kind
		group   string
		targets [2]target
	}{
		{"salary", "wage", kindReplacement, "teacher:salary", [2]target{yes, yes}},
		{"city", "country", kindDistractor, "student:city", [2]target{no, no}},
		{"city", "place", kindBroader, "student:city", [2]target{yes, apart}},
		{"salary", "teacher salary", kindNarrower, "teacher:salary", [2]target{apart, yes}},
		{"bakery name", "bakery title", kindADVETAReplacement, "bakery", [2]target{yes, yes}},
		{"bakery name", "bakery price", kindADVETADistractor, "bakery", [2]target{no, no}},
		{"victory", "defeat", kindWords, "", [2]target{{.05, contradiction}, {.05, contradiction}}},
		{"name", "price", kindWords, "", [2]target{{.1, neutral}, {.1, neutral}}},
		{"teacher", "tutor", kindWords, "", [2]target{{.85, open_}, {.85, open_}}},
		{"salary", "money", kindBroader, "teacher:salary", [2]target{yes, apart}}, // graded as words too, but later
	} {
		p := find(tt.a, tt.b)
		if p.kind != tt.kind || p.group != tt.group {
			t.Errorf("%q, %q: %s of group %q, expected %s of %q", tt.a, tt.b, judgements[p.kind].name, p.group, judgements[tt.kind].name, tt.group)
		}
		if diff := cmp.Diff(tt.targets, p.targets, cmp.AllowUnexported(target{}), approximately); diff != "" {
			t.Errorf("%q, %q: targets:\n%s", tt.a, tt.b, diff)
		}
	}
}

func TestGradedTargets(t *testing.T) {
	for _, tt := range []struct {
		g    graded
		want [2]target
	}{
		{graded{similarity: .9, relation: 's'}, [2]target{{.9, open_}, {.9, open_}}},
		{graded{similarity: .1, relation: 'c'}, [2]target{{.1, contradiction}, {.1, contradiction}}},
		{graded{similarity: .2, relation: 'r'}, [2]target{{.2, neutral}, {.2, neutral}}},
		{graded{similarity: .5, relation: 'h'}, [2]target{{.85, neutral}, {.4, neutral}}},
		{graded{similarity: .5, relation: 'g'}, [2]target{{.4, neutral}, {.85, neutral}}},
		{graded{similarity: .95, relation: 'h'}, [2]target{{.95, neutral}, {.76, neutral}}},
	} {
		if diff := cmp.Diff(tt.want, tt.g.targets(), cmp.AllowUnexported(target{}), approximately); diff != "" {
			t.Errorf("%+v:\n%s", tt.g, diff)
		}
	}
}

// TestSome checks that some draws distinct substitutes and leaves its input.
func TestSome(t *testing.T) {
	m := tinyMaker(t, tinySources())
	subs := []substitute{{"a", 1}, {"b", .5}, {"c", 0}, {"d", .2}}
	before := slices.Clone(subs)
	drawn := map[string]int{}
	for range 400 {
		got := m.some(subs, 2)
		if len(got) != 2 || got[0] == got[1] {
			t.Fatalf("%v, expected two of %v", got, subs)
		}
		for _, s := range got {
			drawn[s.word]++
		}
	}
	if !slices.Equal(before, subs) {
		t.Errorf("%v, was %v", subs, before)
	}
	if !(drawn["a"] > drawn["b"] && drawn["b"] > drawn["d"] && drawn["d"] > drawn["c"] && drawn["c"] > 0) {
		t.Errorf("drawn %v, expected stronger ones more often and all sometimes", drawn)
	}
	if got := m.some(subs, 9); len(got) != len(subs) {
		t.Errorf("%v, expected all", got)
	}
}
