package consistency

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Sizes of the heat map, in pixels.
const (
	cellWidth  = 56
	cellHeight = 30
	charWidth  = 7 // of a label, about
	margin     = 10
)

// WriteHeatMap writes the error rates as an SVG with one row per model and one column per relation,
// the last one for all. A cell is the darker the higher its rate, from white at 0
// to the darkest at the highest rate there is, and shows the rate in percent with
// the assessment's mark.
func (r *Report) WriteHeatMap(w io.Writer) error {
	names := append(r.relations(), "all")
	left, top := margin, margin
	for _, m := range r.Models {
		left = max(left, 2*margin+charWidth*utf8.RuneCountInString(m.Name))
	}
	for _, n := range names {
		top = max(top, 2*margin+charWidth*utf8.RuneCountInString(n)*3/4) // the labels slant
	}
	right := top // the last label leans over the cells
	var highest float64
	for i := range r.Models {
		for _, n := range names {
			if row := r.Models[i].row(n); row != nil && row.Rate.Defined() {
				highest = max(highest, float64(row.Rate))
			}
		}
	}
	var b strings.Builder
	width, height := left+cellWidth*len(names)+right, top+cellHeight*len(r.Models)+margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape("Error rate in % by model and relation ("+r.Metric+")"))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for i, n := range names {
		x, y := left+cellWidth*i+cellWidth/2, top-margin/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" transform="rotate(-45 %d %d)">%s</text>`+"\n", x, y, x, y, escape(n))
	}
	for i := range r.Models {
		m := &r.Models[i]
		y := top + cellHeight*i
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-margin/2, y+cellHeight*2/3, escape(m.Name))
		for j, n := range names {
			writeCell(&b, m.row(n), left+cellWidth*j, y, highest)
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCell draws a cell with its upper left corner at x and y: the rate of a row, the darker the nearer to the highest rate
// of all. The cell is grey if the row is nil or has no rate.
func writeCell(b *strings.Builder, row *Row, x, y int, highest float64) {
	rate, mark := stats.Undefined(), ""
	if row != nil {
		rate, mark = row.Rate, row.Assessment.Mark()
	}
	fill, textColour := "#eeeeee", "#000000"
	if rate.Defined() {
		share := 0.0
		if highest > 0 {
			share = float64(rate) / highest
		}
		// From white to a dark red.
		fill = fmt.Sprintf("#%02x%02x%02x", 255-int(share*77), 255-int(share*231), 255-int(share*212))
		if share > 0.6 {
			textColour = "#ffffff"
		}
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#cccccc"/>`, x, y, cellWidth, cellHeight, fill)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n",
		x+cellWidth/2, y+cellHeight*2/3, textColour, escape(strings.TrimSpace(rate.Percent()+" "+mark)))
}

// escape returns text as XML. A character that XML cannot hold becomes the replacement character.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
