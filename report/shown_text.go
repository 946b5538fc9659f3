package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteShown writes records as diffs, with an empty line between two. Their texts hold no control
// characters.
func WriteShown(w io.Writer, list []Shown, colours bool) {
	p := shownWriter{w, colours}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		p.record(&list[i])
	}
}

// Codes of the terminal: the colours of lines before and after, and the style of what differs.
const (
	red, green = "31", "32"
	underlined = "4"
)

// shownWriter writes records as text.
type shownWriter struct {
	w       io.Writer
	colours bool
}

// styled returns a text in a style of the terminal; without colours or for the style "", the text itself.
func (p *shownWriter) styled(text, style string) string {
	if !p.colours || style == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// labelWidth is the width of the labels before the texts, as "question".
const labelWidth = 9

// record writes a line with the perturbation and the example of a record, then a line for each side of each change, or one line for
// a text that did not change.
func (p *shownWriter) record(r *Shown) {
	db := r.DB
	if r.DBPost != r.DB {
		db += " → " + r.DBPost
	}
	fmt.Fprintf(p.w, "%s  example %d, sample %d, %s\n", p.styled(r.Perturbation, "1"), r.Example, r.Sample, db)
	for _, c := range r.Changes {
		what, isTable := strings.CutPrefix(c.What, "table ") // the label is short: the line has the name of the table
		if isTable {
			what = "table"
		} else if what == "order of tables" {
			what = "tables"
		}
		if c.Same() {
			p.line(" ", what, c.Before, "")
			continue
		}
		p.line("-", what, c.Before, red)
		p.line("+", what, c.After, green)
		if isTable {
			p.rows(r, strings.TrimPrefix(c.What, "table "))
		}
	}
	if r.RowsProblem != "" {
		fmt.Fprintf(p.w, "  %-*s %s\n", labelWidth, "rows", "not shown: "+r.RowsProblem)
	}
}

// line writes one side of a change. A side without text, as of a new table, has no line.
func (p *shownWriter) line(mark, what string, spans []Span, colour string) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(p.w, "%s %-*s ", p.styled(mark, colour), labelWidth, what)
	for _, s := range spans {
		style := colour
		if s.Changed {
			style += ";" + underlined
		}
		fmt.Fprint(p.w, p.styled(s.Text, style))
	}
	fmt.Fprintln(p.w)
}

// rows writes the first rows of a table before and after, if the record has them.
func (p *shownWriter) rows(r *Shown, name string) {
	for _, rows := range r.Rows {
		if rows.Table != name {
			continue
		}
		for _, side := range []struct {
			mark, colour string
			rows         [][]string
		}{{"-", red, rows.Before}, {"+", green, rows.After}} {
			for _, cells := range side.rows {
				p.line(side.mark, "row", []Span{{Text: strings.Join(cells, " | ")}}, side.colour)
			}
		}
	}
}
