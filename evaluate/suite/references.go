package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// drawReference makes a row of table t refer to a row of the other table of a foreign key that agrees
// with the columns that earlier foreign keys have set. It prefers witnesses and rows near the beginning.
// If no row fits, the row refers to itself if the key is within one table, or else a column becomes NULL
// if it may. It returns false if nothing of this is possible.
func (d *contentDraft) drawReference(t int, row []sqldata.Value, fk foreignKey) bool {
	if slices.ContainsFunc(fk.columns, func(c int) bool { return row[c].IsNull() }) { // NULL refers to nothing
		return true
	}
	fixed := d.fixedColumns(t, fk)
	parents := d.rows[fk.table]
	for range min(8, len(parents)) { // random tries, before all rows in order
		i := d.drawSkewed(len(parents))
		if w := d.witnesses[fk.table]; len(w) > 0 && d.rng.IntN(2) == 0 {
			i = w[d.drawSkewed(len(w))]
		}
		if d.referTo(t, row, fk, parents[i], fixed) {
			return true
		}
	}
	for _, parent := range parents {
		if d.referTo(t, row, fk, parent, fixed) {
			return true
		}
	}
	if fk.table == t && d.referTo(t, row, fk, row, fixed) {
		return true
	}
	for _, c := range fk.columns {
		col := &d.tables[t].columns[c]
		if !col.notNull && (d.sampler.nulls.allow(col) || d.isFilledLater(t, fk)) {
			row[c] = sqldata.Value{}
			return true
		}
	}
	return false
}

// isFilledLater reports whether the other table of a foreign key is filled after table t, because tables
// refer to each other in a circle.
func (d *contentDraft) isFilledLater(t int, fk foreignKey) bool {
	return slices.Index(d.order, fk.table) > slices.Index(d.order, t)
}

// setLateReferences sets the references to tables that were filled later, which are NULL so far, except
// those that belong to a key.
func (d *contentDraft) setLateReferences() {
	for t := range d.tables {
		tab := &d.tables[t]
		for _, fk := range tab.foreign {
			parents := d.rows[fk.table]
			isKey := slices.ContainsFunc(tab.keys, func(key []int) bool {
				return slices.ContainsFunc(fk.columns, func(c int) bool { return slices.Contains(key, c) })
			})
			if isKey || !d.isFilledLater(t, fk) || len(parents) == 0 {
				continue
			}
			fixed := d.fixedColumns(t, fk)
			for _, row := range d.rows[t] {
				d.referTo(t, row, fk, parents[d.drawSkewed(len(parents))], fixed)
			}
		}
	}
}

// fixedColumns reports, for each column of a foreign key of table t, whether an earlier foreign key of
// the table has set it.
func (d *contentDraft) fixedColumns(t int, fk foreignKey) []bool {
	fixed := make([]bool, len(fk.columns))
	for _, other := range d.tables[t].foreign {
		if other.equal(fk) {
			break
		}
		for i, c := range fk.columns {
			fixed[i] = fixed[i] || slices.Contains(other.columns, c)
		}
	}
	return fixed
}

// referTo makes a row of table t refer to a parent, a row of the other table. It returns false, without
// a change, if the parent has NULL in the key or differs in a column that is fixed.
func (d *contentDraft) referTo(t int, row []sqldata.Value, fk foreignKey, parent []sqldata.Value, fixed []bool) bool {
	for i, c := range fk.columns {
		v := d.asStored(columnIndex{t, c}, parent[fk.refs[i]])
		if v.IsNull() || fixed[i] && v != row[c] {
			return false
		}
	}
	for i, c := range fk.columns {
		row[c] = d.asStored(columnIndex{t, c}, parent[fk.refs[i]])
	}
	return true
}

// drawSkewed draws an index below n: the higher the skew, the more often a low one.
func (d *contentDraft) drawSkewed(n int) int {
	f := d.rng.Float64()
	power := f // f to the power of the skew
	for s := d.skew; s > 1; s-- {
		power *= f
	}
	return int(power * float64(n))
}

// referencedKey returns the key that a row refers to by a foreign key, as [keyText] of the row there.
func (d *contentDraft) referencedKey(row []sqldata.Value, fk foreignKey) string {
	key := slices.Clone(row)
	for i, c := range fk.columns {
		key[c] = applyAffinity(d.tables[fk.table].columns[fk.refs[i]].affine, row[c])
	}
	return keyText(key, fk.columns)
}

// dropDangling removes rows whose foreign keys refer to no row, until there are none.
func (d *contentDraft) dropDangling() {
	for dropped := true; dropped; {
		dropped = false
		for t := range d.tables {
			for _, fk := range d.tables[t].foreign {
				exists := map[string]bool{}
				for _, parent := range d.rows[fk.table] {
					exists[keyText(parent, fk.refs)] = true
				}
				n := len(d.rows[t])
				d.rows[t] = slices.DeleteFunc(d.rows[t], func(row []sqldata.Value) bool {
					key := d.referencedKey(row, fk)
					return key != "" && !exists[key]
				})
				dropped = dropped || len(d.rows[t]) < n
			}
		}
	}
}

// keyText returns a text that is equal for rows with equal cells in some columns; "" if a cell is NULL.
func keyText(row []sqldata.Value, columns []int) string {
	var key strings.Builder
	for _, c := range columns {
		if row[c].IsNull() {
			return ""
		}
		fmt.Fprintf(&key, "%d%q", row[c].Kind(), row[c].String())
	}
	return key.String()
}
