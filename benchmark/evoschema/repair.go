package evoschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// change is what a record does to its schema.
type change struct {
	// tables computes each table after that differs, by its name, as a query over those before: main.NAME.
	tables map[string]string
	// gold makes the gold SQL after from that before.
	gold func(*perturb.Example) (string, error)
}

// change returns the change of the record, by what the record stores for its type. It returns an error if the tables after cannot be
// computed from those before.
func (r *record) change(before, after *dataset.Database) (*change, error) {
	for _, t := range after.Tables {
		names := lists.Set(t.Columns, func(c dataset.Column) string { return strings.ToLower(c.Original) })
		if len(names) < len(t.Columns) {
			return nil, fmt.Errorf("two columns of %s get one name", t.Original)
		}
	}
	hasRenamed := func(t recordTable) bool { return t.Renamed != nil }
	switch {
	case r.Merged != nil:
		return r.merge(before, after)
	case r.TableNames != nil, slices.ContainsFunc(slices.Collect(maps.Values(r.New)), hasRenamed):
		return r.rename(before, after)
	case r.NewGold != nil: // a type that changes gold SQL, but neither merges nor renames tables or columns
		return nil, fmt.Errorf("columns are split or merged by no rule that is given")
	}
	return remove(before, after), nil
}

// quoted returns a name for SQL, in quotes if it needs them.
func quoted(name string) string { return sqlast.NewIdent(name).String() }

// column is a column of a table after: its name there, and the expression that computes it.
type column struct{ expr, name string }

// selectColumns returns a query that computes columns from a source.
func selectColumns(from string, columns []column) string {
	list := lists.Map(columns, func(c column) string {
		if c.expr == quoted(c.name) {
			return c.expr
		}
		return c.expr + " AS " + quoted(c.name)
	})
	return "SELECT " + strings.Join(list, ", ") + " FROM " + from
}

// rename returns the change of renamed tables or columns. It pairs columns before and after by position: the record's own map of
// column names lacks some that its DDL renames.
func (r *record) rename(before, after *dataset.Database) (*change, error) {
	renaming := sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}}
	c := &change{tables: map[string]string{}, gold: func(ex *perturb.Example) (string, error) {
		q, err := sqlast.Rename(ex.Gold, ex.Binding, renaming)
		if err != nil {
			return "", err
		}
		return q.String(), nil
	}}
	for _, t := range before.Tables {
		name := t.Original
		if to, ok := folded(r.TableNames, name); ok {
			name, renaming.Tables[t.Original] = to, to
		}
		names, ok := after.Columns(name)
		if !ok || len(names) != len(t.Columns) {
			return nil, fmt.Errorf("the schema after lacks %s or a column of it", name)
		}
		var columns []column
		for i, old := range t.Columns {
			if to := names[i]; to != old.Original {
				renaming.Columns[sqlast.BaseColumn{Table: t.Original, Column: old.Original}] = to
			}
			columns = append(columns, column{quoted(old.Original), names[i]})
		}
		c.tables[name] = selectColumns("main."+quoted(t.Original), columns)
	}
	return c, nil
}

// folded returns the value of a key, compared without case; of several such keys the first in order.
func folded[T any](m map[string]T, key string) (value T, ok bool) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if strings.EqualFold(k, key) {
			return m[k], true
		}
	}
	return value, false
}

// remove returns the change of tables that have fewer columns; gold SQL stays.
func remove(before, after *dataset.Database) *change {
	c := &change{tables: map[string]string{}, gold: func(ex *perturb.Example) (string, error) { return ex.Query, nil }}
	for _, t := range after.Tables {
		if before.Table(t.Original) < 0 { // it cannot be computed
			continue
		}
		columns := lists.Map(t.Columns, func(c dataset.Column) column { return column{quoted(c.Original), c.Original} })
		c.tables[t.Original] = selectColumns("main."+quoted(t.Original), columns)
	}
	return c
}

// merging is the change of two tables that become one. Rows of the child refer to the parent by a key.
type merging struct {
	*record
	before        *dataset.Database
	into          *dataset.Table // the table after
	child, parent int
	key           dataset.ForeignKey
}

