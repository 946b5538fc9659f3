package wikisql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

// TestPivot leads real tables with their rows through a data directory and back: no cell
// changes its form, though SQLite knows fewer.
func TestPivot(t *testing.T) {
	in, out, back := t.TempDir(), filepath.Join(t.TempDir(), "spider"), filepath.Join(t.TempDir(), "wikisql")
	var tables, questions bytes.Buffer
	for raw, err := range streamtest.AllOfFile(dataset.RawRecords, shared.File(t, "data", "wikisql", "followup_tables.jsonl.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&tables, raw.JSON); err != nil {
			t.Fatal(err)
		}
		tables.WriteByte('\n')
		id := struct {
			ID any `json:"id"`
		}{}
		if err := json.Unmarshal(raw.JSON, &id); err != nil {
			t.Fatal(err)
		}
		if list, ok := id.ID.([]any); ok {
			id.ID = list[0]
		}
		question, err := json.Marshal(map[string]any{"table_id": id.ID, "question": "\u00e9?", "sql": map[string]any{"sel": 0, "agg": 3, "conds": []any{[]any{0, 0, "x"}, []any{0, 1, 3.5}}}})
		if err != nil {
			t.Fatal(err)
		}
		questions.Write(append(question, '\n'))
	}
	for name, b := range map[string]*bytes.Buffer{"dev.tables.jsonl": &tables, "dev.jsonl": &questions} {
		if err := os.WriteFile(filepath.Join(in, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	convert(t, wikisql.Format, in, formats.Spider, out)
	convert(t, formats.Spider, out, wikisql.Format, back)
	for _, name := range []string{"dev.tables.jsonl", "dev.jsonl"} {
		got, want := strings.Split(compactLines(t, filepath.Join(back, name)), "\n"), strings.Split(compactLines(t, filepath.Join(in, name)), "\n")
		if len(got) != len(want) {
			t.Fatalf("%s: %d lines, expected %d", name, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				at := 0
				for at < min(len(got[i]), len(want[i])) && got[i][at] == want[i][at] {
					at++
				}
				t.Fatalf("%s:%d: from byte %d:\n got %.100q\nwant %.100q", name, i+1, at, got[i][at:], want[i][at:])
			}
		}
	}
	if _, err := os.Stat(filepath.Join(back, "dev.db")); err != nil {
		t.Error(err)
	}
}

func convert(t *testing.T, from *dataset.Format, in string, to *dataset.Format, out string) {
	t.Helper()
	set, err := from.Read(context.Background(), in, "dev")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := formats.Convert(context.Background(), set, to, out, formats.Options{}); err != nil {
		t.Fatal(err)
	}
}

// compactLines returns the records of a file without blanks, in ASCII and without the
// escapes for HTML.
func compactLines(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		if err := json.Compact(&b, line); err != nil {
			t.Fatalf("%s: %q: %v", path, line, err)
		}
		b.WriteByte('\n')
	}
	var ascii strings.Builder // a data directory has no other characters
	for _, unit := range utf16.Encode([]rune(b.String())) {
		if unit < 0x80 {
			ascii.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	return strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">").Replace(ascii.String())
}
