package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Bounds of texts, in runes.
const (
	maxText  = 2000 // of questions, SQL and details
	maxLabel = 200  // of names
)

// clean returns a text of the inputs as it can be shown: on one line, without control and other invisible characters that could
// disarrange a page, and cut to max runes.
func clean(s string, max int) string {
	if len(s) > 8*max { // more than max runes: bounds the work below
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

// cleanLabel cleans a name of the inputs and cuts it to maxLabel characters.
func cleanLabel(s string) string { return clean(s, maxLabel) }

// cleanText cleans a text of a report and cuts it to maxText characters.
func cleanText(s string) string { return clean(s, maxText) }

// decimals prints a figure with three decimals.
func decimals(v float64) table.Cell { return table.Figure(strconv.FormatFloat(v, 'f', 3, 64), v) }

// plotColumns returns the plot p with the figures of a table: a label for each row, and for each series the points of one of the
// columns. Among bars it leaves out rows of sums, which would dwarf the others.
func plotColumns(t *table.Table, p Plot, columns ...int) *Plot {
	for _, r := range t.Rows {
		if r.Strong && p.Kind == Bars {
			continue
		}
		p.Labels = append(p.Labels, cleanLabel(r.Cells[0].Text))
		for i, column := range columns {
			c := r.Cells[column]
			p.Series[i].Points = append(p.Series[i].Points, Point{Value: number(c.Value), Low: number(c.Low), High: number(c.High)})
		}
	}
	return &p
}

// number returns a value of a cell as a number, undefined for nil.
func number(v *float64) stats.Number {
	if v == nil {
		return stats.Undefined()
	}
	return stats.Number(*v)
}

// seriesNamed returns series with these names and without points.
func seriesNamed(names ...string) []Series {
	return lists.Map(names, func(name string) Series { return Series{Name: name} })
}

// sentence returns a text as a sentence, with a capital letter at the beginning and one full stop at the end.
func sentence(s string) string {
	s = strings.TrimSuffix(cleanText(s), ".")
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:] + "."
}

// figureTable returns an empty table with a column for what is counted and one for its value.
func figureTable(caption string) *table.Table { return table.New(caption, "figure", "value") }
