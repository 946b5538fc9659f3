package sqlite

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// viewHead matches the statement of a view, as SQLite stores it, up to its SELECT. The group is the WITH of that SELECT, if any.
var viewHead = lazyregexp.New("(?is)^CREATE VIEW\\s+(?:\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\\[[^]]*\\]|'(?:[^']|'')*'|[^\\s\"`'(\\[]+)\\s*(?:\\([^)]*\\)\\s*)?AS\\b(\\s*WITH\\s+(?:RECURSIVE\\s+)?)?")

// rowIDs matches the names of row ids, which a common table expression does not have.
var rowIDs = lazyregexp.New(`(?i)\b(rowid|_rowid_|oid)\b`)

// pin is how a view gets through writes with the columns and rows that it has. In the place of each table that they change, its
// SELECT reads a common table expression with the table's name and columns. While the writes are made, the view is those
// expressions with a stub behind them, so that SQLite renames only there: after its renames, other SELECTs would fail or show other columns.
type pin struct {
	view, with string // with: the statement up to where stub or rest follow
	stub, rest string
}

// pinned makes a write with the views pinned, for a trial.
type pinned struct{ sqldata.Write }

// keepViews calls makeAll, which makes the writes. If they would make a view fail or show other columns or rows, all views are
// pinned (see [pin]) meanwhile.
func (w *writer) keepViews(writes []sqldata.Write, makeAll func() error) error {
	stay, err := w.viewsStay(writes)
	if err != nil {
		return err
	}
	if stay {
		return makeAll()
	}
	return w.pinned(writes, makeAll)
}

// viewsStay makes writes on an empty database in memory with the same schema, and reports whether all views have the columns
// that they had and compile to the same programs.
func (w *writer) viewsStay(writes []sqldata.Write) (bool, error) {
	if views, err := w.conn.column("SELECT 1 FROM sqlite_schema WHERE type = 'view' LIMIT 1"); err != nil || len(views) == 0 {
		return true, err
	}
	made, err := w.conn.column(madeStatements)
	if err != nil {
		return false, err
	}
	empty, err := replica(made)
	if err != nil {
		return false, err
	}
	defer empty.close()
	before, err := empty.viewPrograms()
	if err != nil {
		return false, err
	}
	if (&writer{ctx: w.ctx, conn: empty}).makeAll(writes) != nil {
		return false, nil // with the views pinned, SQLite may accept them
	}
	after, err := empty.viewPrograms()
	return maps.Equal(before, after), err
}

// pinned calls makeAll, which makes the writes, while each view that can be is pinned, so that it keeps its columns and rows (see [pin]).
// The triggers of views and the order of the schema stay.
func (w *writer) pinned(writes []sqldata.Write, makeAll func() error) error {
	pins, err := w.conn.pins(writes)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if err := w.setView(p.view, quoteText(p.with+p.stub)); err != nil {
			return err
		}
	}
	if err := w.conn.exec(reloadSchema); err != nil {
		return err
	}
	if err := makeAll(); err != nil {
		return err
	}
	for _, p := range pins { // replace the stub by the rest; what is before it has the names that SQLite changed
		statement := fmt.Sprintf("substr(sql, 1, length(sql) - %d) || %s", utf8.RuneCountInString(p.stub), quoteText(p.rest))
		if err := w.setView(p.view, statement); err != nil {
			return err
		}
	}
	return w.conn.exec(reloadSchema)
}

// reloadSchema makes the engine read the schema again, and ends writing to it as a table.
const reloadSchema = "PRAGMA writable_schema=RESET"

// setView sets the statement of a view to the value of an SQL expression. The engine does not know until reloadSchema.
func (w *writer) setView(view, statement string) error {
	return w.conn.exec("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = " + statement + " WHERE type = 'view' AND name = " + quoteText(view))
}

// pins returns the pins of views for writes. A view that would fail or have other columns with a pin, such as one that reads row ids, has none.
func (c *conn) pins(writes []sqldata.Write) ([]pin, error) {
	views, err := c.all("SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid")
	if err != nil || len(views) == 0 {
		return nil, err
	}
	tables, err := c.pinnedTables(writes)
	if err != nil {
		return nil, err
	}
	var pins []pin
	for _, row := range views {
		if p, ok := c.pin(row[0].Bytes(), row[1].Bytes(), tables); ok {
			pins = append(pins, p)
		}
	}
	return pins, nil
}

