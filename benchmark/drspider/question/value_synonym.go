package question

import (
	_ "embed" // value_places.txt, value_forms.txt
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// valueSynonymRules returns the rules that write values in another form of the same meaning: "10" as
// "ten", "the USA" as "the United States" (Dr.Spider, table 1).
func valueSynonymRules() []rule {
	return []rule{
		valueRule("another name of a place", placesByName),
		columnRule("another form of a value", valuesInOtherForm),
		columnRule(numberForm, numbersInOtherForm),
		columnRule(allNumberForms, allNumbers),
	}
}

// The rules of numbers. Where another rule has drafts, theirs come after them.
const (
	numberForm     = "number in another form"
	allNumberForms = "all numbers in another form"
)

// named is a value that no noun follows: "airports in the USA", but not "USA tours".
var named = grammar.Must("[the? VALUE] !CONTENT")

// placesByName replaces the name of a country or continent by its other names: "airports in the USA" becomes "airports in the United
// States". Quotation marks around the name go, as they quote its letters.
func placesByName(v value, d *drafts) {
	m, ok := v.on(named)
	if !ok {
		return
	}
	if before := m.Start - 1; v.isContent(before) && !v.Is(before, "country", "nation") {
		return // a part of a longer name: "South Korea"
	}
	c := countryNamed(v.inner)
	names := slices.Clone(c.names)
	if !strings.Contains(c.official, v.inner) && !v.Is(v.tokens.End, "'", "’", "'s", "’s") { // no official name as a possessive
		names = append(names, c.official)
	}
	for _, name := range names {
		if name != "" && withoutArticle(name) != strings.ToLower(v.inner) {
			d.add(v.replace(m.Part, name))
		}
	}
}

// valuesInOtherForm replaces values by other forms: "pets that are dogs" becomes "pets that are canines". All values of
// one column change together, in one draft for each of the two best forms.
func valuesInOtherForm(s *subject, d *drafts) {
	values := s.values()
	for i, v := range values {
		isSame := func(w value) bool { return w.Column == v.Column }
		if slices.ContainsFunc(values[:i], isSame) {
			continue // replaced with the first
		}
		same := lists.Filter(values, isSame)
		for rank := range 2 {
			if q, ok := s.inOtherForm(same, rank); ok {
				d.add(q)
			}
		}
	}
}

// inOtherForm returns the question with each value in the form at index rank of its other forms, or the last one. It returns false if a
// value has no other form.
func (s *subject) inOtherForm(values []value, rank int) (string, bool) {
	next := s.sentence
	for _, v := range slices.Backward(values) {
		forms := v.formsOf()
		if len(forms) == 0 {
			return "", false
		}
		next = newSentence(next.with(v.tokens.Start, v.tokens.End, forms[min(rank, len(forms)-1)]))
	}
	return next.Text, true
}

// formsOf returns the other forms of a value in its number: "canines" for "dogs". It leaves out forms that the question has already.
func (v value) formsOf() []string {
	var out []string
	many := english.IsPlural(v.inner)
	for _, f := range valueForms() {
		if !f.has(v) {
			continue
		}
		for _, w := range f.words {
			switch {
			case v.isForm(w), slices.Contains(v.Words, strings.ToLower(w)):
				continue
			case many && strings.HasSuffix(w, "'s"): // "bachelor's" has no plural
				continue
			case many:
				w = english.Plural(w)
			}
			out = append(out, matchLetters(w, v.inner))
		}
	}
	return out
}

// isForm reports whether the words of a value are a form or its plural, whatever the letter case.
func (v value) isForm(form string) bool {
	return strings.EqualFold(form, v.inner) || strings.EqualFold(form, english.SingularPhrase(v.inner))
}

// has reports whether the line has forms for a value: its column is one of the line, or the line is for any column, and the value is one
// of the words. Only a value in capitals or quotation marks may also be one of the codes ("CA").
func (f forms) has(v value) bool {
	switch {
	case !slices.Contains(f.columns, "any") && !v.ofAny(f.columns...):
		return false
	case slices.ContainsFunc(f.words, v.isForm):
		return true
	case v.quoted, v.inner == strings.ToUpper(v.inner):
		return slices.ContainsFunc(f.codes, v.isForm)
	}
	return false
}

// matchLetters returns a form with a capital if the value begins with one. A form in capitals stays as it is.
func matchLetters(form, was string) string {
	if strings.ToUpper(form) == form {
		return form
	}
	return matchCase(form, was)
}

// isCapital reports whether each word of a name begins with a capital.
func isCapital(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) {
			return false
		}
	}
	return name != ""
}

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

// countries returns the lines of data/value_places.txt.
var countries = sync.OnceValue(func() []country {
	return lists.Map(wordfile.Rows(placesText, 3), func(row []string) country {
		return country{splitList(row[0], ","), strings.TrimPrefix(row[1], "-"), strings.TrimPrefix(row[2], "-")}
	})
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

// withoutArticle returns the key of a name in countryByName: "usa" of "the USA".
func withoutArticle(name string) string { return strings.TrimPrefix(strings.ToLower(name), "the ") }

// countryNamed returns the country of a name, whatever its case and article; the zero
// country where there is none.
func countryNamed(name string) country { return countryByName()[withoutArticle(name)] }

// forms is a line of data/value_forms.txt: values that say the same in columns
// with one of the words in their name.
type forms struct {
	columns []string
	words   []string
	codes   []string // other forms replace them, and they replace none
}

// valueForms returns the lines of data/value_forms.txt.
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
