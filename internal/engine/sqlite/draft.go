package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Draft opens the database file at path as it would be after the writes. It does not change the file: it puts the changed tables in front
// of each query, as common table expressions. It returns an error for writes that [Copy] rejects. Queries find no row ids, and [DB.Schema]
// returns the file's.
func Draft(ctx context.Context, path string, writes ...sqldata.Write) (*DB, error) {
	if len(writes) == 0 {
		return Open(ctx, path)
	}
	db, err := open(ctx, path, connectDraft)
	if err != nil {
		return nil, err
	}
	if err = db.makeDraft(ctx, writes); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// connectDraft opens a connection on which SQL can call [sqldata.CellFunction].
func connectDraft(db *DB) (*conn, error) {
	c, err := connect(db.path)
	if err == nil {
		if err = db.register(c); err != nil {
			c.close()
		}
	}
	return c, err
}

// makeDraft makes the writes in the tables that [DB.Query] puts in front of queries, after a trial of them.
func (db *DB) makeDraft(ctx context.Context, writes []sqldata.Write) error {
	if err := db.trial(ctx, writes); err != nil {
		return err
	}
	tables, err := db.prefix(ctx)
	if err != nil {
		return err
	}
	if err := tables.Apply(ctx, writes); err != nil {
		return err
	}
	db.isDraft = true
	return nil
}

// prefix returns all tables of the file as the prefix of queries, made at the first call. [DB.Program] needs it for a file too: over a
// prefix, a query compiles to the program that it has over a draft.
func (db *DB) prefix(ctx context.Context) (*prefix.Tables, error) {
	db.tablesOnce.Do(func() {
		tables, err := db.Schema(ctx)
		db.tables, db.tablesErr = &prefix.Tables{
			Engine: (*drafted)(db), Dialect: sqlast.SQLite, Own: "main", List: lists.Map(tables, func(t sqldata.Table) prefix.Table { return prefix.Of(&t, "main") }),
		}, err
	})
	return db.tables, db.tablesErr
}

// drafted is a database as the writer of drafts sees it.
type drafted DB

// Table returns nil: all tables are in the list from the start.
func (*drafted) Table(context.Context, string) (*prefix.Table, error) { return nil, nil }

// Query runs a query on the file, for as long as the context lasts.
func (d *drafted) Query(ctx context.Context, sql string) (*sqldata.Result, error) {
	return (*DB)(d).ask(ctx, sql, sqldata.Limits{Time: 24 * time.Hour})
}

// Hidden returns a query that fails.
func (*drafted) Hidden() string { return `SELECT * FROM "a table that a draft has no more"` }

// Identity returns the cell, which is compared by its bytes.
func (*drafted) Identity(cell string) string { return cell + " COLLATE BINARY" }

// Numbers returns false: nobody sees the cells of a draft.
func (*drafted) Numbers() bool { return false }

// Literal returns a value as SQL.
func (*drafted) Literal(v sqldata.Value) string {
	switch v.Kind() {
	case sqldata.Text:
		return fmt.Sprintf("CAST(X'%X' AS TEXT)", v.Bytes()) // whatever the bytes
	case sqldata.Real:
		return strconv.FormatFloat(v.Float(), 'e', -1, 64)
	}
	return v.String()
}

// Added returns the first cell: no gold SQL reads an added column.
func (d *drafted) Added(a sqldata.AddColumn, _ string) string { return d.Literal(a.Cells[0]) }

// Derived returns the SQL that computes the cells of a derived column from cell, the SQL of its source column: a call of
// [sqldata.CellFunction], in a CAST where that makes comparisons convert as with a stored column of the declared type. It computes the
// cells of from once, to learn their types, and returns an error if one fails.
func (d *drafted) Derived(ctx context.Context, c sqldata.DeriveColumn, cell, from string) (string, error) {
	d.cells = append(d.cells, c.Cell)
	sql := fmt.Sprintf("%s(%d, %s)", sqldata.CellFunction, len(d.cells)-1, cell)
	kinds, err := d.Query(ctx, fmt.Sprintf("SELECT DISTINCT typeof(%s) FROM %s", sql, from))
	if err != nil {
		return "", err
	}
	// lacks reports whether no computed cell has one of the types that a CAST converts in another way than storing the cell does.
	lacks := func(unwanted ...string) bool {
		return !slices.ContainsFunc(kinds.Rows, func(row []sqldata.Value) bool { return slices.Contains(unwanted, row[0].Bytes()) })
	}
	switch affinity := AffinityOf(c.Type); {
	case affinity == BlobAffinity:
		return sql, nil
	case affinity == TextAffinity && lacks("integer", "real", "blob"):
		return "CAST(" + sql + " AS TEXT)", nil
	case affinity != TextAffinity && lacks("text", "blob"):
		return "CAST(" + sql + " AS NUMERIC)", nil
	}
	return sql, nil
}

// trial makes the writes on an empty database in memory with the same schema, and returns the error of the first that SQLite rejects
// whatever the rows.
func (db *DB) trial(ctx context.Context, writes []sqldata.Write) error {
	made, err := db.Query(ctx, madeStatements, sqldata.Limits{})
	if err != nil {
		return err
	}
	empty, err := replica(lists.Map(made.Rows, func(row []sqldata.Value) string { return row[0].Bytes() }))
	if err != nil {
		return err
	}
	defer empty.close()
	return (&writer{ctx: ctx, conn: empty}).apply(writes)
}

// Program returns the program that the engine compiles a query to, as text; "" if the query does not compile. If a query on a
// file and one on a draft of it have equal programs, they have equal answers: both read the file's pages.
func (db *DB) Program(ctx context.Context, sql string) string {
	if !sqldata.IsSelect(sql) {
		return ""
	}
	tables, err := db.prefix(ctx)
	if err != nil {
		return ""
	}
	res, err := db.ask(ctx, "EXPLAIN "+tables.Before(sql), sqldata.Limits{})
	if err != nil {
		return ""
	}
	return program(res.Rows)
}

// program returns the rows of an EXPLAIN as text, without operands that depend on names of tables, numbers of columns or the version of
// the schema. A row is an address, an opcode, five operands and a comment.
func program(steps [][]sqldata.Value) string {
	var b strings.Builder
	for _, row := range steps {
		opcode, operands := row[1].Bytes(), row[2:7]
		switch _, err := strconv.Atoi(operands[3].Bytes()); {
		case opcode == "Explain": // for people: it has the names of tables
			operands = nil
		case opcode == "Transaction": // goes on with the version of the schema
			operands = operands[:2]
		case opcode == "OpenRead" && err == nil: // the fourth is the number of columns to make room for
			operands = slices.Delete(operands, 3, 4)
		}
		fmt.Fprintln(&b, opcode, operands)
	}
	return b.String()
}

// declared returns the type to declare for a new column of a table: the one asked for, but ANY where the table is STRICT and does not
// accept it.
func (w *writer) declared(table, declared string) (string, error) {
	strict, err := w.conn.all("SELECT strict FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(" + quoteText(table) + ")")
	if err != nil || len(strict) == 0 || strict[0][0].Int() == 0 {
		return declared, err
	}
	switch strings.ToUpper(declared) {
	case "INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY":
		return declared, nil
	}
	return "ANY", nil
}
