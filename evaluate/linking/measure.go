package linking

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/learn/link"
)

// Predict links the questions of a split, in the order of its units. It reports
// nothing; its only error is that of a cancelled context.
func Predict(ctx context.Context, m link.Method, split *Split) dataset.Stream[*Example] {
	return func(_ func(error), each func(*Example) error) error {
		for _, u := range split.Units {
			if err := ctx.Err(); err != nil {
				return err
			}
			linker := m.New(u.DB)
			for _, ex := range u.Examples {
				spans := linker.Link(split.questions[ex.Index].tokens)
				if err := each(&Example{Index: ex.Index, DB: u.DB.ID, Links: linksOf(u.DB, spans)}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// PredictAll links the questions of a split, as [Predict] does database by database, and returns them in the split's order.
func PredictAll(ctx context.Context, m link.Method, split *Split) (all []*Example, err error) {
	err = Predict(ctx, m, split)(nil, func(ex *Example) error {
		all = append(all, ex)
		return nil
	})
	slices.SortFunc(all, func(x, y *Example) int { return cmp.Compare(x.Index, y.Index) })
	return all, err
}

// Count counts the links to columns and to tables.
func (ex *Example) Count() (columns, tables int) {
	for _, l := range ex.Links {
		if l.Column == "" {
			tables++
		} else {
			columns++
		}
	}
	return columns, tables
}

// linksOf returns a link for each token of each span, to the table or column of the span.
func linksOf(db *dataset.Database, spans []link.Span) []Link {
	links := []Link{}
	for _, s := range spans {
		l := Link{Table: db.Tables[s.Item.Table].Original}
		if !s.Item.IsTable() {
			l.Column = db.Tables[s.Item.Table].Columns[s.Item.Column].Original
		}
		for l.Token = s.Start; l.Token < s.End; l.Token++ {
			links = append(links, l)
		}
	}
	return links
}

// Row is the score of one linker on one set.
type Row struct {
	Linker    string `json:"linker,omitempty"`
	Set       string `json:"set"`
	Questions int    `json:"questions"`
	Score
	// Before is the score of the same questions on the original schemas, each as often
	// as it is in the set; nil if there is none.
	Before    *Score          `json:"before,omitempty"`
	Databases []DatabaseScore `json:"databases"` // by id of the original
}

// MeasureAll scores linkers, one after the other, as [Measure] does each.
func MeasureAll(ctx context.Context, methods []link.Method, original *Set, perturbed ...*Set) (rows []Row, err error) {
	for _, m := range methods {
		more, err := Measure(ctx, m, original, perturbed...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// NewRow returns the row of a tally.
func NewRow(linker, set string, t *Tally) Row {
	return Row{Linker: linker, Set: set, Questions: t.Questions, Score: t.Score, Databases: t.Databases()}
}

// Measure scores a linker on a data set and on perturbations of it that
// [Set.Carry] made; the first row is that of the data set.
func Measure(ctx context.Context, m link.Method, original *Set, perturbed ...*Set) ([]Row, error) {
	var rows []Row
	var before map[int]Score // by index in the original split
	for i, s := range append([]*Set{original}, perturbed...) {
		scores, err := s.scores(Predict(ctx, m, s.Split), nil)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			before = scores
		}
		var after, originals Tally // of the questions of s, and of those that they were made from
		for index, c := range s.cases {
			after.Add(c.db, scores[index])
			originals.Add(c.db, before[c.origin])
		}
		row := NewRow(m.Name, s.Name, &after)
		if i > 0 {
			row.Before = &originals.Score
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// WriteTable writes rows as aligned text: precision, recall and F1 in percent, of
// columns and of tables. Where rows have something to compare with, so does the
// table: the F1 before, and by how many points it changed.
func WriteTable(w io.Writer, rows []Row) error {
	compared := slices.ContainsFunc(rows, func(r Row) bool { return r.Before != nil })
	named := slices.ContainsFunc(rows, func(r Row) bool { return r.Linker != "" })
	t := table.New("", slices.Concat([]string{"linker", "data", "questions"}, heads("col", compared), heads("tab", compared))...)
	for _, r := range rows {
		var columns, tables *Counts
		if r.Before != nil {
			columns, tables = &r.Before.Columns, &r.Before.Tables
		}
		t.Add(slices.Concat([]any{r.Linker, r.Set, fmt.Sprintf("%9d", r.Questions)}, cells(r.Columns, columns, compared), cells(r.Tables, tables, compared))...)
	}
	if !named { // the first column, linker, is empty
		t.Columns = t.Columns[1:]
		for i := range t.Rows {
			t.Rows[i].Cells = t.Rows[i].Cells[1:]
		}
	}
	_, err := fmt.Fprint(w, t)
	return err
}

// heads returns the headers of the figures for an item, "tab" or "col".
func heads(item string, compared bool) []string {
	heads := []string{item + " P", item + " R", item + " F1"}
	if compared {
		heads = append(heads, "before", "change")
	}
	return heads
}

// cells returns precision, recall and F1 in percent. If compared is set, it adds the F1 before and the change,
// or "-" if before is nil.
func cells(after Counts, before *Counts, compared bool) []any {
	percent := func(share float64) string { return fmt.Sprintf("%5.1f", 100*share) }
	cells := []any{percent(after.Precision()), percent(after.Recall()), percent(after.F1())}
	switch {
	case before != nil:
		change := math.Round(1000*(after.F1()-before.F1()))/10 + 0 // no minus before a zero
		cells = append(cells, percent(before.F1()), fmt.Sprintf("%+6.1f", change))
	case compared:
		cells = append(cells, "    -", "     -")
	}
	return cells
}
