package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// schema is a database's schema, as needed for random contents, and its own content, if any.
type schema struct {
	layout     sqlite.Layout
	tables     []table
	order      []int                // the tables, those that others refer to first
	hasContent bool                 // the database has a file with rows
	content    [][][]sqldata.Value  // these rows by table; nil if they are too many to be tried
	nulls      Nulls                // where random contents have NULL; empty: nowhere
	names      map[string][]string  // all columns of a table by its folded name
	types      map[[2]string]string // declared types by folded table and column; "" if a collation makes different values equal
}

// table is a table of a schema.
type table struct {
	name    string
	columns []column
	keys    [][]int // sets of columns that are unique, by index, the primary key first
	foreign []foreignKey
}

// column is a column of a schema, with what is known of its content.
type column struct {
	name    string
	typ     string // declared
	affine  sqlite.Affinity
	rowid   bool // an alias of the row id, which is always an integer
	notNull bool // NULL is not allowed
	kind    contentKind
	values  []sqldata.Value // a sample of the distinct cells of the content
	nulls   bool            // the content has NULL
}

// foreignKey is a reference of columns of one table to those of another.
type foreignKey struct {
	columns []int // by index in their table
	table   int   // index of the other table
	refs    []int // the columns there, one for each of columns
}

// equal reports whether two foreign keys of one table are the same.
func (fk foreignKey) equal(other foreignKey) bool {
	return fk.table == other.table && slices.Equal(fk.columns, other.columns) && slices.Equal(fk.refs, other.refs)
}

// contentLimits bounds the content read of a table; a larger table is sampled.
var contentLimits = sqldata.Limits{Rows: 1_000_000, Bytes: 256 << 20}

// sampledRows is the number of rows read of a table beyond contentLimits.
const sampledRows = 10_000

// largeContent is the number of rows from which running every neighbour on the content takes
// longer than on all random databases.
const largeContent = 6_000

// isLarge reports whether the schema's own content exceeds largeContent.
func (s *schema) isLarge() bool {
	rows := lists.Sum(s.content, func(t [][]sqldata.Value) int { return len(t) })
	return rows > largeContent
}

// errNoTables reports a schema without a table to fill.
var errNoTables = errors.New("has no table that SQLite can make, expected one or more")

// readSchema reads the schema of a database from its file, if it has one, or else from
// tables.json. Foreign keys of tables.json are added in both cases.
func readSchema(ctx context.Context, db *dataset.Database) (*schema, error) {
	s := &schema{names: map[string][]string{}, types: map[[2]string]string{}}
	var err error
	if db.SQLite == "" {
		s.layout = sqlite.NewLayout(dataset.SQLiteTables(db))
	} else if s.layout, err = sqlite.ReadLayout(ctx, db.SQLite); err != nil {
		return nil, err
	}
	if len(s.layout.Tables) == 0 {
		return nil, errNoTables
	}
	for _, t := range s.layout.Tables {
		s.addTable(t)
	}
	for i, t := range s.layout.Tables {
		s.addForeignKeys(i, t.ForeignKeys)
	}
	for _, t := range dataset.SQLiteTables(db) {
		if i := s.table(t.Name); i >= 0 {
			s.addForeignKeys(i, t.ForeignKeys)
		}
	}
	s.sortTables()
	if db.SQLite != "" {
		if err := s.readContent(ctx, db.SQLite); err != nil {
			return nil, err
		}
	}
	for t := range s.tables {
		for c := range s.tables[t].columns {
			col := &s.tables[t].columns[c]
			col.kind = contentKindOf(col)
		}
	}
	return s, nil
}

// addTable adds a table with its columns, types and keys.
func (s *schema) addTable(l sqlite.LayoutTable) {
	t := table{name: l.Name}
	collated := strings.Contains(strings.ToUpper(l.SQL), "COLLATE") // then no column gets a type, see [schema.Type]
	folded := strings.ToLower(l.Name)
	for i, c := range l.Columns {
		t.columns = append(t.columns, column{
			name: c.Name, typ: c.Type, affine: sqlite.AffinityOf(c.Type), notNull: l.NotNull[i] || slices.Contains(l.PrimaryKey, c.Name),
			rowid: slices.Equal(l.PrimaryKey, []string{c.Name}) && strings.EqualFold(c.Type, "INTEGER"),
		})
		s.names[folded] = append(s.names[folded], c.Name)
		if !collated {
			s.types[[2]string{folded, strings.ToLower(c.Name)}] = strings.ToUpper(c.Type)
		}
	}
	for _, key := range append([][]string{l.PrimaryKey}, l.Unique...) {
		columns := lists.Map(key, t.column)
		if len(columns) > 0 && !slices.Contains(columns, -1) {
			t.keys = append(t.keys, columns)
		}
	}
	s.tables = append(s.tables, t)
}

// table returns the index of the table with a name, ignoring case, or -1.
func (s *schema) table(name string) int {
	return slices.IndexFunc(s.tables, func(t table) bool { return strings.EqualFold(t.name, name) })
}

// column returns the index of the column with a name, ignoring case, or -1.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

// addForeignKeys adds foreign keys of table i.
func (s *schema) addForeignKeys(i int, keys []sqldata.ForeignKey) {
	for _, fk := range keys {
		s.addForeignKey(i, fk)
	}
}

