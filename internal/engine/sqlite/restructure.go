package sqlite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// splitColumn creates the new table, adds a key column to the old table that refers to it, fills both, and drops the column.
func (w *writer) splitColumn(s sqldata.SplitColumn) error {
	types, err := w.types(s.Table)
	if err != nil {
		return err
	}
	declared, ok := types[strings.ToLower(s.Column)]
	if !ok {
		return fmt.Errorf("table %s has no column %s, expected it as the schema does", s.Table, s.Column)
	}
	table, into, key := sqldata.QuoteName(s.Table), sqldata.QuoteName(s.Into), sqldata.QuoteName(s.Key)
	for _, sql := range []string{
		fmt.Sprintf("CREATE TABLE %s (%s INTEGER PRIMARY KEY, %s)", into, key, strings.TrimRight(sqldata.QuoteName(s.Column)+" "+declared, " ")),
		fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s INTEGER REFERENCES %s (%s)", table, key, into, key),
	} {
		if err := w.conn.exec(sql); err != nil {
			return err
		}
	}
	if err := w.fillSplit(s); err != nil {
		return err
	}
	return w.dropColumn(sqldata.DropColumn{Table: s.Table, Column: s.Column})
}

// dropIndexes drops the indexes on a column that CREATE INDEX made: SQLite drops no column that has
// one. Those that SQLite made for keys and UNIQUE stay.
func (w *writer) dropIndexes(table, column string) error {
	names, err := w.conn.column(fmt.Sprintf(`SELECT DISTINCT l.name FROM pragma_index_list(%s) AS l JOIN pragma_index_info(l.name) AS i
		WHERE l.origin = 'c' AND lower(i.name) = lower(%s)`, quoteText(table), quoteText(column)))
	if err != nil {
		return err
	}
	return lists.Each(names, func(name string) error { return w.conn.exec("DROP INDEX " + sqldata.QuoteName(name)) })
}

// quoteText returns s as an SQL string literal.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// fillSplit numbers the distinct values from 1 in the order of the rows. It writes each value with its
// number to the new table, and the numbers to the key column of the old one.
func (w *writer) fillSplit(s sqldata.SplitColumn) error {
	insert, _, err := w.conn.prepare(fmt.Sprintf("INSERT INTO %s VALUES (?, ?)", sqldata.QuoteName(s.Into)))
	if err != nil {
		return err
	}
	defer insert.finalize()
	numbers := map[sqldata.Value]sqldata.Value{}
	return w.update(s.Table, []string{s.Key}, s.Column, func(_ int, cell sqldata.Value) ([]sqldata.Value, error) {
		if cell.IsNull() {
			return nil, nil
		}
		number, known := numbers[cell]
		if !known {
			number = sqldata.NewInt(int64(len(numbers) + 1))
			numbers[cell] = number
			if err := insert.run(number, cell); err != nil {
				return nil, err
			}
		}
		return []sqldata.Value{number}, nil
	})
}

// mergeTable adds the columns of the table m.Reference, each with its own foreign keys, to m.Table, fills them by a
// left join, drops m.Reference, and declares its foreign keys of several columns on m.Table.
func (w *writer) mergeTable(m sqldata.MergeTable) error {
	types, err := w.types(m.Reference)
	if err != nil {
		return err
	}
	keys, err := w.declaredKeys(m.Reference)
	if err != nil {
		return err
	}
	table, reference := sqldata.QuoteName(m.Table), sqldata.QuoteName(m.Reference)
	partner := fmt.Sprintf("%s.%s = %s.%s", reference, sqldata.QuoteName(m.Target), table, sqldata.QuoteName(m.Column))
	if err := w.checkPartners(m, partner); err != nil {
		return err
	}
	clauses, further := mergedKeys(m, keys)
	var set []string
	for _, c := range m.Columns {
		declared, ok := types[strings.ToLower(c.Column)]
		if !ok {
			return fmt.Errorf("table %s has no column %s, expected it as the schema does", m.Reference, c.Column)
		}
		if err := w.conn.exec(fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s%s", table, sqldata.QuoteName(c.Name), declared, clauses[strings.ToLower(c.Column)])); err != nil {
			return err
		}
		set = append(set, fmt.Sprintf("%s = %s.%s", sqldata.QuoteName(c.Name), reference, sqldata.QuoteName(c.Column)))
	}
	if len(set) > 0 {
		if err := w.conn.exec(fmt.Sprintf("UPDATE %s SET %s FROM %s WHERE %s", table, strings.Join(set, ", "), reference, partner)); err != nil {
			return err
		}
	}
	if err := w.dropTable(m.Reference); err != nil {
		return err
	}
	return w.declare(m.Table, further)
}

// mergedKeys divides the foreign keys of the table that [sqldata.MergeTable] drops. ofColumn has the REFERENCES clauses to declare with
// a column that moves, by its old name in lower case. others, with new column names, are the keys that cannot be declared with a new
// column: those of several columns, and those of m.Target, in whose place the other table has m.Column. Keys with a column that does not
// move are left out.
func mergedKeys(m sqldata.MergeTable, all []declaredKey) (ofColumn map[string]string, others []declaredKey) {
	ofColumn, names := map[string]string{}, map[string]string{strings.ToLower(m.Target): m.Column}
	for _, c := range m.Columns {
		names[strings.ToLower(c.Column)] = c.Name
	}
	for _, k := range all {
		if slices.Equal(k.from, []string{m.Target}) && strings.EqualFold(k.table, m.Table) {
			continue // the key by which the two tables are joined
		}
		if from := strings.ToLower(k.from[0]); len(k.from) == 1 && from != strings.ToLower(m.Target) {
			ofColumn[from] += " " + k.references()
		} else if moved, ok := k.moved(names); ok {
			others = append(others, moved)
		}
	}
	return ofColumn, others
}

// checkPartners returns an error where a row of the table joins several rows of the other. partner is
// the join condition as SQL.
func (w *writer) checkPartners(m sqldata.MergeTable, partner string) error {
	key, err := w.key(m.Table)
	if err != nil {
		return err
	}
	table := sqldata.QuoteName(m.Table)
	for i := range key {
		key[i] = table + "." + key[i]
	}
	several, err := w.conn.all(fmt.Sprintf("SELECT 1 FROM %s JOIN %s ON %s GROUP BY %s HAVING count(*) > 1 LIMIT 1",
		table, sqldata.QuoteName(m.Reference), partner, strings.Join(key, ", ")))
	if err == nil && len(several) > 0 {
		err = fmt.Errorf("a row of %s has several rows of %s, expected one at most", m.Table, m.Reference)
	}
	return err
}

// types returns the declared types of a table's columns, by folded name.
func (w *writer) types(table string) (map[string]string, error) {
	rows, err := w.conn.all("SELECT name, type FROM pragma_table_xinfo(" + quoteText(table) + ")")
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, row := range rows {
		declared := row[1].Bytes()
		if !plainType.MatchString(declared) { // a type may be any text in quotes
			declared = sqldata.QuoteName(declared)
		}
		types[strings.ToLower(row[0].Bytes())] = declared
	}
	return types, nil
}

// plainType matches a declared type that needs no quotes, such as VARCHAR(20) or DECIMAL(10, 2); "" too.
var plainType = lazyregexp.New(`^(?:[A-Za-z][A-Za-z0-9_]*(?: ?\([0-9]+(?:, ?[0-9]+)?\))?)?$`)