// merge returns the change of two tables that become one, which has all rows of both, joined by a foreign key. It returns an error
// if the record does not merge two tables that a foreign key joins.
func (r *record) merge(before, after *dataset.Database) (*change, error) {
	m := &merging{record: r, before: before}
	var merged []int
	for _, old := range slices.Sorted(maps.Keys(r.Merged)) {
		t, into := before.Table(old), after.Table(r.Merged[old])
		if t < 0 || into < 0 {
			return nil, fmt.Errorf("no table %s before or %s after", old, r.Merged[old])
		}
		merged, m.into = append(merged, t), &after.Tables[into]
	}
	if len(merged) != 2 {
		return nil, fmt.Errorf("%d tables are merged", len(merged))
	}
	i := slices.IndexFunc(before.ForeignKeys, func(k dataset.ForeignKey) bool {
		return k.Column.Table != k.Target.Table && slices.Contains(merged, k.Column.Table) && slices.Contains(merged, k.Target.Table)
	})
	if i < 0 {
		return nil, fmt.Errorf("no key joins the merged tables")
	}
	m.key = before.ForeignKeys[i]
	m.child, m.parent = m.key.Column.Table, m.key.Target.Table
	query, err := m.query()
	if err != nil {
		return nil, err
	}
	return &change{tables: map[string]string{m.into.Original: query}, gold: m.gold}, nil
}

// place returns the name of the column of the merged table that holds a column of an old table, "" for none. The two columns of the
// key are equal, so one may hold the other.
func (m *merging) place(ref dataset.ColumnRef) string {
	if name := m.ownPlace(ref); name != "" {
		return name
	}
	switch ref {
	case m.key.Column:
		return m.ownPlace(m.key.Target)
	case m.key.Target:
		return m.ownPlace(m.key.Column)
	}
	return ""
}

// ownPlace returns the name of the column of the merged table that comes from ref: the one whose origin is ref by the record, else the
// one of the same name, "" for none. Unlike place it does not let one column of the key hold the other.
func (m *merging) ownPlace(ref dataset.ColumnRef) string {
	id := m.before.ColumnID(ref)
	for _, name := range slices.Sorted(maps.Keys(m.Origins)) {
		if o := m.Origins[name]; strings.EqualFold(o.Table, id.Table) && strings.EqualFold(o.Column, id.Column) {
			return name
		}
	}
	_, isTaken := m.Origins[id.Column] // the name is that of a column from elsewhere
	if isTaken || !slices.ContainsFunc(m.into.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Original, id.Column) }) {
		return ""
	}
	_, inChild := m.before.Lookup(m.before.Tables[m.child].Original, id.Column)
	if ref.Table == m.parent && inChild && ref != m.key.Target { // the name is that of the child's column
		return ""
	}
	return id.Column
}

// query returns the query that computes the merged table: a FULL JOIN of child (a) and parent (b) by the key. A column that
// both sides can give, such as the key, takes the first that is not NULL.
func (m *merging) query() (string, error) {
	var columns []column
	for _, c := range m.into.Columns {
		var sources []string
		for _, side := range []struct {
			table int
			alias string
		}{{m.child, "a"}, {m.parent, "b"}} {
			for i, old := range m.before.Tables[side.table].Columns {
				if strings.EqualFold(m.place(dataset.ColumnRef{Table: side.table, Column: i}), c.Original) {
					sources = append(sources, side.alias+"."+quoted(old.Original))
				}
			}
		}
		switch len(sources) {
		case 0:
			return "", fmt.Errorf("the merged table has columns of neither table")
		case 1:
			columns = append(columns, column{sources[0], c.Original})
		default:
			columns = append(columns, column{"coalesce(" + strings.Join(sources, ", ") + ")", c.Original})
		}
	}
	name := func(ref dataset.ColumnRef) string { return quoted(m.before.Column(ref).Original) }
	from := fmt.Sprintf("main.%s AS a FULL JOIN main.%s AS b ON a.%s = b.%s",
		quoted(m.before.Tables[m.child].Original), quoted(m.before.Tables[m.parent].Original), name(m.key.Column), name(m.key.Target))
	return selectColumns(from, columns), nil
}

