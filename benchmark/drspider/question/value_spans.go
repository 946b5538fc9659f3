package question

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

//go:embed data/value_places.txt
var placesText string

//go:embed data/value_forms.txt
var formsText string

// country is a line of data/value_places.txt, a country or continent.
type country struct {
	names     []string // as they stand in a sentence: "the USA"
	adjective string   // "" for none
	official  string   // "" for none
}

var countries = sync.OnceValue(func() []country {
	list, err := readCountries(placesText)
	if err != nil {
		panic("question: " + err.Error())
	}
	return list
})

func readCountries(text string) ([]country, error) {
	var out []country
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 3 {
			return nil, fmt.Errorf("value_places.txt:%d: %d fields, expected 3", n, len(f))
		}
		none := func(s string) string { return strings.TrimPrefix(strings.TrimSpace(s), "-") }
		out = append(out, country{splitList(f[0], ","), none(f[1]), none(f[2])})
	}
	return out, nil
}

// countryNamed returns the country of a name, whatever its case and article.
func countryNamed(name string) (country, bool) {
	bare := func(s string) string { return strings.TrimPrefix(strings.ToLower(s), "the ") }
	for _, c := range countries() {
		for _, n := range c.names {
			if bare(n) == bare(name) {
				return c, true
			}
		}
	}
	return country{}, false
}

func isCountryAdjective(word string) bool {
	return slices.ContainsFunc(countries(), func(c country) bool { return strings.EqualFold(c.adjective, word) })
}

// forms is a line of data/value_forms.txt: values that say the same in columns
// with one of the words in their name.
type forms struct {
	columns []string
	words   []string
	codes   []string // give way, but take no other's place
}

var valueForms = sync.OnceValue(func() []forms {
	list, err := readForms(formsText)
	if err != nil {
		panic("question: " + err.Error())
	}
	return list
})

func readForms(text string) ([]forms, error) {
	var out []forms
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		columns, words, ok := strings.Cut(line, ":")
		f := forms{columns: splitList(columns, ",")}
		for _, w := range splitList(words, ",") {
			if code, ok := strings.CutPrefix(w, "("); ok {
				f.codes = append(f.codes, strings.TrimSuffix(code, ")"))
			} else {
				f.words = append(f.words, w)
			}
		}
		if !ok || len(f.columns) == 0 || len(f.words) == 0 || len(f.words)+len(f.codes) < 2 {
			return nil, fmt.Errorf("value_forms.txt:%d: %q, expected columns, a colon and two forms or more", n, line)
		}
		out = append(out, f)
	}
	return out, nil
}

// value is where a question mentions a constant of the gold SQL.
type value struct {
	indicator.Mention
	start, end int    // tokens, with the quotes around them
	inner      string // the words without quotes
	quoted     bool
}

// values returns the mentions of constants in order.
func (s *subject) values() []value {
	var out []value
	for _, m := range s.alignment.Mentions {
		if m.Kind != indicator.Value || m.Implied() {
			continue
		}
		i := slices.IndexFunc(s.toks, func(t perturb.Token) bool { return t.Start == m.Start })
		j := slices.IndexFunc(s.toks, func(t perturb.Token) bool { return t.End == m.End }) + 1
		if i < 0 || j <= i {
			continue
		}
		v := value{Mention: m, start: i, end: j, inner: s.span(i, j)}
		for _, q := range [][2]string{{"'", "'"}, {"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"`", "`"}} {
			if s.at(i-1) == q[0] && s.at(j) == q[1] {
				v.start, v.end, v.quoted = i-1, j+1, true
			}
		}
		if s.is(i-1, "`") && s.is(i-2, "`") && s.is(j, "'") && s.is(j+1, "'") {
			v.start, v.end, v.quoted = i-2, j+2, true
		}
		out = append(out, v)
	}
	return out
}

// columnWords returns the singular words of the name of a value's column, nil where
// it compares none.
func (s *subject) columnWords(v value) []string {
	if v.Column.Table < 0 {
		return nil
	}
	return lexicon.Words(lexicon.Normal(s.db.Column(v.Column).Name))
}

// ofAny tells whether the name of the value's column has one of the words.
func (s *subject) ofAny(v value, words ...string) bool {
	return slices.ContainsFunc(s.columnWords(v), func(w string) bool { return slices.Contains(words, w) })
}
