// Package ddl reads the tables that SQL scripts of SQLite, PostgreSQL and MySQL declare: scripts of
// projects, and dumps with rows. It reads a script as a stream and skips all but CREATE TABLE,
// CREATE UNIQUE INDEX and ALTER TABLE … ADD.
package ddl

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Table is a table that a script declares.
type Table struct {
	Name    string // without schema
	Line    int    // of the script, where the declaration ends
	Columns []Column
}

// Column is a column of a table.
type Column struct {
	Name string
	Type string // as declared, its tokens separated by blanks: "varchar ( 20 )"; may be empty
	Key  bool   // unique on its own
}

// Reader reads the tables of a script.
type Reader struct {
	Columns int // of a table, the rest is dropped
	Each    func(*Table) error
	Report  func(line int, err error) error // gets each table that is cut off

	tables []*Table          // wait for keys that follow
	byName map[string]*Table // the last with each name, in lower case, with its schema
}

// maxTables bounds the tables that wait for their keys.
const maxTables = 10_000

// Read passes the tables of a script to r.Each in the order of their declarations. The keys of a
// table may follow anywhere in the script, up to maxTables tables later.
func (r *Reader) Read(in io.Reader) error {
	s := &script{r: bufio.NewReaderSize(in, 64<<10), line: 1}
	if s.ahead(3) == "\ufeff" { // a byte order mark
		s.r.Discard(3)
	}
	r.byName = map[string]*Table{}
	for s.next() {
		if err := r.statement(s); err != nil {
			return err
		}
		if len(r.tables) >= maxTables {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	if s.err != io.EOF {
		return s.err
	}
	return r.flush()
}

// flush passes the tables that wait to r.Each.
func (r *Reader) flush() error {
	if err := lists.Each(r.tables, r.Each); err != nil {
		return err
	}
	r.tables = nil
	clear(r.byName)
	return nil
}

// statement adds the table or the keys that a statement declares, and skips the rows of a COPY.
func (r *Reader) statement(s *script) error {
	switch {
	case s.begins("COPY"):
		if slices.ContainsFunc(s.tokens(), is("STDIN")) {
			s.skipRows()
		}
	case s.begins("CREATE"):
		tokens := skip(s.tokens()[1:], "OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "LOCAL", "UNLOGGED", "EXTERNAL", "FOREIGN")
		if startsWith(tokens, "TABLE") {
			return r.createTable(s.line, tokens[1:])
		}
		r.createIndex(tokens)
	case s.begins("ALTER"):
		if tokens := s.tokens()[1:]; startsWith(tokens, "TABLE") {
			r.alterTable(tokens[1:])
		}
	}
	return nil
}

// createIndex marks the column of a UNIQUE index as a key of its table, which setKey does only for one column; tokens follow CREATE.
// A partial index, with WHERE, makes no key.
func (r *Reader) createIndex(tokens []string) {
	on := slices.IndexFunc(tokens, is("ON"))
	if startsWith(tokens, "UNIQUE") && on > 0 && !slices.ContainsFunc(tokens, is("WHERE")) {
		_, full, _ := tableName(tokens[on+1:])
		r.byName[full].setKey(tokens)
	}
}

// createTable adds the table of a statement; tokens follow TABLE.
func (r *Reader) createTable(line int, tokens []string) error {
	name, full, body := tableName(tokens)
	if at(body, 0) != "(" { // AS SELECT, PARTITION OF, USING
		return nil
	}
	elements, closed := split(body[1:])
	if !closed {
		return r.Report(line, fmt.Errorf("table %.100q is cut off, expected a closing parenthesis after its columns", name))
	}
	t := &Table{Name: name, Line: line}
	for _, e := range elements {
		t.add(e, r.Columns)
	}
	r.tables = append(r.tables, t)
	r.byName[full] = t
	return nil
}

// alterTable adds keys and columns to a table; tokens follow ALTER TABLE.
func (r *Reader) alterTable(tokens []string) {
	_, full, rest := tableName(tokens)
	actions, _ := split(rest)
	for _, a := range actions {
		switch {
		case r.byName[full] == nil, len(a) < 2, !startsWith(a, "ADD"): // an unknown table, or another action
		case startsWith(a[1:], "COLUMN"):
			r.byName[full].add(skip(a[2:], "IF", "NOT", "EXISTS"), r.Columns)
		case isConstraint(a[1:]):
			r.byName[full].setKey(a[1:])
		}
	}
}

// add adds the column that the tokens e declare, unless the table has the highest number of columns, or marks the column of a key. The type
// of a column is what follows its name up to a keyword.
func (t *Table) add(e []string, columns int) {
	switch {
	case len(e) == 0:
	case isConstraint(e):
		t.setKey(e)
	case isName(e[0]) && len(t.Columns) < columns:
		c := Column{Name: unquote(e[0]), Key: slices.ContainsFunc(e[1:], is("PRIMARY", "UNIQUE"))}
		if i := slices.IndexFunc(e[1:], is("NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "COLLATE",
			"CONSTRAINT", "GENERATED", "AUTO_INCREMENT", "COMMENT", "ON", "AS")); i >= 0 {
			e = e[:1+i]
		}
		c.Type = strings.Join(e[1:], " ")
		t.Columns = append(t.Columns, c)
	}
}

// isConstraint reports whether an element of a table is a constraint or an index, and no column. A
// column may be named key, index or period: after the word of an index, a list of names follows.
func isConstraint(e []string) bool {
	if !startsWith(e, "KEY", "INDEX", "PERIOD") {
		return startsWith(e, "CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "LIKE", "EXCLUDE", "FULLTEXT", "SPATIAL")
	}
	// USING or the list follows the word at once or after the name of the index.
	isIndex := func(i int) bool { return is("USING")(at(e, i)) || at(e, i) == "(" && isIdentifier(at(e, i+1)) }
	return isIndex(1) || isIndex(2)
}

// setKey marks the one column that a PRIMARY KEY or UNIQUE lists. A length may follow it, as in
// name(10); an expression is no column.
func (t *Table) setKey(constraint []string) {
	i := slices.Index(constraint, "(")
	// t is nil for an unknown table.
	if t == nil || i < 0 || !slices.ContainsFunc(constraint[:i], is("PRIMARY", "UNIQUE")) {
		return
	}
	columns, _ := split(constraint[i+1:])
	if len(columns) != 1 {
		return // no column is unique on its own
	}
	if isCall := at(columns[0], 1) == "(" && isName(at(columns[0], 2)); isCall { // lower(name)
		return
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; strings.EqualFold(c.Name, unquote(at(columns[0], 0))) {
			c.Key = true
		}
	}
}
