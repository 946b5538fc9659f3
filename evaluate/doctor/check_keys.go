package doctor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// primaryKeys reports tables whose primary key differs between tables.json and the SQLite file. Spider
// lists only the first column of a key of several columns; that is not reported.
func primaryKeys(_ context.Context, u *unit, r *reporter) {
	listed := map[int][]string{}
	for _, ref := range u.DB.PrimaryKeys {
		listed[ref.Table] = append(listed[ref.Table], u.DB.Column(ref).Original)
	}
	for i, t := range u.DB.Tables {
		stored := u.storedTable(t.Original)
		if stored == nil || sameNames(listed[i], stored.PrimaryKey) {
			continue
		}
		if len(listed[i]) == 1 && contains(stored.PrimaryKey, listed[i][0]) { // one column of the key
			continue
		}
		r.schema(t.Original, "", "primary key is %s in tables.json and %s in the SQLite file", nameList(listed[i]), nameList(stored.PrimaryKey))
	}
}

// contains reports whether names has a name, ignoring case.
func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// sameNames reports whether two lists have the same names in any order, ignoring case.
func sameNames(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(n string) bool { return !contains(b, n) })
}

// nameList returns names separated by commas, or "none".
func nameList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// reference is one column of a foreign key with the column that it refers to.
type reference struct{ table, column, toTable, toColumn string }

// key returns the reference with its names in lower case, to compare it with others.
func (l reference) key() reference {
	return reference{strings.ToLower(l.table), strings.ToLower(l.column), strings.ToLower(l.toTable), strings.ToLower(l.toColumn)}
}

// isSelf reports whether a column refers to itself.
func (l reference) isSelf() bool {
	k := l.key()
	return k.table == k.toTable && k.column == k.toColumn
}

// listedReferences returns the foreign keys of tables.json.
func (u *unit) listedReferences() []reference {
	var references []reference
	for _, fk := range u.DB.ForeignKeys {
		from, to := u.DB.ColumnID(fk.Column), u.DB.ColumnID(fk.Target)
		references = append(references, reference{from.Table, from.Column, to.Table, to.Column})
	}
	return references
}

// referencedColumns returns the columns that a stored foreign key refers to: those that it names, or else the primary key of the other
// table; nil if there is no such table or its key has another number of columns.
func (u *unit) referencedColumns(fk sqldata.ForeignKey) []string {
	if len(fk.References) > 0 {
		return fk.References
	}
	if t := u.storedTable(fk.Table); t != nil && len(t.PrimaryKey) == len(fk.Columns) {
		return t.PrimaryKey
	}
	return nil
}

// storedReferences returns the foreign keys of the SQLite file, column by column, that refer to columns that exist.
func (u *unit) storedReferences() []reference {
	var references []reference
	for _, t := range u.stored {
		for _, fk := range t.ForeignKeys {
			to := u.storedTable(fk.Table)
			for i, ref := range u.referencedColumns(fk) {
				if storedColumn(to, ref) != nil {
					references = append(references, reference{t.Name, fk.Columns[i], to.Name, ref})
				}
			}
		}
	}
	return references
}

// hasColumns reports whether the SQLite file has both columns of a reference, and these are not the same column.
func (u *unit) hasColumns(l reference) bool {
	return !l.isSelf() && storedColumn(u.storedTable(l.table), l.column) != nil && storedColumn(u.storedTable(l.toTable), l.toColumn) != nil
}

// foreignKeys reports references that only one of tables.json and the SQLite file has.
func foreignKeys(_ context.Context, u *unit, r *reporter) {
	if u.content == nil {
		return
	}
	listed, stored := u.listedReferences(), u.storedReferences()
	for _, side := range []struct {
		references, others []reference
		where, missing     string // the sources of references and of others
	}{{listed, stored, "tables.json", "the SQLite file"}, {stored, listed, "the SQLite file", "tables.json"}} {
		seen := lists.Set(side.others, reference.key)
		for _, l := range side.references {
			if k := l.key(); !seen[k] && u.hasColumns(l) { // other checks report what is missing
				seen[k] = true
				r.schema(l.table, l.column, "refers to %s.%s in %s, but not in %s", l.toTable, l.toColumn, side.where, side.missing)
			}
		}
	}
}

// danglingKeys reports foreign keys that refer to nothing, and columns that refer to themselves.
func danglingKeys(_ context.Context, u *unit, r *reporter) {
	for _, l := range u.listedReferences() {
		if l.isSelf() {
			r.schema(l.table, l.column, "refers to itself in tables.json")
		}
	}
	for _, t := range u.stored {
		for _, fk := range t.ForeignKeys {
			to, refs := u.storedTable(fk.Table), u.referencedColumns(fk)
			column := fk.Columns[0]
			switch {
			case to == nil:
				r.schema(t.Name, column, "refers to the table %s, which the SQLite file lacks", fk.Table)
			case len(refs) == 0:
				r.schema(t.Name, column, "refers to the primary key of %s, which has none of as many columns", to.Name)
			case slices.ContainsFunc(refs, func(ref string) bool { return storedColumn(to, ref) == nil }):
				r.schema(t.Name, column, "refers to %s(%s), which that table lacks", to.Name, strings.Join(refs, ", "))
			}
		}
	}
}

// foreignKeyViolations reports the foreign keys of the SQLite file and of tables.json by which rows
// refer to rows that do not exist. The unary plus in the SQL removes the affinity of the referring cell, so that it
// is compared with the affinity of the referenced column, as in SQLite's own check.
func foreignKeyViolations(ctx context.Context, u *unit, r *reporter) {
	if u.content == nil || u.content.Enforces() { // an engine that enforces keys, such as PostgreSQL, has no violations
		return
	}
	seen := map[reference]bool{}
	for _, l := range slices.Concat(u.storedReferences(), u.listedReferences()) {
		if seen[l.key()] || !u.hasColumns(l) {
			continue
		}
		seen[l.key()] = true
		column := "c." + sqldata.QuoteName(l.column)
		res := u.query(ctx, fmt.Sprintf("foreign key %s.%s", l.table, l.column), fmt.Sprintf(
			"SELECT count(*), min(%[1]s) FROM %[2]s AS c WHERE %[1]s IS NOT NULL AND +%[1]s NOT IN (SELECT p.%[3]s FROM %[4]s AS p WHERE p.%[3]s IS NOT NULL)",
			column, sqldata.QuoteName(l.table), sqldata.QuoteName(l.toColumn), sqldata.QuoteName(l.toTable)))
		if res != nil && res.Rows[0][0].Int() > 0 {
			r.schema(l.table, l.column, "%s to no row of %s.%s, such as %s", rowsRefer(res.Rows[0][0].Int()), l.toTable, l.toColumn, quoteText(res.Rows[0][1]))
		}
	}
}

// rowsRefer returns "1 row refers" or "N rows refer".
func rowsRefer(n int64) string {
	if n == 1 {
		return "1 row refers"
	}
	return fmt.Sprintf("%d rows refer", n)
}

// quoteText returns a cell for people. Text is quoted, to distinguish it from numbers and to show blanks at its end.
func quoteText(v sqldata.Value) string {
	if v.Kind() == sqldata.Text {
		return strconv.Quote(v.String())
	}
	return v.String()
}
