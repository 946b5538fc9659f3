package query

import (
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/numeral"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// NonDBNumber replaces a number that is no cell: of a LIMIT, or one that an
// aggregate is compared with.
var NonDBNumber = &perturb.Perturbation{
	Name:     "drspider/nondb-number",
	Doc:      "Replaces the number of a LIMIT, or one that a count or another aggregate is compared with, by another at most 10 away, in question and gold SQL.",
	Paper:    "Dr.Spider, section 3.3 and appendix A.4 (table 7)",
	Version:  1,
	Relation: perturb.Retargeted,
	Run: each(func(p *perturb.Pass, ex *perturb.Example) ([]change, string) {
		return numberChanges(p, ex, func(c constant) bool { return c.count && !c.quoted })
	}),
}

// DBNumber replaces a number that a column is compared with.
var DBNumber = &perturb.Perturbation{
	Name:     "drspider/db-number",
	Doc:      "Replaces a number that a column is compared with by another at most 10 away, in question and gold SQL.",
	Paper:    "Dr.Spider, section 3.3 and appendix A.4 (table 7)",
	Version:  1,
	Relation: perturb.Retargeted,
	Run: each(func(p *perturb.Pass, ex *perturb.Example) ([]change, string) {
		return numberChanges(p, ex, func(c constant) bool { return c.column.Column != "" && c.op != "LIKE" })
	}),
}

// numberChanges returns the changes of the wanted constants that are numbers.
func numberChanges(p *perturb.Pass, ex *perturb.Example, wanted func(constant) bool) ([]change, string) {
	all := constants(ex)
	q := newQuestion(ex)
	var lists [][]change
	reason := ""
	seen := map[float64]bool{}
	for _, c := range all {
		if !c.isNumber || c.number == 0 || c.number == 1 || !wanted(c) || seen[c.number] {
			continue // questions have other words for 0 and 1; the paper skips them
		}
		seen[c.number] = true
		same, one := mention(all, func(o constant) bool { return o.isNumber && o.number == c.number })
		stated := q.stating(c.number)
		switch {
		case len(stated) == 0, len(stated) == 1 && stated[0].Doubtful:
			reason = reasonNumber
		case len(stated) > 1 || !one:
			reason = reasonTwice
		default:
			list := others(p, ex, q, all, same, stated[0])
			if len(list) == 0 {
				reason = reasonValues
			}
			lists = append(lists, list)
		}
	}
	return interleave(pick(p, ex, lists)), reason
}

// mention returns the constants that are the same, and whether they must be of
// one mention: compared with one column, or one aggregate, in one way.
func mention(all []constant, equal func(constant) bool) (same []constant, one bool) {
	one = true
	for _, c := range all {
		if !equal(c) {
			continue
		}
		if len(same) > 0 {
			f := same[0]
			one = one && c.column == f.column && c.op == f.op && (c.column.Column != "" || sqlast.Format(c.within) == sqlast.Format(f.within))
		}
		same = append(same, c)
	}
	return same, one
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
	for k := -steps; k <= steps; k++ {
		w := math.Round((v+float64(k)*distance/float64(steps))*unit) / unit
		if k != 0 && w != 0 && w != 1 && (w > 0) == (v > 0) && (v < 1 || w > 1) {
			out = append(out, w)
		}
	}
	return out
}

func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return min(len(fraction), 6)
}

// lastYear is the last year that a year becomes.
const lastYear = 2025

// allows tells whether v may take the place of the constant: no other number of
// question or gold SQL, so that no two fall together, no year to come in the
// place of one that was, and no interval that ends before it begins.
func (c constant) allows(all []constant, q *question, v float64) bool {
	for _, n := range q.numerals {
		if n.Value == v {
			return false
		}
	}
	for _, o := range all {
		if o.isNumber && o.number == v {
			return false
		}
	}
	if c.number >= 1900 && c.number <= lastYear && v > lastYear {
		return false
	}
	return !slices.ContainsFunc(all, func(o constant) bool {
		if !o.isNumber || o.column != c.column || o.count != c.count {
			return false
		}
		return c.lower() && o.upper() && c.number <= o.number && v > o.number ||
			c.upper() && o.lower() && c.number >= o.number && v < o.number
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
		n := v.Float()
		switch v.Kind() {
		case sqlite.Null, sqlite.Blob:
			continue
		case sqlite.Text:
			text, ok := numeral.Parse(v.Bytes())
			if !ok {
				continue
			}
			n = text.Value
		}
		cells[n] = true
		least, greatest = min(least, n), max(greatest, n)
	}
	if c.number < least || c.number > greatest {
		return values
	}
	var first, rest []float64
	for _, v := range values {
		switch {
		case cells[v] && (c.op == "=" || c.op == "!=" || c.op == "IN"):
			first = append(first, v)
		case least <= v && v <= greatest:
			rest = append(rest, v)
		}
	}
	if len(first)+len(rest) == 0 {
		return values
	}
	return append(first, rest...)
}

// cellsOf returns the values of the column that the constant is compared with;
// none where there is no content, or it cannot be read.
func cellsOf(p *perturb.Pass, c constant) []sqlite.Value {
	ref, ok := c.ref(p.DB)
	if !ok || p.Content == nil {
		return nil
	}
	values, err := p.Content.Values(p.Context, ref)
	if err != nil {
		return nil
	}
	return values
}
