package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// tablesRecord is one element of tables.json.
type tablesRecord struct {
	ColumnNames    []columnName `json:"column_names"`
	ColumnOriginal []columnName `json:"column_names_original"`
	ColumnTypes    []string     `json:"column_types"`
	DB             *string      `json:"db_id"`
	ForeignKeys    [][2]int     `json:"foreign_keys"`
	PrimaryKeys    keyList      `json:"primary_keys"`
	TableNames     []string     `json:"table_names"`
	TableOriginal  []string     `json:"table_names_original"`
	Further
}

// columnName is a pair of JSON, [table index, name].
type columnName struct {
	Table int
	Name  string
}

// UnmarshalJSON decodes [table index, name].
func (c *columnName) UnmarshalJSON(data []byte) error {
	parts := []any{&c.Table, &c.Name}
	if json.Unmarshal(data, &parts) != nil || len(parts) != 2 {
		return fmt.Errorf("column name is %s, expected [table index, name]", Clip(string(data)))
	}
	return nil
}

// MarshalJSON returns [table index, name].
func (c columnName) MarshalJSON() ([]byte, error) { return json.Marshal([]any{c.Table, c.Name}) }

// keyList is a list of column indices, in which a composite key may be a list
// of its own.
type keyList []int

// UnmarshalJSON decodes a list of column indices, in which composite keys may be nested lists.
func (k *keyList) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf(`"primary_keys" is %s, expected an array of column indices`, Clip(string(data)))
	}
	if parts != nil {
		*k = keyList{} // [] is an empty list; null counts as a missing one
	}
	for _, p := range parts {
		var one int
		if json.Unmarshal(p, &one) == nil {
			*k = append(*k, one)
			continue
		}
		var several []int
		if json.Unmarshal(p, &several) != nil {
			return fmt.Errorf(`"primary_keys" holds %s, expected a column index or a list of them`, Clip(string(p)))
		}
		*k = append(*k, several...)
	}
	return nil
}

// ReadTables reads a file in the format of Spider's tables.json, plain or gzip.
func ReadTables(path string, report func(error), each func(*Database) error) error {
	return scanFile(path, func(s *scanner) error { return s.readDatabases(path, false, report, each) })
}

// ReadTableRecords reads databases as [ReadTables] does, and sets their [Database.Record].
func ReadTableRecords(path string, report func(error), each func(*Database) error) error {
	return scanFile(path, func(s *scanner) error { return s.readDatabases(path, true, report, each) })
}

// DecodeTables reads databases as [ReadTables] does, from a reader; name is for messages.
func DecodeTables(r io.Reader, name string, report func(error), each func(*Database) error) error {
	return newScanner(r).readDatabases(name, false, report, each)
}

// readDatabases passes the schemas of a tables.json to each. keepRecord stores the record of
// each in [Database.Record].
func (s *scanner) readDatabases(name string, keepRecord bool, report func(error), each func(*Database) error) error {
	once := Once{}
	return s.walkRecords((*scanner).eachElement, name, func(i int, raw []byte, problem error) error {
		rec := Raw{File: name, Number: i}
		var notes []error // reported only if the record is used
		db, err := (*Database)(nil), problem
		if err == nil {
			db, err = DecodeDatabase(raw, func(err error) { notes = append(notes, err) })
		}
		if err == nil {
			err = once.Check(db.ID, fmt.Sprintf("db_id %q", db.ID))
		}
		if err != nil {
			report(rec.Problem(err))
			return nil
		}
		for _, n := range notes {
			report(Note(rec.Problem(n)))
		}
		if keepRecord {
			db.Record = bytes.Clone(raw)
		}
		return each(db)
	})
}

// DecodeDatabase decodes an element of a tables.json. It passes harmless problems to note.
func DecodeDatabase(raw []byte, note func(error)) (*Database, error) {
	var rec tablesRecord
	if err := Decode(raw, &rec); err != nil {
		return nil, err
	}
	if err := rec.check(); err != nil {
		return nil, err
	}
	if err := rec.Further.check(len(rec.ColumnNames), len(rec.TableNames)); err != nil {
		return nil, err
	}
	db := &Database{ID: *rec.DB, Dialect: rec.Dialect, Source: rec.Source}
	if err := rec.alignNames(); err != nil {
		note(err)
	}
	for t, original := range rec.TableOriginal {
		db.Tables = append(db.Tables, Table{Name: rec.TableNames[t], Original: original, Caption: textAt(rec.Captions, t)})
	}
	refs := make([]ColumnRef, len(rec.ColumnOriginal)) // the columns by their index in the record
	for i, c := range rec.ColumnOriginal {
		if i == 0 {
			continue // the star
		}
		typ, isType := parseType(rec.ColumnTypes[i])
		if !isType {
			note(fmt.Errorf(`%s: column %q has the type %q, expected text, number, time, boolean or others; taken as "others"`,
				db.ID, c.Name, Clip(rec.ColumnTypes[i])))
		}
		t := &db.Tables[c.Table]
		refs[i] = ColumnRef{c.Table, len(t.Columns)}
		t.Columns = append(t.Columns, Column{
			Name: rec.ColumnNames[i].Name, Original: c.Name, Type: typ,
			Header: textAt(rec.Headers, i), Base: textAt(rec.Bases, i), Description: textAt(rec.Descriptions, i), Values: textAt(rec.Values, i),
		})
	}
	for _, i := range rec.Fixed {
		db.Column(refs[i]).Fixed = true
	}
	db.PrimaryKeys = lists.Map(rec.PrimaryKeys, func(k int) ColumnRef { return refs[k] })
	db.ForeignKeys = lists.Map(rec.ForeignKeys, func(k [2]int) ForeignKey { return ForeignKey{Column: refs[k[0]], Target: refs[k[1]]} })
	noteRepeatedNames(db, note)
	return db, nil
}

