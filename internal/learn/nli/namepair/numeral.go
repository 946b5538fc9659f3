package namepair

import (
	"strconv"
	"strings"
)

// numerals are the words for whole numbers that names spell out. "Second" is
// left out: in a column name it is the unit of time as often.
var numerals = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
	"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9,
	"first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "twentieth": 20,
}

// noNumber is the value of a word that is no number.
const noNumber = -1

// number returns the whole number that a word states: in digits ("3"), as an ordinal ("3rd") or spelled out
// ("three"); [noNumber] for any other word.
func number(word string) int {
	if n, ok := numerals[word]; ok {
		return n
	}
	digits := word
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		digits = strings.TrimSuffix(digits, suffix)
	}
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
		return n
	}
	return noNumber
}
