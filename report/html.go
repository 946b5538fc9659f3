package report

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// figure is a plot as the page has it.
type figure struct {
	*Plot
	SVG template.HTML // made by this program, its texts escaped
}

// writeHTML writes the document as a page, by the template page.html, which escapes all text that comes from inputs.
func (d *Document) writeHTML(w io.Writer) error {
	page, err := template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pageStyle) },
		"figure": func(p *Part) (figure, error) {
			svg, err := p.Plot.svg(p.ID)
			return figure{p.Plot, template.HTML(svg)}, err
		},
		"hue": func(i int) int { _, n := hue(i); return n },
		// The column of cell i of a row, which may have more cells than the table has columns.
		"cell": func(t *table.Table, i int) table.Column {
			if i < len(t.Columns) {
				return t.Columns[i]
			}
			return table.Column{}
		},
		// Lines may break after the slashes of a name.
		"breaks": func(s string) []string { return strings.SplitAfter(s, "/") },
		"wide":   func(t *table.Table) bool { return len(t.Columns) > 5 },
	}).Parse(pageText)
	if err != nil {
		return err
	}
	return page.Execute(w, d)
}
