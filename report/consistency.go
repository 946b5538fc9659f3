package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// consistency makes the section of what `eval consistency --json` printed.
func (s *Section) consistency(path string) error {
	var r consistency.Report
	if err := decode(path, nil, &r); err != nil {
		return err
	}
	if len(r.Models) > maxMetrics {
		return fmt.Errorf("%s: has %d models, expected %d at most", path, len(r.Models), maxMetrics)
	}
	s.Title = "Consistency"
	s.errorRates(&r)
	for i := range r.Models {
		s.errorTypes(&r.Models[i])
	}
	code := Command("eval", "consistency", "--build", "BUILD", "--metric", r.Metric)
	for _, m := range r.Models {
		code += " " + quote("--model="+clean(m.Name, maxLabel)+"=BEFORE,AFTER")
	}
	s.add(Part{Title: "How to reproduce", Code: code + fmt.Sprintf(" --json --seed %d", r.Bootstrap.Seed),
		Text: []string{"BUILD is the folder that build wrote; BEFORE and AFTER are a model's outputs for its data before and after."}})
	return nil
}

func rateOf(r *consistency.Row) stats.Estimate {
	return stats.Estimate{Value: r.Rate, Interval: stats.Interval{Low: r.Low, High: r.High}}
}

// errorRates adds the rates of all models: a row a relation, a column a model.
func (s *Section) errorRates(r *consistency.Report) {
	t := &Table{Caption: "Error rate by relation and model, in %", Columns: []Column{{Name: "relation"}}}
	plot := &Plot{Kind: Dots, Title: "Error rate by relation", Desc: "A dot a model with its interval for each relation; further left is better.", Axis: "error rate, %"}
	var names []string
	for i := range r.Models {
		m := &r.Models[i]
		t.Columns = append(t.Columns, Column{Name: clean(m.Name, maxLabel), Numeric: true}, Column{Name: clean(m.Name, maxLabel) + " pairs", Numeric: true})
		plot.Series = append(plot.Series, Series{Name: clean(m.Name, maxLabel)})
		for _, rel := range m.Relations {
			if !slices.Contains(names, rel.Name) {
				names = append(names, rel.Name)
			}
		}
	}
	for _, name := range append(names, "") {
		line := Row{Cells: []Cell{label(name)}}
		if name == "" {
			line = Row{Cells: []Cell{{Text: "all"}}, Strong: true}
		}
		plot.Labels = append(plot.Labels, line.Cells[0].Text)
		for i := range r.Models {
			m := &r.Models[i]
			of := consistency.Row{Rate: stats.Undefined(), Low: stats.Undefined(), High: stats.Undefined()}
			if at := slices.IndexFunc(m.Relations, func(row consistency.Row) bool { return row.Name == name }); at >= 0 {
				of = m.Relations[at]
			} else if name == "" {
				of = m.All
			}
			cell := estimate(rateOf(&of))
			cell.Text = strings.TrimSpace(cell.Text + " " + of.Assessment.Mark())
			line.Cells = append(line.Cells, cell, count(of.Pairs))
			plot.Series[i].Points = append(plot.Series[i].Points, Point{Value: of.Rate, Low: of.Low, High: of.High})
		}
		t.Rows = append(t.Rows, line)
	}
	text := []string{"The error rate is the share of pairs whose outputs, before and after, are not the same. " + intervals(r.Bootstrap)}
	if r.How != "" {
		text = append([]string{sentence(r.How)}, text...)
	}
	if len(r.Models) > 1 {
		text = append(text, "Among the models a rate is good (+), neutral (=) or bad (-) by how far it lies from their mean.")
	}
	s.add(Part{Title: "Error rates", Text: text, Plot: plot, Table: t})
}

// errorTypes adds a model's errors by type; types that do not occur are left out.
func (s *Section) errorTypes(m *consistency.Model) {
	name := clean(m.Name, maxLabel)
	t := &Table{Caption: "Errors of " + name + " by type", Columns: columns("relation", "pairs", "errors")}
	plot := &Plot{Kind: Bars, Title: "Errors of " + name + " by type", Desc: "A bar a relation, stacked by type.", Axis: "errors"}
	var types []consistency.Type
	for _, typ := range consistency.Types() {
		if m.All.Types[typ] > 0 {
			types = append(types, typ)
			t.Columns = append(t.Columns, Column{Name: string(typ), Numeric: true})
			plot.Series = append(plot.Series, Series{Name: string(typ)})
		}
	}
	for i, r := range append(slices.Clone(m.Relations), m.All) {
		line := Row{Cells: []Cell{label(r.Name), count(r.Pairs), count(r.Errors)}, Strong: i == len(m.Relations)}
		for k, typ := range types {
			line.Cells = append(line.Cells, count(r.Types[typ]))
			if !line.Strong {
				plot.Series[k].Points = append(plot.Series[k].Points, points(r.Types[typ])...)
			}
		}
		if !line.Strong {
			plot.Labels = append(plot.Labels, line.Cells[0].Text)
		}
		t.Rows = append(t.Rows, line)
	}
	p := Part{Title: "Types of error: " + name, Plot: plot, Table: t}
	var clauses []string
	for _, c := range consistency.Clauses() {
		if n := m.All.Clauses[c]; n > 0 {
			clauses = append(clauses, fmt.Sprintf("%s %d", c, n))
		}
	}
	if clauses != nil {
		p.Text = append(p.Text, "Clauses that differ: "+strings.Join(clauses, ", ")+".")
	}
	for _, reason := range slices.Sorted(maps.Keys(m.All.Unjudged)) {
		p.Text = append(p.Text, fmt.Sprintf("Not judged: %d, %s.", m.All.Unjudged[reason], clean(reason, maxText)))
	}
	s.add(p)
}
