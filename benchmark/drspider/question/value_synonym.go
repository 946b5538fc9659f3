package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// valueSynonymRules write values in another form of the same meaning: "10" as
// "ten", "singers from France" as "French singers" (Dr.Spider, table 1).
func valueSynonymRules() []rule {
	rules := []rule{
		columnRule("number in another form", numbersInOtherForm),
		valueRule("another name of a place", placesByName),
		columnRule("another form of a value", valuesInOtherForm),
		valueRule("short name of an organisation", shortNames),
		valueRule("date in words", datesInWords),
		columnRule("all numbers in another form", allNumbers),
	}
	return append(rules, reopened(rules))
}

var named = grammar.Must("[the? VALUE] !CONTENT")

// placesByName: "USA" becomes "the United States". What stands in quotes is of these
// letters, so that another form stands without.
func placesByName(v value, d *drafts) {
	c, _ := countryNamed(v.inner)
	m, found := v.on(named)
	if !found || v.isContent(m.Start-1) && !v.Is(m.Start-1, "country", "nation") {
		return
	}
	names := c.names
	if !strings.Contains(c.official, v.inner) && !v.Is(v.tokens.End, "'", "’", "'s", "’s") {
		names = append(slices.Clone(names), c.official)
	}
	for _, name := range names {
		if name != "" && !strings.EqualFold(strings.TrimPrefix(name, "the "), v.inner) {
			d.add(v.replace(m.Part, name))
		}
	}
}

// valuesInOtherForm: "CA" becomes "California", "dogs" "canines". All values of one
// column change together.
func valuesInOtherForm(s *subject, d *drafts) {
	values := s.values()
	for i, v := range values {
		if i > 0 && values[i-1].Column == v.Column {
			continue // taken with the one before
		}
		same := slices.DeleteFunc(slices.Clone(values[i:]), func(w value) bool { return w.Column != v.Column })
		for rank := range 2 {
			again, changed := s.sentence, 0
			for _, v := range slices.Backward(same) {
				if forms := v.formsOf(); len(forms) > 0 {
					again = newSentence(again.with(v.tokens.Start, v.tokens.End, forms[min(rank, len(forms)-1)]))
					changed++
				}
			}
			if changed == len(same) {
				d.add(again.Text)
			}
		}
	}
}

// formsOf returns the other forms of a value, in its number. What stands in quotes
// is of these letters, so that another form stands without.
func (v value) formsOf() []string {
	var out []string
	for _, f := range valueForms() {
		if !slices.Contains(f.columns, "any") && !v.ofAny(f.columns...) {
			continue
		}
		many := english.IsPlural(v.inner)
		is := func(w string) bool {
			return strings.EqualFold(w, v.inner) || many && strings.EqualFold(w, english.SingularPhrase(v.inner))
		}
		code := slices.ContainsFunc(f.codes, is) && (v.quoted || v.inner == strings.ToUpper(v.inner))
		if !code && !slices.ContainsFunc(f.words, is) {
			continue
		}
		for _, w := range f.words {
			if is(w) || slices.Contains(v.Words, strings.ToLower(w)) || many && strings.HasSuffix(w, "'s") {
				continue
			}
			if many && !english.IsPlural(w) {
				w = english.Plural(w)
			}
			out = append(out, matchLetters(w, v.inner))
		}
	}
	return out
}

// matchLetters writes a form with a capital where the value has one, but leaves
// forms in capitals alone.
func matchLetters(form, was string) string {
	if strings.ToUpper(form) == form {
		return form
	}
	return matchCase(form, was)
}

// isCapital tells whether each word of a name begins with a capital.
func isCapital(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) {
			return false
		}
	}
	return name != ""
}

// Words at the end of an organisation's name that are left out or shortened.
var (
	dropped   = []string{"Motor Company", "Company", "Corporation", "Incorporated", "Inc.", "Inc", "Ltd.", "Ltd", "Limited", "Airways", "Airlines", "Airline", "Air Lines", "Holdings", "Group"}
	shortened = map[string]string{"Company": "Co.", "Corporation": "Corp.", "Incorporated": "Inc.", "Limited": "Ltd.", "Brothers": "Bros.", "University": "Univ.", "Department": "Dept."}
	initialed = []string{"Motors", "Association", "Organization", "Organisation", "Federation", "University", "Union", "Bank", "Agency", "Institute", "Commission"}
)

// shortNames: "JetBlue Airways" becomes "JetBlue", "Ford Motor Company" "Ford Motor
// Co.". A name is shortened only where no other value of the column would be meant.
func shortNames(v value, d *drafts) {
	words := strings.Fields(v.inner)
	if len(words) < 2 || !v.isName() {
		return
	}
	last := words[len(words)-1]
	put := func(form string) {
		start := v.tokens.Start
		if v.Is(start-1, "the") && !strings.HasSuffix(form, ".") {
			start-- // "the Ford Motor Company", but "Ford"
		}
		d.add(v.with(start, v.tokens.End, form))
	}
	if short, ok := shortened[last]; ok {
		put(strings.TrimSuffix(v.inner, last) + short)
	}
	if slices.Contains(initialed, last) && (len(words) > 2 || last == "Motors") {
		put(initials(words))
	}
	for _, suffix := range dropped {
		if short, ok := strings.CutSuffix(v.inner, " "+suffix); ok && !isCountryAdjective(short) && v.isOnlyValue(short) {
			put(short)
			break
		}
	}
}

// initials returns the first letters of words.
func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		b.WriteRune(r)
	}
	return b.String()
}

// isOnlyValue tells whether one value of the column alone begins with the words.
func (v value) isOnlyValue(words string) bool {
	if v.Column.Table < 0 {
		return false
	}
	n := 0
	for _, cell := range v.content.Distinct(v.ctx, v.Column) {
		if cell.Kind() == sqldata.Text && strings.HasPrefix(strings.ToLower(cell.String()), strings.ToLower(words)) {
			n++
		}
	}
	return n == 1
}
