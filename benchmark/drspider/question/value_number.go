package question

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/perturb"
)

var (
	// oneThing matches a comparison with one thing: "more than one song".
	oneThing = grammar.Must("than|only VALUE&ONE CONTENT&!PLURAL")
	// singleThing matches "a single" after words that compare.
	singleThing = grammar.Must("than|only|by|not [a single]")
)

// numbersInOtherForm writes a number in another form: "over 10 songs" becomes "over ten songs", "300000" "300,000". Several
// numbers are left to allNumbers, as people write them in one form. "One" and "a single" replace each other.
func numbersInOtherForm(s *subject, d *drafts) {
	values := s.values()
	numbers := lists.Filter(values, func(v value) bool { return len(v.numberForms()) > 0 })
	if len(numbers) == 1 && !s.hasOtherDigits(numbers[0]) {
		for _, form := range numbers[0].numberForms() {
			d.add(s.replace(numbers[0].tokens, form))
		}
	}
	for _, v := range values {
		if _, ok := v.on(oneThing); ok { // "more than a single song"
			d.add(v.replace(v.tokens, "a single"))
		}
	}
	if !slices.ContainsFunc(s.elements, isOne) { // then "a single" does not mention 1
		return
	}
	for m := range singleThing.All(s, len(s.Words)) {
		d.add(s.replace(m.Part, "one"))
	}
}

// hasOtherDigits reports whether the question has a number in digits other than the values. Another form of the values would not go with
// it: in one sentence people write "1 … and 0" or "one … and zero". Years, decimals and
// numbers above 100 do not count, because people write them in digits next to words too.
func (s *subject) hasOtherDigits(values ...value) bool {
	return slices.ContainsFunc(numeral.Find(s.Text), func(n numeral.Numeral) bool {
		short := n.Style == numeral.Digits && isWhole(n.Value, 100) // people would write it in words too
		return short && !slices.ContainsFunc(values, func(v value) bool { return v.Overlaps(n.Start, n.End) })
	})
}

// isWhole reports whether a number has no fraction and is at most most.
func isWhole(n, most float64) bool { return n == math.Trunc(n) && n <= most }

// isOne reports whether an element is the constant 1.
func isOne(e indicator.Element) bool { return e.Kind == indicator.Value && e.Value == "1" }

// allNumbers writes all numbers of a question in the same other form: "between 20 and 30" becomes "between twenty and
// thirty". A single number is left to numbersInOtherForm.
func allNumbers(s *subject, d *drafts) {
	values := s.values()
	otherForms := make([][]string, len(values))
	numbers := 0 // values with other forms
	for i, v := range values {
		otherForms[i] = v.numberForms()
		numbers += min(len(otherForms[i]), 1)
	}
	if numbers < 2 || s.hasOtherDigits(values...) {
		return
	}
	for rank := range 3 {
		forms, ok := inOneStyle(otherForms, rank)
		if !ok {
			continue
		}
		draft := s.sentence
		for i, v := range slices.Backward(values) {
			if forms[i] != "" {
				draft = newSentence(draft.with(v.tokens.Start, v.tokens.End, forms[i]))
			}
		}
		d.add(draft.Text)
	}
}

// inOneStyle returns the form at index rank of each list, or its last one; "" for an empty list. If some forms are digits, those that are
// long words become "". Ok is false if some but not all forms are rounded: "between 9000 and 13 thousand".
func inOneStyle(otherForms [][]string, rank int) (forms []string, ok bool) {
	rounded, n := 0, 0 // forms such as "13 thousand", and all
	for _, list := range otherForms {
		form := ""
		if len(list) > 0 {
			form = list[min(rank, len(list)-1)]
			n++
		}
		if english.IsNumeric(form) {
			rounded += strings.Count(form, " ") // of digits and a word
		}
		forms = append(forms, form)
	}
	if slices.ContainsFunc(forms, english.IsNumeric) {
		for i, form := range forms {
			if len(form) >= len("thirteen") && !english.IsNumeric(form) {
				forms[i] = ""
			}
		}
	}
	return forms, slices.Contains([]int{0, n}, rounded)
}

// numberForms returns other forms of a value that is a whole number: "ten" for "10". It returns none for other values, nor for years,
// codes, labels, quoted numbers and those after a sign (">") or "substring", which people write in one form.
func (v value) numberForms() []string {
	n, ok := numeral.Parse(v.inner)
	switch {
	case !ok, v.quoted, n.Value < 0, !isWhole(n.Value, 1e9), v.Is(v.tokens.Start-1, "substring", ">", "<", "="):
		return nil
	case perturb.IsKey(v.db, v.Column), v.isCode(), isYear(n.Value, 1500, 2100), v.isLabel(n.Value):
		return nil
	}
	number := int(n.Value)
	switch n.Style {
	case numeral.Digits:
		forms := digitForms(number, v.inner)
		if v.isMoney() {
			forms = lists.Filter(forms, english.IsNumeric)
		}
		return forms
	case numeral.Word:
		return []string{strconv.Itoa(number)}
	}
	return nil
}

// isMoney reports whether a currency sign is right before the value: "$8000".
func (v value) isMoney() bool { return v.Is(v.tokens.Start-1, "$", "£", "€", "¥") }

// isCode reports whether the value's column holds codes or dates: a phone number, but not a number of pages.
func (v value) isCode() bool {
	return v.ofAny(words.Words("numbering")...) && !v.ofAny(words.Words("counting")...)
}

// mostLabelled is the largest number that people write in words where it is a label: "grade
// nine", but "department 50".
const mostLabelled = 12

// isLabel reports whether a number above [mostLabelled] names something rather than counts or measures it: the gold SQL compares it by
// equality, and no plural follows. "Major 600" and "department 50" have labels, "exactly 50 pages" has none.
func (v value) isLabel(n float64) bool {
	if n <= mostLabelled || english.IsPlural(v.Word(v.tokens.End)) {
		return false
	}
	return slices.Contains([]string{"=", "!="}, v.Op)
}

// digitForms returns other forms of a number that the question writes in digits as was: words up to 100 and for round hundreds and
// fifties below 1000; from 1000 on the digits with or without commas, and round forms such as "13 thousand" and "two million".
func digitForms(number int, was string) []string {
	switch {
	case number <= 100, number < 1000 && number%50 == 0:
		return []string{numeral.Words(number)}
	case number < 1000:
		return nil
	}
	var out []string
	plain := strconv.Itoa(number)
	commas, _ := grouped.Format(float64(number))
	switch was {
	case plain:
		out = append(out, commas)
	case commas:
		out = append(out, plain)
	}
	const thousand, million = 1_000, 1_000_000
	switch {
	case number >= million:
		if number%(million/10) == 0 {
			out = append(out, strconv.FormatFloat(float64(number)/million, 'f', -1, 64)+" million")
		}
		if number%million == 0 && number <= 20*million {
			out = append(out, numeral.Words(number/million)+" million")
		}
	case number%thousand == 0:
		if number >= 10*thousand {
			out = append(out, strconv.Itoa(number/thousand)+" thousand")
		}
		if number <= 100*thousand || number%(100*thousand) == 0 {
			out = append(out, numeral.Words(number/thousand)+" thousand")
		}
	}
	return out
}

// grouped sets off thousands by commas.
var grouped, _ = numeral.Parse("1,000")
