package dataset

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// ColumnID names a column by its original (SQL) names. Names compare without
// case, as in SQLite; [ColumnID.Key] is the folded form for use as a map key.
type ColumnID struct {
	DB, Table, Column string
}

// Key returns id with its names folded to lower case.
func (id ColumnID) Key() ColumnID {
	return ColumnID{DB: id.DB, Table: strings.ToLower(id.Table), Column: strings.ToLower(id.Column)}
}

// String returns the form DB.TABLE.COLUMN, for messages.
func (id ColumnID) String() string { return id.DB + "." + id.Table + "." + id.Column }

// Type is one of Spider's column types.
type Type string

// The column types of Spider's tables.json.
const (
	Text    Type = "text"
	Number  Type = "number"
	Time    Type = "time"
	Boolean Type = "boolean"
	Others  Type = "others"
)

// Column is one column of a table.
type Column struct {
	Name     string   // natural name: lower-case words ("home town")
	Original string   // name in SQL ("Home_Town")
	Type     Type     //
	Samples  []string // up to a few distinct cell values, as text; nil where there is no content

	// Header is the name as the column's source spells it, where Original is made
	// from that for SQL ("School/Club Team" of school_club_team); else empty.
	// A column that is renamed has none.
	Header string
	// Base is the Original of the column, in the same table, that this one is
	// computed from, as Squall's c1_number from c1; else empty. It follows a
	// renaming of that column.
	Base string
	// Fixed marks a column that belongs to the format and not to the table, as
	// Squall's id and agg: no perturbation renames, recodes or drops it.
	Fixed bool
	// Description and Values are what BIRD's descriptions say of the column and of
	// its cells, for people and models.
	Description, Values string
}

// Own reports whether a column is one of the table's own: neither derived from another
// nor fixed by the format.
func (c *Column) Own() bool { return c.Base == "" && !c.Fixed }

// Described reports whether the column has a description of its own.
func (c *Column) Described() bool { return c.Description+c.Values != "" }

// madeUp matches the natural name of a column whose header nobody knows: "column 3",
// "col2", "unnamed: 0".
var madeUp = lazyregexp.New(`^(?:attribute|attr|column|col|c|field|header|unnamed|variable|var)[ :._-]*[0-9]+$`)

// Nameable reports whether other names can be found for a column: it is the table's
// own, and its name is not made up, so that it says what the column holds.
func (c *Column) Nameable() bool { return c.Own() && !madeUp.MatchString(c.Name) }

// Table is one table of a database.
type Table struct {
	Name     string // natural name
	Original string // name in SQL
	Columns  []Column
	Caption  string // what the table's source says above it; may be empty

	// Kept marks a table that takes no other column and no other name, as a view does, or
	// a table of which a view or trigger would fail then.
	Kept bool `json:",omitempty"`
	// Read marks a table that views or triggers of others read, so that it cannot go.
	Read bool `json:",omitempty"`
}

// ColumnRef addresses a column by position: table index, then column index in
// that table, both from 0.
type ColumnRef struct{ Table, Column int }

// ForeignKey says that Column refers to Target.
type ForeignKey struct{ Column, Target ColumnRef }

// Database is a schema with, where there is content, the path of its SQLite file.
type Database struct {
	ID          string
	Tables      []Table
	PrimaryKeys []ColumnRef
	ForeignKeys []ForeignKey
	SQLite      string // file path; empty where the data set brings no content

	// Source is the record that the schema was read from, as its format has it: what
	// no field holds. The format's writer changes of it what a perturbation changed.
	Source json.RawMessage

	// Record is the record of the tables.json itself; only [ReadTableRecords] keeps it.
	Record json.RawMessage `json:"-"`
}

// Column returns the column at ref.
func (db *Database) Column(ref ColumnRef) *Column {
	return &db.Tables[ref.Table].Columns[ref.Column]
}

// Table returns the index of the table with the given SQL name, ignoring case,
// or -1.
func (db *Database) Table(name string) int {
	for i := range db.Tables {
		if strings.EqualFold(db.Tables[i].Original, name) {
			return i
		}
	}
	return -1
}

