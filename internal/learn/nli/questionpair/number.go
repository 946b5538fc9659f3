package questionpair

import (
	"math"
	"strconv"
	"strings"
)

// numerals are the words for numbers; "first" and "second" are left out, which
// name columns and units as often.
var numerals = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"dozen": 12, "once": 1, "twice": 2, "thrice": 3,
}

// scales multiply the number before them.
var scales = map[string]float64{"hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9}

// numeral is a number with the count of words that spell it.
type numeral struct {
	text  string // in digits, the shortest form
	words int
}

// readNumber reads the number that words begin with, false if they begin with none:
// digits, with commas or an ordinal's ending, or at most six words for a number
// ("two hundred", "twenty five", "5 million").
func readNumber(words []word) (numeral, bool) {
	total, ok := digits(words[0].text)
	if !ok {
		if total, ok = numerals[words[0].text]; !ok {
			return numeral{}, false
		}
	}
	n := 1
	for n < min(len(words), 6) && words[n].quoted == words[0].quoted { // not into or out of a quotation
		unit, isNumeral := numerals[words[n].text]
		scale, isScale := scales[words[n].text]
		last := words[n-1].text
		switch {
		case isScale:
			total *= scale
		case isNumeral && unit < 10 && numerals[last] >= 20: // "twenty five"
			total += unit
		case isNumeral && scales[last] == 100: // "two hundred five"
			total += unit
		default:
			return numeral{format(total), n}, true
		}
		n++
	}
	return numeral{format(total), n}, true
}

// format prints a number so that equal ones print alike.
func format(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// digits reads a number below 1e15 in digits, such as "-2.5", "1,200" or "3rd"; false for other text.
func digits(text string) (float64, bool) {
	const marks = "-.0123456789"
	if strings.IndexAny(text, marks) != 0 {
		return 0, false
	}
	plain := strings.ReplaceAll(text, ",", "")
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		plain = strings.TrimSuffix(plain, ending)
	}
	if strings.Trim(plain, marks) != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(plain, 64)
	return x, err == nil && math.Abs(x) < 1e15
}

// shift returns the whole number text plus by; false for any other text.
func shift(text string, by float64) (string, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) {
		return "", false
	}
	return format(x + by), true
}
