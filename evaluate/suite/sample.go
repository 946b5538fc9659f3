package suite

import (
	"math/rand/v2"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// sampler draws random contents of a schema (section 4.1).
type sampler struct {
	*schema
	nulls Nulls
	group [][]int // by table and column: columns of one group share values; -1: no group
}

// profile describes the contents of one database. Databases differ widely: in small ones
// with few values, joins and set operations find equal values and there are ties; large ones
// with many values distinguish constants and orders.
type profile struct {
	rows      int     // approximate rows of a table
	exactRows bool    // every table has exactly rows rows, about as many as a query compares a count with
	domain    int     // distinct values of a column that is no key; 0: as many as there are rows
	wide      bool    // random values are from a wide range
	constants float64 // share of values that are constants of the focus or near them
	content   float64 // share of values that come from the schema's own content
	witness   float64 // share of rows that hold the constants of one query
	copied    float64 // share of rows that differ from another in one cell
	skew      float64 // concentration of references on few rows; 1: none
	nulls     float64 // share of NULL in columns that may have it
}

// newProfile draws a [profile], which documents the fields, for a database with the constants of the queries in focus. A third of the
// databases has about as many rows in a table as a query of the focus compares a count with.
func newProfile(rng *rand.Rand, focus []*hints) profile {
	p := profile{
		domain:    pick(rng, 0, 0, 2, 3, 5, 8, 16),
		wide:      rng.IntN(2) == 0,
		constants: pick(rng, 0, 0.2, 0.5, 0.8),
		content:   pick(rng, 0, 0.3, 0.8),
		witness:   pick(rng, 0, 0.2, 0.5, 0.8),
		copied:    pick(rng, 0, 0, 0.2, 0.6),
		skew:      pick(rng, 1.0, 1, 2, 4),
		nulls:     pick(rng, 0, 0, 0.05, 0.25),
	}
	size := pick(rng, [2]int{1, 4}, [2]int{3, 10}, [2]int{3, 10}, [2]int{8, 25}, [2]int{8, 25}, [2]int{20, 60})
	p.rows = size[0] + rng.IntN(size[1]-size[0]+1)
	if counts := pick(rng, focus...).counts; len(counts) > 0 && rng.IntN(3) == 0 {
		p.rows = min(max(pick(rng, counts...)+rng.IntN(4)-1, 1), maxCounted) // one fewer to two more
		p.exactRows, p.domain = rng.IntN(2) == 0, pick(rng, p.domain, 1, 2)
	}
	return p
}

// The largest number of rows of a table of random contents, and of one that has about as
// many as a query compares a count with.
const (
	maxRows    = 120
	maxCounted = 260
)

// pick draws one of the values.
func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// newSampler returns the sampler of a schema. Columns that a foreign key links or a gold
// compares with each other are put into one group.
func newSampler(s *schema, golds []*hints, nulls Nulls) *sampler {
	sm := &sampler{schema: s, nulls: nulls}
	sm.group = lists.Map(s.tables, func(t table) []int { return slices.Repeat([]int{-1}, len(t.columns)) })
	groups := 0
	// groupOf returns the group of a column, a new one if it has none.
	groupOf := func(p columnIndex) int {
		g := &sm.group[p.table][p.column]
		if *g < 0 {
			*g = groups
			groups++
		}
		return *g
	}
	// join merges the groups of two columns.
	join := func(x, y columnIndex) {
		into, from := groupOf(x), groupOf(y)
		for _, columns := range sm.group {
			for c, g := range columns {
				if g == from {
					columns[c] = into
				}
			}
		}
	}
	for t := range s.tables {
		for _, fk := range s.tables[t].foreign {
			for i := range fk.columns {
				join(columnIndex{t, fk.columns[i]}, columnIndex{fk.table, fk.refs[i]})
			}
		}
	}
	for _, g := range golds {
		for _, pair := range g.pairs {
			join(pair[0], pair[1])
		}
	}
	return sm
}

// drawRows draws the rows of every table, with the constants of the queries in focus.
func (sm *sampler) drawRows(rng *rand.Rand, focus []*hints) [][][]sqldata.Value {
	d := &contentDraft{sampler: sm, profile: newProfile(rng, focus), rng: rng, focus: focus,
		shared: map[int][]sqldata.Value{}, rows: make([][][]sqldata.Value, len(sm.tables)), witnesses: make([][]int, len(sm.tables))}
	for _, t := range sm.order {
		d.fillTable(t)
	}
	d.setLateReferences()
	d.dropDangling()
	d.drawBlanks()
	return d.rows
}

// contentDraft is one random database while it is drawn.
type contentDraft struct {
	*sampler
	profile
	rng       *rand.Rand
	focus     []*hints
	shared    map[int][]sqldata.Value // the values that the columns of a group share, by group
	rows      [][][]sqldata.Value     // by table
	witnesses [][]int                 // by table: the indexes of the rows that hold the constants of a query
}

// fillTable draws the rows of table t. A row whose keys another row has is drawn again, up to four
// times in all, and then left out.
func (d *contentDraft) fillTable(t int) {
	tab := &d.tables[t]
	n := d.drawSize(t)
	domains := make([][]sqldata.Value, len(tab.columns))
	for c := range tab.columns {
		domains[c] = d.drawDomain(columnIndex{t, c}, n)
	}
	taken := make([]map[string]bool, len(tab.keys)) // the values of each key so far
	for k := range taken {
		taken[k] = map[string]bool{}
	}
	for range n {
		for range 4 {
			row, witness, ok := d.drawRow(t, domains)
			if !ok || !d.claimKeys(tab, taken, row) {
				continue
			}
			if witness { // the row holds the constants of a query, so references prefer it
				d.witnesses[t] = append(d.witnesses[t], len(d.rows[t]))
			}
			d.rows[t] = append(d.rows[t], row)
			break
		}
	}
}

// drawSize draws the number of rows of a table: about that of the profile, and often twice as many
// if the table refers to others.
func (d *contentDraft) drawSize(t int) int {
	if d.exactRows {
		return d.profile.rows
	}
	n := max(1, d.profile.rows*(2+d.rng.IntN(3))/4) // half, three quarters or all of them
	if len(d.tables[t].foreign) > 0 && d.rng.IntN(2) == 0 {
		n *= 2
	}
	return min(n, maxRows)
}

// drawBlanks makes, in a quarter of the databases, one cell in twenty of the columns of text an empty string. Columns
// of keys and those that share values with others stay as they are.
func (d *contentDraft) drawBlanks() {
	if d.rng.IntN(4) > 0 {
		return
	}
	for t, tab := range d.tables {
		for c, col := range tab.columns {
			isKey := slices.ContainsFunc(tab.keys, func(key []int) bool { return slices.Contains(key, c) })
			if col.affine != sqlite.TextAffinity || isKey || d.group[t][c] >= 0 {
				continue
			}
			for _, row := range d.rows[t] {
				if d.rng.IntN(20) == 0 {
					row[c] = sqldata.NewText("")
				}
			}
		}
	}
}

// claimKeys marks the keys of a row as taken. It returns false, without a change, if another row has
// one of them. taken holds the keys so far for each of t.keys.
func (d *contentDraft) claimKeys(t *table, taken []map[string]bool, row []sqldata.Value) bool {
	keys := make([]string, len(t.keys))
	for k, columns := range t.keys {
		if keys[k] = keyText(row, columns); keys[k] != "" && taken[k][keys[k]] {
			return false
		}
	}
	for k, key := range keys {
		if key != "" {
			taken[k][key] = true
		}
	}
	return true
}

// drawRow draws one row of table t, with cells from the domains of its columns. witness reports whether
// it holds the constants of a query; ok is false if a foreign key finds no row to refer to.
func (d *contentDraft) drawRow(t int, domains [][]sqldata.Value) (row []sqldata.Value, witness, ok bool) {
	tab := &d.tables[t]
	row = make([]sqldata.Value, len(tab.columns))
	if n := len(d.rows[t]); n > 0 && d.rng.Float64() < d.copied {
		copy(row, d.rows[t][d.rng.IntN(n)])
		d.drawCell(t, row, d.rng.IntN(len(row)), domains)
	} else {
		for c := range row {
			d.drawCell(t, row, c, domains)
		}
	}
	for _, key := range tab.keys {
		d.drawCell(t, row, pick(d.rng, key...), domains) // a copied row needs another key
	}
	if d.rng.Float64() < d.witness {
		witness = d.setConstants(t, row)
	}
	for _, fk := range tab.foreign {
		if !d.drawReference(t, row, fk) {
			return nil, false, false
		}
	}
	return row, witness, true
}

// drawCell draws the cell in column c of a row of table t from the domain of the column; sometimes it is
// NULL.
func (d *contentDraft) drawCell(t int, row []sqldata.Value, c int, domains [][]sqldata.Value) {
	col := &d.tables[t].columns[c]
	if d.sampler.nulls.allow(col) && d.rng.Float64() < d.profile.nulls {
		row[c] = sqldata.Value{}
		return
	}
	row[c] = pick(d.rng, domains[c]...)
}

// setConstants writes the constants of one query of the focus into a row of table t, some as near
// misses. It returns false if the query has no constants for the table.
func (d *contentDraft) setConstants(t int, row []sqldata.Value) bool {
	constants := pick(d.rng, d.focus...).constantsOf(t)
	nearMisses := d.rng.IntN(3) == 0
	for _, c := range constants {
		if len(constants) > 1 && d.rng.IntN(6) == 0 {
			continue // the row misses this condition of several
		}
		row[c.index.column] = d.drawVariant(c, nearMisses && d.rng.IntN(2) == 0)
	}
	return len(constants) > 0
}

// drawVariant returns a constant as its column stores it, or a near miss if near is set. For a pattern
// it often returns a text of drawMatch.
func (d *contentDraft) drawVariant(c constant, near bool) sqldata.Value {
	v := c.matchingValue()
	if c.like && d.rng.IntN(3) > 0 {
		v = d.drawMatch(c)
	} else if near {
		v = nearMiss(d.rng, v)
	}
	return d.asStored(c.index, v)
}

// drawMatch returns a text that a pattern matches, often with random words before and after it. With
// them, the pattern matches only if it begins or ends with %.
func (d *contentDraft) drawMatch(c constant) sqldata.Value {
	s := c.matchingValue().String()
	if d.rng.IntN(2) == 0 {
		s = randomWord(d.rng) + s
	}
	if d.rng.IntN(2) == 0 {
		s += randomWord(d.rng)
	}
	return sqldata.NewText(s)
}

// asStored returns a value as its column stores it. An alias of the row id stores only integers, so
// another value becomes a random one.
func (d *contentDraft) asStored(p columnIndex, v sqldata.Value) sqldata.Value {
	col := d.columnAt(p)
	v = applyAffinity(col.affine, v)
	if col.rowid && v.Kind() != sqldata.Integer {
		return sqldata.NewInt(1 + d.rng.Int64N(1000))
	}
	return v
}
