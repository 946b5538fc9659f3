package retriever

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func readRecords(data string, fields, size int) ([][]string, error) {
	c := &csvReader{r: bufio.NewReader(strings.NewReader(data)), fields: fields, bytes: size}
	var records [][]string
	for {
		record, err := c.read()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, record)
	}
}

var csvSeeds = []string{
	"a,b\n1,2\n", "\"a\",\"\"\n", `"Episode: \"Met\"","x"`, `"a\\","b"`, `"c:\`, "a\"b,\"c\"d\n", "\r\n\r", "\"a\nb\"\r\nc", ",\n,,\n", "\"", "\ufeffa", "\x00,\xff\n",
}

// FuzzCSV checks the bounds on any data, and against two writers: what RFC 4180
// or WikiTableQuestions' dialect writes is read back.
func FuzzCSV(f *testing.F) {
	for _, s := range csvSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		const fields, size = 4, 16
		records, err := readRecords(data, fields, size)
		var syntax *csvError
		if err != nil && !errors.As(err, &syntax) {
			t.Fatalf("%q: error %v, want only syntax errors", data, err)
		}
		for _, record := range records {
			if len(record) > fields || slices.ContainsFunc(record, func(s string) bool { return len(s) > size }) {
				t.Fatalf("%q: record %q is over the bounds", data, record)
			}
		}
		if records, err = readRecords(data, 1<<20, 1<<20); err != nil || len(records) == 0 {
			return
		}
		if got, err := readRecords(escaped(records), 1<<20, 1<<20); err != nil || !equalRecords(got, records) {
			t.Errorf("with escapes: %q, %v, want %q", got, err, records)
		}
		if strings.Contains(data, `\`) || strings.Contains(data, "\r") {
			return // RFC 4180 has no escapes; encoding/csv reads \r\n in fields as \n
		}
		var b bytes.Buffer
		csv.NewWriter(&b).WriteAll(records)
		if got, err := readRecords(b.String(), 1<<20, 1<<20); err != nil || !equalRecords(got, records) {
			t.Errorf("RFC 4180: %q, %v, want %q", got, err, records)
		}
	})
}

func equalRecords(a, b [][]string) bool {
	return slices.EqualFunc(a, b, func(x, y []string) bool { return slices.Equal(x, y) })
}

// escaped writes records as WikiTableQuestions does.
func escaped(records [][]string) string {
	var b strings.Builder
	for _, record := range records {
		for i, field := range record {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(field) + `"`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fuzzKind checks that any data reads as tables that keep the bounds, or as
// errors of tables.
func fuzzKind(f *testing.F, kind string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		lim := Limits{CellRunes: 10, HeaderRunes: 8, Columns: 3, Rows: 2, RecordBytes: 1 << 10}
		fsys, name := file(kind, data)
		seq, err := OpenFS(fsys, kind, name, lim)
		if err != nil {
			t.Fatal(err)
		}
		for table, err := range seq {
			var bad *TableError
			if err != nil {
				if !errors.As(err, &bad) {
					t.Fatalf("%q: error %v, want only errors of tables", data, err)
				}
				continue
			}
			checkTable(t, table, lim)
		}
	})
}

func checkTable(t *testing.T, table *Table, lim Limits) {
	if n := len(table.Columns); n == 0 || n > lim.Columns || table.Rows() > lim.Rows {
		t.Fatalf("%d columns, %d rows: over the bounds", n, table.Rows())
	}
	for _, c := range table.Columns {
		if c.Name == "" || clean(c.Name, lim.HeaderRunes) != c.Name || len(c.Cells) != table.Rows() {
			t.Fatalf("column %q with %d cells of %d", c.Name, len(c.Cells), table.Rows())
		}
		for _, cell := range c.Cells {
			if clean(cell, lim.CellRunes) != cell {
				t.Fatalf("cell %q is not clean", cell)
			}
		}
	}
}

func FuzzTabFact(f *testing.F) {
	fuzzKind(f, "tabfact", "a#b\n1#2\n", "#\n#\n", "", "a\r\n\xff#\x00", "a#b#c#d#e\n1\n")
}

func FuzzWDC(f *testing.F) {
	fuzzKind(f, "wdc", `{"relation":[["A","1"],["B",2]],"hasHeader":true,"headerPosition":"FIRST_ROW","headerRowIndex":0}`,
		`{"relation":[["A","B"],["1"]],"headerPosition":"FIRST_COLUMN"}`, "{\"relation\":[[\"A\"]]}\n{\"relation\":[]}", "{\n}", "[[[[", `{"relation":[[["x"]]],"headerRowIndex":-5}`)
}

func FuzzJSONL(f *testing.F) {
	fuzzKind(f, "jsonl", `{"id":[1],"header":["a"],"rows":[[1],["b",null]]}`, "{}\n[]", `{"table_array":[["a"],[{}]]}`)
}

func TestClean(t *testing.T) {
	for _, tc := range []struct {
		in    string
		limit int
		want  string
	}{
		{"plain text", 20, "plain text"},
		{"  a \t\n b  ", 20, "a b"},
		{"a b", 2, "a"},
		{"abc", 2, "ab"},
		{"a\x00b\u200bc\x7f", 9, "abc"},
		{"\xff", 9, "\ufffd"},
		{"naïve", 3, "naï"},
		{"", 0, ""},
		{" ", 5, ""},
	} {
		if got := clean(tc.in, tc.limit); got != tc.want {
			t.Errorf("clean(%q, %d) = %q, want %q", tc.in, tc.limit, got, tc.want)
		}
	}
}
