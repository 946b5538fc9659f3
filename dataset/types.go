package dataset

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
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
	Samples  []string // a few distinct cell values, as text; nil without content

	// Header is the name in the spelling of the column's source, if Original was made
	// from it for SQL ("School/Club Team" for school_club_team); else empty.
	// A renamed column has none.
	Header string
	// Base is the Original of the column in the same table from which this one is
	// computed, such as c1 for Squall's c1_number; else empty. If that column is
	// renamed, Base changes with it.
	Base string
	// Fixed marks a column that belongs to the format and not to the table, such as
	// Squall's id and agg: no perturbation renames, recodes or drops it.
	Fixed bool
	// Description and Values are BIRD's descriptions of the column and of its cells, for
	// people and models.
	Description, Values string
}

// Own reports whether a column is one of the table's own: not derived from another, and not
// fixed by the format.
func (c *Column) Own() bool { return c.Base == "" && !c.Fixed }

// Described reports whether the column has a description of its own.
func (c *Column) Described() bool { return c.Description+c.Values != "" }

// unknownHeader matches the natural name of a column without a header: "column 3", "col2",
// "unnamed: 0".
var unknownHeader = lazyregexp.New(`^(?:attribute|attr|column|col|c|field|header|unnamed|variable|var)[ :._-]*[0-9]+$`)

// Nameable reports whether names can be proposed for a column: it is one of the table's own, and
// its name describes its content.
func (c *Column) Nameable() bool { return c.Own() && !unknownHeader.MatchString(c.Name) }

// Table is one table of a database.
type Table struct {
	Name     string // natural name
	Original string // name in SQL
	Columns  []Column
	Caption  string // the caption of the table in its source; may be empty

	// Kept marks a table whose columns and name cannot change: a view, or a table of
	// which a view or trigger would fail after the change.
	Kept bool `json:",omitempty"`
	// Read marks a table that views or triggers of others read, so that it cannot be dropped.
	Read bool `json:",omitempty"`
}

// OwnColumns returns the indices of the columns for which [Column.Own] holds.
func (t *Table) OwnColumns() []int {
	return lists.Filter(lists.Numbers(len(t.Columns)), func(c int) bool { return t.Columns[c].Own() })
}

// ColumnRef addresses a column by position: table index, then column index in
// that table, both from 0.
type ColumnRef struct{ Table, Column int }

// ForeignKey is a reference of Column to Target.
type ForeignKey struct{ Column, Target ColumnRef }

// Database is a schema with the path of its SQLite file, if it has content.
type Database struct {
	ID          string
	Tables      []Table
	PrimaryKeys []ColumnRef
	ForeignKeys []ForeignKey
	SQLite      string // file path; empty without content
	Dialect     string // of its gold SQL, by [sqlast.Dialect.Name]; empty for SQLite's

	// Source is the record of the schema in its format, with all that no field has. The
	// format's writer changes only what a perturbation changed.
	Source json.RawMessage

	// Record is the record of the tables.json itself; only [ReadTableRecords] keeps it.
	Record json.RawMessage `json:"-"`
}

// Column returns the column at ref.
func (db *Database) Column(ref ColumnRef) *Column {
	return &db.Tables[ref.Table].Columns[ref.Column]
}

