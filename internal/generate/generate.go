// Package generate makes up rows for the tables of a database that has none.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tabperturb/tabperturb/internal/sqldata"
)

// Literal is a constant that queries compare a column with. Literals with the
// same Group come from one query: there are rows that hold all of them.
type Literal struct {
	Table, Column string
	Value         sqldata.Value
	Group         int
}

// Options say what [Rows] makes.
type Options struct {
	Seed     uint64
	Rows     int // rows of each table; 0 means 30. More groups of literals make more rows.
	Literals []Literal
}

const (
	defaultRows = 30
	maxRows     = 240  // of a table, however many groups of literals there are
	nullShare   = 0.04 // of the cells that are no keys
	domainSize  = 8    // made-up values of a column that is no key
)

// Rows makes up the rows of a database that has none: one list of rows a table. Primary keys are unique, foreign keys refer to rows
// that exist, cells have the type of their column and come from small domains,
// so that joins, groups and filters find something. In the first half of each
// table, row i holds the literals of one group and refers to row i of the other
// tables, so that the query of the group finds its rows; the other half is
// random. The same arguments give the same rows.
func Rows(tables []sqldata.Table, o Options) [][][]sqldata.Value {
	gen := newGenerator(tables, o)
	rows := make([][][]sqldata.Value, len(tables))
	for t := range tables {
		rows[t] = gen.table(t)
	}
	return rows
}

// column is a column's position.
type column struct{ table, column int }

type generator struct {
	tables   []sqldata.Table
	rng      *rand.Rand
	rows     int
	groups   []int // in order of first appearance
	literals map[column]map[int][]sqldata.Value
	index    map[string]column // by folded "table\x00column"
	root     map[column]column // what a foreign key refers to in the end
	keys     map[column][]sqldata.Value
	target   map[column]bool // a foreign key refers to it
	primary  map[column]bool
}

func newGenerator(tables []sqldata.Table, o Options) *generator {
	gen := &generator{
		tables: tables, rows: o.Rows, rng: rand.New(rand.NewPCG(o.Seed, 0x7461626c65)),
		literals: map[column]map[int][]sqldata.Value{}, index: map[string]column{}, root: map[column]column{},
		keys: map[column][]sqldata.Value{}, target: map[column]bool{}, primary: map[column]bool{},
	}
	if gen.rows <= 0 {
		gen.rows = defaultRows
	}
	for t, table := range tables {
		for c, col := range table.Columns {
			gen.index[columnKey(table.Name, col.Name)] = column{t, c}
		}
	}
	for t, table := range tables {
		for _, name := range table.PrimaryKey {
			gen.primary[gen.index[columnKey(table.Name, name)]] = true
		}
		for _, fk := range table.ForeignKeys {
			gen.link(t, fk)
		}
	}
	gen.addLiterals(o.Literals)
	gen.rows = max(gen.rows, min(2*len(gen.groups), maxRows))
	for t, table := range tables {
		for c := range table.Columns {
			gen.addKeys(gen.rootOf(column{t, c}))
		}
	}
	return gen
}

func (gen *generator) addLiterals(literals []Literal) {
	seen := map[int]bool{}
	for _, l := range literals {
		at, ok := gen.index[columnKey(l.Table, l.Column)]
		if !ok || l.Value.IsNull() {
			continue
		}
		if !seen[l.Group] {
			seen[l.Group] = true
			gen.groups = append(gen.groups, l.Group)
		}
		at = gen.rootOf(at)
		if gen.literals[at] == nil {
			gen.literals[at] = map[int][]sqldata.Value{}
		}
		gen.literals[at][l.Group] = append(gen.literals[at][l.Group], withoutWildcards(l.Value))
	}
}

func columnKey(table, column string) string {
	return strings.ToLower(table) + "\x00" + strings.ToLower(column)
}

func (gen *generator) link(table int, fk sqldata.ForeignKey) {
	refs := fk.References
	if len(refs) == 0 {
		for _, t := range gen.tables {
			if strings.EqualFold(t.Name, fk.Table) {
				refs = t.PrimaryKey
			}
		}
	}
	for i, name := range fk.Columns {
		from, ok := gen.index[columnKey(gen.tables[table].Name, name)]
		if !ok || i >= len(refs) {
			continue
		}
		to, ok := gen.index[columnKey(fk.Table, refs[i])]
		// A column may refer to several; the first counts, and no circles.
		if _, linked := gen.root[from]; ok && !linked && gen.rootOf(to) != from {
			gen.root[from] = to
			gen.target[to] = true
		}
	}
}

func (gen *generator) rootOf(c column) column {
	for {
		next, ok := gen.root[c]
		if !ok {
			return c
		}
		c = next
	}
}

// group returns the group of literals that row i belongs to, if any.
func (gen *generator) group(i int) (int, bool) {
	if i >= gen.rows/2 || len(gen.groups) == 0 {
		return 0, false
	}
	return gen.groups[i%len(gen.groups)], true
}

// literal returns what the group of row i wants in a column.
func (gen *generator) literal(c column, i int) (sqldata.Value, bool) {
	group, ok := gen.group(i)
	values := gen.literals[c][group]
	if !ok || len(values) == 0 {
		return sqldata.Value{}, false
	}
	return values[i/len(gen.groups)%len(values)], true
}

