package database

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// entry is a table, or columns of one name that foreign keys tie together, with the names
// that may replace its own.
type entry struct {
	table      int                 // of a column, the table of the first
	columns    []dataset.ColumnRef // in the order of the schema; none for a table
	candidates []dataset.Candidate // the best first
}

// isTable reports whether the entry is of a table: it has no columns.
func (e entry) isTable() bool { return len(e.columns) == 0 }

// names returns the natural and the SQL name of the table or of the first column.
func (e entry) names(db *dataset.Database) (natural, original string) {
	if e.isTable() {
		return db.Tables[e.table].Name, db.Tables[e.table].Original
	}
	c := db.Column(e.columns[0])
	return c.Name, c.Original
}

// entries returns an entry, without candidates yet, for each table and column of a database that can be renamed, in the order
// of the schema. Columns that foreign keys tie together share the entry of the first.
func entries(db *dataset.Database) []entry {
	tied := tiedColumns(db)
	at := map[dataset.ColumnRef]int{} // index of the entry of the first of tied columns
	var out []entry
	for t, table := range db.Tables {
		if strings.HasPrefix(strings.ToLower(table.Original), "sqlite_") { // SQLite refuses to alter its own tables
			continue
		}
		if dataset.Named(table.Name) && !table.Kept { // a placeholder such as "table 1" stays
			out = append(out, entry{table: t})
		}
		for c := range table.Columns {
			if !table.Columns[c].Nameable() { // a placeholder, or computed from another column and renamed with it
				continue
			}
			ref := dataset.ColumnRef{Table: t, Column: c}
			first := tied.first(ref)
			if i, ok := at[first]; ok {
				out[i].columns = append(out[i].columns, ref)
				continue
			}
			at[first] = len(out)
			out = append(out, entry{table: t, columns: []dataset.ColumnRef{ref}})
		}
	}
	return out
}

// ties maps a column to an earlier one of the same name that a foreign key ties it to. A
// column that is no key of the map is the first of its entry.
type ties map[dataset.ColumnRef]dataset.ColumnRef

// tiedColumns returns the ties of a database: each foreign key between two columns of the same name maps the later one to the
// earlier one in the order of the schema.
func tiedColumns(db *dataset.Database) ties {
	tied := ties{}
	for _, fk := range db.ForeignKeys {
		a, b := tied.first(fk.Column), tied.first(fk.Target)
		if a == b || lexicon.Normal(db.Column(fk.Column).Name) != lexicon.Normal(db.Column(fk.Target).Name) {
			continue
		}
		if a.Compare(b) < 0 {
			a, b = b, a
		}
		tied[a] = b // the later one to the earlier one
	}
	return tied
}

// first follows the ties, each from a column to an earlier one with its name and a foreign key between them, to the first column and
// returns that. An untied column is its own first.
func (t ties) first(ref dataset.ColumnRef) dataset.ColumnRef {
	for {
		earlier, ok := t[ref]
		if !ok {
			return ref
		}
		ref = earlier
	}
}

// withCandidates returns the entries of a database for which propose has candidates, with these. It drops
// candidates that the schema has as a name, in any spelling, and those that two columns of
// a table, or two tables, share, as they would be ambiguous.
func withCandidates(db *dataset.Database, propose func(entry) []dataset.Candidate) []entry {
	own := perturb.OwnNames(db)
	all := entries(db)
	claims := map[claim]int{} // how many entries have the name as a candidate in the scope: a table, or the names of all tables
	for i, e := range all {
		seen := map[string]bool{"": true}
		for _, c := range propose(e) {
			key := perturb.Bare(c.Name)
			if own[key] || seen[key] {
				continue
			}
			seen[key] = true
			all[i].candidates = append(all[i].candidates, c)
			for _, scope := range e.uniqueScopes() {
				claims[claim{scope, key}]++
			}
		}
	}
	for i, e := range all {
		all[i].candidates = slices.DeleteFunc(e.candidates, func(c dataset.Candidate) bool {
			return slices.ContainsFunc(e.uniqueScopes(), func(scope int) bool { return claims[claim{scope, perturb.Bare(c.Name)}] > 1 })
		})
	}
	return lists.Filter(all, func(e entry) bool { return len(e.candidates) > 0 })
}

// claim is a name within the scope in which it must be unique.
type claim struct {
	scope int // index of a table, or allTables
	name  string
}

// uniqueScopes returns the scopes in which an entry's name must be unique: the tables of its columns, or for a table
// [allTables].
func (e entry) uniqueScopes() []int {
	if e.isTable() {
		return []int{allTables}
	}
	return lists.Map(e.columns, func(ref dataset.ColumnRef) int { return ref.Table })
}

// allTables is the scope of the names of tables.
const allTables = -1

// letters counts the bytes of a name without its separators.
func letters(name string) int { return len(strings.Join(lexicon.Words(name), "")) }
