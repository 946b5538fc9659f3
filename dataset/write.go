package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// TablesWriter writes a file in the format of Spider's tables.json.
type TablesWriter struct{ *ArrayWriter }

// tablesIndent is the indentation of Spider's tables.json.
const tablesIndent = "   "

// NewTablesWriter begins a tables.json.
func NewTablesWriter(w io.Writer) *TablesWriter {
	return &TablesWriter{NewArrayWriter(w, tablesIndent)}
}

// CreateTables makes a tables.json, to which write adds the databases.
func CreateTables(path string, write func(*TablesWriter) error) error {
	return CreateArray(path, tablesIndent, func(a *ArrayWriter) error { return write(&TablesWriter{a}) })
}

// Write adds a database. Column indices count the columns of all tables in their order; the star
// is column 0.
func (w *TablesWriter) Write(db *Database) error {
	rec := newTablesRecord(db)
	rec.Source = nil // a member of its own keeps its bytes
	return w.write(rec, sourceMembers(db.Source)...)
}

// TablesRecord returns the record of a database in tables.json, on one line and without its source.
func TablesRecord(db *Database) (json.RawMessage, error) {
	rec := newTablesRecord(db)
	rec.Source = nil
	return ASCII(rec)
}

// sourceMembers returns a source as the member "source"; none for an empty source.
func sourceMembers(source json.RawMessage) []Member {
	if len(source) == 0 {
		return nil
	}
	return []Member{{"source", source}}
}

// newTablesRecord returns the record of a schema in tables.json.
func newTablesRecord(db *Database) tablesRecord {
	star := columnName{-1, "*"}
	rec := tablesRecord{
		DB: &db.ID, TableNames: []string{}, TableOriginal: []string{}, Further: newFurther(db),
		ColumnNames: []columnName{star}, ColumnOriginal: []columnName{star}, ColumnTypes: []string{string(Text)},
		PrimaryKeys: keyList{}, ForeignKeys: [][2]int{},
	}
	index := map[ColumnRef]int{} // in the flat lists of columns
	for t, table := range db.Tables {
		rec.TableNames, rec.TableOriginal = append(rec.TableNames, table.Name), append(rec.TableOriginal, table.Original)
		for c, col := range table.Columns {
			index[ColumnRef{t, c}] = len(rec.ColumnNames)
			rec.ColumnNames = append(rec.ColumnNames, columnName{t, col.Name})
			rec.ColumnOriginal = append(rec.ColumnOriginal, columnName{t, col.Original})
			rec.ColumnTypes = append(rec.ColumnTypes, string(col.Type))
		}
	}
	for _, ref := range db.PrimaryKeys {
		rec.PrimaryKeys = append(rec.PrimaryKeys, index[ref])
	}
	for _, fk := range db.ForeignKeys {
		rec.ForeignKeys = append(rec.ForeignKeys, [2]int{index[fk.Column], index[fk.Target]})
	}
	return rec
}

// SpiderExample is an element of a split with all of Spider's fields. SQL is
// the parsed query, null where that is beyond Spider's grammar.
type SpiderExample struct {
	DB               string   `json:"db_id"`
	Query            string   `json:"query"`
	QueryToks        []string `json:"query_toks"`
	QueryToksNoValue []string `json:"query_toks_no_value"`
	Question         string   `json:"question"`
	QuestionToks     []string `json:"question_toks"`
	SQL              any      `json:"sql"`

	// Members that other data sets have in addition to Spider.
	ID          string       `json:"id,omitempty"`
	Evidence    string       `json:"evidence,omitempty"`
	Difficulty  string       `json:"difficulty,omitempty"`
	Answer      []string     `json:"answer,omitempty"`
	Interaction int          `json:"interaction,omitempty"`
	Turn        int          `json:"turn,omitempty"`
	Final       *finalRecord `json:"final,omitempty"`
	// Unanswerable is [Example.Unanswerable].
	Unanswerable bool `json:"unanswerable,omitempty"`
	// Further has [Example.Further]; [SplitWriter] writes each as a member of its own.
	Further []Member        `json:"further_members,omitempty"`
	Source  json.RawMessage `json:"source,omitempty"`
}

// NewSpiderExample returns an example with every field that trainers read. SQL
// beyond Spider's grammar has no nested form.
func NewSpiderExample(db *Database, ex *Example) SpiderExample {
	return new(SpiderExamples).New(db, ex)
}

