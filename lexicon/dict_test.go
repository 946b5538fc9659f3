package lexicon

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallThesaurus = `
# People
salary: pay, wage, PAY , gross  pay
film = movie = motion picture
movie: flick [media], picture
tie: necktie, draw [sport]
draw [sport]: tie, stalemate
`

// faults collects what a reader reports.
type faults []*LineError

func (f *faults) add(err error) { *f = append(*f, err.(*LineError)) }

func dataText(t *testing.T, name string) string {
	t.Helper()
	raw, err := data.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestThesaurus(t *testing.T) {
	th, err := ReadThesaurus("small", strings.NewReader(smallThesaurus), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		term, domain string
		want         []string
	}{
		{"salary", "", []string{"pay", "wage", "gross pay"}},
		{"pay", "", nil},
		{"film", "", []string{"movie", "motion picture"}},
		{"motion picture", "", []string{"film", "movie"}},
		{"movie", "", []string{"picture", "film", "motion picture"}},
		{"movie", "media", []string{"flick", "picture", "film", "motion picture"}},
		{"tie", "", []string{"necktie"}},
		{"tie", "sport", []string{"draw", "necktie"}},
		{"draw", "", nil},
		{"draw", "sport", []string{"tie", "stalemate"}},
		{"draw", "media", nil},
		{"unknown", "", nil},
		{"", "", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, th.In(tt.domain).Synonyms(tt.term)); diff != "" {
			t.Errorf("In(%q).Synonyms(%q) (-want +got):\n%s", tt.domain, tt.term, diff)
		}
	}
	if got, want := len(th.Heads()), 6; got != want {
		t.Errorf("%d heads, want %d", got, want)
	}
	if got, want := th.Len(), 3+6+2+2+2; got != want {
		t.Errorf("Len() = %d, want %d", got, want)
	}
}

func TestSynonymsAreTheCallers(t *testing.T) {
	d := DefaultDictionary()
	first := d.Synonyms("salary")
	if len(first) == 0 {
		t.Fatal("no synonyms of salary")
	}
	first[0] = "changed"
	if slices.Contains(d.Synonyms("salary"), "changed") {
		t.Error("a change to the result changed the dictionary")
	}
}

func TestReadThesaurusSkipsBadLines(t *testing.T) {
	in := "good: fine\nno separator\n: nothing\nopen: a [sport\nmarked: a [] \na [sport] = b [media]\na = \nlast: final\n"
	var problems faults
	th, err := ReadThesaurus("bad.txt", strings.NewReader(in), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"good", "last"}, th.Heads()); diff != "" {
		t.Errorf("heads (-want +got):\n%s", diff)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	want := []string{
		`bad.txt:2: no separator, expected "head: synonym, synonym" or "term = term"`,
		`bad.txt:3: ill-formed term "", expected words`,
		`bad.txt:4: ill-formed domain in "a [sport", expected "term [domain]"`,
		`bad.txt:5: ill-formed domain in "a []", expected "term [domain]"`,
		`bad.txt:6: "b" has a domain of its own, expected one after the first term only`,
		`bad.txt:7: ill-formed term "", expected words`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestReadThesaurusBoundsLines(t *testing.T) {
	_, err := ReadThesaurus("long", strings.NewReader("a: b\n"+strings.Repeat("x", maxLine+1)), func(error) {})
	if err == nil || !strings.HasPrefix(err.Error(), "long:2: ") {
		t.Errorf("error %v, want one for line 2", err)
	}
}

func TestLintDictionary(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"good", "a: b, c [sport]\nd = e\nf: g\nf [sport]: h\n", ""},
		{"unsorted", "b: c\na: d\n", "out of order"},
		{"head twice", "a: b\na: c\n", `head "a" again`},
		{"pair twice", "a: b, b\n", `synonym "b" of "a" again`},
		{"pair of a group", "a = b\nb: a\n", `synonym "a" of "b" again`},
		{"pair in a domain too", "a: b\na [sport]: b\n", `synonym "b" of "a" again`},
		{"itself", "a: a\n", "synonym of itself"},
		{"upper case", "Age: years\n", `column names have them: "age"`},
		{"bad character", "e-mail: mail\n", `"e mail"`},
		{"double blank", "a: b  c\n", `"b c"`},
		{"domain", "a: b [spotr]\n", `unknown domain "spotr"`},
		{"head of five words", "a b c d e: f\n", "5 words, expected at most 4"},
		{"synonym of six words", "a: b c d e f g\n", "6 words, expected at most 5"},
		{"group member of five words", "a = b c d e f\n", "5 words, expected at most 4"},
		{"ill-formed", "a\n", "no separator"},
	}
	for _, tt := range tests {
		var problems faults
		err := LintDictionary("f", strings.NewReader(tt.in), problems.add)
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

func TestEmbeddedSynonyms(t *testing.T) {
	raw, err := data.ReadFile("data/synonyms.txt")
	if err != nil {
		t.Fatal(err)
	}
	var problems faults
	err = LintDictionary("data/synonyms.txt", bytes.NewReader(raw), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	if got := len(DefaultThesaurus().Heads()); got < 6500 {
		t.Errorf("%d heads, want at least 6500", got)
	}
	if got := DefaultThesaurus().Len(); got < 14500 {
		t.Errorf("%d pairs, want at least 14500", got)
	}
	if got := len(inOneDomain(DefaultThesaurus())); got < 1500 {
		t.Errorf("%d pairs that hold in one domain, want at least 1500", got)
	}
}

// inOneDomain lists the synonyms that do not hold everywhere.
func inOneDomain(th *Thesaurus) []synonym {
	var out []synonym
	for _, head := range th.Heads() {
		for _, s := range th.entries[head] {
			if s.domain != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

func TestStats(t *testing.T) {
	th, a := DefaultThesaurus(), DefaultAbbreviations()
	lines, phrases := 0, 0
	raw, err := data.ReadFile("data/synonyms.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		if len(line) > 1 && line[0] != '#' {
			lines++
		}
	}
	for _, h := range th.Heads() {
		if strings.Contains(h, " ") {
			phrases++
		}
	}
	t.Logf("synonyms: %d lines, %d heads (%d of them phrases), %d pairs (%d in one domain)",
		lines, len(th.Heads()), phrases, th.Len(), len(inOneDomain(th)))
	t.Logf("abbreviations: %d words, %d pairs, %d collisions", len(a.short), a.Len(), len(a.Collisions()))
	sets, terms := DefaultContrasts().Len()
	t.Logf("contrasts: %d sets, %d terms", sets, terms)
	t.Logf("attributes: %d entities, %d attributes of their own", len(DefaultAttributes().Entities()), strings.Count(dataText(t, "data/attributes.txt"), "\n- "))
}

func TestDefaultDictionary(t *testing.T) {
	tests := []struct{ term, want string }{
		{"written by", "author"},
		{"directed by", "director"},
		{"date of birth", "birthday"},
		{"first name", "given name"},
		{"countries", "nations"},
		{"dates of birth", "birth dates"},
		{"dept", "department"},
		{"dept", "division"},
		{"depts", "departments"},
		{"dob", "birthday"},
		{"song", "tune"},
		{"number of pages", "page count"},
		{"height above sea level", "elevation"},
		{"author", "written by"},
	}
	d := DefaultDictionary()
	for _, tt := range tests {
		if got := d.Synonyms(tt.term); !slices.Contains(got, tt.want) {
			t.Errorf("Synonyms(%q) = %q, want %q among them", tt.term, got, tt.want)
		}
	}
	// Function words and abbreviations of several words stay as they are.
	for _, term := range []string{"of", "the", "to", "st", "s", "zzzz"} {
		if got := d.Synonyms(term); got != nil {
			t.Errorf("Synonyms(%q) = %q, want none", term, got)
		}
	}
}

func TestNoTermIsItsOwnSynonym(t *testing.T) {
	d := DefaultDictionary()
	for _, head := range DefaultThesaurus().Heads() {
		got := d.Synonyms(head)
		if slices.Contains(got, head) {
			t.Errorf("%q is its own synonym", head)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Errorf("Synonyms(%q) = %q repeats", head, got)
		}
	}
}

func TestOpenDictionary(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		path     string
		problems int
		want     []string
	}{
		{write("text.txt", "film: movie\nbad\n"), 1, []string{"movie"}},
		{write("map.json", `{"Film": ["movie", " Motion  Picture "], "bad": 3}`), 1, []string{"movie", "motion picture"}},
		{filepath.Join("testdata", "wordnet"), 0, []string{"movie", "picture", "motion picture", "plastic film"}},
	}
	for _, tt := range tests {
		var problems faults
		d, err := OpenDictionary(tt.path, problems.add)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		if len(problems) != tt.problems {
			t.Errorf("%s: problems %v, want %d", tt.path, problems, tt.problems)
		}
		if diff := cmp.Diff(tt.want, d.Synonyms("film")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.path, diff)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none"), dir, write("broken.json", `{"a": [`), write("list.json", `["a"]`), write("empty.json", "")} {
		if _, err := OpenDictionary(path, func(error) {}); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if _, err := OpenDictionary(filepath.Join(dir, "none"), func(error) {}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want os.ErrNotExist", err)
	}
}

func FuzzReadThesaurus(f *testing.F) {
	f.Add(smallThesaurus)
	f.Add("a [sport] = b = c\na: b [media]\n")
	f.Add("a: b [\n=\n:\n[]\n")
	f.Fuzz(func(t *testing.T, in string) {
		th, err := ReadThesaurus("fuzz", strings.NewReader(in), func(error) {})
		if err != nil {
			return
		}
		for _, h := range th.Heads() {
			if h == "" || slices.Contains(th.In("sport").Synonyms(h), h) {
				t.Errorf("head %q", h)
			}
		}
		if err := LintDictionary("fuzz", strings.NewReader(in), func(error) {}); err != nil {
			t.Error(err)
		}
	})
}

func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":["b"]}`, `{"a":[1]}`, `{"a":null,"b":["c",""]}`, `[`, `{"a":{"b":["c"]}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		th, err := ReadJSON("fuzz", strings.NewReader(in), func(error) {})
		if err == nil && slices.Contains(th.Synonyms("a"), "") {
			t.Error("empty synonym")
		}
	})
}