// Lookup returns the position of a column given by SQL names, ignoring case.
func (db *Database) Lookup(table, column string) (ColumnRef, bool) {
	t := db.Table(table)
	if t < 0 {
		return ColumnRef{}, false
	}
	for c := range db.Tables[t].Columns {
		if strings.EqualFold(db.Tables[t].Columns[c].Original, column) {
			return ColumnRef{t, c}, true
		}
	}
	return ColumnRef{}, false
}

// Columns returns the SQL names of a table's columns; with it a Database is a
// catalog in which sqlast resolves names.
func (db *Database) Columns(table string) ([]string, bool) {
	t := db.Table(table)
	if t < 0 {
		return nil, false
	}
	names := make([]string, len(db.Tables[t].Columns))
	for i, c := range db.Tables[t].Columns {
		names[i] = c.Original
	}
	return names, true
}

// TableName returns the SQL name of a table as the schema spells it.
func (db *Database) TableName(table string) (string, bool) {
	t := db.Table(table)
	if t < 0 {
		return "", false
	}
	return db.Tables[t].Original, true
}

// Example is a question with its gold SQL.
type Example struct {
	Index    int    // position in the split, from 0
	DB       string // db_id
	Question string
	Query    string   // gold SQL
	Tokens   []string // question_toks as the data set has them; nil where absent

	ID         string   // the data set's own name of the question ("nt-0", BIRD's question_id); may be empty
	Evidence   string   // BIRD: what one must know beside the schema; names of columns stand in it
	Difficulty string   // BIRD: simple, moderate, challenging
	Answer     []string // the denotation, where the data set gives it beside or instead of gold SQL

	// Interaction counts the interactions of a split from 1 and Turn the questions of
	// one, in the order in which they are asked; 0 where questions stand alone.
	Interaction, Turn int
	// Final is what SParC and CoSQL call the final question of the interaction: the
	// whole of it in one. It has a question and a gold SQL only, and stands with the
	// last turn.
	Final *Example

	// Further are the members of the record that no field holds, where a Spider-like file
	// has any, such as Spider-DK's "type". They stay as they are whatever a perturbation
	// changes.
	Further []Member

	// Source is the record that the example was read from, see [Database.Source].
	Source json.RawMessage

	// Record is the record of the split itself; only [ReadExampleRecords] keeps it.
	Record json.RawMessage `json:"-"`
}

// Unit is a database with all its examples: the unit of work.
type Unit struct {
	DB       *Database
	Examples []*Example
}

// Candidate is a proposed name for a column, with what speaks for it.
type Candidate struct {
	Name       string   `json:"name"`               // natural name, lower case
	Source     string   `json:"source"`             // "retrieval", "dictionary", "adveta", …; see augment.Sources
	Evidence   string   `json:"evidence,omitempty"` // web table id and caption, or dictionary word
	Type       Type     `json:"type,omitempty"`     // column type where the source knows it
	Cells      []string `json:"cells,omitempty"`    // cell values where the source has them
	Similarity float64  `json:"similarity"`         // cosine to the target column, -1..1
	Forward    float64  `json:"forward"`            // e1: entailment, target as premise, 0..1
	Backward   float64  `json:"backward"`           // e2: entailment, candidate as premise, 0..1
	Validity   float64  `json:"validity,omitempty"` // probability that people accept it; 0 where it was not predicted
}

// Bucket holds what may replace a column and what may be added beside it.
type Bucket struct {
	Replace, Add []Candidate
}

// Buckets maps a column, by [ColumnID.Key], to its bucket.
type Buckets map[ColumnID]Bucket

// ColumnID returns the name of the column at ref.
func (db *Database) ColumnID(ref ColumnRef) ColumnID {
	return ColumnID{DB: db.ID, Table: db.Tables[ref.Table].Original, Column: db.Column(ref).Original}
}

// Compare orders positions as tables.json does: by table, then by column.
func (r ColumnRef) Compare(s ColumnRef) int {
	return cmp.Or(cmp.Compare(r.Table, s.Table), cmp.Compare(r.Column, s.Column))
}

// Clone returns a copy that shares nothing that can be written.
func (db *Database) Clone() *Database {
	c := *db
	c.Tables = slices.Clone(db.Tables)
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(db.Tables[i].Columns)
	}
	c.PrimaryKeys = slices.Clone(db.PrimaryKeys)
	c.ForeignKeys = slices.Clone(db.ForeignKeys)
	return &c
}
