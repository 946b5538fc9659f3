package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/consistency"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// readConsistency fills the section from what `eval consistency --json` printed.
func (s *Section) readConsistency(path string, _ *Options) error {
	var r consistency.Report
	if err := decode(path, &r); err != nil {
		return err
	}
	if len(r.Models) > maxMetrics {
		return fmt.Errorf("%s: has %d models, expected %d at most", path, len(r.Models), maxMetrics)
	}
	s.Title = "Consistency"
	s.addErrorRates(&r)
	for i := range r.Models {
		s.addErrorTypes(&r.Models[i])
	}
	code := Command("eval", "consistency", "--build", "BUILD", "--metric", r.Metric)
	for _, m := range r.Models {
		code += " " + quote("--model="+cleanLabel(m.Name)+"=BEFORE,AFTER")
	}
	s.add(Part{Title: "How to reproduce", Code: code + fmt.Sprintf(" --json --seed %d", r.Bootstrap.Seed),
		Text: []string{"BUILD is the folder that build wrote; BEFORE and AFTER are a model's outputs for its data before and after."}})
	return nil
}

// relationRow returns a model's row for a relation, or for all relations if name is "". If the model has no such row, its rate is
// undefined.
func relationRow(m *consistency.Model, name string) consistency.Row {
	if at := slices.IndexFunc(m.Relations, func(r consistency.Row) bool { return r.Name == name }); at >= 0 {
		return m.Relations[at]
	}
	if name == "" {
		return m.All
	}
	return consistency.Row{Rate: stats.Undefined(), Low: stats.Undefined(), High: stats.Undefined()}
}

// addErrorRates adds the error rates of all models as a table and a plot: a row for each relation and one for all, two columns for
// each model.
func (s *Section) addErrorRates(r *consistency.Report) {
	header := []string{"relation"}
	var models, names []string
	var rates []int // the columns of rates
	for _, m := range r.Models {
		models, rates = append(models, cleanLabel(m.Name)), append(rates, len(header))
		header = append(header, cleanLabel(m.Name), cleanLabel(m.Name)+" pairs")
		for _, rel := range m.Relations {
			if !slices.Contains(names, rel.Name) {
				names = append(names, rel.Name)
			}
		}
	}
	t := table.New("Error rate by relation and model, in %", header...)
	for _, name := range append(names, "") {
		line := table.Row{Cells: table.Cells(cmp.Or(cleanLabel(name), "all")), Strong: name == ""}
		for _, m := range r.Models {
			row := relationRow(&m, name)
			cell := row.Estimate().Cell()
			cell.Text = strings.TrimSpace(cell.Text + " " + row.Assessment.Mark())
			line.Cells = append(line.Cells, table.Cells(cell, row.Pairs)...)
		}
		t.Rows = append(t.Rows, line)
	}
	plot := plotColumns(t, Plot{Kind: Dots, Title: "Error rate by relation", Desc: "A dot a model with its interval for each relation; further left is better.", Axis: "error rate, %", Series: seriesNamed(models...)}, rates...)
	text := []string{"The error rate is the share of pairs whose outputs, before and after, are not the same. " + intervals(r.Bootstrap)}
	if r.How != "" {
		text = append([]string{sentence(r.How)}, text...)
	}
	if len(r.Models) > 1 {
		text = append(text, "Among the models a rate is good (+), neutral (=) or bad (-) by how far it lies from their mean.")
	}
	s.add(Part{Title: "Error rates", Text: text, Plot: plot, Table: t})
}

// addErrorTypes adds a model's errors by relation and type, as a table and a plot, with the clauses that differ and the reasons why
// pairs were not judged. Types without errors are left out.
func (s *Section) addErrorTypes(m *consistency.Model) {
	name := cleanLabel(m.Name)
	header := []string{"relation", "pairs", "errors"}
	var types []string
	var counts []int // the columns of types
	for _, typ := range consistency.Types() {
		if m.All.Types[typ] > 0 {
			types, counts = append(types, string(typ)), append(counts, len(header))
			header = append(header, string(typ))
		}
	}
	t := table.New("Errors of "+name+" by type", header...)
	for i, r := range append(slices.Clone(m.Relations), m.All) {
		line := []any{cleanLabel(r.Name), r.Pairs, r.Errors}
		for _, typ := range types {
			line = append(line, r.Types[consistency.Type(typ)])
		}
		t.Rows = append(t.Rows, table.Row{Cells: table.Cells(line...), Strong: i == len(m.Relations)})
	}
	plot := plotColumns(t, Plot{Kind: Bars, Title: "Errors of " + name + " by type", Desc: "A bar a relation, stacked by type.", Axis: "errors", Series: seriesNamed(types...)}, counts...)
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
		p.Text = append(p.Text, fmt.Sprintf("Not judged: %d, %s.", m.All.Unjudged[reason], cleanText(reason)))
	}
	s.add(p)
}
