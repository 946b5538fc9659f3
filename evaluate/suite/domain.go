package suite

import (
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
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

// domain returns the values from which the cells of a column are drawn, for n rows.
// The columns of a group share most of their values.
func (d *drawing) domain(p place, n int) []sqldata.Value {
	size := d.profile.domain
	col := &d.tables[p.table].columns[p.column]
	sole := d.tables[p.table].soleKey(p.column)
	if size == 0 || sole || d.rng.IntN(6) == 0 {
		size = n
	}
	var list []sqldata.Value
	if g := d.group[p.table][p.column]; g >= 0 {
		if d.shared[g] == nil {
			for range max(size, d.profile.rows) {
				d.shared[g] = append(d.shared[g], d.fresh(p))
			}
		}
		for _, v := range d.shared[g] {
			list = append(list, d.stored(p, v))
		}
		size /= 3
	}
	for range size {
		list = append(list, d.fresh(p))
	}
	if sole {
		// A key needs a distinct value for each row.
		for i := range n {
			list = append(list, d.serial(col, i))
		}
	}
	if len(list) == 0 {
		list = append(list, d.fresh(p))
	}
	return list
}

// fresh draws a value for a column: a constant of the focus or a near miss of it, a value
// of the column's own content, or a random one.
func (d *drawing) fresh(p place) sqldata.Value {
	col := &d.tables[p.table].columns[p.column]
	if d.rng.Float64() < d.profile.constants {
		if c, ok := d.constant(p); ok {
			return d.variant(constant{p, c.value, c.like}, d.rng.IntN(2) == 0)
		}
	}
	if len(col.values) > 0 && d.rng.Float64() < d.profile.content {
		return col.values[d.rng.IntN(len(col.values))]
	}
	return d.stored(p, col.random(d.rng, d.wide))
}

// constant draws a constant of the focus that is compared with a column or with another
// column of its group; ok is false if there is none.
func (d *drawing) constant(p place) (c constant, ok bool) {
	var found []constant
	g := d.group[p.table][p.column]
	for _, m := range d.focus {
		for _, c := range m.constants {
			if c.at == p || g >= 0 && d.group[c.at.table][c.at.column] == g {
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return constant{}, false
	}
	return found[d.rng.IntN(len(found))], true
}

// serial returns a value for row i of a key column: 1, 2, 3 for integers, years for dates.
func (d *drawing) serial(col *column, i int) sqldata.Value {
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
	return store(col.affine, v)
}
