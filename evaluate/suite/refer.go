package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// refer makes a row of table t refer to a row of another table that agrees with the columns
// already set; witnesses and rows that are referred to already are preferred. If there is
// none, a row refers to itself in its own table, or a column becomes NULL if it may. It
// returns false if nothing is possible.
func (d *drawing) refer(t int, row []sqldata.Value, fk foreignKey) bool {
	if slices.ContainsFunc(fk.columns, func(c int) bool { return row[c].IsNull() }) {
		return true
	}
	bound := d.bound(t, fk)
	parents := d.rows[fk.table]
	for range min(8, len(parents)) {
		i := d.skewed(len(parents))
		if w := d.witnesses[fk.table]; len(w) > 0 && d.rng.IntN(2) == 0 {
			i = w[d.skewed(len(w))]
		}
		if d.take(t, row, fk, parents[i], bound) {
			return true
		}
	}
	for _, parent := range parents {
		if d.take(t, row, fk, parent, bound) {
			return true
		}
	}
	if fk.table == t && d.take(t, row, fk, row, bound) {
		return true
	}
	for _, c := range fk.columns {
		col := &d.tables[t].columns[c]
		if !col.notNull && (d.sampler.nulls.allow(col) || d.later(t, fk)) {
			row[c] = sqldata.Value{}
			return true
		}
	}
	return false
}

// later reports whether the other table of a foreign key is filled after table t, as in a
// circle of tables.
func (d *drawing) later(t int, fk foreignKey) bool {
	return slices.Index(d.order, fk.table) > slices.Index(d.order, t)
}

// close sets the references to tables that were filled later, which are NULL so far, except
// those that belong to a key.
func (d *drawing) close() {
	for t := range d.tables {
		tab := &d.tables[t]
		for _, fk := range tab.foreign {
			parents := d.rows[fk.table]
			key := slices.ContainsFunc(tab.keys, func(key []int) bool {
				return slices.ContainsFunc(fk.columns, func(c int) bool { return slices.Contains(key, c) })
			})
			if key || !d.later(t, fk) || len(parents) == 0 {
				continue
			}
			bound := d.bound(t, fk)
			for _, row := range d.rows[t] {
				d.take(t, row, fk, parents[d.skewed(len(parents))], bound)
			}
		}
	}
}

// bound reports which columns of a foreign key are fixed by another one before it.
func (d *drawing) bound(t int, fk foreignKey) []bool {
	bound := make([]bool, len(fk.columns))
	for _, other := range d.tables[t].foreign {
		if other.equal(fk) {
			break
		}
		for i, c := range fk.columns {
			bound[i] = bound[i] || slices.Contains(other.columns, c)
		}
	}
	return bound
}

// take makes a row refer to a parent. It returns false, without a change, if the parent has
// NULL in the key or differs in a column that is bound.
func (d *drawing) take(t int, row []sqldata.Value, fk foreignKey, parent []sqldata.Value, bound []bool) bool {
	for i, c := range fk.columns {
		v := d.stored(place{t, c}, parent[fk.refs[i]])
		if v.IsNull() || bound[i] && v != row[c] {
			return false
		}
	}
	for i, c := range fk.columns {
		row[c] = d.stored(place{t, c}, parent[fk.refs[i]])
	}
	return true
}

// skewed draws an index below n: the higher the skew, the more often a low one.
func (d *drawing) skewed(n int) int {
	f := d.rng.Float64()
	x := f
	for s := d.skew; s > 1; s-- {
		x *= f
	}
	return int(x * float64(n))
}

// reference returns the key that a row refers to, as the other table stores it.
func (d *drawing) reference(row []sqldata.Value, fk foreignKey) string {
	key := slices.Clone(row)
	for i, c := range fk.columns {
		key[c] = store(d.tables[fk.table].columns[fk.refs[i]].affine, row[c])
	}
	return keyOf(key, fk.columns)
}

// prune removes rows whose foreign keys refer to no row, until there are none.
func (d *drawing) prune() {
	for again := true; again; {
		again = false
		for t := range d.tables {
			for _, fk := range d.tables[t].foreign {
				have := map[string]bool{}
				for _, parent := range d.rows[fk.table] {
					have[keyOf(parent, fk.refs)] = true
				}
				n := len(d.rows[t])
				d.rows[t] = slices.DeleteFunc(d.rows[t], func(row []sqldata.Value) bool {
					key := d.reference(row, fk)
					return key != "" && !have[key]
				})
				again = again || len(d.rows[t]) < n
			}
		}
	}
}

// keyOf returns the cells of some columns as a text that identifies them; "" if one is NULL.
func keyOf(row []sqldata.Value, columns []int) string {
	var key strings.Builder
	for _, c := range columns {
		if row[c].IsNull() {
			return ""
		}
		fmt.Fprintf(&key, "%d%q", row[c].Kind(), row[c].String())
	}
	return key.String()
}