// gold returns the gold SQL after the merge: each use of an old table becomes a subquery that reads its rows from the merged table.
func (m *merging) gold(ex *perturb.Example) (string, error) {
	parts := map[int]*sqlast.Query{}
	for _, t := range []int{m.child, m.parent} {
		q, err := m.part(ex, t)
		if err != nil {
			return "", err
		}
		parts[t] = q
	}
	out := sqlast.Rewrite(ex.Gold, func(n sqlast.Node) sqlast.Node {
		t, ok := n.(*sqlast.Table)
		if !ok {
			return n
		}
		part, ok := parts[m.before.Table(ex.Binding.BaseTable(t))]
		if !ok {
			return n
		}
		alias := t.Alias
		if alias.IsZero() {
			alias = t.Name
		}
		return &sqlast.Derived{Query: part, Alias: alias}
	})
	return sqlast.Format(out), nil
}

// part returns the query that reads the rows of an old table, with the columns that a gold SQL uses, from the merged one. These are
// the rows in which a column of identity is not NULL. A row of the parent, or of a table with a key, may be there more than once, so
// the query drops repetitions.
func (m *merging) part(ex *perturb.Example, t int) (*sqlast.Query, error) {
	identity := m.identity(t)
	if len(identity) == 0 {
		return nil, fmt.Errorf("the merged table does not tell the rows of %s", m.before.Tables[t].Original)
	}
	distinct := ""
	if t == m.parent || slices.Contains(m.before.PrimaryKeys, identity[0]) {
		distinct = "DISTINCT "
	}
	used := ex.Binding.Columns()
	var columns []column
	for i, c := range m.before.Tables[t].Columns {
		ref := dataset.ColumnRef{Table: t, Column: i}
		isUsed := len(ex.Binding.Stars()) > 0 || slices.ContainsFunc(used, func(u sqlast.BaseColumn) bool {
			at, _ := m.before.Lookup(u.Table, u.Column)
			return at == ref
		})
		isIdentity := distinct != "" && ref == identity[0] // keeps rows apart that are equal otherwise
		if place := m.place(ref); place != "" && (isUsed || isIdentity) {
			columns = append(columns, column{quoted(place), c.Original})
		}
	}
	has := lists.Map(identity, func(ref dataset.ColumnRef) string { return quoted(m.place(ref)) + " IS NOT NULL" })
	query := selectColumns(quoted(m.into.Original), columns) + " WHERE " + strings.Join(has, " OR ")
	return sqlast.Parse("SELECT " + distinct + strings.TrimPrefix(query, "SELECT "))
}

// identity returns the column that identifies the rows of an old table in the merged one: its primary key, or for the parent the
// column that the child refers to. For a child without a key it returns all its own columns: each of its rows is there once,
// and one of these columns shows that.
func (m *merging) identity(t int) (own []dataset.ColumnRef) {
	for i := range m.before.Tables[t].Columns {
		ref := dataset.ColumnRef{Table: t, Column: i}
		switch {
		case m.place(ref) == "", ref == m.key.Column: // not there, or filled by a row of the parent too
		case slices.Contains(m.before.PrimaryKeys, ref):
			return []dataset.ColumnRef{ref}
		case t == m.child, ref == m.key.Target:
			own = append(own, ref)
		}
	}
	return own
}

// withTables returns a query with each of the tables as a common table expression of that name before those that it has.
func withTables(query string, tables map[string]string) (string, error) {
	q, err := sqlast.Parse(query)
	if err != nil {
		return "", err
	}
	ctes := lists.Map(slices.Sorted(maps.Keys(tables)), func(name string) string { return quoted(name) + " AS (" + tables[name] + ")" })
	with := "WITH " + strings.Join(ctes, ", ")
	if q.With == nil {
		return with + " " + query, nil
	}
	keyword := "WITH "
	if q.With.Recursive {
		keyword, with = "WITH RECURSIVE ", "WITH RECURSIVE "+strings.TrimPrefix(with, "WITH ")
	}
	return with + ", " + strings.TrimPrefix(q.String(), keyword), nil
}
