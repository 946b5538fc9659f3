package suite

import (
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Nulls is the columns in which random contents have NULL. Only NULL distinguishes predictions
// such as count(name) from a gold such as count(*).
type Nulls string

// The values of Nulls.
const (
	NullsObserved Nulls = "observed" // columns in which the content has NULL
	NullsAllowed  Nulls = "allowed"  // all columns that may have it, except foreign keys
	NullsNone     Nulls = "none"
)

// allow reports whether random contents may have NULL in a column.
func (n Nulls) allow(c *column) bool {
	if c.notNull {
		return false
	}
	return n == NullsAllowed || n == NullsObserved && c.nulls
}

// drawDomain draws the values that the cells of a column may have in a table of n rows; a value may be there several
// times. The columns of a group, such as those of a foreign key, share most of their values. Most other
// columns have as few values as the profile says, so that cells repeat; keys, and one column in six, have n or more.
func (d *contentDraft) drawDomain(p columnIndex, n int) []sqldata.Value {
	size := d.profile.domain
	col, isKey := d.columnAt(p), d.isKey(p)
	if size == 0 || isKey || d.rng.IntN(6) == 0 {
		size = n
	}
	var domain []sqldata.Value
	if g := d.group[p.table][p.column]; g >= 0 {
		if d.shared[g] == nil { // the first column of the group draws for all
			for range max(size, d.profile.rows) {
				d.shared[g] = append(d.shared[g], d.drawValue(p))
			}
		}
		domain = lists.Map(d.shared[g], func(v sqldata.Value) sqldata.Value { return d.asStored(p, v) })
		size /= 3 // the rest of the values is the column's own
	}
	for range size {
		domain = append(domain, d.drawValue(p))
	}
	if isKey {
		// A key needs a distinct value for each row.
		for i := range n {
			domain = append(domain, d.keyValue(col, i))
		}
	}
	if len(domain) == 0 {
		domain = append(domain, d.drawValue(p))
	}
	return domain
}

// drawValue draws a value for a column: a constant of the focus or a near miss of it, a value of the column's own content,
// or a random one, from a wide range in half of the databases. Half of the constants are near misses, so that rows lie on
// both sides of a condition.
func (d *contentDraft) drawValue(p columnIndex) sqldata.Value {
	col := d.columnAt(p)
	if d.rng.Float64() < d.profile.constants {
		if c, ok := d.drawConstant(p); ok {
			return d.drawVariant(constant{p, c.value, c.like}, d.rng.IntN(2) == 0)
		}
	}
	if len(col.values) > 0 && d.rng.Float64() < d.profile.content {
		return pick(d.rng, col.values...)
	}
	return d.asStored(p, col.randomValue(d.rng, d.wide))
}

// drawConstant draws a constant of the focus that is compared with a column or with another column of
// its group; ok is false if there is none.
func (d *contentDraft) drawConstant(p columnIndex) (c constant, ok bool) {
	var candidates []constant
	group := d.group[p.table][p.column]
	for _, h := range d.focus {
		candidates = append(candidates, lists.Filter(h.constants, func(c constant) bool {
			return c.index == p || group >= 0 && d.group[c.index.table][c.index.column] == group
		})...)
	}
	if len(candidates) == 0 {
		return constant{}, false
	}
	return pick(d.rng, candidates...), true
}

// keyValue returns a value for row i, from 0, of a key column: 1, 2, 3 for integers, dates in successive
// years, random words for text.
func (d *contentDraft) keyValue(col *column, i int) sqldata.Value {
	var v sqldata.Value
	switch col.kind {
	case integers, flags:
		v = sqldata.NewInt(int64(i + 1))
	case reals:
		v = sqldata.NewFloat(float64(i) + 0.5)
	case digits:
		v = sqldata.NewText(sqldata.NewInt(int64(i + 1)).String())
	case dates:
		v = sqldata.NewText(string(appendDate(nil, d.rng, 1960+i)))
	default:
		v = sqldata.NewText(randomWord(d.rng))
	}
	return applyAffinity(col.affine, v)
}
