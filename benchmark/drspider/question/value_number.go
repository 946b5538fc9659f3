package question

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/perturb"
)

var (
	oneThing    = grammar.Must("than|only VALUE&ONE CONTENT&!PLURAL")
	singleThing = grammar.Must("than|only|by|not [a single]")
)

// numbersInOtherForm: "10" and "ten", "300000" and "300,000". Several numbers are
// left to allNumbers: people write them in one form.
func numbersInOtherForm(s *subject, d *drafts) {
	values := s.values()
	several := 0
	for _, v := range values {
		several += min(len(v.numberForms()), 1)
	}
	for _, v := range values {
		if several == 1 && !s.otherDigits(v) {
			for _, form := range v.numberForms() {
				d.add(v.replace(v.tokens, form))
			}
		}
		if _, ok := v.on(oneThing); ok {
			d.add(v.replace(v.tokens, "a single"))
		}
	}
	if !slices.ContainsFunc(s.elements, isOne) {
		return
	}
	for m := range singleThing.All(s, len(s.Words)) {
		d.add(s.replace(m.Part, "one"))
	}
}

// otherDigits tells whether the question has a number in digits besides the values:
// in one sentence people write "1 … and 0" or "one … and zero". Years, decimals and
// long numbers have no words, and nobody expects any.
func (s *subject) otherDigits(values ...value) bool {
	return slices.ContainsFunc(numeral.Find(s.Text), func(n numeral.Numeral) bool {
		short := n.Style == numeral.Digits && isWhole(n.Value, 100)
		return short && !slices.ContainsFunc(values, func(v value) bool { return v.Overlaps(n.Start, n.End) })
	})
}

// isWhole tells whether a number has no fraction and is at most so large.
func isWhole(n, most float64) bool { return n == math.Trunc(n) && n <= most }

func isOne(e indicator.Element) bool { return e.Kind == indicator.Value && e.Value == "1" }

// allNumbers changes all of several numbers, each to its form of one rank.
func allNumbers(s *subject, d *drafts) {
	values := s.values()
	if s.otherDigits(values...) {
		return
	}
	lists := make([][]string, len(values))
	several := 0
	for i, v := range values {
		lists[i] = v.numberForms()
		several += min(len(lists[i]), 1)
	}
	if several < 2 {
		return
	}
	for rank := range 3 {
		forms, ok := inOneStyle(lists, rank)
		if !ok {
			continue
		}
		again := s.sentence
		for i, v := range slices.Backward(values) {
			if forms[i] != "" {
				again = newSentence(again.with(v.tokens.Start, v.tokens.End, forms[i]))
			}
		}
		d.add(again.Text)
	}
}

// inOneStyle returns of each list the form of a rank, "" where it has none. Where
// some become digits, those that could only become long words stay. False is for
// "between 9000 and 13 thousand".
func inOneStyle(lists [][]string, rank int) (forms []string, ok bool) {
	digits, rounded, n := false, 0, 0
	for _, list := range lists {
		form := ""
		if len(list) > 0 {
			form = list[min(rank, len(list)-1)]
			n++
		}
		if english.IsNumeric(form) {
			digits = true
			rounded += strings.Count(form, " ")
		}
		forms = append(forms, form)
	}
	for i, form := range forms {
		if digits && !english.IsNumeric(form) && len(form) >= len("thirteen") {
			forms[i] = ""
		}
	}
	return forms, rounded == 0 || rounded == n
}

// Columns whose numbers are codes or dates, and columns whose numbers count things
// although they have such a word.
var (
	numbering = words.Words("numbering")
	counting  = words.Words("counting")
)

// numberForms returns other forms of a value that is a number. Years, codes and
// numbers in quotes have none.
func (v value) numberForms() []string {
	n, ok := numeral.Parse(v.inner)
	switch {
	case !ok, v.quoted, n.Value < 0, !isWhole(n.Value, 1e9), v.Is(v.tokens.Start-1, "substring"):
		return nil
	case perturb.IsKey(v.db, v.Column), v.ofAny(numbering...) && !v.ofAny(counting...), v.saysYear(n.Value), v.isLabel(n.Value):
		return nil
	}
	number := int(n.Value)
	switch n.Style {
	case numeral.Digits:
		return digitForms(number, v.inner)
	case numeral.Word:
		return []string{strconv.Itoa(number)}
	}
	return nil
}

// mostLabelled is the largest number that is said in words where it is a label: "grade
// nine", but "department 50".
const mostLabelled = 12

// isLabel tells whether a number names something rather than counts or measures it:
// "major 600", "department 50", but "exactly 50 pages".
func (v value) isLabel(n float64) bool {
	return n > mostLabelled && (v.Op == "=" || v.Op == "!=") && !english.IsPlural(v.Word(v.tokens.End))
}

// digitForms returns other forms of a number that is written in digits.
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

// saysYear tells whether what stands before the value makes its number a year.
func (v value) saysYear(number float64) bool {
	before := v.Words[max(0, v.tokens.Start-3):v.tokens.Start]
	return number >= 1500 && number < 2100 && slices.ContainsFunc(before, func(w string) bool {
		return slices.Contains([]string{"year", "years", "in", "since", "before", "after", "until", "founded", "opened"}, w)
	})
}

// grouped sets off thousands by commas.
var grouped, _ = numeral.Parse("1,000")

// ordinal writes a number with its suffix.
func ordinal(n int) string {
	text, _ := numeral.Numeral{Style: numeral.Ordinal}.Format(float64(n))
	return text
}

// datesInWords: "2010-01-31" becomes "January 31, 2010". The mention of such a
// value is more than one token, which are compared with the value itself.
func datesInWords(v value, d *drafts) {
	if t, err := time.Parse("2006-1-2", v.inner); err == nil {
		d.add(v.replace(v.tokens, t.Format("January 2, 2006")))
		d.add(v.replace(v.tokens, "the "+ordinal(t.Day())+" of "+t.Format("January 2006")))
	}
}
