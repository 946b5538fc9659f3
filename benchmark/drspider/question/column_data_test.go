package question

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// dataLines returns the lines of a word list and checks that they are sorted, each
// once.
func dataLines(t *testing.T, name, text string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if n := len(lines); n > 0 && lines[n-1] >= line {
			t.Errorf("%s: %q stands after %q, expected lines sorted and each once", name, line, lines[n-1])
		}
		lines = append(lines, line)
	}
	if len(lines) < 10 {
		t.Errorf("%s has %d lines", name, len(lines))
	}
	return lines
}

func TestSynonymsLint(t *testing.T) {
	if err := lexicon.LintDictionary("column_synonyms.txt", strings.NewReader(synonymsText), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if questionSynonyms() == nil {
		t.Error("no synonyms")
	}
}

func TestAdjectivesLint(t *testing.T) {
	dataLines(t, "column_adjectives.txt", adjectivesText)
	seen := map[string]bool{}
	for _, a := range allAdjectives() {
		if len(a.most) == 0 || len(a.least) == 0 {
			t.Errorf("%v lack a superlative", a.columns)
		}
		if (a.rising == "") != (a.falling == "") || a.rising == a.falling && a.rising != "" {
			t.Errorf("%v: orders %q and %q", a.columns, a.rising, a.falling)
		}
		for _, c := range a.columns {
			if seen[c] {
				t.Errorf("column %q has two lines", c)
			}
			seen[c] = true
			if english.SingularPhrase(c) != c && !slices.Contains(a.columns, english.SingularPhrase(c)) && !slices.Contains([]string{"earnings", "calories", "sales", "votes"}, c) && !strings.Contains(c, " ") && len(a.columns) == 1 {
				t.Errorf("column %q is no singular", c)
			}
		}
		high, low := append(slices.Clone(a.more), a.most...), append(slices.Clone(a.less), a.least...)
		for _, w := range high {
			if slices.Contains(low, w) {
				t.Errorf("%v: %q is both more and less", a.columns, w)
			}
		}
	}
}

func TestPeopleLint(t *testing.T) {
	for w := range people() {
		if english.Singular(w) != w {
			t.Errorf("%q is no singular", w)
		}
	}
	for noun, want := range map[string]bool{"singers": true, "poker players": true, "People": true, "stadium": false, "": false} {
		if isPerson(noun) != want {
			t.Errorf("isPerson(%q) = %t", noun, !want)
		}
	}
}

func TestPlacesLint(t *testing.T) {
	dataLines(t, "value_places.txt", placesText)
	seen := map[string]bool{}
	for _, c := range countries() {
		for _, n := range c.names {
			if got := countryNamed(strings.TrimPrefix(n, "the ")); !slices.Equal(got.names, c.names) {
				t.Errorf("%q is found as %v", n, got.names)
			}
		}
		if c.adjective != "" {
			if seen[c.adjective] {
				t.Errorf("adjective %q has two lines", c.adjective)
			}
			seen[c.adjective] = true
		}
	}
}

func TestFormsLint(t *testing.T) {
	dataLines(t, "value_forms.txt", formsText)
	seen := map[string]bool{}
	for _, f := range valueForms() {
		for _, c := range f.columns {
			for _, w := range append(slices.Clone(f.words), f.codes...) {
				if key := c + ":" + strings.ToLower(w); seen[key] {
					t.Errorf("%q of %q stands twice", w, c)
				} else {
					seen[key] = true
				}
			}
		}
	}
}
