package question

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
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
