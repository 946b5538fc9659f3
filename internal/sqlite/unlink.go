package sqlite

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tabperturb/tabperturb/internal/sqldata"
)

// goneTable is the name under which a table goes, by which the engine marks what refers to
// it in the statements of the schema.
const goneTable = "tabperturb merged"

// Of a foreign key that is declared, what stands before and after the name of the table that
// it refers to. Names are in quotes of any kind or none.
var (
	keyBefore = regexp.MustCompile(`(?is)(?:,\s*)?(?:CONSTRAINT\s+(?:"[^"]*"|\[[^]]*\]|` + "`[^`]*`" + `|\w+)\s+)?(?:\bFOREIGN\s+KEY\s*\((?:"[^"]*"|[^")])*\)\s*)?\bREFERENCES\s*$`)
	columnKey = regexp.MustCompile(`(?is)\s*(?:CONSTRAINT\s+(?:"[^"]*"|\[[^]]*\]|` + "`[^`]*`" + `|\w+)\s+)?\bREFERENCES\s*$`)
	keyAfter  = regexp.MustCompile(`(?is)^(?:\s*\((?:"[^"]*"|[^")])*\))?(?:\s*\bON\s+(?:DELETE|UPDATE)\s+(?:SET\s+NULL|SET\s+DEFAULT|CASCADE|RESTRICT|NO\s+ACTION)|\s*\bMATCH\s+\w+|\s*(?:\bNOT\s+)?\bDEFERRABLE\b(?:\s+INITIALLY\s+(?:DEFERRED|IMMEDIATE))?)*`)
)

// dropTable drops a table with what other tables declare of keys to it, which the engine
// would leave.
func (w *writer) dropTable(name string) error {
	if err := (RenameTable{name, goneTable}).write(w); err != nil {
		return err
	}
	rows, err := w.conn.all("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> " + quoteText(goneTable) + " AND instr(sql, " + quoteText(QuoteName(goneTable)) + ")")
	if err != nil {
		return err
	}
	if err := w.conn.exec("DROP TABLE " + QuoteName(goneTable)); err != nil || len(rows) == 0 {
		return err
	}
	if err := w.conn.exec("PRAGMA writable_schema=ON"); err != nil {
		return err
	}
	update, _, err := w.conn.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?")
	if err != nil {
		return err
	}
	for _, row := range rows {
		err = errors.Join(err, update.run(sqldata.NewText(withoutKeys(row[1].Bytes(), name)), row[0]))
	}
	update.finalize()
	return errors.Join(err, w.conn.exec("PRAGMA writable_schema=RESET"))
}

// withoutKeys returns the statement of a table without its keys to the one that is gone. Where
// one is declared in a way that is not known, it has the table's own name again.
func withoutKeys(sql, name string) string {
	mark := QuoteName(goneTable)
	for {
		before, after, found := strings.Cut(sql, mark)
		if !found {
			return sql
		}
		at := keyStart(before)
		if at < 0 {
			sql = before + QuoteName(name) + after
			continue
		}
		sql = before[:at] + after[len(keyAfter.FindString(after)):]
	}
}

// keyStart returns where the declaration of a key begins that the text ends in, -1 where it
// does not: of a key of its own with the comma before it, of a column's without.
func keyStart(before string) int {
	if at := keyBefore.FindStringIndex(before); at != nil && strings.Contains(strings.ToUpper(before[at[0]:]), "FOREIGN") {
		return at[0]
	}
	if at := columnKey.FindStringIndex(before); at != nil {
		return at[0]
	}
	return -1
}

// declaredKeys returns, by folded name, what a table declares its columns to refer to, where
// that is a key of one column.
func (w *writer) declaredKeys(table string) (map[string]string, error) {
	rows, err := w.conn.all("SELECT min(\"from\"), min(\"table\"), min(\"to\") FROM pragma_foreign_key_list(" + quoteText(table) + ") GROUP BY id HAVING count(*) = 1")
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, row := range rows {
		column, to := strings.ToLower(row[0].Bytes()), ""
		if strings.EqualFold(row[1].Bytes(), table) {
			continue
		}
		if !row[2].IsNull() {
			to = fmt.Sprintf(" (%s)", QuoteName(row[2].Bytes()))
		}
		keys[column] += " REFERENCES " + QuoteName(row[1].Bytes()) + to
	}
	return keys, nil
}
