package lexicon

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallAttributes = `
# People
<city>: Lisbon, Oslo, Quito

person = human
- home town text: <city>
- name text: Ada ##, The <city> Kid
- tall boolean

singer = vocalist is performer, missing
- label text: ^^-#
- name text: Nova, Lady Blue

performer = stage artist is person
- debut time: 1960..2020
- fee number: 0.50..2.00 by 0.25
`

func readSmall(t *testing.T) *Attributes {
	t.Helper()
	var problems faults
	a, err := ReadAttributes("small", strings.NewReader(smallAttributes), problems.add)
	if err != nil || len(problems) != 1 || problems[0].Error() != `small:10: "singer" is "missing", which is unknown, expected an entity of this file` {
		t.Fatal(err, problems)
	}
	return a
}

func TestAttributesOf(t *testing.T) {
	a := readSmall(t)
	if diff := cmp.Diff([]string{"performer", "person", "singer"}, a.Entities()); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	singer := "label name debut fee home town tall"
	performer := "debut fee home town name tall"
	for _, tt := range []struct{ entity, want string }{
		{"singer", singer},
		{"Singers", singer},
		{"vocalist", singer},
		{"pop singers", singer},
		{"Singer_Info", singer},
		{"singer 2", singer},
		{"singer contract", ""},
		{"people", "home town name tall"},
		{"stage artists", performer},
		{"artist", ""},
		{"info", ""},
		{"", ""},
	} {
		var names []string
		for _, attribute := range a.Of(tt.entity) {
			names = append(names, attribute.Name)
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("Of(%q) = %q, want %q", tt.entity, got, tt.want)
		}
	}
	if got := a.Of("singer")[1].Value(rand.New(rand.NewPCG(1, 1))); got != "Nova" && got != "Lady Blue" {
		t.Errorf("name of a singer %q, want the singer's own attribute", got)
	}
}

func TestAttributeValue(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string // all values, sorted
	}{
		{"number: 1..3", []string{"1", "2", "3"}},
		{"number: 0..10 by 4", []string{"0", "4", "8"}},
		{"number: 0.50..1 by 0.25", []string{"0.50", "0.75", "1.00"}},
		{"number: -0.1..0.1", []string{"-0.1", "0.0", "0.1"}},
		{"number: 7, -2.5", []string{"-2.5", "7"}},
		{"time: 2019..2021", []string{"2019", "2020", "2021"}},
		{"time: 2024-02-28..2024-03-01", []string{"2024-02-28", "2024-02-29", "2024-03-01"}},
		{"time: 09:00..10:00 by 30", []string{"09:00", "09:30", "10:00"}},
		{"time: 23:59:58..23:59:59", []string{"23:59:58", "23:59:59"}},
		{"time: 2024-02-29 23:59..2024-03-01 00:00", []string{"2024-02-29 23:59", "2024-03-01 00:00"}},
		{"time: 1999, 2001-02-03, 07:30", []string{"07:30", "1999", "2001-02-03"}},
		{"boolean", []string{"F", "T"}},
		{"boolean: yes, no", []string{"no", "yes"}},
		{"text: a..b, <pair>!", []string{"a..b", "x!", "y!"}},
	} {
		var problems faults
		a, err := ReadAttributes("one", strings.NewReader("<pair>: x, y\ne\n- v "+tt.line), problems.add)
		if err != nil || len(problems) > 0 {
			t.Errorf("%s: %v %v", tt.line, err, problems)
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var got []string
		for range 200 {
			got = appendNew(got, a.Of("e")[0].Value(rng))
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.line, diff)
		}
	}
	if v := (Attribute{}).Value(rand.New(rand.NewPCG(1, 2))); v != "" {
		t.Errorf("value %q of no attribute", v)
	}
}

func TestAttributeValueIsDeterministic(t *testing.T) {
	draw := func() (out []string) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, a := range DefaultAttributes().Of("flight") {
			out = append(out, a.Name+" "+a.Value(rng))
		}
		return out
	}
	first := draw()
	if diff := cmp.Diff(first, draw()); diff != "" || len(first) == 0 {
		t.Errorf("equal streams give %d values (-first +second):\n%s", len(first), diff)
	}
}

