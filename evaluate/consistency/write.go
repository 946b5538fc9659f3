package consistency

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Write writes the report. Text ("text") and Markdown ("md") give rates in percent
// with one decimal. Several models are first compared in the layout of table 7, with their
// assessments; then each model has a table with its types of error and the clauses that
// differ. "csv" has a line for each model and relation, and one for all. "json" is
// the [Report]; mix --strategy adaptive reads from it
//
//	{"models": [{"name", "relations": [{"name", "pairs", "errors", "rate", "low", "high"}]}]}
//
// [table.Formats] lists these.
func (r *Report) Write(w io.Writer, format string) error {
	page := table.Page{Title: r.title(), Legend: r.legend(), Lines: r.lines(), Data: r}
	if len(r.Models) > 1 {
		page.Tables = append(page.Tables, r.comparison())
	}
	for i := range r.Models {
		page.Tables = append(page.Tables, r.Models[i].table())
	}
	return page.Write(w, format)
}

// title returns the metric with its comparison.
func (r *Report) title() string {
	if r.How == "" {
		return r.Metric
	}
	return r.Metric + ": " + r.How
}

// comparison returns a table in the layout of the paper's table 7: a row for each relation, one for all and one for the score, and a
// column for each model.
func (r *Report) comparison() *table.Table {
	head, score := []string{"relation"}, []any{"score"}
	for _, m := range r.Models {
		head = append(head, m.Name)
		value := "-"
		if m.Score.Defined() {
			value = fmt.Sprintf("%+.2f", float64(m.Score))
		}
		score = append(score, value)
	}
	t := table.New("error rate by model; assessment among the models: + good, = neutral, - bad", head...)
	for _, name := range append(r.relations(), "all") {
		line := []any{name}
		for i := range r.Models {
			cell := "-"
			if row := r.Models[i].row(name); row != nil {
				cell = strings.TrimSpace(row.Estimate().Percent() + " " + row.Assessment.Mark())
			}
			line = append(line, cell)
		}
		t.Add(line...)
	}
	t.Add(score...)
	return t
}

// table returns the table of one model, without types of error and clauses that do not occur.
func (m *Model) table() *table.Table {
	head := []string{"relation", "pairs", "errors", "rate"}
	types := lists.Filter(Types(), func(t Type) bool { return m.All.Types[t] > 0 })
	head = append(head, lists.Map(types, func(t Type) string { return string(t) })...)
	t := table.New(m.Name, head...)
	rows := m.Relations
	if len(rows) != 1 { // the sum would repeat the only row
		rows = append(slices.Clone(rows), m.All)
	}
	for _, r := range rows {
		line := []any{r.Name, r.Pairs, r.Errors, r.Estimate().Percent()}
		t.Add(append(line, lists.Map(types, func(t Type) any { return r.Types[t] })...)...)
	}
	clauses := lists.Filter(Clauses(), func(c Clause) bool { return m.All.Clauses[c] > 0 })
	if len(clauses) > 0 {
		counts := lists.Map(clauses, func(c Clause) string { return fmt.Sprintf("%s %d", c, m.All.Clauses[c]) })
		t.Notes = append(t.Notes, "clauses that differ: "+strings.Join(counts, ", "))
	}
	for _, reason := range slices.Sorted(maps.Keys(m.All.Unjudged)) {
		t.Notes = append(t.Notes, fmt.Sprintf("not judged %d: %s", m.All.Unjudged[reason], reason))
	}
	return t
}

// legend returns what must be known to read the tables.
func (r *Report) legend() string {
	return fmt.Sprintf("error rate: pairs of outputs that are not the same, in %% of those judged, with its %g%% interval by database (%d draws, seed %d)",
		100*r.Bootstrap.Level, r.Bootstrap.Draws, r.Bootstrap.Seed)
}

// lines returns the table for programs: a row for each model and relation, and one for all of a model.
func (r *Report) lines() *table.Table {
	head := []string{"metric", "model", "relation", "databases", "pairs", "errors", "rate", "low", "high", "assessment", "unjudged"}
	head = append(head, lists.Map(Types(), func(t Type) string { return string(t) })...)
	head = append(head, lists.Map(Clauses(), func(c Clause) string { return "in " + string(c) })...)
	out := table.New("", head...)
	for _, m := range r.Models {
		for _, row := range append(slices.Clone(m.Relations), m.All) {
			out.Add(append([]any{r.Metric, m.Name}, row.fields()...)...)
		}
	}
	return out
}

// fields returns the cells of a row for programs: rates in percent, and empty if undefined.
func (r *Row) fields() []any {
	unjudged := 0
	for _, n := range r.Unjudged {
		unjudged += n
	}
	fields := []any{r.Name, r.Databases, r.Pairs, r.Errors, r.Rate.PercentOrEmpty(), r.Low.PercentOrEmpty(), r.High.PercentOrEmpty(), r.Assessment, unjudged}
	fields = append(fields, lists.Map(Types(), func(t Type) any { return r.Types[t] })...)
	return append(fields, lists.Map(Clauses(), func(c Clause) any { return r.Clauses[c] })...)
}
