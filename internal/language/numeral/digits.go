package numeral

import (
	"math"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// maxDigits is how many digits a number may have for a float64 to hold it.
const maxDigits = 15

// digitsAt reads a numeral in digits that begins with word i of the text s, and returns it with the index
// of the word after it.
func digitsAt(s string, words []word, i int) (n Numeral, next int, ok bool) {
	w := words[i]
	if !english.IsNumeric(w.lower) || !alone(words, i, i+1) { // no number, or a part of a date or a code
		return n, 0, false
	}
	number := strings.TrimRight(w.lower, "abcdefghijklmnopqrstuvwxyz")
	suffix := w.lower[len(number):]
	n, ok = readDigits(number)
	if !ok {
		return n, 0, false
	}
	n.Start, n.End, next = w.start, w.end, i+1
	switch {
	case suffix != "":
		n.Style, n.letters = Ordinal, english.CaseOf(s[w.end-len(suffix):w.end])
		if n.decimals > 0 || suffix != ordinalSuffix(n.Value) {
			return n, 0, false
		}
		return n, next, true
	case negative(s, w.start):
		n.Start, n.Value = w.start-1, -n.Value
	}
	if words[next].gap == " " { // "8 million"
		if by, ok := scaleOf(words[next].lower); ok && alone(words, next, next+1) {
			n.scale, n.Value, n.End = by, n.Value*by.value, words[next].end
			next++
		}
	}
	return n, next, true
}

// decimal matches an unsigned number, its whole part and its fraction. One that
// begins with a needless 0 is a code.
var decimal = lazyregexp.New(`^(0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d*))?$`)

// readDigits reads an unsigned number with its format; false for other text and more than maxDigits digits.
func readDigits(text string) (n Numeral, ok bool) {
	parts := decimal.FindStringSubmatch(text)
	if parts == nil {
		return n, false
	}
	plain, fraction := strings.ReplaceAll(parts[1], ",", ""), parts[2]
	if len(plain)+len(fraction) > maxDigits {
		return n, false
	}
	n.grouped, n.decimals = plain != parts[1], len(fraction)
	var err error
	n.Value, err = strconv.ParseFloat(plain+"."+fraction+"0", 64) // the fraction may be empty
	return n, err == nil
}

// minus matches a minus sign that joins nothing, with what is before it.
var minus = lazyregexp.New(`^[ ("']?-$`)

// negative reports whether a minus sign comes right before start.
func negative(s string, start int) bool { return minus.MatchString(s[max(0, start-2):start]) }

// ordinalSuffix returns the ending of an ordinal in digits: "st" of 21, "th" of 11.
func ordinalSuffix(v float64) string {
	n := int64(v)
	suffixes := [...]string{"th", "st", "nd", "rd"}
	if unit := n % 10; unit < 4 && n/10%10 != 1 {
		return suffixes[unit]
	}
	return suffixes[0]
}

// Format writes v as the numeral is written: in its style, with its decimals,
// grouping, letter case and word of scale. It returns false if v has no such
// form: a fraction in words, more decimals than the numeral has.
func (n Numeral) Format(v float64) (string, bool) {
	switch {
	case math.IsNaN(v), math.Abs(v) >= 1e15:
		return "", false
	case n.Style == Digits:
		if n.scale.value != 0 {
			v /= n.scale.value
		}
		return n.formatDigits(v)
	case v < 0, v != math.Trunc(v), n.Style == OrdinalWord && v == 0: // no such word or ordinal
		return "", false
	}
	switch n.Style {
	case Ordinal:
		digits, ok := n.formatDigits(v)
		return digits + n.letters.Apply(ordinalSuffix(v)), ok
	case OrdinalWord:
		text := OrdinalWords(int(v))
		return n.letters.Apply(n.join(text)), text != ""
	}
	text := Words(int(v))
	return n.letters.Apply(n.join(text)), text != ""
}

// join replaces the hyphens of a number in words by what n has between tens and units.
func (n Numeral) join(text string) string {
	if n.joiner == "" || n.Style == OrdinalWord {
		return text
	}
	return strings.ReplaceAll(text, "-", n.joiner)
}

// formatDigits writes v with the decimals, grouping and scale of n. It returns false if v has more
// decimals than n.
func (n Numeral) formatDigits(v float64) (string, bool) {
	text := strconv.FormatFloat(math.Abs(v), 'f', n.decimals, 64)
	if back, err := strconv.ParseFloat(text, 64); err != nil || back != math.Abs(v) {
		return "", false
	}
	if n.grouped {
		for i := strings.Index(text+".", ".") - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
	}
	if v < 0 {
		text = "-" + text
	}
	if n.scale.value != 0 {
		text += n.scale.text(n.letters)
	}
	return text, true
}
