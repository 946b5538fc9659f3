package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// missingDatabase reports a database without a file.
func missingDatabase(_ context.Context, u *unit, r *reporter) {
	if u.DB.SQLite == "" {
		r.schema("", "", "no database/%s/%[1]s.sqlite; %s cannot be run", u.DB.ID, table.Count(len(u.Examples), "example"))
	}
}

// damagedDatabase reports a database whose file cannot be read, with the reason.
func damagedDatabase(_ context.Context, u *unit, r *reporter) {
	if u.damage != nil {
		r.schema("", "", "%s", strings.TrimPrefix(u.damage.Error(), u.DB.SQLite+": "))
	}
}

// integrityTime bounds the integrity check of a database.
const integrityTime = 10 * time.Second

// integrity reports the number of faults that SQLite's integrity check finds in a file, and the first of them.
func integrity(ctx context.Context, u *unit, r *reporter) {
	if u.content == nil {
		return
	}
	faults, err := engine.Integrity(ctx, u.DB.SQLite, integrityTime)
	if err != nil {
		u.unaudited = append(u.unaudited, fmt.Sprintf("integrity of the file: %v", err))
	}
	if len(faults) > 0 {
		r.schema("", "", "database/%s/%[1]s.sqlite: %s, the first: %s", u.DB.ID, table.Count(len(faults), "fault"), faults[0])
	}
}

// databaseWithoutRows reports a database without a row.
func databaseWithoutRows(_ context.Context, u *unit, r *reporter) {
	if u.content != nil && !u.hasRows() {
		r.schema("", "", "none of %s has a row", table.Count(len(u.stored), "table"))
	}
}

// isInternal reports whether a table is one of SQLite's own, which some of Spider's schemas list.
func isInternal(table string) bool { return strings.HasPrefix(strings.ToLower(table), "sqlite_") }

// storedTable returns the table of the SQLite file with a name, ignoring case, or nil.
func (u *unit) storedTable(name string) *sqldata.Table { return tableNamed(u.stored, name) }

// storedRelation returns the table or view of the SQLite file with a name, ignoring case, or nil.
func (u *unit) storedRelation(name string) *sqldata.Table {
	return cmp.Or(u.storedTable(name), tableNamed(u.views, name))
}

// tableNamed returns the table with a name, ignoring case, or nil.
func tableNamed(tables []sqldata.Table, name string) *sqldata.Table {
	i := slices.IndexFunc(tables, func(t sqldata.Table) bool { return strings.EqualFold(t.Name, name) })
	if i < 0 {
		return nil
	}
	return &tables[i]
}

// storedColumn returns the column of a table with a name, ignoring case; nil if there is none or t is
// nil.
func storedColumn(t *sqldata.Table, name string) *sqldata.Column {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.Columns, func(c sqldata.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

// missingTables reports tables that only tables.json has.
func missingTables(_ context.Context, u *unit, r *reporter) {
	for _, t := range u.DB.Tables {
		if u.content != nil && u.storedRelation(t.Original) == nil && !isInternal(t.Original) {
			r.schema(t.Original, "", "is in tables.json, but not in the SQLite file")
		}
	}
}

// missingColumns reports columns that only tables.json has, of tables that the SQLite file has too.
func missingColumns(_ context.Context, u *unit, r *reporter) {
	for _, t := range u.DB.Tables {
		stored := u.storedRelation(t.Original)
		for _, c := range t.Columns {
			if stored != nil && storedColumn(stored, c.Original) == nil {
				r.schema(t.Original, c.Original, "is in tables.json, but not in the SQLite file")
			}
		}
	}
}

// unlistedTables reports tables that only the SQLite file has.
func unlistedTables(_ context.Context, u *unit, r *reporter) {
	for _, t := range u.stored {
		if u.DB.Table(t.Name) < 0 {
			r.schema(t.Name, "", "is in the SQLite file, but not in tables.json")
		}
	}
}

// unlistedColumns reports columns that only the SQLite file has, of tables that tables.json has too.
func unlistedColumns(_ context.Context, u *unit, r *reporter) {
	for _, t := range u.stored {
		for _, c := range t.Columns {
			if _, ok := u.DB.Lookup(t.Name, c.Name); ok || u.DB.Table(t.Name) < 0 {
				continue
			}
			if c.Name == "" {
				r.schema(t.Name, "", `has a column "", which tables.json cannot have`)
			} else {
				r.schema(t.Name, c.Name, "is in the SQLite file, but not in tables.json")
			}
		}
	}
}

// otherTypes reports columns whose cells contradict tables.json; declared types do not count,
// because SQLite does not enforce them. Databases without gold SQL are left out, because no
// verdict depends on their cells: WikiTableQuestions stores all of them as text.
func otherTypes(ctx context.Context, u *unit, r *reporter) {
	if len(u.golds) == 0 {
		return
	}
	for _, t := range u.DB.Tables {
		for _, c := range t.Columns {
			if !slices.Contains([]dataset.Type{dataset.Text, dataset.Number}, c.Type) {
				continue
			}
			stats := u.columnStats(ctx, t.Original, c.Original)
			switch {
			case c.Type == dataset.Number && stats.onlyTexts() && !stats.textsAreNumbers:
				r.schema(t.Original, c.Original, "is a number in tables.json, but all its cells are text such as %q", stats.exampleText)
			case c.Type == dataset.Text && stats.onlyNumbers():
				r.schema(t.Original, c.Original, "is text in tables.json, but all its cells are numbers (declared %s)", stats.declaredType)
			}
		}
	}
}
