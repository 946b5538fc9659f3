package report

import (
	"html"
	"regexp"
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

// TestDiffSQL checks that an AS alone is no change of SQL.
func TestDiffSQL(t *testing.T) {
	for _, test := range []struct{ before, after, was, now string }{
		{"SELECT T1.a FROM t T1", "SELECT T1.a FROM t AS T1", "SELECT T1.a FROM t T1", "SELECT T1.a FROM t AS T1"},
		{"SELECT T1.a FROM t as T1", "SELECT T1.b FROM t T1", "SELECT T1.[a] FROM t as T1", "SELECT T1.[b] FROM t T1"},
		{"SELECT a FROM t", "SELECT b AS a FROM t", "SELECT a FROM t", "SELECT [b] AS a FROM t"},
		{"SELECT a FROM t", "SELECT a AS b FROM t", "SELECT a FROM t", "SELECT a [AS b] FROM t"},
	} {
		c := newChange("gold SQL", true, test.before, test.after)
		if was, now := brackets(c.Before), brackets(c.After); was != test.was || now != test.now {
			t.Errorf("%q and %q, want %q and %q", was, now, test.was, test.now)
		}
	}
	if c := newChange("question", false, "sold it", "sold as it"); c.Same() {
		t.Error("a word of a question is no change, expected one")
	}
}

// TestLabels checks that the labels of rows are in the picture whole, and as wide as they were measured.
func TestLabels(t *testing.T) {
	const reason = "an alias stands for two tables, between which the official parser cannot tell the renamed column's"
	p := Plot{Kind: Bars, Title: "Reasons", Axis: "records", Labels: []string{reason, "a < b"}, Series: []Series{{Name: "rejected", Points: []Point{{Value: 3}, {Value: 1}}}}}
	svg, err := p.svg("s1")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, m := range regexp.MustCompile(`<text [^>]* textLength="[0-9.]+" [^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		words = append(words, html.UnescapeString(m[1]))
	}
	if all := strings.Join(words, " "); !strings.Contains(all, reason) || !strings.Contains(all, "a < b") || len(words) != strings.Count(svg, "<text") {
		t.Errorf("the picture has %q, expected all of %q", words, reason)
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

// TestShownColours checks that each text has its style, and one that did not change has none.
func TestShownColours(t *testing.T) {
	var b strings.Builder
	WriteShown(&b, []Shown{{Record: Record{Perturbation: "a/b", Changes: []Change{newChange("question", false, "a b", "a b"), newChange("query", false, "a b", "a c")}}}}, true)
	_, got, _ := strings.Cut(b.String(), "\n")
	want := "  question  a b\n" +
		"\x1b[31m-\x1b[0m query     \x1b[31ma \x1b[0m\x1b[31;4mb\x1b[0m\n" +
		"\x1b[32m+\x1b[0m query     \x1b[32ma \x1b[0m\x1b[32;4mc\x1b[0m\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
