package linker

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/learn/link"
)

// Scorer returns for each item of an example's schema the probability, 0 to 1, that the gold SQL uses it:
// tables, then columns. A [Model] is one.
type Scorer interface{ Score(*Example) []float32 }

// Mentions is a [Scorer] by a linker of spans: items that it links have probability 1, others 0.
type Mentions struct{ Method link.Method }

// Score implements [Scorer]: 1 for the items that the linker finds in the question.
func (m Mentions) Score(ex *Example) []float32 {
	out := make([]float32, len(ex.Schema.items))
	for _, s := range m.Method.New(ex.Schema.DB).Link(tokensOf(ex.Source)) {
		item := s.Item.Table
		if !s.Item.IsTable() {
			item = ex.Schema.first[s.Item.Table] + s.Item.Column // first is the item of the table's first column
		}
		out[item] = 1
	}
	return out
}

// Item is a table, or a column of one, with its probability.
type Item struct {
	Table  string  `json:"table"`
	Column string  `json:"column,omitempty"`
	P      float32 `json:"p"`
}

// Items names the items of the schema with their probabilities.
func (s *Schema) Items(p []float32) []Item {
	items := make([]Item, len(s.items))
	for i, it := range s.items {
		t := &s.DB.Tables[it.table]
		items[i] = Item{Table: t.Original, P: p[i]}
		if it.column >= 0 {
			items[i].Column = t.Columns[it.column].Original
		}
	}
	return items
}

// Find returns for each item of the schema its probability among items, which have names, or 0 if it is not among them. wrong counts the
// tables and columns that the schema lacks and whose probability reaches the threshold: as predicted and not correct.
func (s *Schema) Find(items []Item) (p []float32, wrong linking.Score) {
	p = make([]float32, len(s.items))
	for _, it := range items {
		switch ref, ok := s.DB.Lookup(it.Table, it.Column); {
		case it.Column == "" && s.DB.Table(it.Table) >= 0:
			p[s.DB.Table(it.Table)] = it.P
		case it.Column != "" && ok:
			p[s.at(ref)] = it.P
		case it.P >= Threshold && it.Column == "":
			wrong.Tables.Predicted++
		case it.P >= Threshold:
			wrong.Columns.Predicted++
		}
	}
	return p, wrong
}

// Compare counts the items whose probability reaches the threshold against those that the gold SQL uses.
func Compare(ex *Example, p []float32) (score linking.Score) {
	for i, used := range ex.Used {
		c := &score.Tables
		if i >= ex.Schema.tables {
			c = &score.Columns
		}
		c.Count(p[i] >= Threshold, used)
	}
	return score
}

// Row has the figures of a scorer on a set of examples.
type Row struct {
	Linker     string         `json:"linker,omitempty"`
	Set        string         `json:"set"`
	Questions  int            `json:"questions"`
	Columns    linking.Counts `json:"columns"`
	Tables     linking.Counts `json:"tables"`
	ColumnArea stats.Number   `json:"column_area"` // under the receiver's curve; undefined if nothing is ranked
	TableArea  stats.Number   `json:"table_area"`
	ColumnF1   stats.Estimate `json:"column_f1"` // its interval draws whole databases
	TableF1    stats.Estimate `json:"table_f1"`
	// ColumnChange and TableChange are of the F1 against the same questions before; nil if
	// there is none to compare with.
	ColumnChange *stats.Estimate `json:"column_change,omitempty"`
	TableChange  *stats.Estimate `json:"table_change,omitempty"`
}

// Tally sums the scores of examples, in all and by database.
type Tally struct {
	linking.Tally
	ranked [2][]Ranked // the items of all examples: tables, columns
}

// Add counts an example with the probabilities p of its items. db is the original database; wrong counts predictions that the schema lacks.
func (t *Tally) Add(db string, ex *Example, p []float32, wrong linking.Score) {
	score := Compare(ex, p)
	score.Add(wrong)
	t.Tally.Add(db, score)
	for i, used := range ex.Used {
		k := 0 // tables come first
		if i >= ex.Schema.tables {
			k = 1
		}
		t.ranked[k] = append(t.ranked[k], Ranked{p[i], used})
	}
}

// Merge adds the examples of another tally.
func (t *Tally) Merge(o *Tally) {
	t.Tally.Merge(&o.Tally)
	for k := range t.ranked {
		t.ranked[k] = append(t.ranked[k], o.ranked[k]...)
	}
}

