package victim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/extract"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

func prompts(n int) []*Prompt {
	all := make([]*Prompt, n)
	for i := range all {
		all[i] = &Prompt{Index: i, DB: "db", Question: fmt.Sprint("q", i), Text: fmt.Sprint("prompt ", i)}
	}
	return all
}

// record opens a file of answers for a test.
func record(t *testing.T, path string) *chat.Record {
	r, err := chat.OpenRecord(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// all asks about prompts and returns the SQL or the error of each.
func all(t *testing.T, a *Asking, list []*Prompt) []string {
	out := make([]string, len(list))
	err := a.All(t.Context(), slices.Values(list), func(p *Prompt, answer string, err error) error {
		out[p.Index] = SQL(answer)
		if err != nil {
			out[p.Index] = "! " + err.Error()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFaults asks a server that is busy, fails, breaks off, answers nonsense and is slow: all
// is answered, nothing twice, and a second run asks nothing and says the same.
func TestFaults(t *testing.T) {
	const key = "sk-secret-key"
	var asked, answered atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Messages []chat.Message }
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(w, "bad", 400)
			return
		}
		switch asked.Add(1) % 6 {
		case 0:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "busy "+r.Header.Get("Authorization"), http.StatusTooManyRequests)
		case 1:
			http.Error(w, "broken", 500)
		case 2:
			fmt.Fprint(w, "<html>nonsense</html>")
		case 3:
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices": [`)
		default:
			answered.Add(1)
			json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{
				"content": "```sql\nSELECT '" + body.Messages[0].Content + "'\n```"}}}})
		}
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "record.jsonl")
	ask := func() []string {
		e := &chat.Endpoint{URL: server.URL, Model: "toy", APIKey: key, Retries: 30, Sleep: func(context.Context, time.Duration) error { return nil }}
		r := record(t, path)
		defer r.Close() // the next run goes on with it
		return all(t, &Asking{Client: &chat.Client{Model: "toy", Record: r, Endpoint: e}, Concurrency: 3}, prompts(20))
	}
	first := ask()
	for i, sql := range first {
		if want := fmt.Sprintf("SELECT 'prompt %d'", i); sql != want {
			t.Errorf("prompt %d: %s, expected %s", i, sql, want)
		}
	}
	if answered.Load() != 20 {
		t.Errorf("%d answers, expected 20: nothing is asked again that was answered", answered.Load())
	}
	before := asked.Load()
	if again := ask(); strings.Join(again, "\n") != strings.Join(first, "\n") || asked.Load() != before {
		t.Errorf("a second run made %d requests, expected none and the same SQL", asked.Load()-before)
	}
	if data, _ := os.ReadFile(path); strings.Contains(string(data), key) {
		t.Error("the key is in the record")
	}
}

// command asks a shell command about prompts.
func command(t *testing.T, line string, n int, timeout time.Duration) (out []string, c *Command) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	c = &Command{Line: line, Timeout: timeout, Concurrency: 4}
	defer c.Close()
	return all(t, &Asking{Client: &chat.Client{Model: line, Record: record(t, filepath.Join(t.TempDir(), "r")), Endpoint: c}, Objects: true, Concurrency: 4}, prompts(n)), c
}

// Lines of shell that answer: with the id of the request, which comes before "prompt".
const (
	readID = `id=${line#*\"id\":\"}; id=${id%%\"*}; `
	answer = `echo "{\"id\":\"$id\",\"sql\":\"SELECT $id\"}"`
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name, line string
		failed     int // at most
		want       string
	}{
		{"that answers", `while read -r line; do ` + readID + answer + `; done`, 0, ""},
		{"that babbles", `while read -r line; do echo hello; echo '{"id":"x"}'; ` + readID + answer + `; done`, 0, ""},
		{"that ends at a question", `while read -r line; do case $line in *q2*) echo poison >&2; exit 3;; esac; ` + readID + answer + `; done`, 1, "exit status 3"},
		{"that ends at once", `exit 1`, 12, "ended"},
		{"that is not there", `/nowhere/at/all`, 12, "ended"},
		{"that says nothing", `while read -r line; do :; done`, 12, "no answer within"},
		{"without SQL", `while read -r line; do ` + readID + `echo "{\"id\":\"$id\",\"error\":\"out of memory\"}"; done`, 12, "out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			timeout := 20 * time.Second
			if c.want == "no answer within" {
				timeout = 50 * time.Millisecond
			}
			out, _ := command(t, c.line, 12, timeout)
			failed := 0
			for i, o := range out {
				if reason, ok := strings.CutPrefix(o, "! "); ok {
					if failed++; !strings.Contains(reason, c.want) {
						t.Errorf("prompt %d: %s, expected %s in it", i, reason, c.want)
					}
				} else if !strings.HasPrefix(o, "SELECT ") {
					t.Errorf("prompt %d: %s, expected SQL", i, o)
				}
			}
			if failed != c.failed {
				t.Errorf("%d failed, expected %d", failed, c.failed)
			}
		})
	}
}

