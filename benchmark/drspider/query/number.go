package query

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/language/numeral"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// NonDBNumber replaces a number that is no cell: of a LIMIT, or one that an
// aggregate is compared with.
var NonDBNumber = retargeted("nondb-number", "table 7",
	"Replaces the number of a LIMIT, or one that a count or another aggregate is compared with, by another at most 10 away, in question and gold SQL.",
	numbers(func(c constant) bool { return c.count && !c.quoted }))

// DBNumber replaces a number that a column is compared with.
var DBNumber = retargeted("db-number", "table 7",
	"Replaces a number that a column is compared with by another at most 10 away, in question and gold SQL.",
	numbers(func(c constant) bool { return c.column.Column != "" && c.op != "LIKE" }))

// numbers makes changes of the wanted constants that are numbers.
func numbers(wanted func(constant) bool) source {
	return func(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
		return numberChanges(p, ex, wanted)
	}
}

func numberChanges(p *perturb.Pass, ex *perturb.Example, wanted func(constant) bool) ([]change, perturb.Reason) {
	all := slices.DeleteFunc(constants(ex), func(c constant) bool { return !c.isNumber })
	q := newQuestion(ex)
	var d drafts
	seen := map[float64]bool{0: true, 1: true} // questions have other words for 0 and 1; the paper skips them
	for _, c := range all {
		if seen[c.number] || !wanted(c) {
			continue
		}
		seen[c.number] = true
		same := equal(all, func(o constant) bool { return o.number == c.number })
		stated := q.stating(c.number)
		switch {
		case len(stated) == 0, len(stated) == 1 && stated[0].Doubtful:
			d.reason = reasonNumber
		case len(stated) > 1, !oneMention(same):
			d.reason = reasonTwice
		default:
			d.add(others(p, ex, q, all, same, stated[0]), reasonValues)
		}
	}
	return d.mixed(p, ex)
}

// equal returns the constants that are equal to one.
func equal(all []constant, to func(constant) bool) []constant {
	return slices.DeleteFunc(slices.Clone(all), func(c constant) bool { return !to(c) })
}

// oneMention tells whether equal constants must be of one mention: they are compared
// with one column, or one aggregate, in one way.
func oneMention(same []constant) bool {
	return !slices.ContainsFunc(same, func(c constant) bool { return c.use() != same[0].use() })
}

// use is what constants of one mention have in common.
type use struct {
	column     sqlast.BaseColumn
	op, within string
}

func (c constant) use() use {
	u := use{column: c.column, op: c.op}
	if c.column.Column == "" {
		u.within = sqlast.Format(c.within)
	}
	return u
}

// others returns the changes of equal constants to each number that may take
// their place.
func others(p *perturb.Pass, ex *perturb.Example, q *question, all, same []constant, stated numeral.Numeral) (out []change) {
	c := same[0]
	values := slices.DeleteFunc(around(c.number, decimals(c.text)), func(v float64) bool {
		_, ok := stated.Format(v)
		return !ok || !c.allows(all, q, v)
	})
	for _, v := range plausible(p, c, pick(p, ex, values, c.text)) {
		text, _ := stated.Format(v)
		nodes := map[sqlast.Node]sqlast.Node{}
		for _, s := range same {
			nodes[s.node] = s.numberNode(v)
		}
		out = append(out, change{spans: q.replaceBytes(stated.Start, stated.End, text, "number"), nodes: nodes, part: c.within})
	}
	return out
}

// distance is how far a number goes from its own.
const distance = 10

// maxSteps bounds the steps in which that distance is gone for numbers with
// decimals.
const maxSteps = 1000

// around returns the numbers with as many decimals at most 10 from v, without v,
// 0 and 1. A number of 2 and more stays one, a negative one too.
func around(v float64, decimals int) (out []float64) {
	unit := math.Pow(10, float64(decimals))
	steps := min(int(distance*unit), maxSteps)
	above, below := math.Inf(-1), 0.0
	switch {
	case v >= 1:
		above, below = 1, math.Inf(1)
	case v > 0:
		above, below = 0, math.Inf(1)
	}
	for k := -steps; k <= steps; k++ {
		w := math.Round((v+float64(k)*distance/float64(steps))*unit) / unit
		switch {
		case k == 0, w == 1, w <= above, w >= below:
		default:
			out = append(out, w)
		}
	}
	return out
}

func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return min(len(fraction), 6)
}

// A year from firstYear to lastYear stays one that was.
const (
	firstYear = 1900
	lastYear  = 2025
)

// allows tells whether v may take the place of the constant: no other number of
// question or gold SQL, so that no two fall together, no year to come in the
// place of one that was, and no interval that ends before it begins.
func (c constant) allows(all []constant, q *question, v float64) bool {
	wasYear := firstYear <= c.number && c.number <= lastYear
	switch {
	case wasYear && v > lastYear, len(q.stating(v)) > 0:
		return false
	}
	return !slices.ContainsFunc(all, func(o constant) bool {
		return o.number == v || c.turnsInterval(o, cmp.Compare(c.number, o.number), cmp.Compare(v, o.number))
	})
}

// plausible leaves out the values beyond those of the constant's column, where the
// constant itself is among them ("a GPA above 11"), and puts the cells first where
// the column is to be equal: a question for what is not there has no answer.
// Without content, or where nothing would be left, all stay.
func plausible(p *perturb.Pass, c constant, values []float64) []float64 {
	cells := map[float64]bool{}
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range cellsOf(p, c) {
		if n, ok := numberOf(v); ok {
			cells[n] = true
			least, greatest = min(least, n), max(greatest, n)
		}
	}
	switch {
	case c.number < least, c.number > greatest:
		return values
	}
	cellsFirst := slices.Contains([]string{"=", "!=", "IN"}, c.op)
	var first, rest []float64
	for _, v := range values {
		switch {
		case v < least, v > greatest:
		case cellsFirst && cells[v]:
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	if kept := append(first, rest...); len(kept) > 0 {
		return kept
	}
	return values
}

// numberOf returns the number that a cell holds, be it as text.
func numberOf(v sqldata.Value) (float64, bool) {
	switch v.Kind() {
	case sqldata.Integer, sqldata.Real:
		return v.Float(), true
	case sqldata.Text:
		text, ok := numeral.Parse(v.Bytes())
		return text.Value, ok
	}
	return 0, false
}

// cellsOf returns the values of the column that the constant is compared with;
// none where there is no content, or it cannot be read.
func cellsOf(p *perturb.Pass, c constant) []sqldata.Value {
	ref, ok := c.ref(p.DB)
	if !ok {
		return nil
	}
	return p.Content.Distinct(p.Context, ref)
}
