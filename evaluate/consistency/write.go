package consistency

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Formats returns the names of the formats that [Report.Write] knows.
func Formats() []string { return []string{"text", "md", "csv", "json"} }

// Write writes the report. Text ("text") and Markdown ("md") give rates in percent
// with one decimal: for several models first those of table 7 with their
// assessments, then a table a model with its types of error and the clauses that
// differ. "csv" has a line for each model and relation, and one for all. "json" is
// the [Report]; mix --strategy adaptive reads from it
//
//	{"models": [{"name", "relations": [{"name", "pairs", "errors", "rate", "low", "high"}]}]}
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.writeText(w)
	case "md":
		return r.writeMarkdown(w)
	case "csv":
		return r.writeCSV(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	return fmt.Errorf("format %q, expected %s", format, strings.Join(Formats(), ", "))
}

// A grid is a table as people read it: a title, a header and lines.
type grid struct {
	title string
	lines [][]string
	notes []string
}

// grids returns the tables of the report.
func (r *Report) grids() []grid {
	var all []grid
	if len(r.Models) > 1 {
		all = append(all, r.comparison())
	}
	for i := range r.Models {
		all = append(all, r.Models[i].grid())
	}
	return all
}

func (r *Report) title() string {
	if r.How == "" {
		return r.Metric
	}
	return r.Metric + ": " + r.How
}

// comparison is table 7: a row a relation, a column a model, since names of
// relations are long.
func (r *Report) comparison() grid {
	g := grid{title: "error rate by model; assessment among the models: + good, = neutral, - bad"}
	head, score := []string{"relation"}, []string{"score"}
	for _, m := range r.Models {
		head = append(head, m.Name)
		value := "-"
		if m.Score.Defined() {
			value = fmt.Sprintf("%+.2f", float64(m.Score))
		}
		score = append(score, value)
	}
	g.lines = append(g.lines, head)
	for _, name := range append(r.relations(), "all") {
		line := []string{name}
		for i := range r.Models {
			cell := "-"
			if row := r.Models[i].cell(name); row != nil {
				cell = strings.TrimSpace(row.estimate().Percent() + " " + row.Assessment.Mark())
			}
			line = append(line, cell)
		}
		g.lines = append(g.lines, line)
	}
	g.lines = append(g.lines, score)
	return g
}

// grid is a model's own table: types of error and clauses that do not occur are
// left out.
func (m *Model) grid() grid {
	g := grid{title: m.Name}
	head := []string{"relation", "pairs", "errors", "rate"}
	var types []Type
	for _, t := range Types() {
		if m.All.Types[t] > 0 {
			types, head = append(types, t), append(head, string(t))
		}
	}
	g.lines = append(g.lines, head)
	rows := m.Relations
	if len(rows) != 1 {
		rows = append(slices.Clone(rows), m.All)
	}
	for _, r := range rows {
		line := []string{r.Name, strconv.Itoa(r.Pairs), strconv.Itoa(r.Errors), r.estimate().Percent()}
		for _, t := range types {
			line = append(line, strconv.Itoa(r.Types[t]))
		}
		g.lines = append(g.lines, line)
	}
	var clauses []string
	for _, c := range Clauses() {
		if n := m.All.Clauses[c]; n > 0 {
			clauses = append(clauses, fmt.Sprintf("%s %d", c, n))
		}
	}
	if clauses != nil {
		g.notes = append(g.notes, "clauses that differ: "+strings.Join(clauses, ", "))
	}
	for _, reason := range slices.Sorted(maps.Keys(m.All.Unjudged)) {
		g.notes = append(g.notes, fmt.Sprintf("not judged %d: %s", m.All.Unjudged[reason], reason))
	}
	return g
}

// legend returns what must be known to read the tables.
func (r *Report) legend() string {
	return fmt.Sprintf("error rate: pairs of outputs that are not the same, in %% of those judged, with its %g%% interval by database (%d draws, seed %d)\n",
		100*r.Bootstrap.Level, r.Bootstrap.Draws, r.Bootstrap.Seed)
}

func (r *Report) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, r.title())
	for _, g := range r.grids() {
		fmt.Fprintln(w, "\n"+g.title)
		for _, line := range g.lines {
			fmt.Fprintln(w, strings.Join(line, "\t"))
		}
		for _, note := range g.notes {
			fmt.Fprintln(w, note)
		}
	}
	fmt.Fprint(w, "\n"+r.legend())
	return w.Flush()
}

func (r *Report) writeMarkdown(out io.Writer) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	b.WriteString(r.title() + "\n")
	for _, g := range r.grids() {
		b.WriteString("\n**" + g.title + "**\n\n")
		line(g.lines[0])
		b.WriteString("| --- " + strings.Repeat("| ---: ", len(g.lines[0])-1) + "|\n")
		for _, cells := range g.lines[1:] {
			line(cells)
		}
		for _, note := range g.notes {
			b.WriteString("\n" + note + "\n")
		}
	}
	b.WriteString("\n" + r.legend())
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *Report) writeCSV(out io.Writer) error {
	head := []string{"metric", "model", "relation", "databases", "pairs", "errors", "rate", "low", "high", "assessment", "unjudged"}
	for _, t := range Types() {
		head = append(head, string(t))
	}
	for _, c := range Clauses() {
		head = append(head, "in "+string(c))
	}
	lines := [][]string{head}
	for _, m := range r.Models {
		for _, row := range append(slices.Clone(m.Relations), m.All) {
			lines = append(lines, append([]string{r.Metric, m.Name}, row.fields()...))
		}
	}
	return csv.NewWriter(out).WriteAll(lines)
}

// fields returns a row for programs: rates in percent, and empty where undefined.
func (r *Row) fields() []string {
	f := []string{r.Name, strconv.Itoa(r.Databases), strconv.Itoa(r.Pairs), strconv.Itoa(r.Errors)}
	e := r.estimate()
	for _, n := range []stats.Number{e.Value, e.Low, e.High} {
		if n.Defined() {
			f = append(f, n.Percent())
		} else {
			f = append(f, "")
		}
	}
	unjudged := 0
	for _, n := range r.Unjudged {
		unjudged += n
	}
	f = append(f, string(r.Assessment), strconv.Itoa(unjudged))
	for _, t := range Types() {
		f = append(f, strconv.Itoa(r.Types[t]))
	}
	for _, c := range Clauses() {
		f = append(f, strconv.Itoa(r.Clauses[c]))
	}
	return f
}