// alignNames replaces all natural names by words of the SQL names, and returns a warning, if column_names assigns a column
// to another table than column_names_original does, as in formula_1 of SParC. The two lists are in different orders then;
// types and keys are in that of the SQL names.
func (rec *tablesRecord) alignNames() error {
	for i, c := range rec.ColumnOriginal {
		if other := rec.ColumnNames[i].Table; other != c.Table {
			names, tables := slices.Clone(rec.ColumnOriginal), slices.Clone(rec.TableOriginal)
			for j := range names {
				names[j].Name = splitWords(names[j].Name)
			}
			for t := range tables {
				tables[t] = splitWords(tables[t])
			}
			rec.ColumnNames, rec.TableNames = names, tables
			return fmt.Errorf("%s: column %d is of table %d in column_names and of %d in column_names_original, expected the same; natural names are made of the latter",
				*rec.DB, i, other, c.Table)
		}
	}
	return nil
}

// splitWords returns the words of an SQL name in lower case: "homeTown" becomes "home town".
func splitWords(name string) string {
	var b strings.Builder
	lower := false // the last character is a lower-case letter or a digit
	for _, r := range strings.ReplaceAll(name, "_", " ") {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// parseType returns the column type with a name. known is false for any other name, whose type
// is Others.
func parseType(s string) (t Type, known bool) {
	switch t := Type(strings.ToLower(s)); t {
	case Text, Number, Time, Boolean, Others:
		return t, true
	}
	return Others, false
}

// noteRepeatedNames passes to note each repeated name of a table, and of a column within its table. Names compare
// without case, as in SQL.
func noteRepeatedNames(db *Database, note func(error)) {
	tables := map[string]bool{}
	for _, t := range db.Tables {
		key := strings.ToLower(t.Original)
		if tables[key] {
			note(fmt.Errorf("%s: table %q is there twice, expected each name once", db.ID, t.Original))
		}
		tables[key] = true
		columns := map[string]bool{}
		for _, c := range t.Columns {
			key := strings.ToLower(c.Original)
			if columns[key] {
				note(fmt.Errorf("%s: table %q has column %q twice, expected each name once", db.ID, t.Original, c.Original))
			}
			columns[key] = true
		}
	}
}

// check returns an error if a list of the record is missing, or if the lists do not fit
// together.
func (rec *tablesRecord) check() error {
	if err := cmp.Or(
		Require("db_id", rec.DB != nil),
		Require("table_names_original", rec.TableOriginal != nil), Require("table_names", rec.TableNames != nil),
		Require("column_names_original", rec.ColumnOriginal != nil), Require("column_names", rec.ColumnNames != nil),
		Require("column_types", rec.ColumnTypes != nil),
		Require("primary_keys", rec.PrimaryKeys != nil), Require("foreign_keys", rec.ForeignKeys != nil),
	); err != nil {
		return err
	}
	columns, tables := len(rec.ColumnOriginal), len(rec.TableOriginal)
	switch {
	case !ValidID(*rec.DB):
		return fmt.Errorf("db_id is %q, expected a name of at most %d bytes that can be a folder's", Clip(*rec.DB), maxID)
	case len(rec.TableNames) != tables:
		return fmt.Errorf("table_names has %d names and table_names_original %d, expected as many", len(rec.TableNames), tables)
	case len(rec.ColumnNames) != columns:
		return fmt.Errorf("column_names has %d names and column_names_original %d, expected as many", len(rec.ColumnNames), columns)
	case len(rec.ColumnTypes) != columns:
		return fmt.Errorf("column_types has %d types for %d columns, expected one each, the star included", len(rec.ColumnTypes), columns)
	case columns == 0, rec.ColumnOriginal[0] != columnName{-1, "*"}:
		return errors.New(`column_names_original begins with no [-1, "*"], expected it first`)
	}
	return rec.checkIndices(columns, tables)
}

// checkIndices returns an error for an empty name, or an index of a table or column that does not
// exist. Column 0 is the star, which is no key.
func (rec *tablesRecord) checkIndices(columns, tables int) error {
	for t, name := range rec.TableOriginal {
		if name == "" {
			return fmt.Errorf("table %d has an empty name, expected its name in SQL", t)
		}
	}
	for i, c := range rec.ColumnOriginal[1:] {
		switch {
		case c.Table < 0, c.Table >= tables:
			return fmt.Errorf("column %d is of table %d, expected 0 to %d", i+1, c.Table, tables-1)
		case c.Name == "":
			return fmt.Errorf("column %d has an empty name, expected its name in SQL", i+1)
		}
	}
	for _, k := range rec.PrimaryKeys {
		if k < 1 || k >= columns {
			return fmt.Errorf("primary_keys holds column %d, expected 1 to %d", k, columns-1)
		}
	}
	for _, k := range rec.ForeignKeys {
		if min(k[0], k[1]) < 1 || max(k[0], k[1]) >= columns {
			return fmt.Errorf("foreign_keys holds %v, expected columns 1 to %d", k, columns-1)
		}
	}
	return nil
}
