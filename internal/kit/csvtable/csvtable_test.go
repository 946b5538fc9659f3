package csvtable

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
	c := NewReader(bufio.NewReader(strings.NewReader(data)), fields, size)
	var records [][]string
	for {
		record, err := c.Read()
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
		if _, ok := errors.AsType[*SyntaxError](err); err != nil && !ok {
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
		single := func(record []string) bool { return len(record) == 1 && record[0] == "" }
		if strings.Contains(data, `\`) || strings.Contains(data, "\r") || slices.ContainsFunc(records, single) {
			return // RFC 4180 has no escapes; encoding/csv reads \r\n in fields as \n, and writes a single empty field as a blank line
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
	var b []byte
	for _, record := range records {
		b = Append(b, record)
	}
	return string(b)
}

func TestReadWhatWTQWrites(t *testing.T) {
	const data = "\"Year\",\"Chart\nUK\"\n\"a \\\"b\\\"\",\"c:\\\\\"\n\"\",\"\"\n"
	records, err := readRecords(data, 9, 99)
	want := [][]string{{"Year", "Chart\nUK"}, {`a "b"`, `c:\`}, {"", ""}}
	if err != nil || !equalRecords(records, want) {
		t.Fatalf("%q, %v, want %q", records, err, want)
	}
	if got := escaped(records); got != data {
		t.Errorf("written as %q, want %q", got, data)
	}
	if records, err := readRecords("\"a\"\n\n\"\"\n", 9, 99); err != nil || len(records) != 2 {
		t.Errorf("%q, %v, want two records: a blank line is none, an empty field is one", records, err)
	}
	if _, err := readRecords("a\nb,\"c\nd", 9, 99); err == nil || err.Error() != "line 2: "+ErrQuote.Error() {
		t.Errorf("error is %v, want one of line 2", err)
	}
}

func TestLine(t *testing.T) {
	c := NewReader(bufio.NewReader(strings.NewReader("a\n\n\"b\nc\",d\ne")), 9, 99)
	for _, want := range []int{1, 3, 5} {
		if record, err := c.Read(); err != nil || c.Line() != want {
			t.Errorf("%q, %v: line %d, want %d", record, err, c.Line(), want)
		}
	}
}
