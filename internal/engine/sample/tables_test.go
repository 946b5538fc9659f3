package sample

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schema is one record of Spider's tables.json.
type schema struct {
	ID              string   `json:"db_id"`
	TableNames      []string `json:"table_names"`
	TableOriginals  []string `json:"table_names_original"`
	ColumnNames     []column `json:"column_names"`
	ColumnOriginals []column `json:"column_names_original"`
	ColumnTypes     []string `json:"column_types"`
	PrimaryKeys     []int    `json:"primary_keys"`
	ForeignKeys     [][2]int `json:"foreign_keys"`
}

// column is written as [TABLE, "NAME"]; table -1 is that of the column "*".
type column struct {
	table int
	name  string
}

func (c column) MarshalJSON() ([]byte, error) { return json.Marshal([]any{c.table, c.name}) }

func (c *column) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&c.table, &c.name})
}

// types maps the declared types of the scripts to Spider's.
var types = map[string]string{
	"INTEGER": "number", "REAL": "number", "TEXT": "text",
	"DATE": "time", "TIME": "time", "BOOLEAN": "boolean",
}

// TestTables compares tables.json with what SQLite says of the databases. The
// natural names are a person's; only their shape and number can be checked.
func TestTables(t *testing.T) {
	have := decode[[]schema](t, Data(), "tables.json")
	dbs := open(t)
	var want []schema
	for _, id := range scripts(t) {
		s := read(t, id, dbs[id])
		named := schema{}
		for _, h := range have {
			if h.ID == id {
				named = h
			}
		}
		keepNames(&s, named)
		want = append(want, s)
	}
	if *update {
		writeTables(t, want)
		return
	}
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(column{})); diff != "" {
		t.Errorf("tables.json does not agree with the scripts (-want +have):\n%s", diff)
	}
	natural := regexp.MustCompile(`^[a-z0-9]+( [a-z0-9]+)*$`)
	for _, s := range have {
		for _, name := range s.TableNames {
			if !natural.MatchString(name) {
				t.Errorf("%s: table name %q, want lower-case words", s.ID, name)
			}
		}
		for _, c := range s.ColumnNames[1:] {
			if !natural.MatchString(c.name) {
				t.Errorf("%s: column name %q, want lower-case words", s.ID, c.name)
			}
		}
	}
}

// read makes the record of a database, natural names guessed.
func read(t *testing.T, id string, db *sql.DB) schema {
	t.Helper()
	star := column{-1, "*"}
	s := schema{
		ID: id, ColumnNames: []column{star}, ColumnOriginals: []column{star}, ColumnTypes: []string{"text"},
		PrimaryKeys: []int{}, ForeignKeys: [][2]int{},
	}
	index := make(map[string]int) // TABLE.COLUMN → number
	_, tables := query(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
	for i, row := range tables {
		table := row[0]
		s.TableOriginals = append(s.TableOriginals, table)
		s.TableNames = append(s.TableNames, guess(table))
		_, cols := query(t, db, fmt.Sprintf("PRAGMA table_info(%q)", table))
		for _, c := range cols { // cid, name, type, notnull, dflt_value, pk
			n := len(s.ColumnOriginals)
			index[table+"."+c[1]] = n
			s.ColumnOriginals = append(s.ColumnOriginals, column{i, c[1]})
			s.ColumnNames = append(s.ColumnNames, column{i, guess(c[1])})
			typ, ok := types[c[2]]
			if !ok {
				t.Errorf("%s.%s.%s: declared type %q is not one of %v", id, table, c[1], c[2], types)
			}
			s.ColumnTypes = append(s.ColumnTypes, typ)
			if c[5] != "0" {
				s.PrimaryKeys = append(s.PrimaryKeys, n)
			}
		}
	}
	for _, row := range tables {
		// The pragma lists the keys last first.
		_, keys := query(t, db, fmt.Sprintf("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(%s) ORDER BY id DESC", strconv.Quote(row[0])))
		for _, k := range keys {
			from, ok := index[row[0]+"."+k[0]]
			to, ok2 := index[k[1]+"."+k[2]]
			if !ok || !ok2 {
				t.Errorf("%s.%s: foreign key %v names an unknown column", id, row[0], k)
			}
			s.ForeignKeys = append(s.ForeignKeys, [2]int{from, to})
		}
	}
	return s
}

var hump = regexp.MustCompile(`([a-z])([A-Z])`)

// guess splits a name in SQL into lower-case words.
func guess(name string) string {
	name = hump.ReplaceAllString(name, "$1 $2")
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}

// keepNames takes over the natural names of columns and tables that named has.
func keepNames(s *schema, named schema) {
	key := func(s schema, c column) string {
		if c.table < 0 || c.table >= len(s.TableOriginals) {
			return ""
		}
		return s.TableOriginals[c.table] + "." + c.name
	}
	columns, tables := make(map[string]string), make(map[string]string)
	for i := range min(len(named.ColumnNames), len(named.ColumnOriginals)) {
		columns[key(named, named.ColumnOriginals[i])] = named.ColumnNames[i].name
	}
	for i := range min(len(named.TableNames), len(named.TableOriginals)) {
		tables[named.TableOriginals[i]] = named.TableNames[i]
	}
	for i := range s.ColumnNames {
		if name, ok := columns[key(*s, s.ColumnOriginals[i])]; ok {
			s.ColumnNames[i].name = name
		}
	}
	for i := range s.TableNames {
		if name, ok := tables[s.TableOriginals[i]]; ok {
			s.TableNames[i] = name
		}
	}
}

func writeTables(t *testing.T, want []schema) {
	t.Helper()
	var out bytes.Buffer
	for i, s := range want {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
		out.Write(b)
	}
	out.WriteString("\n]\n")
	if err := os.WriteFile("data/tables.json", out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
