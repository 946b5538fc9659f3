package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Formats returns the formats of a [Page].
func Formats() []string { return []string{"text", "md", "csv", "json"} }

// Page is what a command prints in the format that it is asked for.
type Page struct {
	Title  string
	Tables []*Table // for people, as text or Markdown
	Legend string   // below them
	Lines  *Table   // for programs, as CSV
	Data   any      // for programs, as JSON
}

// Write writes the page in a format of [Formats].
func (p *Page) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return p.people(w, (*Table).String)
	case "md":
		return p.people(w, (*Table).captioned)
	case "csv":
		return p.Lines.CSV(w)
	case "json":
		return JSON(w, p.Data)
	}
	return fmt.Errorf("format %q, expected %s", format, strings.Join(Formats(), ", "))
}

// people writes title, tables and legend, with a blank line between them; print returns the text of a table.
func (p *Page) people(w io.Writer, print func(*Table) string) error {
	var parts []string
	if p.Title != "" {
		parts = append(parts, p.Title+"\n")
	}
	for _, t := range p.Tables {
		parts = append(parts, print(t))
	}
	if p.Legend != "" {
		parts = append(parts, p.Legend+"\n")
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

// captioned returns the table with caption and notes as Markdown.
func (t *Table) captioned() string {
	text := fmt.Sprintf("**%s**\n\n%s", t.Caption, t.Markdown(EscapeBars))
	for _, note := range t.Notes {
		text += "\n" + note + "\n"
	}
	return text
}

// String returns the caption, the table with aligned columns, and the notes.
func (t *Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	end := "\n"
	if t.Right {
		w.Init(&b, 0, 4, 2, ' ', tabwriter.AlignRight)
		end = "\t\n" // which aligns the last column too
	}
	if t.Caption != "" {
		fmt.Fprintln(w, t.Caption)
	}
	for _, line := range t.lines() {
		fmt.Fprint(w, strings.Join(line, "\t"), end)
	}
	for _, note := range t.Notes {
		fmt.Fprintln(w, note)
	}
	w.Flush()
	return b.String()
}

// lines returns the texts of the header, if there is one, and of the rows.
func (t *Table) lines() (lines [][]string) {
	header := lists.Map(t.Columns, func(c Column) string { return c.Name })
	if slices.ContainsFunc(header, func(name string) bool { return name != "" }) {
		lines = append(lines, header)
	}
	for _, r := range t.Rows {
		lines = append(lines, lists.Map(r.Cells, func(c Cell) string { return c.Text }))
	}
	return lines
}

// EscapeBars keeps a text from ending a cell of Markdown.
func EscapeBars(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Markdown returns the header and the rows as GitHub's Markdown, each text escaped.
func (t *Table) Markdown(escape func(string) string) string {
	var b, rule strings.Builder
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "| %s ", escape(c.Name))
		if c.Numeric {
			rule.WriteString("| ---: ")
		} else {
			rule.WriteString("| --- ")
		}
	}
	fmt.Fprintf(&b, "|\n%s|\n", &rule)
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			text := escape(c.Text)
			if r.Strong && text != "" {
				text = "**" + text + "**"
			}
			fmt.Fprintf(&b, "| %s ", text)
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// CSV writes the header and the rows.
func (t *Table) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(t.lines()) }

// JSON writes a value as all commands do: indented, and with <, > and & as they are.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
