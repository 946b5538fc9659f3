package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// brackets writes spans with the changed ones in brackets.
func brackets(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Changed {
			b.WriteString("[" + s.Text + "]")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	for _, test := range []struct{ before, after, was, now string }{
		{"", "", "", ""},
		{"a b", "a b", "a b", "a b"},
		{"", "a b", "", "[a b]"},
		{"a b c", "a c", "a [b] c", "a c"},
		{"the old dog barks", "the new cat barks", "the [old dog] barks", "the [new cat] barks"},
		{"SELECT T1.age FROM t", "SELECT T1.years FROM t", "SELECT T1.[age] FROM t", "SELECT T1.[years] FROM t"},
		{"count(*) >= 3", "count(*) > 3", "count(*) [>=] 3", "count(*) [>] 3"},
		{"a, b", "a, b, c", "a, b", "a, b[, c]"},
		{strings.Repeat("x ", 700) + "x", "x", "[" + strings.Repeat("x ", 700) + "x]", "[x]"},
	} {
		c := newChange("text", false, test.before, test.after)
		if was, now := brackets(c.Before), brackets(c.After); was != test.was || now != test.now {
			t.Errorf("%.40q and %.40q: %.60q and %.60q, want %.60q and %.60q", test.before, test.after, was, now, test.was, test.now)
		}
		if c.Same() != (test.before == test.after) {
			t.Errorf("%.40q and %.40q: Same is %v", test.before, test.after, c.Same())
		}
	}
}

func TestPicked(t *testing.T) {
	for total := range 60 {
		for samples := 1; samples < 12; samples++ {
			n := 0
			for i := range total {
				if isSpread(i, total, samples) {
					n++
				}
			}
			if n != min(total, samples) {
				t.Errorf("%d of %d records are picked, want %d", n, total, min(total, samples))
			}
		}
	}
	var at []int
	for i := range 100 {
		if isSpread(i, 100, 4) {
			at = append(at, i)
		}
	}
	if diff := cmp.Diff([]int{12, 37, 62, 87}, at); diff != "" {
		t.Errorf("4 of 100 (-want +got):\n%s", diff)
	}
}

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"eval", "--gold", "a/b.json", ""}, "tabperturb eval --gold a/b.json"},
		{[]string{"x y", "it's", "$(rm)", "a\nb"}, `tabperturb 'x y' 'it'\''s' '$(rm)' 'a b'`},
	} {
		if got := Command(test.args...); got != test.want {
			t.Errorf("%q: %s, want %s", test.args, got, test.want)
		}
	}
}
