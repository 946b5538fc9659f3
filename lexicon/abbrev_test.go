package lexicon

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallAbbreviations = `
address: addr
date of birth: dob
number: no, num
point: pt
point of contact: contact
rank: (rk)
state: st
street: st
`

func small(t testing.TB) *Abbreviations {
	t.Helper()
	a, err := ReadAbbreviations("small", strings.NewReader(smallAbbreviations), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAbbreviate(t *testing.T) {
	tests := []struct {
		term string
		want []string
	}{
		{"number", []string{"no", "num"}},
		{"address", []string{"addr"}},
		{"points", []string{"pts"}},
		{"date of birth", []string{"dob"}},
		{"Date_of_Birth", []string{"dob"}},
		{"owner date of birth", []string{"owner dob"}},
		{"rank points", []string{"rank pts"}},
		{"phone number", []string{"phone no", "phone num"}},
		{"city", nil},
		{"id", nil},
		{"", nil},
		{"住所", nil},
	}
	a := small(t)
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, a.Abbreviate(tt.term)); diff != "" {
			t.Errorf("Abbreviate(%q) (-want +got):\n%s", tt.term, diff)
		}
	}
}

func TestExpand(t *testing.T) {
	tests := []struct {
		abbr string
		want []string
	}{
		{"no", []string{"number"}},
		{"pts", []string{"points"}},
		{"dob", []string{"date of birth"}},
		{"st", []string{"state", "street"}},
		{"nmbr", []string{"number"}}, // by rule
		{"poc", []string{"point of contact"}},
		{"s", nil},
		{"", nil},
		{"rk", []string{"rank"}},
		{"xyz", nil},
	}
	a := small(t)
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, a.Expand(tt.abbr)); diff != "" {
			t.Errorf("Expand(%q) (-want +got):\n%s", tt.abbr, diff)
		}
	}
	want := []Collision{{"st", []string{"state", "street"}}}
	if diff := cmp.Diff(want, a.Collisions()); diff != "" {
		t.Errorf("Collisions (-want +got):\n%s", diff)
	}
}

func TestLintAbbreviations(t *testing.T) {
	tests := []struct{ in, want string }{
		{"number: no, num\n", ""},
		{"state: st\nstreet: st\n", `"st" stands for "street", and for "state"`},
		{"no: no\n", "synonym of itself"},
		{"age: years\n", "no shorter"},
		{"b: a\na: b\n", "out of order"},
		{"age = a\n", "group of terms"},
		{"age: a g\n", "one word each"},
		{"age: (a\n", "one word each"},
		{"age: a [sport]\n", "without domain"},
	}
	for _, tt := range tests {
		var problems faults
		err := LintAbbreviations("f", strings.NewReader(tt.in), problems.add)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		found := slices.ContainsFunc(problems, func(p *LineError) bool { return strings.Contains(p.Err.Error(), tt.want) })
		if found != (tt.want != "") {
			t.Errorf("%q: problems %v, want %q", tt.in, problems, tt.want)
		}
	}
}

// TestEmbeddedAbbreviations lints the embedded file; the abbreviations that
// stand for several words are known, in a golden file.
func TestEmbeddedAbbreviations(t *testing.T) {
	raw, err := data.ReadFile("data/abbreviations.txt")
	if err != nil {
		t.Fatal(err)
	}
	var problems faults
	err = LintAbbreviations("data/abbreviations.txt", bytes.NewReader(raw), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.Contains(p.Err.Error(), " stands for ") {
			t.Error(p)
		}
	}
	var b strings.Builder
	for _, c := range DefaultAbbreviations().Collisions() {
		fmt.Fprintf(&b, "%s: %s\n", c.Abbreviation, strings.Join(c.Words, ", "))
	}
	checkGolden(t, "collisions.golden", b.String())
	if got := DefaultAbbreviations().Len(); got < 1200 {
		t.Errorf("%d pairs, want at least 1200", got)
	}
}

// TestAbbreviationsInvert holds that what the list shortens it can expand.
func TestAbbreviationsInvert(t *testing.T) {
	a := DefaultAbbreviations()
	for word, shorts := range a.short {
		for _, s := range shorts {
			if !slices.Contains(a.Expand(s), word) {
				t.Errorf("Expand(%q) = %q, want %q among them", s, a.Expand(s), word)
			}
		}
		for _, s := range a.Abbreviate(word) {
			if len(s) >= len(word) {
				t.Errorf("Abbreviate(%q) gives %q, no shorter", word, s)
			}
		}
	}
}

// TestAcronyms holds that the initials of a listed phrase expand to it, unless the list
// itself gives them another meaning.
func TestAcronyms(t *testing.T) {
	a := DefaultAbbreviations()
	for phrase := range a.short {
		words := strings.Fields(phrase)
		if len(words) < 2 {
			continue
		}
		short := acronym(words)
		if a.ExpandListed(short) == nil && !slices.Contains(a.Expand(short), phrase) {
			t.Errorf("Expand(%q) = %q, want %q among them", short, a.Expand(short), phrase)
		}
	}
	for short, want := range map[string]string{
		"dob": "date of birth", "gdp": "gross domestic product", "poc": "point of contact",
		"sn": "serial number", "jt": "job title",
	} {
		if got := a.Expand(short); !slices.Contains(got, want) {
			t.Errorf("Expand(%q) = %q, want %q among them", short, got, want)
		}
	}
}

func FuzzAbbreviate(f *testing.F) {
	for _, s := range []string{"number", "date of birth", "Ranking_Points", "住所 number", "a b c d e f", "%", "x9y"} {
		f.Add(s)
	}
	a := DefaultAbbreviations()
	f.Fuzz(func(t *testing.T, term string) {
		name := strings.Join(Words(term), " ")
		for _, s := range a.Abbreviate(term) {
			if s == "" || s == name {
				t.Errorf("Abbreviate(%q) gives %q", term, s)
			}
		}
		a.Expand(term)
	})
}
