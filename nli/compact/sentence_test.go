package compact

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		premise, hypothesis string
		want                Parts
	}{
		{"dog name (text)", "dog title (text)", Parts{"dog", "name", "title", "dog name", "dog title"}},
		{"name (text)", "title (number)", Parts{"", "name", "title", "name", "title"}},
		{"name", "title", Parts{"", "name", "title", "name", "title"}},
		{"dog breed name (text)", "dog breed code (text)", Parts{"dog breed", "name", "code", "breed name", "breed code"}},
		{"student name (text)", "student name of student (text)", Parts{"student", "name", "name of student", "student name", "student name of student"}},
		{"dog name (text)", "dog name (number)", Parts{"", "dog name", "dog name", "dog name", "dog name"}},
		{"dog name", "Dog Name", Parts{"", "dog name", "Dog Name", "dog name", "Dog Name"}},
		{"Dog name", "dog title", Parts{"Dog", "name", "title", "Dog name", "dog title"}},
		{"height (m) (number)", "weight (kg) (number)", Parts{"", "height (m)", "weight (kg)", "height (m)", "weight (kg)"}},
		{"height (m)", "weight", Parts{"", "height (m)", "weight", "height (m)", "weight"}},
		{"(text)", "(text)", Parts{}},
		{"", "name", Parts{"", "", "name", "", "name"}},
		{"  dog   name\t(time) ", "dog age", Parts{"dog", "name", "age", "dog   name", "dog age"}},
		// The common end goes from sentences of more than eight words alone.
		{"height of the tree in m", "girth of the tree in m", Parts{
			"", "height of the tree in m", "girth of the tree in m", "height of the tree in m", "girth of the tree in m"}},
		{"a man is playing a piano in the old town hall", "a man is playing a guitar in the old town hall", Parts{
			"a man is playing a", "piano", "guitar",
			"a piano in the old town hall", "a guitar in the old town hall"}},
		{"a man is eating soup in the very old town hall", "a man is eating bread in the very old town hall", Parts{
			"a man is eating", "soup", "bread",
			"eating soup in the very old town hall", "eating bread in the very old town hall"}},
		{"one two three four five six seven eight", "eight", Parts{
			"", "one two three four five six seven eight", "eight", "one two three four five six seven eight", "eight"}},
	} {
		if got := Columns(tt.premise, tt.hypothesis); got != tt.want {
			t.Errorf("Columns(%q, %q) = %q, expected %q", tt.premise, tt.hypothesis, got, tt.want)
		}
		if got := Columns(tt.hypothesis, tt.premise); !equalSwapped(got, tt.want) {
			t.Errorf("Columns(%q, %q) = %q, expected %q the other way round", tt.hypothesis, tt.premise, got, tt.want)
		}
	}
}

// equalSwapped tells whether q is p the other way round. Of the context either
// side's spelling will do.
func equalSwapped(p, q Parts) bool {
	fold := func(s string) []string { return strings.Fields(s) }
	x, y := fold(p.Context), fold(q.Context)
	for i := range x {
		if len(x) != len(y) || !strings.EqualFold(x[i], y[i]) {
			return false
		}
	}
	return len(x) == len(y) && p.A == q.B && p.B == q.A && p.WideA == q.WideB && p.WideB == q.WideA
}

func TestColumnsAllocations(t *testing.T) {
	a, b := "big dog   name of the (old and) very long one (text)", "big dog title of the (old and) very long one (number)"
	if got := testing.AllocsPerRun(20, func() { Columns(a, b) }); got != 0 {
		t.Errorf("%v allocations a pair, expected none", got)
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("dog name (text)", "dog title (text)")
	f.Add("", "(text)")
	f.Add("a b c d e f g h i", "a x c d e f g h i")
	f.Fuzz(func(t *testing.T, x, y string) {
		p := Columns(x, y)
		if q := Columns(y, x); !equalSwapped(q, p) {
			t.Errorf("Columns(%q, %q) = %q; swapped %q", x, y, p, q)
		}
		for _, s := range [][2]string{{x, p.Context}, {x, p.A}, {y, p.B}, {x, p.WideA}, {y, p.WideB}} {
			if !strings.Contains(s[0], s[1]) {
				t.Errorf("Columns(%q, %q): %q is no part of %q", x, y, s[1], s[0])
			}
		}
		if !strings.Contains(p.WideA, p.A) || !strings.Contains(p.WideB, p.B) {
			t.Errorf("Columns(%q, %q) = %q, expected the wide names to hold the names", x, y, p)
		}
	})
}
