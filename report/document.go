package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// Document is a report. Equal inputs and options make equal documents: it holds no
// time and no path but those that the caller gives.
type Document struct {
	Title    string    `json:"title"`
	Version  string    `json:"version,omitempty"` // of the program that made it
	Command  string    `json:"command,omitempty"` // that made it
	Sections []Section `json:"sections"`
}

// Section is the part of the document about one input.
type Section struct {
	ID     string `json:"id"`    // unique in the document: "s1"
	Kind   string `json:"kind"`  // one of [Kinds]
	Title  string `json:"title"` //
	Source string `json:"source"`
	Parts  []Part `json:"parts"`
}

// Part is a titled piece of a section; its members are shown in the order of the fields,
// and any may be absent.
type Part struct {
	ID      string       `json:"id"` // unique in the document: "s1-2"
	Title   string       `json:"title"`
	Text    []string     `json:"text,omitempty"` // paragraphs
	Code    string       `json:"code,omitempty"` // a command
	Plot    *Plot        `json:"plot,omitempty"`
	Table   *table.Table `json:"table,omitempty"`
	Records []Record     `json:"records,omitempty"`
}

// The kinds of [Plot].
const (
	Bars  = "bars"  // a row a label, its series stacked
	Dots  = "dots"  // a row for each label with a dot for each series, and intervals if there are any
	Steps = "steps" // a curve that falls in steps, over a logarithmic axis
)

// Plot is a picture of figures of the table of its part.
type Plot struct {
	Kind   string   `json:"kind"`
	Title  string   `json:"title"`
	Desc   string   `json:"desc"` // what it shows, for those who cannot see it
	Axis   string   `json:"axis"` // what the values are
	Labels []string `json:"labels,omitempty"`
	Series []Series `json:"series"`
}

// Series is one kind of figure of a [Plot]: a point for each label; of Steps, with X.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is a figure of a [Plot], in the unit of the table's cells.
type Point struct {
	X     float64      `json:"x,omitempty"`
	Value stats.Number `json:"value"`
	Low   stats.Number `json:"low"`
	High  stats.Number `json:"high"`
}

// Record is an example before and after a perturbation.
type Record struct {
	Perturbation string   `json:"perturbation"`
	Example      int      `json:"example"` // position in the split, from 0
	Sample       int      `json:"sample"`  // from 0
	DB           string   `json:"db_id"`   // before
	Content      string   `json:"content"` // what the check ran on
	Changes      []Change `json:"changes"`
}

// Change is a text before and after. Before and After are equal, and have no changed
// spans, if nothing changed.
type Change struct {
	What   string `json:"what"` // "question", "gold SQL", "table singer"
	Code   bool   `json:"code,omitempty"`
	Before []Span `json:"before"`
	After  []Span `json:"after"`
}

// Same reports whether nothing changed.
func (c Change) Same() bool {
	return !slices.ContainsFunc(slices.Concat(c.Before, c.After), func(s Span) bool { return s.Changed })
}

// Span is a piece of a text, which is changed or common to both sides.
type Span = diff.Span

// Formats returns the names of the formats for [Document.Write].
func Formats() []string { return []string{"html", "md", "json"} }

// Write writes the document in a format of [Formats].
func (d *Document) Write(w io.Writer, format string) error {
	switch format {
	case "html":
		return d.writeHTML(w)
	case "md":
		return d.writeMarkdown(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		enc.SetEscapeHTML(false)
		return enc.Encode(d)
	}
	return fmt.Errorf("format %q, expected %s", format, strings.Join(Formats(), ", "))
}

// Bounds of a part, and with them of the page.
const (
	maxTableRows = 3000
	maxPlotRows  = 150
)

// add appends a part to the section and numbers it. It cuts a long table to its first rows, and
// leaves out a picture that cannot be drawn.
func (s *Section) add(p Part) {
	p.ID = fmt.Sprintf("%s-%d", s.ID, len(s.Parts)+1)
	if p.Table != nil && len(p.Table.Rows) > maxTableRows {
		p.Text = append(p.Text, cutOff(len(p.Table.Rows), maxTableRows, "rows")...)
		p.Table.Rows = p.Table.Rows[:maxTableRows]
	}
	if p.Plot != nil && !p.Plot.drawable() {
		p.Plot = nil
	}
	s.Parts = append(s.Parts, p)
}

// cutOff returns a sentence on a list of n that was cut to most; nil if it was not.
func cutOff(n, most int, what string) []string {
	if n <= most {
		return nil
	}
	return []string{fmt.Sprintf("The first %d of %d %s.", most, n, what)}
}
