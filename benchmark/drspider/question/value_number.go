package question

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/numeral"
)

// numbersInOtherForm: "10" and "ten", "300000" and "300,000". Several numbers are
// left to allNumbers: people write them in one form.
func numbersInOtherForm(s *subject, d *drafts) {
	values := s.values()
	several := 0
	for _, v := range values {
		several += min(len(s.numberForms(v)), 1)
	}
	for _, v := range values {
		if several == 1 && !s.otherDigits(v) {
			for _, form := range s.numberForms(v) {
				d.add(s.with(v.start, v.end, form))
			}
		}
		// "more than one pet" and "more than a single pet"
		if strings.EqualFold(v.inner, "one") && s.is(v.start-1, "than", "only") && s.isContent(v.end) && !isPlural(s.at(v.end)) {
			d.add(s.with(v.start, v.end, "a single"))
		}
	}
	for i := range s.low {
		if s.is(i, "a") && s.is(i+1, "single") && s.is(i-1, "than", "only", "by", "not") && slices.ContainsFunc(s.elements, isOne) {
			d.add(s.with(i, i+2, "one"))
		}
	}
}

// otherDigits tells whether the question has a number in digits besides the values:
// in one sentence people write "1 … and 0" or "one … and zero". Years, decimals and
// long numbers have no words, and nobody expects any.
func (s *subject) otherDigits(values ...value) bool {
	return slices.ContainsFunc(numeral.Find(s.text), func(n numeral.Numeral) bool {
		return n.Style == numeral.Digits && n.Value == math.Trunc(n.Value) && n.Value <= 100 && !slices.ContainsFunc(values, func(v value) bool {
			return v.Start < n.End && n.Start < v.End
		})
	})
}

func isOne(e indicator.Element) bool { return e.Kind == indicator.Value && e.Value == "1" }

// allNumbers changes all of several numbers, each to its form of one rank. Where
// some become digits, those that could only become long words stay.
func allNumbers(s *subject, d *drafts) {
	values := s.values()
	if s.otherDigits(values...) {
		return
	}
	for rank := range 3 {
		forms := make([]string, len(values))
		digits, rounded, n := false, 0, 0
		for i, v := range values {
			if f := s.numberForms(v); len(f) > 0 {
				forms[i] = f[min(rank, len(f)-1)]
				digits = digits || isNumeric(forms[i])
				if isNumeric(forms[i]) && strings.Contains(forms[i], " ") {
					rounded++
				}
				n++
			}
		}
		if n < 2 {
			return
		}
		if rounded > 0 && rounded < n {
			continue // "between 9000 and 13 thousand"
		}
		again := s.sentence
		for i, v := range slices.Backward(values) {
			if f := forms[i]; f != "" && (isNumeric(f) || !digits || len(f) < len("thirteen")) {
				again = newSentence(again.with(v.start, v.end, f))
			}
		}
		d.add(again.text)
	}
}

// numberForms returns other forms of a value that is a number. Years, codes and
// numbers in quotes have none.
func (s *subject) numberForms(v value) []string {
	n, ok := numeral.Parse(v.inner)
	if !ok || v.quoted || n.Value != math.Trunc(n.Value) || n.Value < 0 || n.Value > 1e9 || s.isContent(v.start-1) && s.at(v.start-1) == "substring" {
		return nil
	}
	number := int(n.Value)
	if s.ofAny(v, "year", "date", "phone", "zip", "postcode", "code", "id", "isbn", "number") && !s.ofAny(v, "product", "page", "employee", "staff") ||
		s.isKey(v.Column) || number >= 1500 && number < 2100 && s.yearBefore(v.start) {
		return nil
	}
	if n.Style != numeral.Digits {
		if n.Style == numeral.Word {
			return []string{strconv.Itoa(number)}
		}
		return nil
	}
	var out []string
	grouped := group(number)
	plain := v.inner == strconv.Itoa(number)
	switch {
	case number <= 100 || number < 1000 && number%50 == 0:
		return []string{numeral.Words(number)}
	case number >= 1000 && plain:
		out = append(out, grouped)
	case number >= 1000 && v.inner == grouped:
		out = append(out, strconv.Itoa(number))
	}
	switch {
	case number >= 1_000_000 && number%100_000 == 0:
		out = append(out, strconv.FormatFloat(n.Value/1e6, 'f', -1, 64)+" million")
		if number%1_000_000 == 0 && number <= 20_000_000 {
			out = append(out, numeral.Words(number/1_000_000)+" million")
		}
	case number >= 1000 && number%1000 == 0 && number < 1_000_000:
		if number >= 10_000 {
			out = append(out, strconv.Itoa(number/1000)+" thousand")
		}
		if number <= 100_000 || number%100_000 == 0 {
			out = append(out, numeral.Words(number/1000)+" thousand")
		}
	}
	return out
}

// isKey tells whether a column is a key, whose numbers count nothing.
func (s *subject) isKey(c dataset.ColumnRef) bool {
	return slices.Contains(s.db.PrimaryKeys, c) || slices.ContainsFunc(s.db.ForeignKeys, func(f dataset.ForeignKey) bool {
		return f.Column == c || f.Target == c
	})
}

// yearBefore tells whether what stands before the token i makes a number a year.
func (s *subject) yearBefore(i int) bool {
	for k := max(0, i-3); k < i; k++ {
		if s.is(k, "year", "years", "in", "since", "before", "after", "until", "founded", "opened") {
			return true
		}
	}
	return false
}

// group sets off thousands by commas.
func group(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// gradesByOrdinal: "in grade 10" becomes "in the 10th grade".
func gradesByOrdinal(s *subject, d *drafts) {
	for _, v := range s.values() {
		n, ok := numeral.Parse(v.inner)
		if !ok || v.quoted || n.Style != numeral.Digits || n.Value < 1 || n.Value > 20 || n.Value != math.Trunc(n.Value) ||
			!s.ofAny(v, "grade", "floor", "season") || !s.is(v.start-1, "grade", "floor", "season") || s.is(v.end, "or", "and", ",") {
			continue
		}
		noun := s.at(v.start - 1)
		d.add(s.with(v.start-1, v.end, "the "+ordinal(int(n.Value))+" "+noun))
		d.add(s.with(v.start-1, v.end, "the "+numeral.OrdinalWords(int(n.Value))+" "+noun))
	}
}

// ordinal writes a number up to 100 with its suffix.
func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// datesInWords: "2010-01-31" becomes "January 31, 2010". The mention of such a
// value is more than one token, which are compared with the value itself.
func datesInWords(s *subject, d *drafts) {
	for _, v := range s.values() {
		f := strings.Split(v.inner, "-")
		if len(f) != 3 || len(f[0]) != 4 {
			continue
		}
		year, err1 := strconv.Atoi(f[0])
		month, err2 := strconv.Atoi(f[1])
		day, err3 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil || err3 != nil || year < 1000 || month < 1 || month > 12 || day < 1 || day > 31 {
			continue
		}
		name, y := monthNames[month-1], strconv.Itoa(year)
		d.add(s.with(v.start, v.end, name+" "+strconv.Itoa(day)+", "+y))
		d.add(s.with(v.start, v.end, "the "+ordinal(day)+" of "+name+" "+y))
	}
}
