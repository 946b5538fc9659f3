package review

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// answers are the categories that annotators choose from.
var answers = []Action{Accept, Reject, Move}

// Agreement measures how far annotators agree on names. Names that an annotator added do not
// count, because no other annotator saw them.
type Agreement struct {
	Annotators []string     `json:"annotators"`
	Items      int          `json:"items"`   // names that any of them decided on
	Complete   int          `json:"by_all"`  // names that all of them decided on
	Fleiss     stats.Number `json:"fleiss"`  // kappa over Complete; undefined with fewer than two annotators or names
	Pairs      []Pair       `json:"pairs"`   // pairwise Cohen's kappa
	Disputed   []Dispute    `json:"dispute"` // names on which two of them differ
}

// Pair is the agreement of two annotators.
type Pair struct {
	A     string       `json:"a"`
	B     string       `json:"b"`
	Items int          `json:"items"` // that both decided on
	Equal stats.Number `json:"equal"` // share of them on which they agree
	Kappa stats.Number `json:"kappa"`
}

// Dispute is a name on which annotators differ; Answers are by annotator, "" if one
// did not decide.
type Dispute struct {
	DB      string       `json:"db_id"`
	Table   string       `json:"table"`
	Column  string       `json:"column"`
	Side    dataset.Side `json:"side"`
	Name    string       `json:"name"`
	Answers []Action     `json:"answers"`
}

// Agree compares annotators: it lists the names on which their answers differ, and computes Fleiss' kappa over the names
// that all of them decided on, and the agreement of each pair.
func Agree(all []*Verdicts) *Agreement {
	a := &Agreement{Annotators: annotatorNames(all), Pairs: []Pair{}, Disputed: []Dispute{}}
	var table [][]int // for each name that all decided on: how many gave each of answers
	for _, item := range decidedItems(all) {
		a.Items++
		row, given := make([]int, len(answers)), make([]Action, len(all))
		n := 0
		for i, v := range all {
			if answer, ok := v.answer(item); ok {
				row[slices.Index(answers, answer)]++
				given[i] = answer
				n++
			}
		}
		if n == len(all) {
			table = append(table, row)
		}
		if slices.Max(row) < n { // no answer has all votes
			c := item.Column
			a.Disputed = append(a.Disputed, Dispute{c.DB, c.Table, c.Column, item.Side, item.Name, given})
		}
	}
	a.Complete, a.Fleiss = len(table), fleissKappa(table)
	for i, x := range all {
		for _, y := range all[i+1:] {
			a.Pairs = append(a.Pairs, agreePair(x, y))
		}
	}
	return a
}

// answer returns the decision of an annotator on a name that came from the buckets, false for none.
func (v *Verdicts) answer(item Item) (Action, bool) {
	if v.Added[item] {
		return "", false
	}
	answer, ok := v.Items[item]
	return answer, ok
}

// decidedItems returns the items that any annotator decided on, sorted. A name that an annotator added does not count as decided by
// its author: the others never saw it.
func decidedItems(all []*Verdicts) []Item {
	items := map[Item]bool{}
	for _, v := range all {
		for item := range v.Items {
			if !v.Added[item] {
				items[item] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(items), Item.compare)
}

// agreePair returns the agreement of two annotators on the names that both decided on. table counts them by the answers of x and y.
func agreePair(x, y *Verdicts) Pair {
	table := make([][]int, len(answers))
	for i := range table {
		table[i] = make([]int, len(answers))
	}
	p := Pair{A: x.Annotator, B: y.Annotator}
	equal := 0
	for _, item := range decidedItems([]*Verdicts{x, y}) {
		a, okA := x.answer(item)
		b, okB := y.answer(item)
		if !okA || !okB {
			continue
		}
		p.Items++
		equal += indicator(a == b)
		table[slices.Index(answers, a)][slices.Index(answers, b)]++
	}
	p.Equal, p.Kappa = stats.Share(equal, p.Items), cohenKappa(table)
	return p
}

// fleissKappa returns Fleiss' kappa (Fleiss 1971) of a table with a row for each subject and a column
// for each category: table[i][j] raters chose category j for subject i. All rows have the same
// sum, at least 2. Kappa is undefined without rows, and 1 if all raters always chose the same
// category.
func fleissKappa(table [][]int) stats.Number {
	if len(table) == 0 {
		return stats.Undefined()
	}
	raters := lists.Sum(table[0], func(n int) int { return n })
	if raters < 2 {
		return stats.Undefined()
	}
	observed := 0.0
	totals := make([]float64, len(table[0]))
	for _, row := range table {
		equal := 0 // ordered pairs of raters with the same category
		for c, n := range row {
			totals[c] += float64(n)
			equal += n * (n - 1)
		}
		observed += float64(equal) / float64(raters*(raters-1))
	}
	observed /= float64(len(table))
	expected := 0.0
	for _, t := range totals {
		share := t / float64(len(table)*raters)
		expected += share * share
	}
	return kappa(observed, expected)
}

// cohenKappa returns Cohen's kappa (Cohen 1960) of a square table that counts the subjects to
// which the first rater gave the row's category and the second the column's.
func cohenKappa(table [][]int) stats.Number {
	total, equal := 0, 0
	rows, columns := make([]int, len(table)), make([]int, len(table))
	for i, row := range table {
		for j, n := range row {
			total += n
			rows[i] += n
			columns[j] += n
		}
		equal += row[i]
	}
	if total == 0 {
		return stats.Undefined()
	}
	expected := 0.0
	for i := range table {
		expected += float64(rows[i]) / float64(total) * float64(columns[i]) / float64(total)
	}
	return kappa(float64(equal)/float64(total), expected)
}

// kappa returns (observed - expected) / (1 - expected): how far the observed agreement exceeds the agreement expected by chance, as a
// share of the possible excess. It is 1 if chance alone gives full agreement.
func kappa(observed, expected float64) stats.Number {
	if expected >= 1 {
		return 1
	}
	return stats.Number((observed - expected) / (1 - expected))
}

// WriteText prints the agreement for people, with at most shown disputed names; -1 is
// all.
func (a *Agreement) WriteText(w io.Writer, shown int) error {
	fmt.Fprintf(w, "%d names decided on, %d of them by all %d annotators\n", a.Items, a.Complete, len(a.Annotators))
	fmt.Fprintf(w, "Fleiss' kappa %s\n\n", decimals(a.Fleiss))
	t := table.New("", "annotators", "names", "equal %", "Cohen's kappa")
	for _, p := range a.Pairs {
		t.Add(p.A+", "+p.B, p.Items, p.Equal.Percent(), decimals(p.Kappa))
	}
	fmt.Fprintf(w, "%s\n%d disputed\n", t, len(a.Disputed))
	return writeDisputes(w, a.Annotators, a.Disputed, shown)
}

// writeDisputes prints a line for each disputed name with the answer of each annotator ("-" for none): for the first shown names, or all
// for -1.
func writeDisputes(w io.Writer, annotators []string, disputes []Dispute, shown int) error {
	for i, d := range disputes {
		if i == shown {
			_, err := fmt.Fprintf(w, "  … and %d more\n", len(disputes)-i)
			return err
		}
		fmt.Fprintf(w, "  %s.%s.%s %s %q:", d.DB, d.Table, d.Column, d.Side, d.Name)
		for j, answer := range d.Answers {
			fmt.Fprintf(w, " %s %s", annotators[j], cmp.Or(answer, "-"))
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// decimals returns a number with six decimals, "-" if it is undefined.
func decimals(n stats.Number) string {
	if !n.Defined() {
		return "-"
	}
	return fmt.Sprintf("%.6f", float64(n))
}
