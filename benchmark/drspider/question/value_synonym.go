package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/sqlite"
)

// valueSynonymRules write values in another form of the same meaning: "10" as
// "ten", "singers from France" as "French singers" (Dr.Spider, table 1).
func valueSynonymRules() []rule {
	rules := []rule{
		columnRule("number in another form", numbersInOtherForm),
		columnRule("place by its adjective", placesByAdjective),
		columnRule("adjective by its place", adjectivesByPlace),
		columnRule("another name of a place", placesByName),
		columnRule("another form of a value", valuesInOtherForm),
		columnRule("speakers of a language", speakers),
		columnRule("short name of an organisation", shortNames),
		columnRule("grade by its ordinal", gradesByOrdinal),
		columnRule("date in words", datesInWords),
		columnRule("all numbers in another form", allNumbers),
	}
	return append(rules, reopened(rules))
}

// adjectival tells whether the noun of an entity ends before the token i, and where
// an adjective can stand: before it and the nouns that make one word with it.
func (s *subject) adjectival(i int) (start int, ok bool) {
	start = i - 1
	for start > 0 && i-start < 3 && s.isContent(start-1) && s.isEntity(s.at(start-1)) {
		start--
	}
	return start, s.isContent(i-1) && s.isEntity(s.at(i-1))
}

// placesByAdjective: "countries in Asia" becomes "Asian countries", "whose
// nationality is France" "whose nationality is French".
func placesByAdjective(s *subject, d *drafts) {
	for _, v := range s.values() {
		c, ok := countryNamed(v.inner)
		if !ok || c.adjective == "" || s.isContent(v.end) || s.is(v.end, "and", "or", ",") && s.isContent(v.end+1) || s.is(v.start-1, "and", "or") {
			continue
		}
		if s.is(v.start-1, "is", "are", "not", "nationality", "citizenship") && s.ofAny(v, "nationality", "citizenship") {
			d.add(s.with(v.start, v.end, c.adjective))
			continue
		}
		k := v.start
		for s.is(k-1, "the", "continent", "country", "region", "of", "on") {
			k--
		}
		if k < v.start && !s.is(k, "the", "on", "of", "continent") || !s.is(k-1, "in", "from") && !s.is(k, "on") {
			continue
		}
		if s.is(k-1, "in", "from") {
			k--
		}
		for s.is(k-1, "are", "is", "located", "that", "which", "who", "come", "were", "was") {
			k--
		}
		if s.is(k, "are", "is", "were", "was", "come") {
			continue // the verb of the sentence
		}
		start, ok := s.adjectival(k)
		if !ok || s.is(v.end, "and", "or", "but") && s.is(k, "that", "which", "who") {
			continue
		}
		rest := s.text[s.toks[v.end-1].End:]
		words := c.adjective + " " + s.span(start, k)
		before := s.text[:s.toks[start].Start]
		if s.is(start-1, "a", "an") {
			before = s.text[:s.toks[start-1].Start] + article(words) + " "
		}
		d.add(tidy(before + words + rest))
	}
}

// adjectivesByPlace: "African countries" becomes "countries in Africa".
func adjectivesByPlace(s *subject, d *drafts) {
	for _, e := range s.elements {
		c, ok := countryNamed(e.Value)
		if !ok || c.adjective == "" {
			continue
		}
		n := strings.Count(c.adjective, " ") + 1
		for i := range s.low {
			end := i + n
			if !s.has(i, strings.ToLower(c.adjective)) || !s.isContent(end) {
				continue
			}
			for s.isContent(end) && !s.verbAt(end) && !s.isEntity(s.at(end-1)) {
				end++
			}
			if end == i+n || !s.isEntity(s.at(end-1)) || s.isContent(end) && s.isEntity(s.at(end)) {
				continue
			}
			in := " in "
			switch {
			case s.is(end-1, "citizens", "citizen"):
				in = " of "
			case isPerson(s.at(end - 1)):
				in = " from "
			}
			d.add(s.with(i, end, s.span(i+n, end)+in+c.names[0]))
		}
	}
}

