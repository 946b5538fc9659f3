package lexicon

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallContrasts = `
# comment
length: metre, meter, m | kilometre, kilometer, km | foot, feet
name: First  Name, given name | last name, surname
outcome: win, won | loss, lost | draw, tie
sex: male, m | female, f
place: city | class
`

func readContrasts(t testing.TB, text string) *Contrasts {
	t.Helper()
	c, err := ReadContrasts("small", strings.NewReader(text), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExcludes(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"win", "loss", true},
		{"won", "lost", true},
		{"win", "won", false},
		{"win", "win", false},
		{"wins", "losses", true},
		{"wins", "won", false},
		{"first name", "surname", true},
		{"first names", "last name", true},
		{"first name", "given name", false},
		{"m", "km", true},
		{"m", "f", true},
		{"m", "male", false},
		{"meter", "male", false},
		{"feet", "m", true},
		{"cities", "classes", true},
		{"class", "city", true},
		{"win", "metre", false},
		{"name", "last name", false},
		{"First Name", "last name", false},
		{"", "win", false},
		{"", "", false},
		{"s", "ies", false},
		{"住所", "win", false},
	}
	c := readContrasts(t, smallContrasts)
	for _, tt := range tests {
		if got := c.Excludes(tt.a, tt.b); got != tt.want {
			t.Errorf("Excludes(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := c.Excludes(tt.b, tt.a); got != tt.want {
			t.Errorf("Excludes(%q, %q) = %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestMemberships(t *testing.T) {
	c := readContrasts(t, smallContrasts+"animal: cow | cows | person\n")
	tests := []struct {
		term string
		want []Membership
	}{
		{"m", []Membership{{0, 0}, {3, 0}}},
		{"feet", []Membership{{0, 2}}},
		{"kilometres", []Membership{{0, 1}}},
		{"cow", []Membership{{5, 0}}},
		{"cows", []Membership{{5, 1}}}, // known itself
		{"people", []Membership{{5, 2}}},
		{"big cows", nil},
		{strings.Repeat("long ", 20) + "cows", nil},
		{"clas", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, c.Memberships(tt.term)); diff != "" {
			t.Errorf("Memberships(%q) (-want +got):\n%s", tt.term, diff)
		}
	}
	if sets, terms := c.Len(); sets != 6 || terms != 26 {
		t.Errorf("Len() = %d, %d, want 6 sets, 26 terms", sets, terms)
	}
}

func TestMembershipsAllocatesNothing(t *testing.T) {
	c := readContrasts(t, smallContrasts)
	for _, term := range []string{"win", "wins", "last names", "cities", "classes", "feet", "unknown terms", "status"} {
		if n := testing.AllocsPerRun(10, func() { c.Memberships(term) }); n != 0 {
			t.Errorf("Memberships(%q): %v allocations, want none", term, n)
		}
	}
}

func TestReadContrastsReportsBadLines(t *testing.T) {
	const in = `a | b
: a | b
a, b: c | d
good: x | y
a: b
a: b, | c
a: b | | c
a: b | c [sport]
a: b | c, B
a: b | c: d
`
	var problems faults
	c, err := ReadContrasts("bad.txt", strings.NewReader(in), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	if sets, _ := c.Len(); sets != 1 || !c.Excludes("x", "y") {
		t.Errorf("%d sets, want the good one", sets)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`bad.txt:1: no topic, expected "topic: term, term | term"`,
		`bad.txt:2: no topic, expected "topic: term, term | term"`,
		`bad.txt:3: no topic, expected "topic: term, term | term"`,
		`bad.txt:5: 1 member, expected at least 2, separated by bars`,
		`bad.txt:6: ill-formed term "", expected words`,
		`bad.txt:7: ill-formed term "", expected words`,
		`bad.txt:8: ill-formed term "c [sport]", expected words`,
		`bad.txt:9: "b" twice, expected each term in one member`,
		`bad.txt:10: ill-formed term "c: d", expected words`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestReadContrastsBoundsSets(t *testing.T) {
	var problems faults
	c, err := ReadContrasts("many", strings.NewReader(strings.Repeat("t: a | b\n", 1<<16)+"t: c | d\n"), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 1 || problems[0].Line != 1<<16+1 {
		t.Errorf("problems %v, want one for the last line", problems)
	}
	if c.Memberships("c") != nil || len(c.Memberships("a")) != 1<<16 {
		t.Error("the last line counts, or one before it does not")
	}
}

func TestLintContrasts(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"good", "a: b, c | d\na: e | f | g\n", ""},
		{"unsorted", "b: c | d\na: e | f\n", "out of order"},
		{"twice", "a: b | c\na: b | c\n", "set again, first on line 1"},
		{"upper case", "a: Age | b\n", `column names have them: "age"`},
		{"bad character", "a: e-mail | b\n", `"e mail"`},
		{"five words", "a: b c d e f | g\n", "5 words, expected at most 4"},
		{"contradiction", "a: b, c | d\ne: b | c\n", `"b" and "c" are one member`},
		{"ill-formed", "a: b\n", "1 member"},
	}
	for _, tt := range tests {
		var problems faults
		err := LintContrasts("f", strings.NewReader(tt.in), problems.add)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		found := slices.ContainsFunc(problems, func(p *LineError) bool {
			return tt.want != "" && strings.Contains(p.Err.Error(), tt.want)
		})
		if found != (tt.want != "") || len(problems) > 0 && tt.want == "" {
			t.Errorf("%s: problems %v, want %q", tt.name, problems, tt.want)
		}
	}
}

func TestEmbeddedContrasts(t *testing.T) {
	var problems faults
	err := LintContrasts("data/contrasts.txt", strings.NewReader(dataText(t, "data/contrasts.txt")), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	sets, terms := DefaultContrasts().Len()
	t.Logf("contrasts: %d sets, %d terms", sets, terms)
	if sets < 900 || terms < 4000 {
		t.Errorf("%d sets of %d terms, want at least 900 and 4000", sets, terms)
	}
}

// TestContrastsAgainstDictionary holds that no two terms both replace and
// exclude each other.
func TestContrastsAgainstDictionary(t *testing.T) {
	c, dict := DefaultContrasts(), DefaultThesaurus()
	var clashes []string
	for _, head := range dict.Heads() {
		for _, s := range dict.entries[head] {
			if c.Excludes(head, s.term) {
				clashes = append(clashes, fmt.Sprintf("%s: %s [%s]", head, s.term, s.domain))
			}
		}
	}
	for _, clash := range clashes {
		t.Errorf("the dictionary has %q, the contrasts exclude it", clash)
	}
}

func TestDefaultContrasts(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"killed", "injured", true},
		{"debit", "credits", true},
		{"matches", "goals", true},
		{"countries", "continents", true},
		{"taxes", "discount", true},
		{"buyer", "seller", true},
		{"first names", "surname", true},
		{"june", "july", true},
		{"norway", "sweden", true},
		{"km", "miles", true},
		{"news", "old", false}, // no plural of new
		{"surname", "last name", false},
		{"win", "victory", false},
		{"metre", "norway", false},
		{"unheard of", "june", false},
	}
	c := DefaultContrasts()
	for _, tt := range tests {
		if got := c.Excludes(tt.a, tt.b); got != tt.want {
			t.Errorf("Excludes(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzReadContrasts(f *testing.F) {
	f.Add(smallContrasts, "wins")
	f.Add("a: b, c | d\na: b | e\n", "b")
	f.Add("a: |\n:\n| ,\na: b | [", "")
	f.Fuzz(func(t *testing.T, in, term string) {
		c, err := ReadContrasts("fuzz", strings.NewReader(in), func(error) {})
		if err != nil {
			return
		}
		sets, _ := c.Len()
		for term, places := range c.terms {
			for i, m := range places {
				if int(m.Set) >= sets || i > 0 && places[i-1].Set >= m.Set {
					t.Fatalf("%q has places %v in %d sets", term, places, sets)
				}
			}
			if term == "" || c.Excludes(term, term) {
				t.Errorf("%q excludes itself", term)
			}
		}
		c.Memberships(term)
		if err := LintContrasts("fuzz", strings.NewReader(in), func(error) {}); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkMemberships(b *testing.B) {
	c := DefaultContrasts()
	terms := []string{"win", "wins", "last names", "cities", "home address", "unknown terms", "status"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Memberships(terms[i%len(terms)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "terms/s")
}