// TestCrash: a process that ends takes many requests with it, which counts once; the next one
// answers them all.
func TestCrash(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	mark := filepath.Join(t.TempDir(), "crashed")
	line := `read -r line; if [ ! -e ` + mark + ` ]; then sleep .2; touch ` + mark + `; exit 1; fi; ` + readID + answer + `; while read -r line; do ` + readID + answer + `; done`
	c := &Command{Line: line, Timeout: 20 * time.Second, Concurrency: 16}
	defer c.Close()
	for i, o := range all(t, &Asking{Client: &chat.Client{Model: "m", Record: record(t, filepath.Join(t.TempDir(), "r")), Endpoint: c}, Objects: true, Concurrency: 16}, prompts(40)) {
		if !strings.HasPrefix(o, "SELECT ") {
			t.Errorf("prompt %d: %s, expected SQL", i, o)
		}
	}
}

// TestStop ends what the shell started, too.
func TestStop(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	beat := filepath.Join(t.TempDir(), "beat")
	command(t, `sh -c 'while :; do date >> `+beat+`; sleep .1; done'; true`, 1, 300*time.Millisecond)
	size := func() int64 {
		info, err := os.Stat(beat)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	time.Sleep(400 * time.Millisecond)
	if after := size(); after != before {
		t.Errorf("%d bytes after %d: what the shell started goes on, expected its end", after, before)
	}
}

func TestReadAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	if err := os.WriteFile(path, []byte("{\"id\":\"a\",\"sql\":\"SELECT 1\"}\n\n  \nno JSON\n{\"id\":\"b\",\"text\":\"SELECT 2\"}\n{\"id\":\"c\"}\n"+
		`{"id": "req_1", "custom_id": "d", "response": {"body": {"choices": [{"message": {"role": "assistant", "content": "SELECT 3"}}]}}, "error": null}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var reported []string
	got, err := ReadAnswers(path, func(err error) { reported = append(reported, strings.TrimPrefix(err.Error(), path)) })
	if err != nil || len(got) != 3 || got["a"] != "SELECT 1" || got["b"] != "SELECT 2" || got["d"] != "SELECT 3" {
		t.Errorf("%v, %v, expected three answers", got, err)
	}
	if len(reported) != 2 || !strings.HasPrefix(reported[0], ":4:") || !strings.HasPrefix(reported[1], ":6:") {
		t.Errorf("%q, expected lines 4 and 6", reported)
	}
}

// TestSlow names the prompt that a command is too slow for, and goes on.
func TestSlow(t *testing.T) {
	out, _ := command(t, `while read -r line; do case $line in *q2*) continue;; esac; `+readID+answer+`; done`, 8, time.Second)
	for i, o := range out {
		if slow := strings.HasPrefix(o, "! "); slow != (i == 2) {
			t.Errorf("prompt %d: %s, expected SQL of all but the third", i, o)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"SELECT a -- all\nFROM t":    "SELECT a  FROM t",
		"SELECT 'a -- b'\tFROM t":    "SELECT 'a -- b' FROM t",
		"SELECT a FROM t -- the end": "SELECT a FROM t",
	} {
		if got := extract.OneLine(in); got != want {
			t.Errorf("%q: %q, expected %q", in, got, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	for _, bad := range []string{"{{.Nothing}}", "{{.Schema}}", "{{", "{{range .Question}}x{{end}}"} {
		if _, err := ParseTemplate("t", bad); err == nil {
			t.Errorf("%q is taken, expected an error", bad)
		}
	}
	if _, err := ParseTemplate("t", DefaultTemplate); err != nil {
		t.Error(err)
	}
}

// TestStopQuiet ends what the shell started that does not hold the shell's output.
func TestStopQuiet(t *testing.T) {
	beat := filepath.Join(t.TempDir(), "beat")
	command(t, `(while :; do date >> `+beat+`; sleep .1; done) >/dev/null 2>&1 & sleep .2; exit 1`, 1, 5*time.Second)
	before, err := os.ReadFile(beat)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if after, _ := os.ReadFile(beat); len(after) != len(before) {
		t.Errorf("%d bytes after %d: what the shell started goes on, expected its end", len(after), len(before))
	}
}

// The order of tables and columns is that of the schema, which perturbations shuffle, not that of the
// SQLite file.
func TestSchemaOrder(t *testing.T) {
	column := func(name string) dataset.Column {
		return dataset.Column{Name: name, Original: name, Type: dataset.Text}
	}
	db := &dataset.Database{ID: "pets", SQLite: filepath.Join(t.TempDir(), "pets.sqlite"), Tables: []dataset.Table{
		{Name: "cat", Original: "cat", Columns: []dataset.Column{column("name"), column("breed")}},
		{Name: "dog", Original: "dog", Columns: []dataset.Column{column("name")}},
	}}
	if err := sqlite.Create(t.Context(), db.SQLite, dataset.SQLiteTables(db), [][][]sqldata.Value{nil, nil}); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(db.Tables)
	slices.Reverse(db.Tables[1].Columns)
	text, err := Schema(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	for _, name := range []string{`"dog"`, `"cat"`, `"breed"`} {
		at = append(at, strings.Index(text, name))
	}
	if at[0] < 0 || !slices.IsSorted(at) || strings.LastIndex(text, `"name"`) < at[2] {
		t.Errorf("%s\nexpected dog, cat, and breed before name", text)
	}
}