// addKeys makes the distinct values that a column has if it is a key: value i
// is that of row i.
func (gen *generator) addKeys(c column) {
	if gen.keys[c] != nil {
		return
	}
	col := gen.tables[c.table].Columns[c.column]
	used := map[sqldata.Value]bool{}
	next := 0
	for i := range gen.rows {
		v, ok := gen.literal(c, i)
		for !ok || used[v] {
			next++
			v, ok = keyValue(col, next), true
		}
		used[v] = true
		gen.keys[c] = append(gen.keys[c], v)
	}
}

// table makes the rows of a table. A row whose primary key is there already is
// left out.
func (gen *generator) table(t int) [][]sqldata.Value {
	domains := make([][]sqldata.Value, len(gen.tables[t].Columns))
	for c := range domains {
		domains[c] = gen.domain(column{t, c})
	}
	var rows [][]sqldata.Value
	seen := map[string]bool{}
	for i := range gen.rows {
		row := make([]sqldata.Value, len(domains))
		for c := range row {
			row[c] = gen.cell(column{t, c}, i, domains[c])
		}
		if key := gen.primaryKey(t, row); key != "" {
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		rows = append(rows, row)
	}
	return rows
}

func (gen *generator) primaryKey(t int, row []sqldata.Value) string {
	var key strings.Builder
	for c, v := range row {
		if gen.primary[column{t, c}] {
			fmt.Fprintf(&key, "%d %q,", v.Kind(), v.String())
		}
	}
	return key.String()
}

// cell makes one cell: a key has its own value or, as a foreign key, that of
// row i of the other table in the first half and a random one below.
func (gen *generator) cell(c column, i int, domain []sqldata.Value) sqldata.Value {
	root := gen.rootOf(c)
	keys := gen.keys[root]
	sole := gen.primary[c] && len(gen.tables[c.table].PrimaryKey) == 1
	switch {
	case sole, gen.target[c], root != c && i < gen.rows/2:
		return keys[i]
	case root != c:
		return keys[gen.rng.IntN(len(keys))]
	}
	if v, ok := gen.literal(c, i); ok {
		return v
	}
	if gen.primary[c] {
		// Part of a composite key: few values, so that rows share them.
		return keys[(i+i/domainSize)%min(domainSize, len(keys))]
	}
	if gen.rng.Float64() < nullShare {
		return sqldata.Value{}
	}
	return domain[gen.rng.IntN(len(domain))]
}

// domain returns the values that the random cells of a column have: its
// literals, for numbers their neighbours too, and made-up ones.
func (gen *generator) domain(c column) []sqldata.Value {
	col := gen.tables[c.table].Columns[c.column]
	var domain []sqldata.Value
	seen := map[sqldata.Value]bool{}
	add := func(v sqldata.Value) {
		if !seen[v] {
			seen[v] = true
			domain = append(domain, v)
		}
	}
	for _, group := range gen.groups {
		for _, v := range gen.literals[c][group] {
			if len(domain) >= maxRows {
				break
			}
			add(v)
			if v.Kind() == sqldata.Integer && classOf(col) == number {
				add(sqldata.NewInt(v.Int() - 1))
				add(sqldata.NewInt(v.Int() + 1))
			}
		}
	}
	for n := range domainSize {
		add(madeUp(col, n, gen.rng))
	}
	return domain
}

// class is what generation knows of a column's type.
type class int

const (
	number class = iota
	text
	date
	boolean
)

func classOf(c sqldata.Column) class {
	typ := strings.ToUpper(c.Type)
	for _, known := range []struct {
		part string
		class
	}{{"BOOL", boolean}, {"DATE", date}, {"TIME", date}, {"CHAR", text}, {"CLOB", text}, {"TEXT", text}} {
		if strings.Contains(typ, known.part) {
			return known.class
		}
	}
	return number
}

// keyValue returns the n-th key of a column, n from 1.
func keyValue(c sqldata.Column, n int) sqldata.Value {
	switch classOf(c) {
	case text, boolean:
		return sqldata.NewText(fmt.Sprintf("%s %d", words(c.Name), n))
	case date:
		return dateValue(n)
	}
	return sqldata.NewInt(int64(n))
}

// madeUp returns the n-th value of a column that is no key, n from 0.
func madeUp(c sqldata.Column, n int, rng *rand.Rand) sqldata.Value {
	switch classOf(c) {
	case text:
		return sqldata.NewText(fmt.Sprintf("%s %d", words(c.Name), n+1))
	case date:
		return dateValue(rng.IntN(12 * 28 * 20))
	case boolean:
		return sqldata.NewText([]string{"T", "F"}[n%2])
	}
	if strings.Contains(strings.ToLower(c.Name), "year") {
		return sqldata.NewInt(1990 + rng.Int64N(34))
	}
	return sqldata.NewInt(1 + rng.Int64N(100))
}

// dateValue returns the n-th day from 2000 on, in months of 28 days.
func dateValue(n int) sqldata.Value {
	return sqldata.NewText(fmt.Sprintf("%d-%02d-%02d", 2000+n/(12*28), n/28%12+1, n%28+1))
}

func words(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// withoutWildcards turns the pattern of a LIKE into text that it matches.
func withoutWildcards(v sqldata.Value) sqldata.Value {
	if v.Kind() != sqldata.Text || !strings.Contains(v.Bytes(), "%") {
		return v
	}
	return sqldata.NewText(strings.NewReplacer("%", "", "_", "x").Replace(v.Bytes()))
}
