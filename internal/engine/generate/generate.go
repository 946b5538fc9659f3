// Package generate makes up rows for the tables of a database that has none.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/disjoint"
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
	// Wanted reports whether a table gets rows: the same rows as if all tables got them. nil means all.
	Wanted func(table string) bool
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
	last := len(tables) - 1
	for o.Wanted != nil && last >= 0 && !o.Wanted(tables[last].Name) {
		last--
	}
	for t := range tables[:last+1] {
		made := gen.table(t) // also for a table without rows: it draws from the random numbers that later ones use
		if o.Wanted == nil || o.Wanted(tables[t].Name) {
			rows[t] = made
		}
	}
	return rows
}

// column is a column's position.
type column struct{ table, column int }

// generator makes the rows of the tables of one database.
type generator struct {
	tables   []sqldata.Table
	rng      *rand.Rand
	rows     int                                // of each table
	groups   []int                              // of literals, in order of first appearance
	literals map[column]map[int][]sqldata.Value // by column and group
	index    map[string]column                  // by folded "table\x00column"
	root     disjoint.Sets[column]              // the representative of a column: what its foreign keys refer to in the end
	keys     map[column][]sqldata.Value         // computed by keysOf
	target   map[column]bool                    // a foreign key refers to it
	primary  map[column]bool
}

// newGenerator indexes the columns, keys and literals of tables.
func newGenerator(tables []sqldata.Table, o Options) *generator {
	gen := &generator{
		tables: tables, rows: o.Rows, rng: rand.New(rand.NewPCG(o.Seed, 0x7461626c65)), // a stream of its own: "table" in ASCII
		literals: map[column]map[int][]sqldata.Value{}, index: map[string]column{}, root: disjoint.Sets[column]{},
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
	gen.rows = max(gen.rows, min(2*len(gen.groups), maxRows)) // the first half has a row for each group of literals
	return gen
}

// addLiterals stores literals by the column that the foreign keys of their column refer to in the end, and lists their groups. It leaves out
// NULL and unknown columns.
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
		at = gen.root.Find(at)
		if gen.literals[at] == nil {
			gen.literals[at] = map[int][]sqldata.Value{}
		}
		gen.literals[at][l.Group] = append(gen.literals[at][l.Group], withoutWildcards(l.Value))
	}
}

// columnKey returns the key of a column in generator.index.
func columnKey(table, column string) string {
	return strings.ToLower(table) + "\x00" + strings.ToLower(column)
}

// link stores what each column of a foreign key of a table refers to: in root, which leads to what the columns refer to in
// the end, and in target, which marks the columns referred to. A key without named columns refers to the primary key of the other table.
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
		// If a column refers to several, the first is stored. A reference that closes a circle is not.
		if _, linked := gen.root[from]; ok && !linked && gen.root.Find(to) != from {
			gen.root[from] = to
			gen.target[to] = true
		}
	}
}

// group returns the group of literals that row i belongs to, if any.
func (gen *generator) group(i int) (int, bool) {
	if i >= gen.rows/2 || len(gen.groups) == 0 {
		return 0, false
	}
	return gen.groups[i%len(gen.groups)], true
}

// literal returns the literal of a column in row i, by the row's group; false for none. literals are those
// of the column, by group.
func (gen *generator) literal(literals map[int][]sqldata.Value, i int) (sqldata.Value, bool) {
	group, ok := gen.group(i)
	values := literals[group]
	if !ok || len(values) == 0 {
		return sqldata.Value{}, false
	}
	return values[i/len(gen.groups)%len(values)], true // the group's next row gets its next literal
}

// keysOf returns the distinct values of a column that is a key, by row: literals of the row's group, else
// made-up values.
func (gen *generator) keysOf(c column) []sqldata.Value {
	if keys := gen.keys[c]; keys != nil {
		return keys
	}
	col := gen.tables[c.table].Columns[c.column]
	used := make(map[sqldata.Value]bool, gen.rows)
	keys := make([]sqldata.Value, gen.rows)
	next := 0
	for i := range keys {
		v, ok := gen.literal(gen.literals[c], i)
		for !ok || used[v] { // no literal, or one that an earlier row has
			next++
			v, ok = keyValue(col, next), true
		}
		used[v] = true
		keys[i] = v
	}
	gen.keys[c] = keys
	return keys
}

// table makes the rows of a table. A row whose primary key is there already is
// left out.
func (gen *generator) table(t int) [][]sqldata.Value {
	fields := make([]field, len(gen.tables[t].Columns))
	for c := range fields {
		fields[c] = gen.field(column{t, c})
	}
	var rows [][]sqldata.Value
	seen := map[string]bool{}
	for i := range gen.rows {
		row := make([]sqldata.Value, len(fields))
		for c := range row {
			row[c] = gen.cell(&fields[c], i)
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

// primaryKey returns the primary key of a row as text, "" for a table without one.
func (gen *generator) primaryKey(t int, row []sqldata.Value) string {
	var key []byte
	for c, v := range row {
		if gen.primary[column{t, c}] {
			key = strconv.AppendQuote(append(key, byte(v.Kind())), v.String()) // the number 1 and the text "1" differ
		}
	}
	return string(key)
}

// field is what the cells of a column are made of.
type field struct {
	keys     []sqldata.Value         // nil if it is no key and no part of one
	own      bool                    // row i has the i-th key: it is the whole primary key, or a foreign key refers to it
	foreign  bool                    // it refers to another column
	part     bool                    // it is part of a primary key
	literals map[int][]sqldata.Value // by group
	domain   []sqldata.Value         // the values of random cells
}

// field returns what the cells of a column are made of: keys if it is a key or a part of one, else literals and random values. The keys
// are those of the column to which its foreign keys lead in the end, or of the column itself.
func (gen *generator) field(c column) field {
	root := gen.root.Find(c)
	f := field{
		own:     gen.target[c] || gen.primary[c] && len(gen.tables[c.table].PrimaryKey) == 1,
		foreign: root != c, part: gen.primary[c], literals: gen.literals[c], domain: gen.domain(c),
	}
	if f.own || f.foreign || f.part {
		f.keys = gen.keysOf(root)
	}
	return f
}

// cell returns the cell of a column in row i. A key has the value of row i; a foreign key has the value of row i
// of the other table in the first half, and a random one in the second half.
func (gen *generator) cell(f *field, i int) sqldata.Value {
	switch {
	case f.own, f.foreign && i < gen.rows/2:
		return f.keys[i]
	case f.foreign:
		return f.keys[gen.rng.IntN(len(f.keys))]
	}
	if v, ok := gen.literal(f.literals, i); ok {
		return v
	}
	if f.part {
		// One of the first domainSize keys, so that rows share them; each round through them begins one key later.
		return f.keys[(i+i/domainSize)%min(domainSize, len(f.keys))]
	}
	if gen.rng.Float64() < nullShare { // NULL
		return sqldata.Value{}
	}
	return f.domain[gen.rng.IntN(len(f.domain))]
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

// classOf returns the class of a column by parts of its declared type.
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

// words returns the name of a column as words in lower case.
func words(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// withoutWildcards turns the pattern of a LIKE into text that it matches.
func withoutWildcards(v sqldata.Value) sqldata.Value {
	if v.Kind() != sqldata.Text || !strings.Contains(v.Bytes(), "%") { // without a %, it is taken for plain text
		return v
	}
	return sqldata.NewText(strings.NewReplacer("%", "", "_", "x").Replace(v.Bytes()))
}