// AllColumns yields the columns of all tables, in the order of the schema.
func (db *Database) AllColumns() iter.Seq[ColumnRef] {
	return func(yield func(ColumnRef) bool) {
		for t := range db.Tables {
			for c := range db.Tables[t].Columns {
				if !yield(ColumnRef{Table: t, Column: c}) {
					return
				}
			}
		}
	}
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

// Lookup returns the position of a column given by SQL names, ignoring case, and whether there is such a column.
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

// Columns returns the SQL names of the columns of a table. It makes a Database a
// [sqlast.Catalog].
func (db *Database) Columns(table string) ([]string, bool) {
	t := db.Table(table)
	if t < 0 {
		return nil, false
	}
	names := lists.Map(db.Tables[t].Columns, func(c Column) string { return c.Original })
	return names, true
}

// SQL returns the dialect of the gold SQL of the database. It makes a Database a [sqlast.Speaker].
func (db *Database) SQL() *sqlast.Dialect {
	return cmp.Or(sqlast.DialectNamed(db.Dialect), sqlast.SQLite)
}

// TableName returns the SQL name of a table as the schema spells it, and whether there is such a table.
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
	Tokens   []string // question_toks of the data set; nil if absent

	ID         string   // the data set's own name of the question ("nt-0", BIRD's question_id); may be empty
	Evidence   string   // BIRD: what one must know in addition to the schema; it may name columns
	Difficulty string   // BIRD: simple, moderate, challenging
	Answer     []string // the answer, if the data set has it; gold SQL may be missing then

	// Unanswerable is set if the database lacks what would answer the question, so that the right
	// reaction is to refuse. Gold SQL is missing then.
	Unanswerable bool

	// Interaction counts the interactions of a split from 1, and Turn the questions of
	// an interaction in the order in which they are asked; 0 for single questions.
	Interaction, Turn int
	// Final is the final question of an interaction in SParC and CoSQL, which asks
	// the whole of it at once. It has only a question and gold SQL, and belongs to the
	// last turn.
	Final *Example

	// Further are the members of the record that no field has, in a Spider-like file,
	// such as "type" of Spider-DK. No perturbation changes them.
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

// Candidate is a proposed name for a column with its evidence and scores.
type Candidate struct {
	Name       string   `json:"name"`               // natural name, lower case
	Source     string   `json:"source"`             // "retrieval", "dictionary", "adveta", …; see augment.Sources
	Evidence   string   `json:"evidence,omitempty"` // web table id and caption, or dictionary word
	Type       Type     `json:"type,omitempty"`     // column type; empty if the source does not know it
	Cells      []string `json:"cells,omitempty"`    // cell values; nil if the source has none
	Similarity float64  `json:"similarity"`         // cosine to the target column, -1..1
	Forward    float64  `json:"forward"`            // e1: entailment, target as premise, 0..1
	Backward   float64  `json:"backward"`           // e2: entailment, candidate as premise, 0..1
	Validity   float64  `json:"validity,omitempty"` // probability that people accept it; 0 if it was not predicted

	// Support is the largest of three counts: repositories with tables of the same kind that have the name, repositories
	// with tables that have the name and the column, and embedded tables that have both. A web table is a repository of its own.
	Support int `json:"support,omitempty"`

	// Association is, of an ADD name, the probability that it is taken for the column, and of a REPLACE name the share of
	// its words, of three letters or more, that the column lacks; 0 if it was not predicted.
	Association float64 `json:"association,omitempty"`
}

// Prefer is the kind of names of a bucket that come first, and are drawn more often.
type Prefer string

// Near prefers names of high [Candidate.Association], which mislead most; Even goes by validity alone and draws evenly.
const (
	Near Prefer = "near"
	Even Prefer = "even"
)

// ParsePrefer parses the value of --prefer.
func ParsePrefer(text string) (Prefer, error) {
	if p := Prefer(text); slices.Contains([]Prefer{Near, Even}, p) {
		return p, nil
	}
	return "", fmt.Errorf("%q: expected %s or %s", text, Near, Even)
}

// Bucket holds the names that may replace a column, and those that may be added to its table.
type Bucket struct {
	Replace, Add []Candidate
}

// Buckets maps a column, by [ColumnID.Key], to its bucket.
type Buckets map[ColumnID]Bucket

// ColumnID returns the identity of the column at ref.
func (db *Database) ColumnID(ref ColumnRef) ColumnID {
	return ColumnID{DB: db.ID, Table: db.Tables[ref.Table].Original, Column: db.Column(ref).Original}
}

// Compare orders positions as tables.json does: by table, then by column.
func (r ColumnRef) Compare(s ColumnRef) int {
	return cmp.Or(cmp.Compare(r.Table, s.Table), cmp.Compare(r.Column, s.Column))
}

// Clone returns a copy whose tables, columns and keys can be changed without a change of db. Samples of columns are shared.
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
