package dataset

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// typeShare is the share of a column's cells, empty ones apart, that must have
// a type for the column to have it. Web tables mix footnotes into columns.
const typeShare = 0.8

// InferType returns the type of a column with the given cells: Boolean if all are truth
// words, Time or Number if at least four of five are, else Text. Empty cells and dashes do
// not count. A year is a number, as in Spider.
func InferType(cells []string) Type {
	var filled, booleans, numbers int
	rest := make([]string, 0, len(cells)) // neither truth words nor numbers
	for _, cell := range cells {
		switch {
		case IsMissing(cell):
			continue
		case isBoolean(cell):
			booleans++
		case isNumber(cell):
			numbers++
		default:
			rest = append(rest, cell)
		}
		filled++
	}
	isMost := func(n int) bool { return filled > 0 && float64(n) >= typeShare*float64(filled) }
	switch {
	case filled > 0 && booleans == filled:
		return Boolean
	case isMost(numbers):
		return Number
	}
	// Parsing times is slow, so stop as soon as there are too few.
	times := len(rest) // cells of rest that may be times: those found to be none are subtracted
	for _, cell := range rest {
		if !isMost(times) {
			return Text
		}
		if !isTime(cell) {
			times--
		}
	}
	if isMost(times) {
		return Time
	}
	return Text
}

// IsMissing reports whether a cell is empty or a sign for no value.
func IsMissing(s string) bool {
	if len(s) > len("none") { // the longest sign
		return false
	}
	switch strings.ToLower(s) {
	case "", "-", "--", "–", "—", "n/a", "na", "none", "null", "?", "tba", "tbd":
		return true
	}
	return false
}

// isBoolean reports whether a cell is a truth word.
func isBoolean(s string) bool {
	if len(s) > len("false") { // the longest truth word
		return false
	}
	switch strings.ToLower(s) {
	case "yes", "no", "true", "false", "y", "n", "t", "f":
		return true
	}
	return false
}

// isNumber reports whether a cell is a number: digits with separators, after a sign or
// currency, before a percent sign or footnote mark. "$1,234.50", "+3", "45 %", "12*" are.
func isNumber(s string) bool {
	if hasLetter(s) {
		return false // decides most cells, and is quicker than trimming
	}
	s = strings.TrimLeft(s, "+-−±~ $€£¥")
	s = strings.TrimRight(s, "%*† ")
	digits, dots := 0, 0
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '.':
			dots++
		case (r == ',' || r == ' ' || r == '\u00a0') && i > 0: // a separator
		default:
			return false
		}
	}
	return digits > 0 && dots <= 1
}

// hasLetter reports whether s has an ASCII letter.
func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; 'a' <= c && c <= 'z' { // 0x20 makes it lower case
			return true
		}
	}
	return false
}

// Layouts of dates and times in web tables, without and with words. A cell is tried only
// against one list: trying all would take most of the time of reading a corpus.
var (
	digitLayouts = [...]string{
		time.DateOnly, time.DateTime, "2006/01/02", "2006-01", "1/2/2006", "2/1/2006", "1/2/06", "2.1.2006",
		"15:04", "15:04:05", "4:05.0", "15:04:05.0",
	}
	wordLayouts = [...]string{
		"January 2, 2006", "January 2 2006", "2 January 2006", "Jan 2, 2006", "Jan 2 2006", "2 Jan 2006",
		"January 2006", "Jan 2006", "January 2", "2 January", "Jan 2", "2 Jan", "2-Jan-2006", "2-Jan-06",
		"Monday, January 2, 2006", "Mon Jan 2", "Monday, January 2",
		"3:04 PM", "3:04PM", "3:04 pm", "3:04pm", time.RFC3339,
	}
)

// isTime reports whether s is a date, a time of day, or both.
func isTime(s string) bool {
	if len(s) < 4 || len(s) > 40 || !strings.ContainsAny(s, "0123456789") { // no layout fits
		return false
	}
	layouts := digitLayouts[:]
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !isTimeWord(word) {
			return false
		}
		layouts = wordLayouts[:] // s has a word
	}
	mark := separator(s)
	return slices.ContainsFunc(layouts, func(layout string) bool {
		if separator(layout) != mark {
			return false // parsing would fail, and making its error is slow
		}
		_, err := time.Parse(layout, s)
		return err == nil
	})
}

// separator returns the byte after the leading digits of a time or a layout: '-' of "2006-01-02". It is 0 if nothing
// follows, and 'a' if the text does not begin with a digit. A time fits only layouts of the same separator.
func separator(s string) byte {
	for i := range len(s) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
		case i == 0:
			return 'a'
		default:
			return s[i]
		}
	}
	return 0
}

// isTimeWord reports whether a word begins like a month, a weekday or another word of the
// layouts: a quick test that spares parsing most text.
func isTimeWord(word string) bool {
	switch strings.ToLower(word[:min(len(word), 3)]) {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
		"mon", "tue", "wed", "thu", "fri", "sat", "sun", "am", "pm", "t", "z":
		return true
	}
	return false
}