func TestReadAttributesSkipsBadLines(t *testing.T) {
	in := `- early number: 1..2
<l>: a, b
<l>: c, d
<>: a
<open: a
<m>: <l>, a
e = e two
- no type: a
- number: 1..2
- v number
- v number: 1..two
- v number: 2..1
- v number: 0..5 by 10
- v number: 0..5 by 0
- v number: 1..99999999999999999
- v number: 1, two
- v time: 1.5..2.5
- v time: 2020-01-01..09:30
- v time: soon
- v text: <none>
- v text: a,,b
- good text: a, b
E = f
- lost text: a
: =
- lost text: a
`
	var problems faults
	a, err := ReadAttributes("bad", strings.NewReader(in), problems.add)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	want := []int{1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 23, 25}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines with problems (-want +got):\n%s\n%v", diff, problems)
	}
	if got := a.Of("e two"); len(got) != 1 || got[0].Name != "good" {
		t.Errorf("attributes %v, want good alone", got)
	}
	if got := a.Entities(); !slices.Equal(got, []string{"e"}) {
		t.Errorf("entities %q, want e alone", got)
	}
	if a.Of("f") != nil {
		t.Error("an ill-formed entity has attributes")
	}
}

func TestLintAttributes(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"good", "<l>: x, y\na is b\n- u text: <l>\nb\n- v number: 1..2\n", ""},
		{"ill-formed", "a\n- v number: 2..1\n- w text: x, y\n", "first below last"},
		{"entities unsorted", "b\n- v boolean\na\n- v boolean\n", `entity "a" is out of order`},
		{"attributes unsorted", "a\n- v boolean\n- u boolean\n", `attribute "u" is out of order`},
		{"lists unsorted", "<m>: x, y\n<l>: x, y\na\n- u text: <l>, <m>\n", "<l> is out of order"},
		{"attribute twice", "a\n- v boolean\n- v text: x, y\n", `attribute "v" again`},
		{"value twice", "a\n- v text: x, x, y\n", `value "x" again`},
		{"one value", "a\n- v text: x\n", "a single value"},
		{"unused list", "<l>: x, y\na\n- v boolean\n", "<l> is used nowhere"},
		{"no attributes", "a\n", `entity "a" has no attributes`},
		{"cycle", "a is b\n- v boolean\nb is a\n", `entity "a" inherits from itself`},
		{"name of attribute", "a\n- e-mail boolean\n", `"e mail"`},
		{"name of entity", "tv-show\n- v boolean\n", `"tv show"`},
		{"many words", "a\n- one two three four five boolean\n", "at most 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var problems faults
			err := LintAttributes("f", strings.NewReader(tt.in), problems.add)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, p := range problems {
				got += p.Error() + "\n"
			}
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("problems %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLike checks that the most words decide and that "name" may end them.
func TestLike(t *testing.T) {
	for name, want := range map[string]string{
		"account manager": "account manager", "site manager name": "manager", "Contact Person Name": "person name", "manager of": "", "name": "",
	} {
		if got, _ := DefaultCells().Like(name); got.Name != want {
			t.Errorf("%q is like %q, want %q", name, got.Name, want)
		}
	}
}

// TestOfTable checks that an entity with words before it needs a column of its own.
func TestOfTable(t *testing.T) {
	for _, tt := range []struct {
		table, columns string
		want           bool
	}{
		{"models", "name", true}, {"turbine_model", "name,hub height,id", false}, {"fashion model", "Waist,name", true}, {"nonsense", "name", false},
	} {
		if got := DefaultAttributes().OfTable(tt.table, strings.Split(tt.columns, ",")); (len(got) > 0) != tt.want {
			t.Errorf("%s(%s): %d attributes", tt.table, tt.columns, len(got))
		}
	}
}

// TestSpecial checks that an attribute of some drivers alone is one of any table that has another such column.
func TestSpecial(t *testing.T) {
	for columns, want := range map[string]bool{"name,license number": true, "name,fastest lap": false} {
		attributes := DefaultAttributes().OfTable("drivers", strings.Split(columns, ","))
		if got := slices.ContainsFunc(attributes, func(a Attribute) bool { return a.Name == "pole positions" && a.Special }); got != want {
			t.Errorf("%s: pole positions are special: %v", columns, got)
		}
	}
}

func TestDefaultAttributes(t *testing.T) {
	var problems faults
	for _, file := range []string{"attributes.txt", "cells.txt"} {
		if err := LintAttributes(file, strings.NewReader(dataText(t, "data/"+file)), problems.add); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
	a := DefaultAttributes()
	rng := rand.New(rand.NewPCG(5, 6))
	all, lines := 0, len(regexp.MustCompile(`(?m)^[-*] `).FindAllString(dataText(t, "data/attributes.txt"), -1))
	for _, entity := range a.Entities() {
		attributes := a.Of(entity)
		all += len(attributes)
		for _, attribute := range attributes {
			v := attribute.Value(rng)
			if _, err := strconv.ParseFloat(v, 64); v == "" || len(v) > 60 || attribute.Type == "number" && err != nil {
				t.Errorf("%s.%s: value %q of type %s", entity, attribute.Name, v, attribute.Type)
			}
		}
	}
	t.Logf("%d entities, %d attributes, %d with the inherited ones", len(a.Entities()), lines, all)
	if n := len(a.Entities()); n < 300 || lines < 2500 || all < 15*n {
		t.Errorf("%d entities, %d attributes, %d with the inherited ones; want at least 300, 2500, 15 an entity", n, lines, all)
	}
}

// Names that replace each other would be one attribute twice. The dictionary
// knows terms that mean the same in some tables only, so a few may be.
func TestDefaultAttributesAreNoSynonyms(t *testing.T) {
	const most = 20
	var pairs []string
	for _, e := range DefaultAttributes().file.entities {
		for _, x := range e.attributes {
			synonyms := DefaultThesaurus().Synonyms(x.Name)
			for _, y := range e.attributes {
				if slices.Contains(synonyms, y.Name) {
					pairs = append(pairs, e.names[0]+": "+x.Name+" ~ "+y.Name)
				}
			}
		}
	}
	if len(pairs) > most {
		t.Errorf("%d pairs of synonyms, want at most %d:\n%s", len(pairs), most, strings.Join(pairs, "\n"))
	}
}

func FuzzReadAttributes(f *testing.F) {
	f.Add([]byte(smallAttributes))
	f.Add([]byte("<l>: ##, ^\na = b is a, c\n- v time: 00:00..23:59 by 5\n- w number: -1.5..1e9, 2\n- y time: 1975-01-01..2020-12-31 by 1.5\nc is a\n- x text: <l><l>, <\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadAttributes("f", bytes.NewReader(data), func(error) {})
		if err != nil {
			return
		}
		if err := LintAttributes("f", bytes.NewReader(data), func(error) {}); err != nil {
			t.Fatalf("read, but not linted: %v", err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, entity := range a.Entities() {
			for _, attribute := range a.Of(entity) {
				if attribute.Name == "" || !slices.Contains(attributeTypes(), attribute.Type) {
					t.Fatalf("%q has the attribute %+v", entity, attribute)
				}
				if v := attribute.Value(rng); v == "" || len(v) > maxValue*maxValue {
					t.Fatalf("%q.%q has a value of %d bytes", entity, attribute.Name, len(v))
				}
			}
		}
	})
}

// TestSteady checks which attributes have values that fit any row.
func TestSteady(t *testing.T) {
	attributes, err := ReadAttributes("test", strings.NewReader("shop\n- a text: one, two\n- b boolean\n- c number: 1..100\n- d number: 1..101\n- e number: 0.05..0.30\n- f time: 2001-01-01..2024-12-31\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range attributes.Of("shop") {
		if want := strings.Contains("bcef", a.Name); a.IsSteady() != want {
			t.Errorf("%s is steady: %v, want %v", a.Name, a.IsSteady(), want)
		}
	}
}
