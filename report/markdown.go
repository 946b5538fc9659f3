package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writeMarkdown writes the document as GitHub's Markdown. It writes no plots, as tables have their figures, and marks changed spans by
// the HTML elements ins and del.
func (d *Document) writeMarkdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", escapeMarkdown(d.Title))
	for i := range d.Sections {
		s := &d.Sections[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s\n", escapeMarkdown(s.Title), escapeMarkdown(s.Kind), escapeMarkdown(s.Source))
		for j := range s.Parts {
			s.Parts[j].markdown(&b)
		}
	}
	if d.Version+d.Command != "" {
		b.WriteString("\n---\n")
	}
	if d.Command != "" {
		fmt.Fprintf(&b, "\n%s\n", codeBlock(d.Command))
	}
	if d.Version != "" {
		fmt.Fprintf(&b, "\nMade by tabperturb %s.\n", escapeMarkdown(d.Version))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// markdown writes a part as Markdown.
func (p *Part) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n", escapeMarkdown(p.Title))
	for _, t := range p.Text {
		fmt.Fprintf(b, "\n%s\n", escapeMarkdown(t))
	}
	if p.Code != "" {
		fmt.Fprintf(b, "\n%s\n", codeBlock(p.Code))
	}
	if p.Table != nil {
		b.WriteString("\n" + p.Table.Markdown(escapeMarkdown))
	}
	for i := range p.Records {
		p.Records[i].markdown(b)
	}
}

// codeBlock returns a code block with a line of code, within a fence that the line does not contain.
func codeBlock(code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "sh\n" + code + "\n" + fence
}

// markdown writes a record as a table of what changed.
func (r *Record) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\nExample %d, sample %d, %s (%s content)\n\n", r.Example, r.Sample, escapeMarkdown(r.DB), escapeMarkdown(r.Content))
	b.WriteString("| | before | after |\n| --- | --- | --- |\n")
	for _, c := range r.Changes {
		after := "(the same)"
		if !c.Same() {
			after = markdownSpans(c.After, "ins")
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", escapeMarkdown(c.What), markdownSpans(c.Before, "del"), after)
	}
}

// markdownSpans returns spans as text; changed ones are in an HTML element such as "ins".
func markdownSpans(spans []Span, mark string) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Changed {
			fmt.Fprintf(&b, "<%s>%s</%s>", mark, escapeMarkdown(s.Text), mark)
		} else {
			b.WriteString(escapeMarkdown(s.Text))
		}
	}
	return b.String()
}

// entities are the HTML entities of characters that would begin HTML.
var entities = map[rune]string{'<': "&lt;", '>': "&gt;", '&': "&amp;"}

// escapeMarkdown escapes a text so that it is not read as Markdown, HTML or, between dollars, a
// formula. Underscores within words have no meaning and stay.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for i, r := range s {
		if entity, ok := entities[r]; ok {
			b.WriteString(entity)
			continue
		}
		if isMarkup(s, i, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isMarkup reports whether the character r at byte i of a text could be read as Markdown or, "$", as the beginning of a formula.
func isMarkup(s string, i int, r rune) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '|', '~', '$':
		return true
	case '_':
		inWord := i > 0 && i < len(s)-1 && wordByte(s[i-1]) && wordByte(s[i+1])
		return !inWord
	case '#', '+', '-': // a heading, a list or a rule at the beginning: "# ", "- " or "--"
		return i == 0 && len(s) > 1 && (s[1] == ' ' || s[1] == byte(r))
	}
	return false
}

// wordByte reports whether a byte is part of a word: a letter, a digit, or any byte beyond ASCII.
func wordByte(c byte) bool {
	return c >= utf8.RuneSelf || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}
