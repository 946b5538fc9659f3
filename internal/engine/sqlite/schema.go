package sqlite

import (
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// Schema returns the tables of the database in the order in which they were
// made, those that SQLite made itself among them: Spider's schemas name
// sqlite_sequence too. Views and virtual tables are left out.
func (db *DB) Schema(ctx context.Context) ([]sqldata.Table, error) {
	columns, err := db.Query(ctx, `SELECT m.name, p.name, p.type, p.pk FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS p
		WHERE m.type = 'table' AND m.rootpage > 0 AND p.hidden <> 1 ORDER BY m.rowid, p.cid`, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	var tables []sqldata.Table
	index := map[string]int{}
	keys := map[string]map[int64]string{}
	for _, row := range columns.Rows {
		name, column := row[0].Bytes(), row[1].Bytes()
		i, ok := index[name]
		if !ok {
			i = len(tables)
			index[name], keys[name] = i, map[int64]string{}
			tables = append(tables, sqldata.Table{Name: name})
		}
		tables[i].Columns = append(tables[i].Columns, sqldata.Column{Name: column, Type: row[2].Bytes()})
		if pk := row[3].Int(); pk > 0 { // the position in the primary key, from 1
			keys[name][pk] = column
		}
	}
	for i, t := range tables {
		for n := range len(keys[t.Name]) {
			tables[i].PrimaryKey = append(tables[i].PrimaryKey, keys[t.Name][int64(n+1)])
		}
	}
	return tables, db.foreignKeys(ctx, tables, index)
}

// foreignKeys adds their foreign keys to tables; index has the position of each table by name.
func (db *DB) foreignKeys(ctx context.Context, tables []sqldata.Table, index map[string]int) error {
	keys, err := db.Query(ctx, `SELECT m.name, p.id, p."table", p."from", p."to" FROM sqlite_schema AS m JOIN pragma_foreign_key_list(m.name) AS p
		WHERE m.type = 'table' AND m.rootpage > 0 ORDER BY m.rowid, p.id DESC, p.seq`, sqldata.Limits{})
	if err != nil {
		return err
	}
	var last []sqldata.Value
	for _, row := range keys.Rows {
		i, ok := index[row[0].Bytes()]
		if !ok {
			continue
		}
		t := &tables[i]
		if !slices.Equal(last, row[:2]) { // the first column of another key
			t.ForeignKeys = append(t.ForeignKeys, sqldata.ForeignKey{Table: row[2].Bytes()})
			last = row[:2]
		}
		fk := &t.ForeignKeys[len(t.ForeignKeys)-1]
		fk.Columns = append(fk.Columns, row[3].Bytes())
		if !row[4].IsNull() { // else the key names no columns of the other table
			fk.References = append(fk.References, row[4].Bytes())
		}
	}
	return nil
}

// Unique returns by table the columns that are unique on their own, by an index or a constraint on all rows. An index on an
// expression has no column name and does not count.
// An INTEGER PRIMARY KEY, which SQLite stores as the row id without an index, is not among them.
func (db *DB) Unique(ctx context.Context) (map[string][]string, error) {
	res, err := db.Query(ctx, `SELECT m.name, max(i.name) FROM sqlite_schema AS m JOIN pragma_index_list(m.name) AS l JOIN pragma_index_info(l.name) AS i
		WHERE m.type = 'table' AND m.rootpage > 0 AND l."unique" AND NOT l.partial
		GROUP BY m.name, l.name HAVING count(*) = 1 AND max(i.name) IS NOT NULL`, sqldata.Limits{})
	if err != nil {
		return nil, err
	}
	unique := map[string][]string{}
	for _, row := range res.Rows {
		table := row[0].Bytes()
		unique[table] = append(unique[table], row[1].Bytes())
	}
	return unique, nil
}
