package database

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// entry is a table, or a column with those of the same name that foreign keys
// tie to it, and the names that it may take.
type entry struct {
	table      int                 // of a column, the table of the first
	columns    []dataset.ColumnRef // in the order of the schema; none for a table
	candidates []dataset.Candidate // the best first
}

func (e entry) isTable() bool { return len(e.columns) == 0 }

// names returns the natural and the SQL name of the table or of the first column.
func (e entry) names(db *dataset.Database) (natural, original string) {
	if e.isTable() {
		return db.Tables[e.table].Name, db.Tables[e.table].Original
	}
	c := db.Column(e.columns[0])
	return c.Name, c.Original
}

// entries returns the tables and columns of a database that can be renamed, in
// the order of its schema and without candidates. A table without a name of its own
// keeps the one that stands for it, and columns that are derived from others take
// their names after these.
func entries(db *dataset.Database) []entry {
	tied := tiedColumns(db)
	at := map[dataset.ColumnRef]int{} // index of the entry of the first of tied columns
	var out []entry
	for t, table := range db.Tables {
		if strings.HasPrefix(strings.ToLower(table.Original), "sqlite_") { // SQLite's own, which it does not alter
			continue
		}
		if dataset.Named(table.Name) && !table.Kept {
			out = append(out, entry{table: t})
		}
		for c := range table.Columns {
			if !table.Columns[c].Nameable() {
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

// ties leads from a column to an earlier one of the same name that a foreign key
// ties it to; a column without any is the first of its kind.
type ties map[dataset.ColumnRef]dataset.ColumnRef

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
		tied[a] = b
	}
	return tied
}

func (t ties) first(ref dataset.ColumnRef) dataset.ColumnRef {
	for {
		earlier, ok := t[ref]
		if !ok {
			return ref
		}
		ref = earlier
	}
}

// named returns the entries of a database to which names gives some. Their
// candidates are no names of the schema, in any form, and no two columns of a
// table, and no two tables, have one in common: nobody could tell then which of
// them it stands for.
func named(db *dataset.Database, names func(entry) []dataset.Candidate) []entry {
	own := perturb.OwnNames(db)
	all := entries(db)
	claims := map[claim]int{}
	for i, e := range all {
		seen := map[string]bool{"": true}
		for _, c := range names(e) {
			key := perturb.Bare(c.Name)
			if own[key] || seen[key] {
				continue
			}
			seen[key] = true
			all[i].candidates = append(all[i].candidates, c)
			for _, scope := range e.scopes() {
				claims[claim{scope, key}]++
			}
		}
	}
	var out []entry
	for _, e := range all {
		e.candidates = slices.DeleteFunc(e.candidates, func(c dataset.Candidate) bool {
			return slices.ContainsFunc(e.scopes(), func(scope int) bool { return claims[claim{scope, perturb.Bare(c.Name)}] > 1 })
		})
		if len(e.candidates) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// claim is a name in the place where it must be the only one.
type claim struct {
	scope int // index of a table, or allTables
	name  string
}

// scopes returns where an entry's name must be the only one: in the tables of its
// columns, or among all tables.
func (e entry) scopes() []int {
	if e.isTable() {
		return []int{allTables}
	}
	var tables []int
	for _, ref := range e.columns {
		tables = append(tables, ref.Table)
	}
	return tables
}

// allTables is the scope of the names of tables.
const allTables = -1

// letters counts what a name has beside separators.
func letters(name string) int { return len(strings.Join(lexicon.Words(name), "")) }
