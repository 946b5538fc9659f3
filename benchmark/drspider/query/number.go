package query

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
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
	numbers(func(c constant) bool { return c.column.Column != "" && !c.isPattern() }))

// numbers returns the source of changes to constants that are numbers and that wanted accepts.
func numbers(wanted func(constant) bool) source {
	return func(p *perturb.Pass, ex *perturb.Example) ([]change, perturb.Reason) {
		return numberChanges(p, ex, wanted)
	}
}

// numberChanges returns changes of the wanted constants that the question states exactly
// once: LIMIT 3, "the three oldest" → LIMIT 5, "the five oldest". A numeral is no statement if it is doubtful or only explains a word of the
// question ("failed, i.e. below 5"). If there are no changes, it returns the reason why.
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
		same := lists.Filter(all, func(o constant) bool { return o.number == c.number })
		stated := q.numeralsOf(c.number)
		switch {
		case len(stated) == 0, len(stated) == 1 && (stated[0].Doubtful || explains.MatchString(q.Text[:stated[0].Start])):
			d.reason = reasonNumber
		case len(stated) > 1, !oneMention(same):
			d.reason = reasonTwice
		default:
			d.addOrReason(numbersFor(p, ex, q, all, same, stated[0]), reasonValues)
		}
	}
	return d.interleaved(p, ex)
}

// explains matches the text before a number that only explains a word of the question: "failed, i.e. got below 5", "full time (an FTE of 1".
var explains = lazyregexp.New(`(?i)\bi\. ?e\.|\([^)]*$`)

// oneMention reports whether equal constants have the same [use], so that the one mention in the question means them all.
func oneMention(same []constant) bool {
	return !slices.ContainsFunc(same, func(c constant) bool { return c.use() != same[0].use() })
}

// use is what the constants of one mention have in common.
type use struct {
	column     sqlast.BaseColumn
	op, within string
}

// use returns the column and the operator that a constant is compared with or, if it is not compared with a column, the operator and
// the text of its predicate.
func (c constant) use() use {
	u := use{column: c.column, op: c.op}
	if c.column.Column == "" {
		u.within = sqlast.Format(c.within)
	}
	return u
}

// numbersFor returns the changes of equal constants, which the question states by one numeral, to each
// number that may replace them, in random order but plausible ones first.
func numbersFor(p *perturb.Pass, ex *perturb.Example, q *question, all, same []constant, stated numeral.Numeral) (out []change) {
	c := same[0]
	values := slices.DeleteFunc(numbersNear(c.number, decimals(c.text)), func(v float64) bool {
		_, ok := stated.Format(v)
		return !ok || !c.allows(all, q, v)
	})
	for _, v := range plausible(p, c, shuffled(p, ex, values, c.text)) {
		text, _ := stated.Format(v)
		nodes := map[sqlast.Node]sqlast.Node{}
		for _, s := range same {
			nodes[s.node] = s.numberNode(v)
		}
		out = append(out, change{spans: q.replaceBytes(stated.Start, stated.End, text, "number"), nodes: nodes, part: c.within})
	}
	return out
}

// distance is how far at most a new number is from the old one (Dr.Spider, table 7).
const distance = 10

// roundFrom is the least round number that only round numbers replace: nobody asks for 1009 in the place of 1000.
const roundFrom = 100

// maxSteps bounds the candidates on either side of a number with decimals.
const maxSteps = 1000

// numbersNear returns, in ascending order, numbers with that many decimals that are at most [distance] from v, without v and 1. Numbers
// of 1 and more stay above 1, those between 0 and 1 above 0, and negative ones below 0. Round numbers from [roundFrom] on stay round, but
// those that may be past years need not.
func numbersNear(v float64, decimals int) (out []float64) {
	unit := math.Pow(10, float64(decimals))
	steps := min(int(distance*unit), maxSteps) // on either side of v
	above, below := math.Inf(-1), 0.0          // exclusive bounds
	switch {
	case v >= 1:
		above, below = 1, math.Inf(1)
	case v > 0:
		above, below = 0, math.Inf(1)
	}
	isRound := !isPastYear(v) && v >= roundFrom && math.Mod(v, 10) == 0
	for k := -steps; k <= steps; k++ {
		w := math.Round((v+float64(k)*distance/float64(steps))*unit) / unit
		if k != 0 && w != 1 && above < w && w < below && (!isRound || math.Mod(w, 10) == 0) {
			out = append(out, w)
		}
	}
	return out
}

// decimals counts the decimals of a number as written, up to 6.
func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return min(len(fraction), 6)
}

// A number from firstYear to lastYear may be a past year, and stays up to lastYear.
const (
	firstYear = 1900
	lastYear  = 2025
)

// isPastYear reports whether a number may be a past year.
func isPastYear(v float64) bool { return firstYear <= v && v <= lastYear }

// allows reports whether v may replace the constant. V must not be another number of the
// question or the gold SQL, since the two would coincide, nor a future year for
// a past one, nor make an interval end before it begins.
func (c constant) allows(all []constant, q *question, v float64) bool {
	if isPastYear(c.number) && v > lastYear || len(q.numeralsOf(v)) > 0 {
		return false
	}
	return !slices.ContainsFunc(all, func(o constant) bool {
		return o.number == v || c.emptiesInterval(o, cmp.Compare(c.number, o.number), cmp.Compare(v, o.number))
	})
}

// plausible drops the values outside the range of the column's cells, unless the constant is outside too:
// nobody asks for "a GPA above 11". For a comparison by equality, values of cells go first, because a question for
// other values has no answer. Without content, or if no value would be left, it returns all values.
func plausible(p *perturb.Pass, c constant, values []float64) []float64 {
	cells := map[float64]bool{}
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range cellsOf(p, c) {
		if n, ok := numberOf(v); ok {
			cells[n] = true
			least, greatest = min(least, n), max(greatest, n)
		}
	}
	if c.number < least || c.number > greatest { // also without cells
		return values
	}
	cellsFirst := slices.Contains([]string{"=", "!=", "IN"}, c.op)
	var first, rest []float64
	for _, v := range values {
		switch {
		case v < least, v > greatest: // dropped
		case cellsFirst && cells[v]:
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	if within := append(first, rest...); len(within) > 0 {
		return within
	}
	return values
}

// numberOf returns the number in a cell, which may be stored as text; ok is false if there is none.
func numberOf(v sqldata.Value) (number float64, ok bool) {
	switch v.Kind() {
	case sqldata.Integer, sqldata.Real:
		return v.Float(), true
	case sqldata.Text:
		text, ok := numeral.Parse(v.Bytes())
		return text.Value, ok
	}
	return 0, false
}

// cellsOf returns the distinct values of the column that the constant is compared with. It returns none if there is no such
// column, no content, or the column cannot be read.
func cellsOf(p *perturb.Pass, c constant) []sqldata.Value {
	ref, ok := c.ref(p.DB)
	if !ok {
		return nil
	}
	return p.Content.Distinct(p.Context, ref)
}
