package heading

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// Look is the form of a column's cells: numbers, dates, words.
type Look string

// The looks of cells. The look of unknown or mixed cells is "".
const (
	LookAmount Look = "amount" // 32.38, $4.50: of money, or measured as finely
	LookNumber Look = "number" // 12, -3.5, 1,200, 45%, $20
	LookYear   Look = "year"   // 1998
	LookDate   Look = "date"   // 3 May 1998, 2001-02-03, May 12
	LookTime   Look = "time"   // 19:30, 1:23.4
	LookCode   Look = "code"   // USA, AB-12
	LookFlag   Look = "flag"   // yes, no
	LookText   Look = "text"   // words and names
)

var looks = []Look{LookAmount, LookNumber, LookYear, LookDate, LookTime, LookCode, LookFlag, LookText}

const months = `(jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)`

// shapes are the looks that a pattern recognises, on lower-case cells; the first that matches counts.
var shapes = []struct {
	look Look
	re   *lazyregexp.Regexp
}{
	{LookYear, lazyregexp.New(`^(1[5-9]|20)\d\d$`)},
	{LookAmount, lazyregexp.New(`^[-−+]?[$€£¥]? ?[-−+]?\d[\d,]*\.\d{1,2}$`)},
	{LookNumber, lazyregexp.New(`^[-−+]?[$€£¥]? ?[-−+]?\d[\d,. ]*( ?%| percent)?$`)},
	{LookTime, lazyregexp.New(`^[-+]?\d{1,2}[:.]\d\d([:.]\d+)*( ?[ap]\.?m\.?)?$`)},
	{LookDate, lazyregexp.New(`^\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?([ t]\d.*)?$`)},
	{LookDate, lazyregexp.New(`^(\w+,? )?(\d{1,2}(st|nd|rd|th)? )?` + months + `\.?( \d{1,2}(st|nd|rd|th)?)?(,? \d{2,4})?$`)},
	{LookFlag, lazyregexp.New(`^(yes|no|y|n|t|f|true|false)$`)},
}

var shortCode = lazyregexp.New(`^([A-Z]{1,4}|[A-Za-z]{0,4}[-/ ]?\d+[-/A-Za-z0-9]*)$`)

// LookOf returns the look of at least two thirds of the cells that are not blank, or "" if no look has as many. An amount is a
// number too; if both have as many, the look is LookAmount, which is first in looks.
func LookOf(cells []string) Look {
	count := map[Look]int{}
	known := 0 // cells that are not blank
	for _, cell := range cells {
		if cell = strings.TrimSpace(cell); cell != "" {
			look := lookOfCell(cell)
			count[look]++
			known++
			if look == LookAmount {
				count[LookNumber]++
			}
		}
	}
	for _, look := range looks {
		if known > 0 && 3*count[look] >= 2*known {
			return look
		}
	}
	return ""
}

// lookOfCell returns the look of a cell that is not blank.
func lookOfCell(cell string) Look {
	lower := strings.ToLower(cell)
	for _, s := range shapes {
		if s.re.MatchString(lower) {
			return s.look
		}
	}
	if shortCode.MatchString(cell) {
		return LookCode
	}
	return LookText
}

// wider lists, by look, the looks that also fit it: a year is a number too, and a short code is text.
var wider = map[Look][]Look{
	LookYear:   {LookNumber, LookDate},
	LookAmount: {LookNumber, LookCode, LookFlag},
	LookNumber: {LookCode, LookFlag},
	LookCode:   {LookText},
	LookFlag:   {LookText, LookCode},
}

// fits reports whether cells of look l may be of a column that lists these looks. Cells of unknown look fit any list, and an
// empty list admits any cells.
func (l Look) fits(listed []Look) bool {
	if l == "" || len(listed) == 0 || slices.Contains(listed, l) {
		return true
	}
	return slices.ContainsFunc(wider[l], func(w Look) bool { return slices.Contains(listed, w) })
}
