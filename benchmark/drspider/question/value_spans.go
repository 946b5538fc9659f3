package question

import (
	_ "embed" // value_places.txt, value_forms.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/value_places.txt
var placesText string

//go:embed data/value_forms.txt
var formsText string

// country is a line of data/value_places.txt, a country or continent.
type country struct {
	names     []string // as a sentence has them: "the USA"
	adjective string   // "" for none
	official  string   // "" for none
}

var countries = sync.OnceValue(func() []country {
	var out []country
	for _, row := range wordfile.Rows(placesText, 3) {
		out = append(out, country{splitList(row[0], ","), strings.TrimPrefix(row[1], "-"), strings.TrimPrefix(row[2], "-")})
	}
	return out
})

// countryByName has the countries by their names, in lower case and without an article.
var countryByName = sync.OnceValue(func() map[string]country {
	out := map[string]country{}
	for _, c := range slices.Backward(countries()) { // of two of one name the first is meant
		for _, name := range c.names {
			out[withoutArticle(name)] = c
		}
	}
	return out
})

func withoutArticle(name string) string { return strings.TrimPrefix(strings.ToLower(name), "the ") }

// countryNamed returns the country of a name, whatever its case and article; the zero
// country where there is none.
func countryNamed(name string) (c country, ok bool) {
	c, ok = countryByName()[withoutArticle(name)]
	return c, ok
}

func isCountryAdjective(word string) bool {
	return slices.ContainsFunc(countries(), func(c country) bool { return strings.EqualFold(c.adjective, word) })
}

// forms is a line of data/value_forms.txt: values that say the same in columns
// with one of the words in their name.
type forms struct {
	columns []string
	words   []string
	codes   []string // other forms replace them, and they replace none
}

var valueForms = sync.OnceValue(func() []forms {
	var out []forms
	for _, row := range wordfile.Rows(formsText, 2) {
		f := forms{columns: splitList(row[0], ",")}
		for _, w := range splitList(row[1], ",") {
			if code, ok := strings.CutPrefix(w, "("); ok {
				f.codes = append(f.codes, strings.TrimSuffix(code, ")"))
			} else {
				f.words = append(f.words, w)
			}
		}
		out = append(out, f)
	}
	return out
})
