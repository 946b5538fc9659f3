package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Format is a form of data sets on disk with its reader and its writer. A format writes unchanged
// records as it read them, byte by byte except for the blanks of JSON, and in other records only
// what changed.
type Format struct {
	Name  string // "wikisql"
	Doc   string // one sentence
	Files string // what lies in a data set's folder, SPLIT standing for the split
	Keeps []Feature

	// Read opens the data set in a folder; err is for what makes the data set unusable.
	Read func(ctx context.Context, path, split string) (*Set, error)
	// Write writes a data set into an existing empty folder. Each record that is left out is
	// passed to report as a [*RecordError]; err ends the work.
	Write func(ctx context.Context, set *Set, dir string, report func(error)) error
	// Refuses returns why an example cannot be in this format at all, or nil if it can. The reason
	// names no record, so that reasons can be counted. A nil Refuses accepts every example.
	Refuses func(db *Database, ex *Example) error
}

// Set is a data set being read. Its streams hold one record at a time.
type Set struct {
	Format string // name of the format that it was read from
	Split  string // "dev"
	// Databases has the schemas that the split may ask about.
	Databases Stream[*Database]
	// Examples has the questions in the split's order, each after its database.
	Examples Stream[*Example]
	// Rows hands each the rows of a database of one table, where its content does not lie in
	// the file [Database.SQLite]; values are in the order of the table's columns. It
	// is nil if the format has no rows of its own.
	Rows func(ctx context.Context, db *Database, each func([]sqldata.Value) error) error
	// Declare returns the declared type of a column in the SQLite file that is made
	// of Rows; if it is nil, the type is that of [SQLiteTables].
	Declare func(c *Column) string
}

// Feature is something that a data set may have and a format may have no place for.
type Feature string

// The features. What is not among them, questions and names of columns and types,
// every format keeps.
const (
	SeveralTables Feature = "databases of several tables"
	Keys          Feature = "primary and foreign keys"
	TableNames    Feature = "names of tables"
	Captions      Feature = "captions of tables"
	Rows          Feature = "rows"
	GoldSQL       Feature = "gold SQL"
	Denotations   Feature = "denotations"
	Evidence      Feature = "evidence"
	Difficulties  Feature = "difficulty"
	Descriptions  Feature = "descriptions of columns"
	Interactions  Feature = "interactions"
	Finals        Feature = "final questions of interactions"
	Derived       Feature = "derived columns"
	IDs           Feature = "ids of questions"
	OtherMembers  Feature = "members of records beside Spider's"
)

// AllFeatures lists the features.
var AllFeatures = []Feature{
	SeveralTables, Keys, TableNames, Captions, Rows, GoldSQL, Denotations, Evidence, Difficulties, Descriptions, Interactions, Finals, Derived, IDs,
	OtherMembers,
}

// Features returns the features that a schema has, in the order of [AllFeatures]. Rows is not
// among them, as it depends on the set of the schema.
func (db *Database) Features() []Feature {
	has := map[Feature]bool{SeveralTables: len(db.Tables) > 1, Keys: len(db.PrimaryKeys)+len(db.ForeignKeys) > 0}
	set := func(f Feature, present bool) { has[f] = has[f] || present }
	for _, t := range db.Tables {
		set(TableNames, Named(t.Name))
		set(Captions, t.Caption != "")
		for _, c := range t.Columns {
			set(Descriptions, c.Described())
			set(Derived, c.Base != "")
		}
	}
	return featuresOf(has)
}

// Features returns the features that an example has, in the order of [AllFeatures].
func (ex *Example) Features() []Feature {
	return featuresOf(map[Feature]bool{
		GoldSQL: ex.Query != "", Denotations: ex.Answer != nil, Evidence: ex.Evidence != "", Difficulties: ex.Difficulty != "",
		Interactions: ex.Interaction > 0, Finals: ex.Final != nil, IDs: ex.ID != "", OtherMembers: len(ex.Further) > 0,
	})
}

// featuresOf returns the features that are true in a map, in the order of [AllFeatures].
func featuresOf(has map[Feature]bool) (list []Feature) {
	return lists.Filter(AllFeatures, func(f Feature) bool { return has[f] })
}

// Named reports whether the natural name of a table describes its rows, as "singer" does: it has a word other than
// "table", "sheet" and the like. "table 1-10015132-11" has none.
func Named(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return !slices.Contains([]string{"table", "tbl", "tab", "sheet", "t", "w", "csv", "data"}, w)
	})
}

// WriteContent writes the SQLite file of a database of the set to path, with the names of the
// schema. It returns false if the database has no content.
func (set *Set) WriteContent(ctx context.Context, db *Database, path string) (bool, error) {
	switch {
	case db.SQLite != "":
		return true, engine.Copy(ctx, db.SQLite, path)
	case set.Rows == nil:
		return false, nil
	}
	rows, err := set.TableRows(ctx, db, 0)
	if err != nil || rows == nil {
		return false, err
	}
	tables := SQLiteTables(db)
	if set.Declare != nil { // formats that declare types have one table in a database
		for c := range db.Tables[0].Columns {
			tables[0].Columns[c].Type = set.Declare(&db.Tables[0].Columns[c])
		}
	}
	return true, sqlite.Create(ctx, path, tables, [][][]sqldata.Value{rows})
}

// TableRows returns the rows of a table, by its index in the schema; nil without content. They
// come from the SQLite file of the database or from [Set.Rows].
func (set *Set) TableRows(ctx context.Context, db *Database, table int) (rows [][]sqldata.Value, err error) {
	switch {
	case db.SQLite != "":
		return readTable(ctx, db, table)
	case set.Rows == nil, table > 0: // Rows has the rows of one table
		return nil, nil
	}
	err = set.Rows(ctx, db, func(row []sqldata.Value) error {
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// maxTableRows bounds the rows of a table that a format other than SQLite takes.
const maxTableRows = 1 << 20

// readTable returns all rows of a table from [Database.SQLite], which may be maxTableRows at most; table is its index in the
// schema.
func readTable(ctx context.Context, db *Database, table int) ([][]sqldata.Value, error) {
	file, err := engine.Open(ctx, db.SQLite)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t := &db.Tables[table]
	res, err := file.Query(ctx, selectColumns(t, t.Columns), sqldata.Limits{Rows: maxTableRows})
	if err != nil {
		return nil, fmt.Errorf("%s: table %q: %w", db.SQLite, t.Original, err)
	}
	return res.Rows, nil
}
