package suite

import (
	"math/rand/v2"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
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
	counted   bool    // every table has exactly this number of rows, which a query compares with a count
	domain    int     // distinct values of a column that is no key; 0: as many as there are rows
	wide      bool    // made-up values are from a wide range
	constants float64 // share of values that are constants of the focus or near them
	content   float64 // share of values that come from the schema's own content
	witness   float64 // share of rows that hold the constants of one query
	copied    float64 // share of rows that differ from another in one cell
	skew      float64 // concentration of references on few rows; 1: none
	nulls     float64 // share of NULL in columns that may have it
}

// newProfile draws a profile. A third of the databases has about as many rows as a query of the
// focus compares a count with.
func newProfile(rng *rand.Rand, focus []*material) profile {
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
	if counts := focus[rng.IntN(len(focus))].counts; len(counts) > 0 && rng.IntN(3) == 0 {
		p.rows = min(max(counts[rng.IntN(len(counts))]+rng.IntN(4)-1, 1), maxCounted)
		p.counted, p.domain = rng.IntN(2) == 0, pick(rng, p.domain, 1, 2)
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
func newSampler(s *schema, golds []*material, nulls Nulls) *sampler {
	sm := &sampler{schema: s, nulls: nulls}
	for t := range s.tables {
		sm.group = append(sm.group, slices.Repeat([]int{-1}, len(s.tables[t].columns)))
	}
	groups := 0
	groupOf := func(p place) int {
		g := &sm.group[p.table][p.column]
		if *g < 0 {
			*g = groups
			groups++
		}
		return *g
	}
	join := func(x, y place) {
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
				join(place{t, fk.columns[i]}, place{fk.table, fk.refs[i]})
			}
		}
	}
	for _, g := range golds {
		for _, l := range g.links {
			join(l[0], l[1])
		}
	}
	return sm
}

// rows draws the rows of every table, with the constants of the queries in focus.
func (sm *sampler) rows(rng *rand.Rand, focus []*material) [][][]sqldata.Value {
	d := &drawing{sampler: sm, profile: newProfile(rng, focus), rng: rng, focus: focus,
		shared: map[int][]sqldata.Value{}, rows: make([][][]sqldata.Value, len(sm.tables)), witnesses: make([][]int, len(sm.tables))}
	for _, t := range sm.order {
		d.table(t)
	}
	d.close()
	d.prune()
	return d.rows
}

// drawing is one database while it is drawn.
type drawing struct {
	*sampler
	profile
	rng       *rand.Rand
	focus     []*material
	shared    map[int][]sqldata.Value // the values of a group of columns
	rows      [][][]sqldata.Value
	witnesses [][]int // by table: rows that hold the constants of a query
}

// table draws the rows of table t. A row whose keys are taken is drawn again, up to four times.
func (d *drawing) table(t int) {
	tab := &d.tables[t]
	n := d.size(t)
	domains := make([][]sqldata.Value, len(tab.columns))
	for c := range tab.columns {
		domains[c] = d.domain(place{t, c}, n)
	}
	taken := make([]map[string]bool, len(tab.keys))
	for k := range taken {
		taken[k] = map[string]bool{}
	}
	for range n {
		for range 4 { // tries
			row, witness, ok := d.row(t, domains)
			if !ok || !d.claim(tab, taken, row) {
				continue
			}
			if witness {
				d.witnesses[t] = append(d.witnesses[t], len(d.rows[t]))
			}
			d.rows[t] = append(d.rows[t], row)
			break
		}
	}
}

// size draws the number of rows of a table: about that of the profile, and often twice as many
// if the table refers to others.
func (d *drawing) size(t int) int {
	if d.counted {
		return d.profile.rows
	}
	n := max(1, d.profile.rows*(2+d.rng.IntN(3))/4)
	if len(d.tables[t].foreign) > 0 && d.rng.IntN(2) == 0 {
		n *= 2
	}
	return min(n, maxRows)
}

// claim takes the keys of a row; it returns false, without a change, if one is taken.
func (d *drawing) claim(t *table, taken []map[string]bool, row []sqldata.Value) bool {
	keys := make([]string, len(t.keys))
	for k, columns := range t.keys {
		if keys[k] = keyOf(row, columns); keys[k] != "" && taken[k][keys[k]] {
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

// row draws one row; witness is set if it holds the constants of a query. ok is false if a
// foreign key finds no row to refer to.
func (d *drawing) row(t int, domains [][]sqldata.Value) (row []sqldata.Value, witness, ok bool) {
	tab := &d.tables[t]
	row = make([]sqldata.Value, len(tab.columns))
	if n := len(d.rows[t]); n > 0 && d.rng.Float64() < d.copied {
		copy(row, d.rows[t][d.rng.IntN(n)])
		d.set(t, row, d.rng.IntN(len(row)), domains)
	} else {
		for c := range row {
			d.set(t, row, c, domains)
		}
	}
	for _, key := range tab.keys {
		d.set(t, row, key[d.rng.IntN(len(key))], domains)
	}
	if d.rng.Float64() < d.witness {
		witness = d.bear(t, row)
	}
	for _, fk := range tab.foreign {
		if !d.refer(t, row, fk) {
			return nil, false, false
		}
	}
	return row, witness, true
}

// set draws the cell of column c, which is sometimes NULL.
func (d *drawing) set(t int, row []sqldata.Value, c int, domains [][]sqldata.Value) {
	col := &d.tables[t].columns[c]
	if d.sampler.nulls.allow(col) && d.rng.Float64() < d.profile.nulls {
		row[c] = sqldata.Value{}
		return
	}
	row[c] = domains[c][d.rng.IntN(len(domains[c]))]
}

// bear writes the constants of one query of the focus into a row, some as near misses. It
// returns false if the query has no constants for table t.
func (d *drawing) bear(t int, row []sqldata.Value) bool {
	constants := d.focus[d.rng.IntN(len(d.focus))].constantsOf(t)
	near := d.rng.IntN(3) == 0
	for _, c := range constants {
		if len(constants) > 1 && d.rng.IntN(6) == 0 {
			continue
		}
		row[c.at.column] = d.variant(c, near && d.rng.IntN(2) == 0)
	}
	return len(constants) > 0
}

// variant returns a constant, or a near miss of it, as its column stores it. For a pattern it
// often returns text around the pattern.
func (d *drawing) variant(c constant, near bool) sqldata.Value {
	v := c.literal()
	if c.like && d.rng.IntN(3) > 0 {
		v = d.match(c)
	} else if near {
		v = nearMiss(d.rng, v)
	}
	return d.stored(c.at, v)
}

// match returns the text of a pattern, often with random words before and after it, which the
// pattern matches only if it is open at that end.
func (d *drawing) match(c constant) sqldata.Value {
	s := c.literal().String()
	if d.rng.IntN(2) == 0 {
		s = randomWord(d.rng) + s
	}
	if d.rng.IntN(2) == 0 {
		s += randomWord(d.rng)
	}
	return sqldata.NewText(s)
}

// stored returns a value as its column stores it.
func (d *drawing) stored(p place, v sqldata.Value) sqldata.Value {
	col := &d.tables[p.table].columns[p.column]
	v = store(col.affine, v)
	if col.rowid && v.Kind() != sqldata.Integer {
		return sqldata.NewInt(1 + d.rng.Int64N(1000))
	}
	return v
}