// SpiderExamples makes the records of examples, and caches what depends only on gold SQL and
// schema. It is safe for concurrent use.
type SpiderExamples struct {
	queries cache.Cache[SpiderExample] // [newSpiderQuery] by database id and gold SQL
}

// mostQueries bounds the cached gold queries.
const mostQueries = 1 << 10

// New returns an example as [NewSpiderExample] does, but parses repeated queries on a database once. Databases with the same id
// must be the same.
func (s *SpiderExamples) New(db *Database, ex *Example) SpiderExample {
	key := cache.Key{Before: db.ID, Text: ex.Query} // a key of two texts
	out := s.queries.Get(key, mostQueries, func(cache.Key) SpiderExample { return newSpiderQuery(db, ex.Query) })
	out.Question, out.QuestionToks = ex.Question, ex.Tokens
	out.ID, out.Evidence, out.Difficulty, out.Answer, out.Interaction, out.Turn = ex.ID, ex.Evidence, ex.Difficulty, ex.Answer, ex.Interaction, ex.Turn
	out.Further, out.Source, out.Unanswerable = ex.Further, ex.Source, ex.Unanswerable
	if ex.Final != nil {
		out.Final = &finalRecord{ex.Final.Question, ex.Final.Query}
	}
	if out.QuestionToks == nil {
		out.QuestionToks = QuestionTokens(ex.Question)
	}
	return out
}

// newSpiderQuery returns an example with the fields that depend only on its gold SQL and schema. SQL that does not
// parse or resolve, or is beyond Spider's grammar, has no nested form.
func newSpiderQuery(db *Database, query string) SpiderExample {
	out := SpiderExample{DB: db.ID, Query: query, QueryToks: QueryTokens(query), QueryToksNoValue: QueryTokensNoValue(query)}
	q, err := db.SQL().Parse(query)
	if err != nil {
		return out
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return out
	}
	if nested, err := SpiderSQL(q, b, db); err == nil {
		if data, err := json.Marshal(nested); err == nil {
			out.SQL = json.RawMessage(data)
		}
	}
	return out
}

// SplitWriter writes a file in the format of Spider's dev.json.
type SplitWriter struct{ *ArrayWriter }

// NewSplitWriter begins a SPLIT.json.
func NewSplitWriter(w io.Writer) *SplitWriter {
	return &SplitWriter{NewArrayWriter(w, "    ")}
}

// Write adds an example. Its further members and its source come last.
func (w *SplitWriter) Write(ex SpiderExample) error {
	further := slices.Concat(ex.Further, sourceMembers(ex.Source)) // members of their own, with their bytes
	ex.Further, ex.Source = nil, nil
	return w.write(ex, further...)
}

// WriteGold writes a line of SPLIT_gold.sql: the gold SQL as [GoldLine] has it, a
// tab, the db_id.
func WriteGold(w io.Writer, query, db string) error {
	line, err := GoldLine(query)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\t%s\n", line, db)
	return err
}

// breaksOrComments matches what a line of gold SQL cannot contain.
var breaksOrComments = lazyregexp.New(`[\n\r\t]|--|/\*`)

// errGoldLine is the error of [RefuseGold]. It names no gold SQL, so that it can be counted.
var errGoldLine = errors.New("gold SQL cannot stand on one line: a literal or name has a line break or tab, or SQL of several lines does not parse")

// RefuseGold returns an error if gold SQL cannot be a line of SPLIT_gold.sql.
func RefuseGold(query string) error {
	if _, err := GoldLine(query); err != nil {
		return errGoldLine
	}
	return nil
}

// GoldLine returns gold SQL on one line. SQL that has comments, line breaks or
// tabs is printed anew from its syntax tree, in the first dialect that reads it. The error is for such SQL that no dialect
// reads, and for a line break or tab within a literal or a quoted name, which no line of the file can hold.
func GoldLine(query string) (string, error) {
	if !breaksOrComments.MatchString(query) {
		return query, nil
	}
	q, err := sqlast.SQLite.Parse(query)
	for _, d := range sqlast.Dialects()[1:] { // those after SQLite; if none reads it, SQLite's error counts
		if err == nil {
			break
		}
		if other, failed := d.Parse(query); failed == nil {
			q, err = other, nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("gold SQL on several lines does not parse: %w", err)
	}
	if query = q.String(); strings.ContainsAny(query, "\n\r\t") {
		return "", fmt.Errorf("gold SQL %q has a line break or tab in a literal or name, expected SQL that fits on one line", Clip(query))
	}
	return query, nil
}
