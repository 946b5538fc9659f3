package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/sqlast"
)

// arrayWriter writes a JSON array element by element, laid out and escaped to
// ASCII as Spider's own files are.
type arrayWriter struct {
	w      io.Writer
	indent string
	n      int
	buf    bytes.Buffer
}

// write adds v, which encodes as an object, with further members behind its own. These
// keep their bytes but for blanks: a source goes back where it came from.
func (a *arrayWriter) write(v any, further ...Member) error {
	a.buf.Reset()
	if a.n == 0 {
		a.buf.WriteString("[")
	} else {
		a.buf.WriteString(",")
	}
	a.buf.WriteString("\n" + a.indent)
	element, err := encode(v, a.indent, a.indent)
	if err != nil {
		return err
	}
	end := "\n" + a.indent + "}"
	if len(further) > 0 {
		element = bytes.TrimSuffix(element, []byte(end))
	}
	writeASCII(&a.buf, element)
	for _, m := range further {
		key, err := encode(m.Key, "", "")
		if err != nil {
			return err
		}
		a.buf.WriteString(",\n" + a.indent + a.indent)
		writeASCII(&a.buf, key)
		a.buf.WriteString(": ")
		if err := json.Indent(&a.buf, m.Value, a.indent+a.indent, a.indent); err != nil {
			return fmt.Errorf("member %q: %w", Clip(m.Key), err)
		}
	}
	if len(further) > 0 {
		a.buf.WriteString(end)
	}
	a.n++
	_, err = a.w.Write(a.buf.Bytes())
	return err
}

func (a *arrayWriter) close() error {
	end := "\n]\n"
	if a.n == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}

// encode returns v as JSON, indented where indent is not empty.
func encode(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent != "" {
		enc.SetIndent(prefix, indent)
	}
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// writeASCII copies JSON with all other characters as \uXXXX.
func writeASCII(dst *bytes.Buffer, src []byte) {
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		switch {
		case r < utf8.RuneSelf:
			dst.WriteByte(src[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(dst, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(dst, `\u%04x`, r)
		}
		src = src[size:]
	}
}

// TablesWriter writes a file in the format of Spider's tables.json.
type TablesWriter struct{ array arrayWriter }

// NewTablesWriter begins a tables.json.
func NewTablesWriter(w io.Writer) *TablesWriter {
	return &TablesWriter{arrayWriter{w: w, indent: "   "}}
}

// Write adds a database. Column indices count the columns of all tables in
// their order, the star being 0.
func (w *TablesWriter) Write(db *Database) error {
	rec := newTablesRecord(db)
	further := sourceMember(rec.Source)
	rec.Source = nil
	return w.array.write(rec, further...)
}

// sourceMember returns a source as a member, where there is one.
func sourceMember(source json.RawMessage) []Member {
	if len(source) == 0 {
		return nil
	}
	return []Member{{"source", source}}
}

// WriteRecord adds a record as it is, but for blanks.
func (w *TablesWriter) WriteRecord(record json.RawMessage) error { return w.array.write(record) }

// Close ends the file; it does not close the writer below.
func (w *TablesWriter) Close() error { return w.array.close() }

func newTablesRecord(db *Database) tablesRecord {
	names, originals := []columnName{{-1, "*"}}, []columnName{{-1, "*"}}
	types := []string{string(Text)}
	tables, tableOriginals := []string{}, []string{}
	index := map[ColumnRef]int{}
	for t, table := range db.Tables {
		tables = append(tables, table.Name)
		tableOriginals = append(tableOriginals, table.Original)
		for c, col := range table.Columns {
			index[ColumnRef{t, c}] = len(names)
			names = append(names, columnName{t, col.Name})
			originals = append(originals, columnName{t, col.Original})
			types = append(types, string(col.Type))
		}
	}
	primary, foreign := keyList{}, [][2]int{}
	for _, ref := range db.PrimaryKeys {
		primary = append(primary, index[ref])
	}
	for _, fk := range db.ForeignKeys {
		foreign = append(foreign, [2]int{index[fk.Column], index[fk.Target]})
	}
	further := newFurther(db)
	return tablesRecord{
		Further: further, DB: &db.ID, TableNames: &tables, TableOriginal: &tableOriginals, ColumnNames: &names, ColumnOriginal: &originals,
		ColumnTypes: &types, PrimaryKeys: &primary, ForeignKeys: &foreign,
	}
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

	// What data sets have beside Spider.
	ID          string       `json:"id,omitempty"`
	Evidence    string       `json:"evidence,omitempty"`
	Difficulty  string       `json:"difficulty,omitempty"`
	Answer      []string     `json:"answer,omitempty"`
	Interaction int          `json:"interaction,omitempty"`
	Turn        int          `json:"turn,omitempty"`
	Final       *finalRecord `json:"final,omitempty"`
	// Further has [Example.Further]; [SplitWriter] writes each as a member of its own.
	Further []Member        `json:"further_members,omitempty"`
	Source  json.RawMessage `json:"source,omitempty"`
}

// NewSpiderExample returns an example with every field that trainers read. SQL
// beyond Spider's grammar has no nested form.
func NewSpiderExample(db *Database, ex *Example) SpiderExample {
	out := SpiderExample{
		DB: db.ID, Query: ex.Query, QueryToks: QueryTokens(ex.Query), QueryToksNoValue: QueryTokensNoValue(ex.Query),
		Question: ex.Question, QuestionToks: ex.Tokens,
		ID: ex.ID, Evidence: ex.Evidence, Difficulty: ex.Difficulty, Answer: ex.Answer, Interaction: ex.Interaction, Turn: ex.Turn,
		Further: ex.Further, Source: ex.Source,
	}
	if ex.Final != nil {
		out.Final = &finalRecord{ex.Final.Question, ex.Final.Query}
	}
	if out.QuestionToks == nil {
		out.QuestionToks = QuestionTokens(ex.Question)
	}
	q, err := sqlast.Parse(ex.Query)
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
type SplitWriter struct{ array arrayWriter }

// NewSplitWriter begins a SPLIT.json.
func NewSplitWriter(w io.Writer) *SplitWriter {
	return &SplitWriter{arrayWriter{w: w, indent: "    "}}
}

// Write adds an example.
func (w *SplitWriter) Write(ex SpiderExample) error {
	further := slices.Concat(ex.Further, sourceMember(ex.Source))
	ex.Further, ex.Source = nil, nil
	return w.array.write(ex, further...)
}

// WriteRecord adds a record as it is, but for blanks.
func (w *SplitWriter) WriteRecord(record json.RawMessage) error { return w.array.write(record) }

// Close ends the file; it does not close the writer below.
func (w *SplitWriter) Close() error { return w.array.close() }

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

// GoldLine returns gold SQL on one line. SQL that has comments, line breaks or
// tabs is printed anew from its syntax tree; the error is for a line break or
// tab within a literal, which no line of the file can hold.
func GoldLine(query string) (string, error) {
	const breaks = "\n\r\t"
	if !strings.ContainsAny(query, breaks) && !strings.Contains(query, "--") && !strings.Contains(query, "/*") {
		return query, nil
	}
	q, err := sqlast.Parse(query)
	if err != nil {
		return "", fmt.Errorf("gold SQL on several lines does not parse: %w", err)
	}
	if query = q.String(); strings.ContainsAny(query, breaks) {
		return "", fmt.Errorf("gold SQL %q has a line break or tab in a literal, expected SQL that fits on one line", Clip(query))
	}
	return query, nil
}
