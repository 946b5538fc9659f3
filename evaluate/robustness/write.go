package robustness

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// Formats returns the names of the formats that [Write] knows.
func Formats() []string { return []string{"text", "md", "csv", "json"} }

// Write writes tables in the layout of Dr.Spider's table 3: a row a perturbation,
// grouped, with rows of averages. Text ("text"), Markdown ("md") and CSV ("csv")
// give percent with one decimal, where CSV has names in full and a table after
// the other under one header; "json" is an array of [Table].
func Write(w io.Writer, format string, tables []*Table) error {
	switch format {
	case "text":
		return writeText(w, tables)
	case "md":
		return writeMarkdown(w, tables)
	case "csv":
		return writeCSV(w, tables)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(tables)
	}
	return fmt.Errorf("format %q, expected %s", format, strings.Join(Formats(), ", "))
}

var header = []string{"", "perturbation", "#", "pre", "post", "change", "relative", "p"}

// cells returns a row as people read it; the group is left out where the row
// above, which may be nil, is of the same one.
func (r *Row) cells(above *Row) []string {
	group := r.Group
	switch {
	case r.Group == "":
		group = "all"
	case above != nil && above.Group == r.Group:
		group = ""
	}
	_, name, found := strings.Cut(r.Perturbation, "/")
	switch {
	case r.Perturbation == "":
		name = "average"
	case !found:
		name = r.Perturbation
	}
	n := strconv.Itoa(r.Records)
	if r.Perturbation == "" {
		n = "-"
	}
	return []string{group, name, n, r.Pre.Percent(), r.Post.Percent(), r.Change.Percent(), r.Relative.Percent(), r.McNemar.PValue()}
}

// body returns the rows of the table as people read them.
func (t *Table) body() [][]string {
	var lines [][]string
	var above *Row
	for i := range t.Rows {
		lines = append(lines, t.Rows[i].cells(above))
		above = &t.Rows[i]
	}
	return lines
}

func (t *Table) title() string {
	if t.How == "" {
		return t.Metric
	}
	return t.Metric + ": " + t.How
}

// leftOut returns a line each on the records that are in no figure, or nothing.
func (t *Table) leftOut() string {
	unjudged, unchanged := 0, 0
	for _, r := range t.Rows {
		if r.Perturbation != "" {
			unjudged += r.Unjudged
			unchanged += r.Unchanged
		}
	}
	lines := ""
	if unjudged > 0 {
		lines += fmt.Sprintf("%s: left out %d, for they were not judged before or after\n", t.Metric, unjudged)
	}
	if unchanged > 0 {
		lines += fmt.Sprintf("%s: left out %d, for they are turns that stand unchanged beside perturbed ones\n", t.Metric, unchanged)
	}
	return lines
}

// legend returns what must be known to read tables with intervals by b.
func legend(b stats.Bootstrap) string {
	return fmt.Sprintf("accuracy in %% with its %g%% interval by database (%d draws, seed %d); relative: of the right before, the right after;\n"+
		"averages are over perturbations; p: McNemar's test, pooled in averages, which takes records as independent\n", 100*b.Level, b.Draws, b.Seed)
}

func writeText(out io.Writer, tables []*Table) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, t.title())
		for _, line := range append([][]string{header}, t.body()...) {
			fmt.Fprintln(w, strings.Join(line, "\t"))
		}
		fmt.Fprint(w, t.leftOut())
	}
	if len(tables) > 0 {
		fmt.Fprint(w, "\n"+legend(tables[0].Bootstrap))
	}
	return w.Flush()
}

func writeMarkdown(out io.Writer, tables []*Table) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("**" + t.title() + "**\n\n")
		line(header)
		b.WriteString("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		for j, cells := range t.body() {
			if t.Rows[j].Perturbation == "" {
				for k := range cells {
					if cells[k] != "" {
						cells[k] = "**" + cells[k] + "**"
					}
				}
			}
			line(cells)
		}
		if note := t.leftOut(); note != "" {
			b.WriteString("\n" + note)
		}
	}
	if len(tables) > 0 {
		b.WriteString("\n" + legend(tables[0].Bootstrap))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func writeCSV(out io.Writer, tables []*Table) error {
	w := csv.NewWriter(out)
	head := []string{"metric", "group", "perturbation", "perturbations", "databases", "records", "unjudged"}
	for _, figure := range []string{"pre", "post", "change", "relative"} {
		head = append(head, figure, figure+"_low", figure+"_high")
	}
	lines := [][]string{append(head, "broken", "fixed", "mcnemar_p")}
	for _, t := range tables {
		for _, r := range t.Rows {
			lines = append(lines, append([]string{t.Metric}, r.fields()...))
		}
	}
	return w.WriteAll(lines)
}

// fields returns a row for programs: in percent, and empty where undefined.
func (r *Row) fields() []string {
	group, name := r.Group, r.Perturbation
	if group == "" {
		group = "all"
	}
	if name == "" {
		name = "average"
	}
	f := []string{group, name}
	for _, n := range []int{r.Perturbations, r.Databases, r.Records, r.Unjudged} {
		f = append(f, strconv.Itoa(n))
	}
	for _, e := range []stats.Estimate{r.Pre, r.Post, r.Change, r.Relative} {
		for _, n := range []stats.Number{e.Value, e.Low, e.High} {
			if n.Defined() {
				f = append(f, n.Percent())
			} else {
				f = append(f, "")
			}
		}
	}
	p := ""
	if r.McNemar.Defined() {
		p = strconv.FormatFloat(float64(r.McNemar), 'g', 4, 64)
	}
	return append(f, strconv.Itoa(r.Broken), strconv.Itoa(r.Fixed), p)
}
