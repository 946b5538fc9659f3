package perturb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DropColumn removes a column that is part of no key (MT-TEQL, section 3.2,
// column removal).
type DropColumn struct {
	Table  string `json:"table"`  // SQL name
	Column string `json:"column"` // SQL name
}

// ShuffleColumns puts the columns of a table in another order (MT-TEQL, section
// 3.2). It changes the order of the schema, the one in which models read it;
// that of the SQLite file, which no query can see but by a star, stays.
type ShuffleColumns struct {
	Table string   `json:"table"` // SQL name
	Order []string `json:"order"` // SQL names of all its columns
}

// ShuffleTables puts the tables of a schema in another order (MT-TEQL, section
// 3.2); an SQLite file has none.
type ShuffleTables struct {
	Order []string `json:"order"` // SQL names of all tables
}

// SplitTable moves a column that is part of no key to a new table of two columns,
// which is put behind the others, and links the two (MT-TEQL, section 3.2,
// normalization): the column Key, which comes at the end of the old table, refers
// to that of the new one, its primary key. The new table has each value of the
// column once.
type SplitTable struct {
	Table      string `json:"table"`  // SQL name
	Column     string `json:"column"` // SQL name; the same in the new table
	NewTable   string `json:"new_table"`
	Natural    string `json:"natural"` // of the new table
	Key        string `json:"key"`     // SQL name of the linking column, in both tables
	KeyNatural string `json:"key_natural"`
}

// MergeTables puts the columns of a table to which only one column refers at the
// end of the table of that column, and drops it (MT-TEQL, section 3.2,
// flattening): rows keep their number and take the cells of their partner, NULL
// where there is none. Rows that nothing refers to are lost.
type MergeTables struct {
	Table     string         `json:"table"`     // SQL name
	Column    string         `json:"column"`    // SQL name of the column that refers
	Reference string         `json:"reference"` // SQL name of the table that goes
	Target    string         `json:"target"`    // SQL name of the column that Column refers to; Column is left of the two
	Columns   []MergedColumn `json:"columns"`   // all others of the table that goes, in order
}

// MergedColumn is a column that [MergeTables] moves.
type MergedColumn struct {
	Column  string `json:"column"` // SQL name before
	Name    string `json:"name"`   // SQL name after
	Natural string `json:"natural"`
}

// DropPrimaryKey hides the primary key of a table (MT-TEQL, section 3.2, opaque
// key). It changes the schema that models read; what the SQLite file declares
// stays, for no answer depends on it.
type DropPrimaryKey struct {
	Table string `json:"table"` // SQL name
}

// DropForeignKey hides a foreign key, as [DropPrimaryKey] does.
type DropForeignKey struct {
	Table     string `json:"table"`  // SQL name
	Column    string `json:"column"` // SQL name
	Reference string `json:"reference"`
	Target    string `json:"target"`
}

func (DropColumn) op() string     { return "drop-column" }
func (ShuffleColumns) op() string { return "shuffle-columns" }
func (ShuffleTables) op() string  { return "shuffle-tables" }
func (SplitTable) op() string     { return "split-table" }
func (MergeTables) op() string    { return "merge-tables" }
func (DropPrimaryKey) op() string { return "drop-primary-key" }
func (DropForeignKey) op() string { return "drop-foreign-key" }

func (DropColumn) from() dataset.Candidate     { return certain }
func (ShuffleColumns) from() dataset.Candidate { return certain }
func (ShuffleTables) from() dataset.Candidate  { return certain }
func (SplitTable) from() dataset.Candidate     { return certain }
func (MergeTables) from() dataset.Candidate    { return certain }
func (DropPrimaryKey) from() dataset.Candidate { return certain }
func (DropForeignKey) from() dataset.Candidate { return certain }

func (ShuffleColumns) content() []sqlite.Write { return nil }
func (ShuffleTables) content() []sqlite.Write  { return nil }
func (DropPrimaryKey) content() []sqlite.Write { return nil }
func (DropForeignKey) content() []sqlite.Write { return nil }

func (e DropColumn) content() []sqlite.Write {
	return []sqlite.Write{sqlite.DropColumn{Table: e.Table, Column: e.Column}}
}

func (e SplitTable) content() []sqlite.Write {
	return []sqlite.Write{sqlite.SplitColumn{Table: e.Table, Column: e.Column, Into: e.NewTable, Key: e.Key}}
}

func (e MergeTables) content() []sqlite.Write {
	m := sqlite.MergeTable{Table: e.Table, Column: e.Column, Reference: e.Reference, Target: e.Target}
	for _, c := range e.Columns {
		m.Columns = append(m.Columns, sqlite.MergedColumn{Column: c.Column, Name: c.Name})
	}
	return []sqlite.Write{m}
}

func (e DropColumn) schema(before, after *dataset.Database) error {
	ref, err := free(before, after, e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be dropped", err)
	}
	if remaining(after.Tables[ref.Table]) < 2 {
		return fmt.Errorf("column %s.%s is the only one of its table", e.Table, e.Column)
	}
	after.Column(ref).Original = dropped
	return nil
}

// free returns a column that may give way: it is part of no key, and no other
// edit changes it.
func free(before, after *dataset.Database, table, column string) (dataset.ColumnRef, error) {
	ref, ok := before.Lookup(table, column)
	switch {
	case !ok:
		return ref, fmt.Errorf("there is no column %s.%s", table, column)
	case after.Column(ref).Original != before.Column(ref).Original:
		return ref, fmt.Errorf("column %s.%s is edited twice", table, column)
	case IsKey(before, ref):
		return ref, fmt.Errorf("column %s.%s is part of a key", table, column)
	}
	return ref, underived(before, after, ref)
}

func remaining(t dataset.Table) (n int) {
	for _, c := range t.Columns {
		if c.Original != dropped {
			n++
		}
	}
	return n
}

// hasColumn tells whether a table has a column of that name, before or after the
// edits made so far.
func hasColumn(before, after *dataset.Database, table int, name string) bool {
	named := func(c dataset.Column) bool { return strings.EqualFold(c.Original, name) }
	return slices.ContainsFunc(after.Tables[table].Columns, named) || slices.ContainsFunc(before.Tables[table].Columns, named)
}

func (e SplitTable) schema(before, after *dataset.Database) error {
	ref, err := free(before, after, e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be moved to a table of its own", err)
	}
	for _, err := range []error{checkIdent(e.NewTable), checkNatural(e.Natural), checkIdent(e.Key), checkNatural(e.KeyNatural)} {
		if err != nil {
			return fmt.Errorf("split of %s.%s: %w", e.Table, e.Column, err)
		}
	}
	switch {
	case before.Table(e.NewTable) >= 0, after.Table(e.NewTable) >= 0:
		return fmt.Errorf("there is a table %s already", e.NewTable)
	case hasColumn(before, after, ref.Table, e.Key):
		return fmt.Errorf("table %s has a column %s already", e.Table, e.Key)
	}
	key, column := dataset.Column{Name: e.KeyNatural, Original: e.Key, Type: dataset.Number}, *after.Column(ref)
	column.Base = "" // is in another table now
	link := dataset.ColumnRef{Table: ref.Table, Column: len(after.Tables[ref.Table].Columns)}
	own := dataset.ColumnRef{Table: len(after.Tables)}
	after.Tables[ref.Table].Columns = append(after.Tables[ref.Table].Columns, key)
	after.Tables = append(after.Tables, dataset.Table{Name: e.Natural, Original: e.NewTable, Columns: []dataset.Column{key, column}})
	after.PrimaryKeys = append(after.PrimaryKeys, own)
	after.ForeignKeys = append(after.ForeignKeys, dataset.ForeignKey{Column: link, Target: own})
	after.Column(ref).Original = dropped
	return nil
}

func (e MergeTables) schema(before, after *dataset.Database) error {
	fail := func(err error) error { return fmt.Errorf("merge of %s into %s: %w", e.Reference, e.Table, err) }
	key, err := foreignKey(before, before.ForeignKeys, e.Table, e.Column, e.Reference, e.Target)
	if err != nil {
		return fail(err)
	}
	link, target := key.Column, key.Target
	into, from := after.Tables[link.Table], after.Tables[target.Table]
	sameName := func(a, b dataset.Column) bool { return a.Original == b.Original }
	switch {
	case !Mergeable(before, key):
		return fail(errors.New("more than one foreign key refers to the table that goes, expected one, from another table"))
	case into.Original != before.Tables[link.Table].Original, !slices.EqualFunc(from.Columns, before.Tables[target.Table].Columns, sameName):
		return fail(errors.New("one of the tables is edited besides"))
	}
	moved := map[dataset.ColumnRef]dataset.ColumnRef{target: link}
	next := e.Columns
	for i, c := range before.Tables[target.Table].Columns {
		switch {
		case i == target.Column:
			continue
		case len(next) == 0, !strings.EqualFold(next[0].Column, c.Original):
			return fail(fmt.Errorf("the columns do not go on with %s, expected all but %s in order", c.Original, e.Target))
		}
		into := next[0]
		next = next[1:]
		if into.Name != c.Original { // one of the schema's own is good enough
			if err := checkIdent(into.Name); err != nil {
				return fail(err)
			}
		}
		if err := checkNatural(into.Natural); err != nil {
			return fail(err)
		}
		if hasColumn(before, after, link.Table, into.Name) {
			return fail(fmt.Errorf("there is a column %s already", into.Name))
		}
		columns := &after.Tables[link.Table].Columns
		moved[dataset.ColumnRef{Table: target.Table, Column: i}] = dataset.ColumnRef{Table: link.Table, Column: len(*columns)}
		*columns = append(*columns, e.moved(c, into))
	}
	if len(next) > 0 {
		return fail(fmt.Errorf("there is no further column %s", next[0].Column))
	}
	after.Tables[target.Table].Original = dropped
	e.moveKeys(after, key, moved)
	return nil
}

// moved returns a column of the table that goes as it is after the merge, its base
// under the name that this has then.
func (e MergeTables) moved(c dataset.Column, into MergedColumn) dataset.Column {
	if c.Name != into.Natural {
		c.Header = ""
	}
	c.Original, c.Name = into.Name, into.Natural
	if base := slices.IndexFunc(e.Columns, func(m MergedColumn) bool { return strings.EqualFold(m.Column, c.Base) }); base >= 0 {
		c.Base = e.Columns[base].Name
	} else if strings.EqualFold(c.Base, e.Target) {
		c.Base = e.Column
	}
	return c
}

// moveKeys drops the key of the merge; the other foreign keys of the table that
// goes move with their columns.
func (e MergeTables) moveKeys(after *dataset.Database, merged dataset.ForeignKey, moved map[dataset.ColumnRef]dataset.ColumnRef) {
	after.ForeignKeys = slices.DeleteFunc(after.ForeignKeys, func(k dataset.ForeignKey) bool { return k == merged })
	for i, k := range after.ForeignKeys {
		if to, ok := moved[k.Column]; ok {
			after.ForeignKeys[i].Column = to
		}
	}
}

// Mergeable tells whether the table that a foreign key refers to can be merged
// into the one of the key's column: nothing else refers to it.
func Mergeable(db *dataset.Database, key dataset.ForeignKey) bool {
	shared := func(k dataset.ForeignKey) bool { return k != key && k.Target.Table == key.Target.Table }
	return key.Column.Table != key.Target.Table && !slices.ContainsFunc(db.ForeignKeys, shared)
}

func (e DropPrimaryKey) schema(before, after *dataset.Database) error {
	t := before.Table(e.Table)
	hides := func(ref dataset.ColumnRef) bool { return ref.Table == t }
	if !slices.ContainsFunc(after.PrimaryKeys, hides) {
		return fmt.Errorf("there is no primary key of a table %s to hide", e.Table)
	}
	after.PrimaryKeys = slices.DeleteFunc(after.PrimaryKeys, hides)
	return nil
}

func (e DropForeignKey) schema(before, after *dataset.Database) error {
	key, err := foreignKey(before, after.ForeignKeys, e.Table, e.Column, e.Reference, e.Target)
	if err != nil {
		return fmt.Errorf("%w to hide", err)
	}
	after.ForeignKeys = slices.DeleteFunc(after.ForeignKeys, func(k dataset.ForeignKey) bool { return k == key })
	return nil
}

// foreignKey returns one of the foreign keys by the SQL names of its columns in db.
func foreignKey(db *dataset.Database, keys []dataset.ForeignKey, table, column, reference, target string) (dataset.ForeignKey, error) {
	from, ok := db.Lookup(table, column)
	to, ok2 := db.Lookup(reference, target)
	key := dataset.ForeignKey{Column: from, Target: to}
	if !ok || !ok2 || !slices.Contains(keys, key) {
		return key, fmt.Errorf("there is no foreign key from %s.%s to %s.%s", table, column, reference, target)
	}
	return key, nil
}

// newTables returns the names of the tables that edits make, each by itself.
func newTables(edits []Edit) map[string]string {
	tables := map[string]string{}
	for _, e := range edits {
		if s, ok := e.(SplitTable); ok {
			tables[s.NewTable] = s.NewTable
		}
	}
	return tables
}

// goneColumns returns the columns that edits take from their tables, each by
// its own name.
func goneColumns(edits []Edit) map[sqlast.BaseColumn]string {
	columns := map[sqlast.BaseColumn]string{}
	for _, e := range edits {
		switch e := e.(type) {
		case DropColumn:
			columns[sqlast.BaseColumn{Table: e.Table, Column: e.Column}] = e.Column
		case SplitTable:
			columns[sqlast.BaseColumn{Table: e.Table, Column: e.Column}] = e.Column
		}
	}
	return columns
}
