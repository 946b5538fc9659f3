package sample

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

type webTable struct {
	ID      string     `json:"id"`
	Caption string     `json:"caption"`
	Header  []string   `json:"header"`
	Rows    [][]string `json:"rows"`
}

// check returns what is wrong with a table, or nil.
func (w *webTable) check() error {
	if n := len(w.Header); n < 3 || n > 7 {
		return fmt.Errorf("%d columns, want 3 to 7", n)
	}
	if n := len(w.Rows); n < 3 || n > 5 {
		return fmt.Errorf("%d rows, want 3 to 5", n)
	}
	seen := make(map[string]bool)
	for _, h := range w.Header {
		key := strings.ToLower(h)
		if h == "" || h != strings.TrimSpace(h) || seen[key] {
			return fmt.Errorf("column name %q is blank, padded or not the only one", h)
		}
		seen[key] = true
	}
	for i, row := range w.Rows {
		if len(row) != len(w.Header) {
			return fmt.Errorf("row %d has %d cells, want %d", i, len(row), len(w.Header))
		}
		for j, cell := range row {
			if cell == "" {
				return fmt.Errorf("row %d has no value for %s", i, w.Header[j])
			}
		}
	}
	return nil
}

func TestCorpus(t *testing.T) {
	domains, err := fs.Glob(Corpus(), "*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(domains) < 42 {
		t.Errorf("%d domains, want at least 42", len(domains))
	}
	tables := 0
	captions := make(map[string]string)
	for _, name := range domains {
		content, err := fs.ReadFile(Corpus(), name)
		if err != nil {
			t.Fatal(err)
		}
		headers := make(map[string]bool)
		n := 0
		for line := range bytes.Lines(content) {
			n++
			var w webTable
			dec := json.NewDecoder(bytes.NewReader(line))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&w); err != nil {
				t.Errorf("%s:%d: %v", name, n, err)
				continue
			}
			if err := w.check(); err != nil {
				t.Errorf("%s:%d: %v", name, n, err)
			}
			if want := fmt.Sprintf("%s-%02d", strings.TrimSuffix(name, ".jsonl"), n); w.ID != want {
				t.Errorf("%s:%d: id %q, want %q", name, n, w.ID, want)
			}
			if other, ok := captions[w.Caption]; ok || w.Caption == "" {
				t.Errorf("%s:%d: caption %q is blank or that of %s", name, n, w.Caption, other)
			}
			captions[w.Caption] = w.ID
			for _, h := range w.Header {
				headers[strings.ToLower(h)] = true
			}
		}
		tables += n
		// Eight tables of six columns name few things alike: that is their use.
		if len(headers) < 25 {
			t.Errorf("%s: %d distinct column names, want at least 25", name, len(headers))
		}
	}
	if tables < 420 {
		t.Errorf("%d tables, want at least 420", tables)
	}
}
