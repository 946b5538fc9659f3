package namepair

import (
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		entity, a, b string
		want         Parts
	}{
		{"dog", "name", "title", Parts{"dog", "", "name", "title"}},
		{"", "name", "title", Parts{"", "", "name", "title"}},
		{"dog", "breed name", "breed code", Parts{"dog", "breed", "name", "code"}},
		{"", "dog breed name", "dog breed code", Parts{"", "dog breed", "name", "code"}},
		{"student", "name", "name of student", Parts{"student", "", "name", "name of student"}},
		{"dog", "name", "name", Parts{"", "", "dog name", "dog name"}},
		{"", "dog name", "Dog Name", Parts{"", "", "dog name", "Dog Name"}},
		{"", "dog breed name", "Dog breed title", Parts{"", "dog breed", "name", "title"}},
		{"", "height (m)", "weight (kg)", Parts{"", "", "height (m)", "weight (kg)"}},
		{"", "", "", Parts{}},
		{"", "", "name", Parts{"", "", "", "name"}},
		{"dog", "", "name", Parts{"dog", "", "", "name"}},
		{"dog", "", "", Parts{"", "", "dog", "dog"}},
		{" big  dog ", "  breed\tname ", "breed age", Parts{"big  dog", "breed", "name", "age"}},
		// The common end goes from sentences of more than eight words alone.
		{"", "height of the tree in m", "girth of the tree in m", Parts{"", "", "height of the tree in m", "girth of the tree in m"}},
		{"", "a man is playing a piano in the old town hall", "a man is playing a guitar in the old town hall", Parts{
			"", "a man is playing a", "piano", "guitar"}},
		{"a man is", "eating soup in the very old town hall", "eating bread in the very old town hall", Parts{
			"a man is", "eating", "soup", "bread"}},
		{"", "one two three four five six seven eight", "eight", Parts{"", "", "one two three four five six seven eight", "eight"}},
	} {
		if got := Cut(tt.entity, tt.a, tt.b); got != tt.want {
			t.Errorf("Cut(%q, %q, %q) = %q, expected %q", tt.entity, tt.a, tt.b, got, tt.want)
		}
		if got := Cut(tt.entity, tt.b, tt.a); !equalSwapped(got, tt.want) {
			t.Errorf("Cut(%q, %q, %q) = %q, expected %q the other way round", tt.entity, tt.b, tt.a, got, tt.want)
		}
	}
}

// equalSwapped tells whether q is p the other way round. Of what both share either
// spelling will do.
func equalSwapped(p, q Parts) bool {
	x, y := strings.Fields(p.Shared), strings.Fields(q.Shared)
	for i := range x {
		if len(x) != len(y) || !strings.EqualFold(x[i], y[i]) {
			return false
		}
	}
	return len(x) == len(y) && p.Entity == q.Entity && p.A == q.B && p.B == q.A
}

func TestBefore(t *testing.T) {
	for want, p := range map[string]Parts{
		"":      {A: "name", B: "title"},
		"dog":   {Entity: "big dog", A: "name", B: "title"},
		"breed": {Entity: "big dog", Shared: "first breed", A: "name", B: "title"},
	} {
		if got := p.before(); got != want {
			t.Errorf("%q: before %q, expected %q", p, got, want)
		}
	}
}

func TestCutAllocations(t *testing.T) {
	a, b := "breed   name of the (old and) very long one", "breed title of the (old and) very long one"
	if got := testing.AllocsPerRun(20, func() { Cut("big dog", a, b) }); got != 0 {
		t.Errorf("%v allocations a pair, expected none", got)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("dog", "name", "title")
	f.Add("", "", "x")
	f.Add("a", "b c d e f g h i", "x c d e f g h i")
	f.Fuzz(func(t *testing.T, entity, x, y string) {
		p := Cut(entity, x, y)
		if q := Cut(entity, y, x); !equalSwapped(q, p) {
			t.Errorf("Cut(%q, %q, %q) = %q; swapped %q", entity, x, y, p, q)
		}
		if p.Entity == "" && p.Shared == "" {
			return // read as a whole
		}
		for _, s := range [][2]string{{entity, p.Entity}, {x, p.Shared}, {x, p.A}, {y, p.B}} {
			if !strings.Contains(s[0], s[1]) {
				t.Errorf("Cut(%q, %q, %q): %q is no part of %q", entity, x, y, s[1], s[0])
			}
		}
	})
}
