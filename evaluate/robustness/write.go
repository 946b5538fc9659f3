package robustness

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Write writes tables in the layout of Dr.Spider's table 3: one row per perturbation,
// grouped, with rows of averages. Text ("text"), Markdown ("md") and CSV ("csv")
// give percent with one decimal. CSV writes names in full, and all tables below
// one header; "json" is an array of [Table]. [table.Formats] lists these.
func Write(w io.Writer, format string, tables []*Table) error {
	page := table.Page{Lines: lines(tables), Data: tables}
	for _, t := range tables {
		page.Tables = append(page.Tables, t.page())
		if samples := t.samplesPage(); len(samples.Rows) > 0 {
			page.Tables = append(page.Tables, samples)
		}
	}
	if len(tables) > 0 {
		page.Legend = legend(tables[0].Bootstrap)
		if slices.ContainsFunc(tables[0].Rows, func(r Row) bool { return r.Databases == 1 }) {
			page.Legend += "\nwith one database: no interval, and p compares questions, as their versions are not independent"
		}
	}
	return page.Write(w, format)
}

// cells returns the cells of a row for people. The cell of the group is empty if the row above, which may be nil,
// has the same group; that of the name lacks the family: "replace" for "adveta/replace".
func (r *Row) cells(above *Row) []any {
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
	return []any{group, name, n, r.Pre.Percent(), r.Post.Percent(), r.Change.Percent(), r.Relative.Percent(), r.McNemar.PValue()}
}

// page returns the table for people, with the rows of averages set off.
func (t *Table) page() *table.Table {
	out := table.New(t.title(), "", "perturbation", "#", "pre", "post", "change", "relative", "p")
	out.Columns[1].Numeric = false // "perturbation": New makes all columns but the first numeric
	out.Notes = t.leftOut()
	var above *Row // cells leaves out a group that the row above has too
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Perturbation == "" {
			out.AddStrong(r.cells(above)...)
		} else {
			out.Add(r.cells(above)...)
		}
		above = r
	}
	return out
}

// samplesPage returns the table of accuracies by sample, which has no rows if no perturbation has several and no whole
// split was scored.
func (t *Table) samplesPage() *table.Table {
	out := table.New(t.Metric+": accuracy after, by sample", "perturbation", "of", "#", "pre", "samples", "mean", "sd", "worst", "in every one")
	out.Columns[1].Numeric = false
	for _, r := range t.Rows {
		if s := r.Samples; s != nil {
			out.Add(append([]any{r.Perturbation, "covered", r.Records, "-"}, s.cells()...)...)
		}
		if w := r.Whole; w != nil {
			out.Add(append([]any{r.Perturbation, "whole split", w.Examples, w.Pre.Percent()}, w.Post.cells()...)...)
		}
	}
	return out
}

// cells returns the cells of the figures.
func (s *Samples) cells() []any {
	return []any{s.Number, s.Mean.Percent(), s.SD.Percent(), s.Worst.Percent(), s.Every.Percent()}
}

// fields returns the cells of the figures for programs; empty ones if there are none.
func (s *Samples) fields() []any {
	if s == nil {
		return []any{"", "", "", "", ""}
	}
	return []any{s.Number, s.Mean.PercentOrEmpty(), s.SD.PercentOrEmpty(), s.Worst.PercentOrEmpty(), s.Every.PercentOrEmpty()}
}

// title returns the metric with its comparison.
func (t *Table) title() string {
	if t.How == "" {
		return t.Metric
	}
	return t.Metric + ": " + t.How
}

// leftOut returns a note on the records that are in no figure, with a line for each reason; nil if there are
// none.
func (t *Table) leftOut() []string {
	unjudged, unchanged := 0, 0
	for _, r := range t.Rows {
		if r.Perturbation != "" {
			unjudged += r.Unjudged
			unchanged += r.Unchanged
		}
	}
	var lines []string
	if unjudged > 0 {
		lines = append(lines, fmt.Sprintf("%s: left out %d, for they were not judged before or after", t.Metric, unjudged))
	}
	if unchanged > 0 {
		lines = append(lines, fmt.Sprintf("%s: left out %d, for they are turns that stand unchanged beside perturbed ones", t.Metric, unchanged))
	}
	if lines == nil {
		return nil
	}
	return []string{strings.Join(lines, "\n")} // one paragraph in Markdown
}

// legend returns what must be known to read tables with intervals by b.
func legend(b stats.Bootstrap) string {
	return fmt.Sprintf("accuracy in %% with its %g%% interval by database (%d draws, seed %d); relative: of the right before, the right after;\n"+
		"averages are over perturbations; p: McNemar's test, pooled in averages, which takes records as independent", 100*b.Level, b.Draws, b.Seed)
}

// lines returns one table for programs with the rows of all tables.
func lines(tables []*Table) *table.Table {
	head := []string{"metric", "group", "perturbation", "perturbations", "databases", "records", "unjudged"}
	for _, figure := range []string{"pre", "post", "change", "relative"} {
		head = append(head, figure, figure+"_low", figure+"_high")
	}
	head = append(head, "broken", "fixed", "mcnemar_p")
	for _, of := range []string{"", "whole_"} {
		head = append(head, of+"samples", of+"mean", of+"sd", of+"worst", of+"every")
	}
	out := table.New("", append(head, "whole_examples", "whole_pre")...)
	for _, t := range tables {
		for _, r := range t.Rows {
			out.Add(append([]any{t.Metric}, r.fields()...)...)
		}
	}
	return out
}

// fields returns the cells of a row of the table for programs, in the order of the head in lines: in percent, and empty if undefined.
func (r *Row) fields() []any {
	fields := []any{cmp.Or(r.Group, "all"), cmp.Or(r.Perturbation, "average"), r.Perturbations, r.Databases, r.Records, r.Unjudged}
	for _, e := range []stats.Estimate{r.Pre, r.Post, r.Change, r.Relative} {
		fields = append(fields, e.Value.PercentOrEmpty(), e.Low.PercentOrEmpty(), e.High.PercentOrEmpty())
	}
	pValue := ""
	if r.McNemar.Defined() {
		pValue = strconv.FormatFloat(float64(r.McNemar), 'g', 4, 64)
	}
	whole := append((*Samples)(nil).fields(), "", "") // empty unless the whole split was scored
	if r.Whole != nil {
		whole = append(r.Whole.Post.fields(), r.Whole.Examples, r.Whole.Pre.PercentOrEmpty())
	}
	return slices.Concat(fields, []any{r.Broken, r.Fixed, pValue}, r.Samples.fields(), whole)
}