// Row returns the figures of a linker on a set of examples. before, if not nil, is the tally of the same questions
// before a perturbation, with which the F1 is compared.
func (t *Tally) Row(linker, set string, before *Tally) Row {
	r := Row{
		Linker: linker, Set: set, Questions: t.Questions, Columns: t.Columns, Tables: t.Tables,
		TableArea: t.area(0), ColumnArea: t.area(1),
	}
	all := t.Databases()
	columns := func(d *linking.DatabaseScore) linking.Counts { return d.Columns }
	tables := func(d *linking.DatabaseScore) linking.Counts { return d.Tables }
	r.ColumnF1, r.TableF1 = interval(all, nil, columns), interval(all, nil, tables)
	if before != nil {
		original := before.Databases()
		c, t := interval(all, original, columns), interval(all, original, tables)
		r.ColumnChange, r.TableChange = &c, &t
	}
	return r
}

// area returns the area under the ROC curve for tables (kind 0) or columns (kind 1). It is undefined for a linker whose
// probabilities are all 0 or 1, which do not rank items.
func (t *Tally) area(kind int) stats.Number {
	for _, r := range t.ranked[kind] {
		if r.P != 0 && r.P != 1 {
			return stats.Number(Area(t.ranked[kind]))
		}
	}
	return stats.Undefined()
}

// interval returns the F1 over databases with its bootstrap interval. Where original is not nil, it
// returns the difference to the F1 of the same databases before. counts selects those of tables or of
// columns.
func interval(all, original []linking.DatabaseScore, counts func(*linking.DatabaseScore) linking.Counts) stats.Estimate {
	return stats.Bootstrap{Seed: 1}.Estimate(len(all), func(times []int) float64 {
		var sum, before linking.Counts
		for i, n := range times {
			sum.Add(counts(&all[i]), n)
			if original != nil {
				before.Add(counts(&original[i]), n)
			}
		}
		if original == nil {
			return sum.F1()
		}
		return sum.F1() - before.F1()
	})
}

// WriteTable writes rows as aligned text: precision, recall, F1 with its interval and area,
// in percent, of columns and of tables, and by how many points the F1 changed.
func WriteTable(w io.Writer, rows []Row) error {
	compared := false
	for _, r := range rows {
		compared = compared || r.ColumnChange != nil
	}
	heads := []string{"linker", "data", "questions", "col P", "col R", "col F1", "area", "tab P", "tab R", "tab F1", "area"}
	if compared {
		heads = append(heads, "col change", "tab change")
	}
	t := table.New("", heads...)
	for _, r := range rows {
		cells := []any{
			r.Linker, r.Set, fmt.Sprintf("%9d", r.Questions),
			percent(r.Columns.Precision()), percent(r.Columns.Recall()), r.ColumnF1.Percent(), area(r.ColumnArea),
			percent(r.Tables.Precision()), percent(r.Tables.Recall()), r.TableF1.Percent(), area(r.TableArea),
		}
		if compared {
			cells = append(cells, change(r.ColumnChange), change(r.TableChange))
		}
		t.Add(cells...)
	}
	_, err := fmt.Fprint(w, t)
	return err
}

// percent returns a share in percent with one decimal.
func percent(share float64) string { return fmt.Sprintf("%5.1f", 100*share) }

// area returns an area in percent, "-" if it is undefined.
func area(n stats.Number) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return percent(float64(n))
}

// change returns how an F1 changed, in points, or "-" if there is nothing to compare with.
func change(e *stats.Estimate) string {
	if e == nil {
		return "-"
	}
	return e.Points()
}

// Line is the answer of a linker to a question: a line of a file of items.
type Line struct {
	Index int    `json:"index"` // position in the split, from 0
	DB    string `json:"db_id"`
	Items []Item `json:"items"`
}

// Writer writes lines.
type Writer struct{ enc *json.Encoder }

// NewWriter returns a Writer to w, which it does not buffer.
func NewWriter(w io.Writer) *Writer { return &Writer{json.NewEncoder(w)} }

// Write writes the items of an example with their probabilities.
func (w *Writer) Write(ex *Example, p []float32) error {
	return w.enc.Encode(Line{ex.Source.Index, ex.Schema.DB.ID, ex.Schema.Items(p)})
}
