package realise

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// withKeys returns a schema with added primary keys for tables without one, by the names of columns and by foreign keys, and with foreign
// keys by the names of columns if it declares none. Schemas that were read from descriptions or dumps declare neither.
func withKeys(db *dataset.Database) *dataset.Database {
	full := *db
	full.PrimaryKeys = slices.Clip(db.PrimaryKeys)
	for t := range db.Tables {
		declared := slices.ContainsFunc(db.PrimaryKeys, func(k dataset.ColumnRef) bool { return k.Table == t })
		if key, ok := undeclaredKey(db, t); ok && !declared {
			full.PrimaryKeys = append(full.PrimaryKeys, key)
		}
	}
	if len(db.ForeignKeys) > 0 {
		return &full
	}
	owners := map[string]dataset.ColumnRef{} // the keys, by name
	for _, k := range full.PrimaryKeys {
		name := lexicon.Normal(db.Column(k).Name)
		if other, taken := owners[name]; !taken || len(db.Tables[k.Table].Name) < len(db.Tables[other.Table].Name) {
			owners[name] = k // the key of the table with the shortest name
		}
	}
	if id, ok := owners["id"]; ok { // others refer to it as "singer id"
		delete(owners, "id")
		owners[lexicon.Normal(db.Tables[id.Table].Name)+" id"] = id
	}
	for c := range db.AllColumns() {
		if key, ok := owners[lexicon.Normal(db.Column(c).Name)]; ok && key.Table != c.Table {
			full.ForeignKeys = append(full.ForeignKeys, dataset.ForeignKey{Column: c, Target: key})
		}
	}
	return &full
}

// undeclaredKey returns the column whose name identifies the rows of a table, see [namesKey], or else the column that a foreign key refers
// to. Names with the whole noun take precedence over abbreviated ones. The name of a column with a foreign key is ignored: its values
// identify the rows of another table.
func undeclaredKey(db *dataset.Database, table int) (dataset.ColumnRef, bool) {
	for _, abbreviated := range []bool{false, true} {
		for i := range db.Tables[table].Columns {
			c := dataset.ColumnRef{Table: table, Column: i}
			refers := slices.ContainsFunc(db.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column == c })
			if !refers && namesKey(db, c, abbreviated) {
				return c, true
			}
		}
	}
	for _, fk := range db.ForeignKeys {
		if fk.Target.Table == table {
			return fk.Target, true
		}
	}
	return dataset.ColumnRef{}, false
}

// namesKey reports whether a column identifies the rows of its table by its name: for publications id, publication_id, publicationid and
// publication_code, and for country codes country_code. If abbreviated is set, it accepts pid and pubid instead.
func namesKey(db *dataset.Database, c dataset.ColumnRef, abbreviated bool) bool {
	letters := strings.NewReplacer(" ", "", "_", "")
	rows := letters.Replace(english.SingularPhrase(strings.ToLower(db.Tables[c.Table].Name)))
	name := letters.Replace(strings.ToLower(db.Column(c).Original))
	stem, isID := strings.CutSuffix(name, "id")
	if abbreviated {
		return isID && len(stem) > 0 && len(stem) <= 3 && strings.HasPrefix(rows, stem)
	}
	return isID && stem == "" || isID && stem == rows || name == rows+"code" || strings.HasSuffix(rows, "code") && name == rows
}
