package perturb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Template joins the parts of a text: "%s %s" for first and last name, "%d-%02d-%02d" for year, month and day. %s is a text, %d and
// %f are an integer and a real number, and %02d is an integer of two digits; all other text is literal.
type Template string

// piece is a part of a template, or the text between two.
type piece struct {
	text  string // "" for a part
	verb  byte   // of a part: s for a text, d for an integer, f for a real number
	width int    // of a part: digits, 0 for any
}

// verbForm matches what follows the percent sign of a part: its width, if it has one, and its letter.
var verbForm = lazyregexp.New(`^(?:0([1-9])d|[sdf])`)

// paddedForm matches a number of given width.
var paddedForm = lazyregexp.New(`%0[1-9]d`)

// maxTemplate bounds a template, in bytes.
const maxTemplate = 100

// pieces splits the template into its parts and the texts between them. It returns an error for a percent sign that begins no part.
func (t Template) pieces() (out []piece, err error) {
	if len(t) > maxTemplate {
		return nil, fmt.Errorf("a template of %d bytes, expected at most %d", len(t), maxTemplate)
	}
	for i, text := range strings.Split(string(t), "%") {
		if i > 0 {
			groups := verbForm.FindStringSubmatch(text)
			if groups == nil {
				return nil, fmt.Errorf("template %q, expected %%s, %%d, %%f or %%02d", t)
			}
			verb, width := groups[0], groups[1]
			digits, _ := strconv.Atoi(width) // 0 without a width
			out = append(out, piece{verb: verb[len(verb)-1], width: digits})
			text = text[len(verb):]
		}
		if text != "" {
			out = append(out, piece{text: text})
		}
	}
	return out, nil
}

// Text returns the text that values make up, one for each part. It returns an error for another number of values.
func (t Template) Text(values []sqldata.Value) (string, error) {
	pieces, err := t.pieces()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.text != "" {
			b.WriteString(p.text)
			continue
		}
		if len(values) == 0 {
			return "", fmt.Errorf("template %q has more parts than there are values", t)
		}
		if p.width > 0 {
			fmt.Fprintf(&b, "%0*s", p.width, values[0].String())
		} else {
			b.WriteString(values[0].String())
		}
		values = values[1:]
	}
	if len(values) > 0 {
		return "", fmt.Errorf("template %q has fewer parts than there are values", t)
	}
	return b.String(), nil
}

// Unpadded returns the template with %d for each number of fixed width (%02d) that joins the cells of the map to the same texts without
// leading zeros.
func (t Template) Unpadded(m recode.Map) Template {
	for _, verb := range paddedForm.FindAllString(string(t), -1) {
		shorter := Template(strings.Replace(string(t), verb, "%d", 1))
		if shorter.joins(m) {
			t = shorter
		}
	}
	return t
}

// joins reports whether the template joins the new cells of each entry of a map to the old cell.
func (t Template) joins(m recode.Map) bool {
	return !slices.ContainsFunc(m.Cells, func(c recode.Cell) bool {
		text, err := t.Text(c.New)
		return err != nil || text != c.Old.String()
	})
}

// joined returns the expression that joins columns: first_name || ' ' || last_name. It is NULL if one of them is.
func (t Template) joined(d *sqlast.Dialect, columns []string) (sqlast.Expr, error) {
	pieces, err := t.pieces()
	if err != nil {
		return nil, err
	}
	var all sqlast.Expr
	for _, p := range pieces {
		x := sqlast.Expr(sqlast.NewString(p.text))
		if p.text == "" {
			if len(columns) == 0 {
				return nil, fmt.Errorf("template %q, expected as many parts as columns", t)
			}
			x = columnRef(d, columns[0])
			columns = columns[1:]
			if p.width > 0 {
				x = d.Padded(x, p.width)
			}
		}
		if all == nil {
			all = x
			continue
		}
		all = &sqlast.Binary{Op: "||", X: all, Y: x}
	}
	if len(columns) > 0 || len(pieces) < 2 { // one piece joins nothing
		return nil, fmt.Errorf("template %q, expected as many parts as columns", t)
	}
	return all, nil
}

// separatesTwo reports whether pieces are two parts of any width with a text between them.
func separatesTwo(pieces []piece) bool {
	if len(pieces) != 3 || pieces[1].text == "" {
		return false
	}
	return pieces[0].text+pieces[2].text == "" && pieces[0].width+pieces[2].width == 0
}

// parted returns an expression for each part of the text in a column. Two parts with a text between them are the texts before and after
// its first occurrence; numbers of given width are cut out by their positions. It returns an error for any other template.
func (t Template) parted(d *sqlast.Dialect, column string) ([]sqlast.Expr, error) {
	pieces, err := t.pieces()
	switch {
	case err != nil:
		return nil, err
	case separatesTwo(pieces):
		x := columnRef(d, column)
		at := d.Position(x, pieces[1].text)
		end := &sqlast.Binary{Op: "-", X: at, Y: number(1)}
		start := &sqlast.Binary{Op: "+", X: at, Y: number(utf8.RuneCountInString(pieces[1].text))}
		return []sqlast.Expr{pieces[0].cast(d, sqlast.NewCall("substr", x, number(1), end)), pieces[2].cast(d, sqlast.NewCall("substr", x, start))}, nil
	}
	var out []sqlast.Expr
	at := 1
	for _, p := range pieces {
		switch {
		case p.text != "":
			at += len(p.text)
			continue
		case p.width == 0:
			return nil, errors.New("the parts cannot be told apart, expected two with a text between them, or numbers of given width")
		}
		out = append(out, p.cast(d, sqlast.NewCall("substr", columnRef(d, column), number(at), number(p.width))))
		at += p.width
	}
	return out, nil
}

// join returns the text that two texts make up by a template such as "%s, %s". It returns false for a template of another form, or if
// the separator occurs before the end of the first text, so that parted would split the whole there.
func (t Template) join(parts []string) (whole string, ok bool) {
	pieces, err := t.pieces()
	areTexts := separatesTwo(pieces) && pieces[0].verb == 's' && pieces[2].verb == 's'
	if err != nil || !areTexts {
		return "", false
	}
	before := parts[0] + pieces[1].text
	return before + parts[1], strings.Index(before, pieces[1].text) == len(parts[0])
}

// cast returns an expression that converts x, the text of the part, to its type.
func (p piece) cast(d *sqlast.Dialect, x sqlast.Expr) sqlast.Expr {
	switch p.verb {
	case 'd':
		return &sqlast.Cast{X: x, Type: "INTEGER"}
	case 'f':
		return &sqlast.Cast{X: x, Type: d.Real()}
	}
	return x
}

// number returns a number as SQL.
func number(n int) sqlast.Expr {
	return &sqlast.Literal{Kind: sqlast.NumberLiteral, Text: strconv.Itoa(n)}
}
