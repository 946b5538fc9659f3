package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Bounds of texts, in runes.
const (
	maxText  = 2000 // of questions, SQL and details
	maxLabel = 200  // of names
)

// clean makes a text of the inputs fit to be shown: on one line, without control and
// other invisible characters that could disarrange a page, and at most max runes.
func clean(s string, max int) string {
	if len(s) > 8*max { // a bound before the work
		s = s[:8*max]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.C, r) && r != '\u200c' && r != '\u200d': // joiners are part of words
			return '\uFFFD'
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max-1]) + "…"
}

func label(s string) Cell { return Cell{Text: clean(s, maxLabel)} }
func prose(s string) Cell { return Cell{Text: clean(s, maxText)} }

func count(n int) Cell {
	v := float64(n)
	return Cell{Text: strconv.Itoa(n), Value: &v}
}

func known(n stats.Number) *float64 {
	if !n.Defined() {
		return nil
	}
	v := float64(n)
	return &v
}

// share prints a share in percent.
func share(n stats.Number) Cell { return Cell{Text: n.Percent(), Value: known(n)} }

// estimate prints a share with its interval in percent.
func estimate(e stats.Estimate) Cell {
	return Cell{Text: e.Percent(), Value: known(e.Value), Low: known(e.Low), High: known(e.High)}
}

func pValue(n stats.Number) Cell { return Cell{Text: n.PValue(), Value: known(n)} }

// decimals prints a figure with three decimals.
func decimals(v float64) Cell {
	return Cell{Text: strconv.FormatFloat(v, 'f', 3, 64), Value: &v}
}

// point is a figure without an interval.
func point(v float64) Point {
	return Point{Value: stats.Number(v), Low: stats.Undefined(), High: stats.Undefined()}
}

func points(values ...int) (list []Point) {
	for _, v := range values {
		list = append(list, point(float64(v)))
	}
	return list
}

// sentence makes a sentence of a text that begins small and ends without a full stop.
func sentence(s string) string {
	s = strings.TrimSuffix(clean(s, maxText), ".")
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:] + "."
}

// columns makes a table's columns: the first is of names, all others are numeric.
func columns(names ...string) []Column {
	list := make([]Column, len(names))
	for i, n := range names {
		list[i] = Column{Name: n, Numeric: i > 0}
	}
	return list
}

// facts is a table of two columns.
func facts(caption string, rows ...Row) *Table {
	return &Table{Caption: caption, Columns: columns("figure", "value"), Rows: rows}
}

func row(cells ...Cell) Row { return Row{Cells: cells} }