// pinnedTable is a table that writes change.
type pinnedTable struct {
	name, quoted string
	selected     string // a SELECT of all its columns that stay, under the names that they have
}

// pinnedTables returns the tables that writes change, each once, with a SELECT of the columns that they have before the
// writes, without those that the writes drop and hidden ones.
func (c *conn) pinnedTables(writes []sqldata.Write) ([]pinnedTable, error) {
	var tables []pinnedTable
	for _, w := range writes {
		name, _ := w.Changes()
		if slices.ContainsFunc(tables, func(t pinnedTable) bool { return strings.EqualFold(t.name, name) }) {
			continue
		}
		columns, err := c.column("SELECT name FROM pragma_table_xinfo(" + quoteText(name) + ") WHERE hidden <> 1 ORDER BY cid")
		if err != nil {
			return nil, err
		}
		var selected []string
		for _, column := range columns {
			isDropped := func(w sqldata.Write) bool {
				table, dropped := w.Changes()
				return strings.EqualFold(table, name) && strings.EqualFold(dropped, column)
			}
			if !slices.ContainsFunc(writes, isDropped) {
				selected = append(selected, sqldata.QuoteName(column)+" AS "+sqldata.QuoteName(column))
			}
		}
		tables = append(tables, pinnedTable{name, sqldata.QuoteName(name), "SELECT " + strings.Join(selected, ", ") + " FROM main." + sqldata.QuoteName(name)})
	}
	return tables, nil
}

// pin returns the pin of a view for changes of tables: sql, the view's statement, with a common table expression for each
// of these tables that the view reads, and the stub in place of the rest. It returns false for a view that cannot be pinned.
func (c *conn) pin(view, sql string, tables []pinnedTable) (pin, bool) {
	at := viewHead.FindStringSubmatchIndex(sql)
	if at == nil || rowIDs.MatchString(sql) {
		return pin{}, false
	}
	head, opening, rest := sql[:at[1]], " WITH ", sql[at[1]:]
	if at[2] >= 0 { // its SELECT begins with a WITH, which the tables join
		head, opening, rest = sql[:at[2]], sql[at[2]:at[3]], ", "+rest
	}
	now := c.columnsOf(sql[len(head):]) // the columns that the view has, to compare with those under each expression
	var read []string                   // the names of the tables that the view reads
	with := ""                          // their expressions
	for _, t := range tables {
		if !strings.Contains(strings.ToLower(sql), strings.ToLower(t.name)) {
			continue
		}
		withTable := func(selected string) string {
			if with == "" {
				return opening + t.quoted + " AS (" + selected + ")"
			}
			return with + ", " + t.quoted + " AS (" + selected + ")"
		}
		if c.columnsOf(withTable("SELECT 1 FROM "+sqldata.QuoteName(trialName))+rest) == now {
			continue // the view does not read t: it would fail, as there is no table trialName
		}
		if with = withTable(t.selected); c.columnsOf(with+rest) != now { // the view would show other columns
			return pin{}, false
		}
		read = append(read, t.quoted)
	}
	names := strings.Split(strings.TrimSuffix(now, "\x00"), "\x00")
	stub := " SELECT " + strings.Join(lists.Map(names, func(n string) string { return "NULL AS " + sqldata.QuoteName(n) }), ", ")
	if len(read) == 0 { // it reads none of the tables
		return pin{view, head, stub, sql[len(head):]}, true
	}
	return pin{view, head + with, stub + " FROM " + strings.Join(read, ", "), rest}, true
}

// columnsOf returns the names of the columns of a query, each followed by a NUL; "" if it does not compile.
func (c *conn) columnsOf(sql string) string {
	s, _, err := c.prepare(sql)
	if err != nil || s == nil {
		return ""
	}
	defer s.finalize()
	return strings.Join(s.columns(), "\x00") + "\x00"
}

// viewPrograms returns the columns and the program of each view, by its name.
func (c *conn) viewPrograms() (map[string]string, error) {
	views, err := c.column("SELECT name FROM sqlite_schema WHERE type = 'view'")
	programs := map[string]string{}
	for _, view := range views {
		sql := "SELECT * FROM " + sqldata.QuoteName(view)
		steps, _ := c.all("EXPLAIN " + sql) // a view that does not compile has none
		programs[view] = c.columnsOf(sql) + program(steps)
	}
	return programs, err
}
