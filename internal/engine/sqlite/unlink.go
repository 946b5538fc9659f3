package sqlite

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// goneTable is the name that a table gets before it is dropped. The engine then writes it into every statement of the schema that
// refers to the table, which makes the references easy to find.
const goneTable = "tabperturb merged"

// keyBefore matches the text of a table's FOREIGN KEY constraint, columnKey that of a column's constraint, up
// to the name of the table that it refers to; keyAfter the text after that name. Names may be quoted.
var (
	keyBefore = lazyregexp.New(`(?is)(?:,\s*)?(?:CONSTRAINT\s+(?:"[^"]*"|\[[^]]*\]|` + "`[^`]*`" + `|\w+)\s+)?(?:\bFOREIGN\s+KEY\s*\((?:"[^"]*"|[^")])*\)\s*)?\bREFERENCES\s*$`)
	columnKey = lazyregexp.New(`(?is)\s*(?:CONSTRAINT\s+(?:"[^"]*"|\[[^]]*\]|` + "`[^`]*`" + `|\w+)\s+)?\bREFERENCES\s*$`)
	keyAfter  = lazyregexp.New(`(?is)^(?:\s*\((?:"[^"]*"|[^")])*\))?(?:\s*\bON\s+(?:DELETE|UPDATE)\s+(?:SET\s+NULL|SET\s+DEFAULT|CASCADE|RESTRICT|NO\s+ACTION)|\s*\bMATCH\s+\w+|\s*(?:\bNOT\s+)?\bDEFERRABLE\b(?:\s+INITIALLY\s+(?:DEFERRED|IMMEDIATE))?)*`)
)

// dropTable drops a table and the foreign keys to it that other tables declare, which the engine would leave.
// It renames the table to goneTable first, so that the engine marks all references to it.
func (w *writer) dropTable(name string) error {
	if err := w.renameTable(sqldata.RenameTable{Table: name, Name: goneTable}); err != nil {
		return err
	}
	rows, err := w.conn.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> " + quoteText(goneTable) + " AND instr(sql, " + quoteText(sqldata.QuoteName(goneTable)) + ")")
	if err != nil {
		return err
	}
	if err := w.conn.exec("DROP TABLE " + sqldata.QuoteName(goneTable)); err != nil || len(rows) == 0 {
		return err
	}
	statements := map[string]string{}
	for _, row := range rows {
		statements[row[0].Bytes()] = withoutKeys(row[1].Bytes(), name)
	}
	return w.rewrite(statements)
}

// withoutKeys removes from the statement of a table its foreign keys to the dropped one, which it refers to as goneTable. A reference
// in an unknown form stays, with name, the dropped table's original name.
func withoutKeys(sql, name string) string {
	mark := sqldata.QuoteName(goneTable)
	for {
		before, after, found := strings.Cut(sql, mark)
		if !found {
			return sql
		}
		at := keyStart(before)
		if at < 0 {
			sql = before + sqldata.QuoteName(name) + after
			continue
		}
		rest := after[len(keyAfter.FindString(after)):]
		if before[at] == ',' && nextConstraint.MatchString(rest) {
			rest = "," + rest
		}
		sql = before[:at] + rest
	}
}

// nextConstraint matches the start of a table constraint, after comments. SQLite allows one to follow another without a comma.
var nextConstraint = lazyregexp.New(`(?s)^(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*[A-Za-z]`)

// keyStart returns the start of the key declaration that text ends in, or -1. A table constraint (", FOREIGN KEY (a) REFERENCES")
// includes the comma before it, a column constraint ("REFERENCES") has none.
func keyStart(before string) int {
	if at := keyBefore.FindStringIndex(before); at != nil && strings.Contains(strings.ToUpper(before[at[0]:]), "FOREIGN") {
		return at[0]
	}
	if at := columnKey.FindStringIndex(before); at != nil {
		return at[0]
	}
	return -1
}

// declaredKey is a foreign key that a table declares.
type declaredKey struct {
	from  []string // its columns
	table string   // to which it refers
	to    []string // the columns to which it refers; none for the primary key
}

// references returns the REFERENCES clause of the key.
func (k *declaredKey) references() string {
	text := "REFERENCES " + sqldata.QuoteName(k.table)
	if len(k.to) > 0 {
		text += " (" + quoteNames(k.to) + ")"
	}
	return text
}

// declaredKeys returns the foreign keys that a table declares to other tables, in the order of their declaration: SQLite
// numbers them from the last to the first.
func (w *writer) declaredKeys(table string) (keys []declaredKey, err error) {
	rows, err := w.conn.all(`SELECT id, "from", "table", "to" FROM pragma_foreign_key_list(` + quoteText(table) + `) ORDER BY id DESC, seq`)
	if err != nil {
		return nil, err
	}
	last := int64(-1)
	for _, row := range rows {
		if strings.EqualFold(row[2].Bytes(), table) { // a key to the table itself
			continue
		}
		if id := row[0].Int(); id != last { // the first column of the next key
			keys, last = append(keys, declaredKey{table: row[2].Bytes()}), id
		}
		k := &keys[len(keys)-1]
		k.from = append(k.from, row[1].Bytes())
		if !row[3].IsNull() { // else the key names no columns of the other table
			k.to = append(k.to, row[3].Bytes())
		}
	}
	return keys, nil
}

// moved returns the key with its own columns renamed by names, a map of old names in lower case to new ones. It returns false if a
// column has no new name.
func (k declaredKey) moved(names map[string]string) (declaredKey, bool) {
	to := declaredKey{table: k.table, to: k.to}
	for _, from := range k.from {
		name := names[strings.ToLower(from)]
		if name == "" {
			return k, false
		}
		to.from = append(to.from, name)
	}
	return to, true
}

// declare adds foreign keys to the end of the CREATE TABLE statement of a table in the schema, as ALTER TABLE cannot add any.
func (w *writer) declare(table string, keys []declaredKey) error {
	if len(keys) == 0 {
		return nil
	}
	row, err := w.conn.all("SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(" + quoteText(table) + ")")
	if err != nil {
		return err
	}
	if len(row) == 0 {
		return fmt.Errorf("table %s is not there, expected it as the schema has it", table)
	}
	at := tableEnd.FindStringIndex(row[0][0].Bytes())
	if at == nil {
		return nil // it ends in a comment: the file then declares less than the schema
	}
	sql := row[0][0].Bytes()
	added := ""
	for _, k := range keys {
		added += ", FOREIGN KEY (" + quoteNames(k.from) + ") " + k.references()
	}
	return w.rewrite(map[string]string{table: sql[:at[0]] + added + sql[at[0]:]})
}

// tableEnd matches the end of a CREATE TABLE statement after its columns and constraints.
var tableEnd = lazyregexp.New(`(?is)\)\s*(?:(?:WITHOUT\s+ROWID|STRICT)\s*,?\s*)*;?\s*$`)

// rewrite replaces the CREATE TABLE statements of tables in the schema; statements has the new ones by
// table.
func (w *writer) rewrite(statements map[string]string) error {
	if err := w.conn.exec("PRAGMA writable_schema=ON"); err != nil {
		return err
	}
	update, _, err := w.conn.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND lower(name) = lower(?)")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		err = errors.Join(err, update.run(sqldata.NewText(statements[name]), sqldata.NewText(name)))
	}
	update.finalize()
	if err = errors.Join(err, w.conn.exec("PRAGMA writable_schema=RESET")); err != nil {
		return err
	}
	return w.conn.exec("SELECT 1 FROM sqlite_schema") // fails if a rewritten statement does not parse
}
