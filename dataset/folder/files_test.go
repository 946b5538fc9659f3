package folder

import (
	"context"
	"os"
	"path/filepath"
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