// addForeignKey adds a foreign key of table i, unless the table has it already or it names unknown
// tables or columns.
func (s *schema) addForeignKey(i int, fk sqldata.ForeignKey) {
	to := s.table(fk.Table)
	if to < 0 {
		return
	}
	refs := fk.References
	if len(refs) == 0 { // SQLite then takes the primary key
		refs = s.layout.Tables[to].PrimaryKey
	}
	if len(refs) != len(fk.Columns) {
		return
	}
	key := foreignKey{table: to}
	for k, name := range fk.Columns {
		from, target := s.tables[i].column(name), s.tables[to].column(refs[k])
		switch {
		case from < 0, target < 0:
			return
		case to == i && from == target:
			return // a column that refers to itself holds for every row
		}
		key.columns, key.refs = append(key.columns, from), append(key.refs, target)
	}
	if !slices.ContainsFunc(s.tables[i].foreign, key.equal) {
		s.tables[i].foreign = append(s.tables[i].foreign, key)
	}
}

// sortTables orders the tables so that each comes after those that it refers to. A circle is
// broken at a reference that may be NULL, or else at the first table in the schema.
func (s *schema) sortTables() {
	placed := make([]bool, len(s.tables))
	// isReady reports whether all tables that t refers to are placed, or may be referred to by NULL.
	isReady := func(t int, nullable bool) bool {
		return !placed[t] && !slices.ContainsFunc(s.tables[t].foreign, func(fk foreignKey) bool {
			return fk.table != t && !placed[fk.table] && !(nullable && s.nullable(t, fk))
		})
	}
	next := func() int {
		for _, nullable := range []bool{false, true} {
			for t := range s.tables {
				if isReady(t, nullable) {
					return t
				}
			}
		}
		return slices.Index(placed, false) // a circle of references that must not be NULL
	}
	for range s.tables {
		t := next()
		placed[t] = true
		s.order = append(s.order, t)
	}
}

// nullable reports whether a column of a foreign key of table t may be NULL, so that a row need not refer to another.
func (s *schema) nullable(t int, fk foreignKey) bool {
	return slices.ContainsFunc(fk.columns, func(c int) bool { return !s.tables[t].columns[c].notNull })
}

// The number of distinct cells of a column that are sampled, and their longest length.
const (
	cellSample = 400
	cellBytes  = 200
)

// readContent reads the content, or a sample of cells if it is too large to be tried. A database
// without rows counts as one without content.
func (s *schema) readContent(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	content := make([][][]sqldata.Value, len(s.tables))
	rows, large := 0, false
	for i := range s.tables {
		t := &s.tables[i]
		names := lists.Map(t.columns, func(c column) string { return sqldata.QuoteName(c.name) })
		all := "SELECT " + strings.Join(names, ", ") + " FROM " + sqldata.QuoteName(t.name)
		res, err := db.Query(ctx, all, contentLimits)
		if errors.Is(err, sqldata.ErrTooLarge) {
			large = true
			res, err = db.Query(ctx, fmt.Sprintf("%s LIMIT %d", all, sampledRows), contentLimits)
		}
		if errors.Is(err, sqldata.ErrTooLarge) {
			res, err = &sqldata.Result{}, nil // even the sample is too large
		}
		if err != nil {
			return fmt.Errorf("%s: table %s: %w", path, t.name, err)
		}
		content[i] = res.Rows
		rows += len(res.Rows)
		for c := range t.columns {
			t.columns[c].addSample(res.Rows, c)
		}
	}
	s.hasContent = rows > 0 || large
	if s.hasContent && !large {
		s.content = content
	}
	return nil
}

// addSample stores a sample of the distinct cells in a column of rows, and whether there is NULL.
// index is the position of the column in a row.
func (c *column) addSample(rows [][]sqldata.Value, index int) {
	seen := map[sqldata.Value]bool{}
	for _, row := range rows {
		v := row[index]
		switch {
		case v.IsNull():
			c.nulls = true
			continue
		case len(c.values) == cellSample, seen[v]:
			continue // later rows may still have NULL
		}
		if v.Kind() != sqldata.Blob && len(v.String()) <= cellBytes {
			seen[v] = true
			c.values = append(c.values, v)
		}
	}
}

// Columns returns the columns of a table, ignoring case, for [Catalog].
func (s *schema) Columns(table string) ([]string, bool) {
	names, ok := s.names[strings.ToLower(table)]
	return names, ok
}

// Type returns the declared type of a column, or "" if equal values of the column may be
// written differently.
func (s *schema) Type(table, column string) string {
	return s.types[[2]string{strings.ToLower(table), strings.ToLower(column)}]
}

// mayBeNull reports whether random contents may have NULL in a column, given by names.
func (s *schema) mayBeNull(table, column string) bool {
	index, ok := s.find(table, column)
	if !ok {
		return false
	}
	foreign := slices.ContainsFunc(s.tables[index.table].foreign, func(fk foreignKey) bool { return slices.Contains(fk.columns, index.column) })
	return !foreign && s.nulls.allow(s.columnAt(index))
}

// find returns the index of a column by the names of table and column, ignoring case.
func (s *schema) find(table, column string) (index columnIndex, ok bool) {
	t := s.table(table)
	if t < 0 {
		return columnIndex{}, false
	}
	c := s.tables[t].column(column)
	return columnIndex{t, c}, c >= 0
}

// columnAt returns the column with an index.
func (s *schema) columnAt(i columnIndex) *column { return &s.tables[i.table].columns[i.column] }

// TableName returns a table's name in the schema's spelling.
func (s *schema) TableName(name string) (string, bool) {
	if i := s.table(name); i >= 0 {
		return s.tables[i].name, true
	}
	return "", false
}

// isKey reports whether a column by itself is a key of its table.
func (s *schema) isKey(i columnIndex) bool {
	return slices.ContainsFunc(s.tables[i.table].keys, func(key []int) bool { return slices.Equal(key, []int{i.column}) })
}