// placesByName: "USA" becomes "the United States". What stands in quotes is of these
// letters, so that another form stands without.
func placesByName(s *subject, d *drafts) {
	for _, v := range s.values() {
		c, ok := countryNamed(v.inner)
		if !ok {
			continue
		}
		start, names := v.start, c.names
		if c.official != "" && !strings.Contains(c.official, v.inner) && !s.is(v.end, "'", "’", "'s", "’s") {
			names = append(slices.Clone(names), c.official)
		}
		if s.is(start-1, "the") {
			start--
		}
		for _, name := range names {
			if strings.EqualFold(strings.TrimPrefix(name, "the "), v.inner) || s.isContent(v.end) || s.isContent(start-1) && !s.is(start-1, "country", "nation") {
				continue
			}
			d.add(s.with(start, v.end, name))
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
				if forms := s.formsOf(v); len(forms) > 0 {
					again = newSentence(again.with(v.start, v.end, forms[min(rank, len(forms)-1)]))
					changed++
				}
			}
			if changed == len(same) {
				d.add(again.text)
			}
		}
	}
}

// formsOf returns the other forms of a value, in its number. What stands in quotes
// is of these letters, so that another form stands without.
func (s *subject) formsOf(v value) []string {
	var out []string
	for _, f := range valueForms() {
		if !slices.Contains(f.columns, "any") && !s.ofAny(v, f.columns...) {
			continue
		}
		many := isPlural(v.inner)
		is := func(w string) bool {
			return strings.EqualFold(w, v.inner) || many && strings.EqualFold(w, singular(v.inner))
		}
		code := slices.ContainsFunc(f.codes, is) && (v.quoted || v.inner == strings.ToUpper(v.inner))
		if !code && !slices.ContainsFunc(f.words, is) {
			continue
		}
		for _, w := range f.words {
			if is(w) || slices.Contains(s.low, strings.ToLower(w)) || many && strings.HasSuffix(w, "'s") {
				continue
			}
			if many && !isPlural(w) {
				w = plural(w)
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

// speakers: "countries that speak English" becomes "English-speaking countries".
func speakers(s *subject, d *drafts) {
	for _, v := range s.values() {
		if !s.ofAny(v, "language") || v.quoted || !s.is(v.start-1, "speak", "speaks", "use", "uses") || s.is(v.end, "and", "or", ",") && !s.is(v.end+1, "and", "have") {
			continue
		}
		k := v.start - 1
		if s.is(k-2, "do", "does") && s.is(k-1, "not") {
			k -= 2
			if s.is(k-1, "that", "which", "who") {
				be := " are not "
				if s.is(k, "does") {
					be = " is not "
				}
				d.add(s.with(k-1, v.end, s.span(k-1, k)+be+v.inner+"-speaking"))
			}
			continue
		}
		if !s.is(k-1, "that", "which", "who") {
			if s.isContent(k-1) && isPlural(s.at(k-1)) && s.at(k) == "speak" {
				d.add(s.with(k, v.end, "are "+v.inner+"-speaking"))
			}
			continue
		}
		if start, ok := s.adjectival(k - 1); ok {
			d.add(s.with(start, v.end, v.inner+"-speaking "+s.span(start, k-1)))
		}
	}
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
func shortNames(s *subject, d *drafts) {
	for _, v := range s.values() {
		words := strings.Fields(v.inner)
		if len(words) < 2 || !isCapital(v.inner) {
			continue
		}
		last := words[len(words)-1]
		put := func(form string) {
			start := v.start
			if s.is(start-1, "the") && !strings.HasSuffix(form, ".") {
				start-- // "the Ford Motor Company", but "Ford"
			}
			d.add(s.with(start, v.end, form))
		}
		if short, ok := shortened[last]; ok {
			put(strings.TrimSuffix(v.inner, last) + short)
		}
		if slices.Contains(initialed, last) && (len(words) > 2 || last == "Motors") {
			initials := ""
			for _, w := range words {
				r, _ := utf8.DecodeRuneInString(w)
				initials += string(r)
			}
			if strings.ToUpper(initials) == initials {
				put(initials)
			}
		}
		for _, suffix := range dropped {
			if short, ok := strings.CutSuffix(v.inner, " "+suffix); ok && !isCountryAdjective(short) && s.onlyValue(v, short) {
				put(short)
				break
			}
		}
	}
}

// onlyValue tells whether one value of the column alone begins with the words.
func (s *subject) onlyValue(v value, words string) bool {
	if s.content == nil || v.Column.Table < 0 {
		return false
	}
	values, err := s.content.Values(s.ctx, v.Column)
	if err != nil {
		return false
	}
	n := 0
	for _, cell := range values {
		if cell.Kind() == sqlite.Text && strings.HasPrefix(strings.ToLower(cell.String()), strings.ToLower(words)) {
			n++
		}
	}
	return n == 1
}
