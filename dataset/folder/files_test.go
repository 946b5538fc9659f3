package folder

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// TestMemberNames: which of several members is the question does not depend on their order.
func TestMemberNames(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "shop.sqlite")
	if err := sqlite.Create(t.Context(), db, []sqldata.Table{{Name: "t", Columns: []sqldata.Column{{Name: "a"}}}}, nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, text string }{
		"prompt first":         {"q.jsonl", `{"prompt": "P?", "text": "T?", "question": "Q?", "query": "Q", "sql": "SELECT 1"}`},
		"question first":       {"q.jsonl", `{"sql": "SELECT 1", "query": "Q", "question": "Q?", "text": "T?", "prompt": "P?"}`},
		"aliases alone":        {"q.jsonl", `{"prompt": "P?", "utterance": "Q?", "statement": "S", "gold_sql": "SELECT 1"}`},
		"the own name":         {"q.jsonl", `{"Question": "P?", "question": "Q?", "SQL": "S", "sql": "SELECT 1"}`},
		"null says nothing":    {"q.jsonl", `{"question": null, "prompt": "Q?", "sql": "SELECT 1"}`},
		"columns":              {"q.csv", "prompt,query,question,sql\nP?,S,Q?,SELECT 1\n"},
		"columns, other order": {"q.csv", "sql,question,query,prompt\nSELECT 1,Q?,S,P?\n"},
		"an empty cell":        {"q.csv", "question,prompt,sql\n,Q?,SELECT 1\n"},
		"semicolons":           {"q.csv", "Question;Gold SQL\n\"Q?\";SELECT 1\n"},
		"tabs":                 {"q.csv", "id\tnl\tgold\n1\t\"Q?\"\tSELECT 1\n"},
		"tabs in .tsv":         {"q.tsv", "question\tsql\nQ?\tSELECT 1\n"},
		"a comma in a name":    {"q.csv", "\"a;b\",question,sql\n1;2,Q?,SELECT 1\n"},
		"UTF-16":               {"q.csv", "\xff\xfe" + utf16("text\tquery\r\nQ?\tSELECT 1\r\n")},
		"gzip":                 {"q.csv.gz", gzipped("question,sql\nQ?,SELECT 1\n")},
		"gzip, lines of SQL":   {"q.tsv.gz", gzipped("Q?\tSELECT 1\n")},
		"gzip, JSON":           {"q.jsonl.gz", gzipped(`{"nl": "Q?", "gold": "SELECT 1"}`)},
	} {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := Files(context.Background(), db, path, "dev")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = set.Examples(func(err error) { t.Errorf("%s: %v", name, err) }, func(ex *dataset.Example) error {
			if n++; ex.Question != "Q?" || ex.Query != "SELECT 1" {
				t.Errorf("%s: asks %q by %q", name, ex.Question, ex.Query)
			}
			return nil
		})
		if err != nil || n != 1 {
			t.Errorf("%s: %d examples, %v", name, n, err)
		}
	}
}

// utf16 returns ASCII text in UTF-16, the low byte first.
func utf16(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }

// gzipped returns a text as gzip.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}
