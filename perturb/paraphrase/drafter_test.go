package paraphrase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

// task returns a task over a database of no tables.
func task(category, question string, mentions ...perturb.Mention) perturb.Task {
	return perturb.Task{
		Category: category, DB: &dataset.Database{ID: "harbour"}, Mentions: mentions,
		Example: &perturb.Example{Example: &dataset.Example{Index: 7, DB: "harbour", Question: question, Query: "SELECT 1"}},
	}
}

// model is a server that answers each request by how, or by all categories where that
// returns "".
type model struct {
	*httptest.Server
	requests atomic.Int32
}

func newModel(t *testing.T, how func(w http.ResponseWriter, n int32) string) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n := m.requests.Add(1)
		answer := how(w, n)
		if answer == "" {
			drafts := map[string][]string{}
			for _, c := range Categories() {
				drafts[c] = []string{fmt.Sprintf("%s %d?", c, n), "Same?"}
			}
			text, _ := json.Marshal(drafts)
			answer = string(text)
		}
		if answer == "none" {
			return // how wrote it
		}
		reason := "stop"
		if strings.HasSuffix(answer, "…") {
			answer, reason = strings.TrimSuffix(answer, "…"), "length"
		}
		content, _ := json.Marshal(answer)
		fmt.Fprintf(w, `{"choices":[{"finish_reason":%q,"message":{"content":%s}}],"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, reason, content, len(body)/4)
	}))
	t.Cleanup(m.Close)
	return m
}

func well(http.ResponseWriter, int32) string { return "" }

func path(t *testing.T) string { return filepath.Join(t.TempDir(), "drafts.jsonl") }

// drafter asks a server, "" for none, by way of a file, and does not wait between tries.
func drafter(t *testing.T, url, path string) *Drafter {
	t.Helper()
	open := chat.OpenRecord
	if url == "" {
		open = chat.ReadRecord
	}
	record, err := open(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { record.Close() })
	d := &Drafter{&chat.Client{Model: "toy", Record: record}}
	if url != "" {
		d.Client.Endpoint = &chat.Endpoint{URL: url, Model: "toy", APIKey: "sk-secret",
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	}
	return d
}

// texts returns the questions of drafts in each category.
func texts(t *testing.T, d *Drafter, question string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, c := range Categories() {
		drafts, err := d.Drafts(t.Context(), task(c, question))
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		for _, draft := range drafts {
			if draft.Source != "toy" {
				t.Errorf("%s: draft %+v", c, draft)
			}
			out[c] = append(out[c], draft.Question)
		}
	}
	return out
}

// TestDrafter checks that a question is asked once for all categories, however many ask
// at the same time, and that the file has the same drafts later.
func TestDrafter(t *testing.T) {
	m, file := newModel(t, well), path(t)
	d := drafter(t, m.URL, file)
	var wg sync.WaitGroup
	for i := range 36 {
		wg.Go(func() {
			drafts, err := d.Drafts(t.Context(), task(Categories()[i%9], []string{"One?", "Two?"}[i%2]))
			if err != nil || len(drafts) != 2 || !strings.HasPrefix(drafts[0].Question, Categories()[i%9]) {
				t.Errorf("%v, %v", drafts, err)
			}
		})
	}
	wg.Wait()
	first := texts(t, d, "One?")
	if n := m.requests.Load(); n != 2 || len(first) != 9 {
		t.Errorf("%d requests for two questions; categories %v", n, first)
	}
	if n := d.Client.Record.Counts(); n.Requests != 2 || n.Recorded != 0 || n.Prompt == 0 {
		t.Errorf("counts %+v", n)
	}
	later := drafter(t, "", file)
	if diff := cmp.Diff(first, texts(t, later, "One?")); diff != "" {
		t.Errorf("later (-first +later):\n%s", diff)
	}
	if n := later.Client.Record.Counts(); n.Recorded != 1 {
		t.Errorf("later: counts %+v", n)
	}
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "sk-secret") {
		t.Errorf("the file has the key, or %v", err)
	}
}

// TestIdentity checks what makes another question, and what does not.
func TestIdentity(t *testing.T) {
	file := path(t)
	if _, err := drafter(t, newModel(t, well).URL, file).Drafts(t.Context(), task("others", "One?")); err != nil {
		t.Fatal(err)
	}
	change := func(f func(*perturb.Task)) perturb.Task {
		other := task("others", "One?")
		f(&other)
		return other
	}
	for name, test := range map[string]struct {
		task  perturb.Task
		known bool
	}{
		"another category": {task("multitype", "One?"), true},
		"other mentions":   {task("others", "One?", perturb.Mention{Text: "One", Stands: "'1'"}), true},
		"another place":    {change(func(t *perturb.Task) { t.Example.Index = 8 }), true},
		"another question": {task("others", "Two?"), false},
		"other gold SQL":   {change(func(t *perturb.Task) { t.Example.Query = "SELECT 2" }), false},
		"another database": {change(func(t *perturb.Task) { t.DB = &dataset.Database{ID: "port"} }), false},
		"a table that is shown": {change(func(t *perturb.Task) {
			t.DB.Tables = []dataset.Table{{Original: "boat", Columns: []dataset.Column{{Original: "name"}}}}
			t.Example, _ = perturb.NewExample(t.DB, &dataset.Example{Index: 7, DB: "harbour", Question: "One?", Query: "SELECT 1 FROM boat"})
			t.Example.Query = "SELECT 1"
		}), false},
	} {
		_, err := drafter(t, "", file).Drafts(t.Context(), test.task)
		refusal, refused := errors.AsType[*perturb.Refusal](err)
		if (err == nil) != test.known || refused && refusal.Reason != "no-model-asked" || refused == test.known {
			t.Errorf("%s: error %v, known should be %t", name, err, test.known)
		}
	}
}

// TestFaults checks what servers answer that are not as they should be.
func TestFaults(t *testing.T) {
	half := `{"keyword-synonym": ["a?"], "column-synonym": [], "value-synonym": ["b?"]}`
	for _, test := range []struct {
		name     string
		how      func(w http.ResponseWriter, n int32) string
		want     map[string][]string
		requests int32
		empty    int
		fails    string
	}{
		{"nonsense", func(http.ResponseWriter, int32) string { return "Sure, sk-secret" }, map[string][]string{}, 1, 1, ""},
		{"half of the categories", func(http.ResponseWriter, int32) string { return half }, map[string][]string{"keyword-synonym": {"a?"}, "value-synonym": {"b?"}}, 1, 0, ""},
		{"broken off", func(http.ResponseWriter, int32) string { return `{"others": ["a?"], "multitype": ["b…` }, map[string][]string{"others": {"a?"}}, 1, 0, ""},
		{"busy once", func(w http.ResponseWriter, n int32) string {
			if n > 1 {
				return half
			}
			w.WriteHeader(http.StatusTooManyRequests)
			return "none"
		}, map[string][]string{"keyword-synonym": {"a?"}, "value-synonym": {"b?"}}, 2, 0, ""},
		{"always busy", func(w http.ResponseWriter, _ int32) string {
			http.Error(w, "slow down, sk-secret", http.StatusTooManyRequests)
			return "none"
		}, nil, chat.DefaultRetries + 1, 0, "429 Too Many Requests: slow down, [key]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, file := newModel(t, test.how), path(t)
			d := drafter(t, m.URL, file)
			if test.fails == "" {
				if diff := cmp.Diff(test.want, texts(t, d, "One?")); diff != "" {
					t.Errorf("drafts (-want +got):\n%s", diff)
				}
			} else {
				for _, c := range Categories() {
					if _, err := d.Drafts(t.Context(), task(c, "One?")); err == nil || !strings.Contains(err.Error(), test.fails) {
						t.Errorf("error %v, want %q", err, test.fails)
					}
				}
			}
			if n := m.requests.Load(); n != test.requests || d.Client.Record.Counts().Empty != test.empty {
				t.Errorf("%d requests, want %d; counts %+v, want %d empty", n, test.requests, d.Client.Record.Counts(), test.empty)
			}
			if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "sk-secret") || (len(data) == 0) != (test.fails != "") {
				t.Errorf("the file is %s, %v", data, err)
			}
		})
	}
}

// TestKey checks that the key holds what drafts depend on, and not the address.
func TestKey(t *testing.T) {
	file := path(t)
	d := drafter(t, newModel(t, well).URL, file)
	asking := d.Key()
	if !strings.HasPrefix(asking, "toy ") || strings.Contains(asking, "http") || strings.Contains(asking, "secret") {
		t.Errorf("key %q", asking)
	}
	other := drafter(t, "http://127.0.0.1:1", path(t))
	if other.Key() != asking {
		t.Errorf("another address: key %q, want %q", other.Key(), asking)
	}
	other.Client.Model = "other"
	texts(t, d, "One?")
	one := drafter(t, "", file).Key()
	texts(t, d, "Two?")
	keys := []string{asking, other.Key(), one, drafter(t, "", file).Key()}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 4 {
		t.Errorf("keys %q, want four different ones", keys)
	}
	if _, err := d.Drafts(t.Context(), task("comparison", "One?")); err == nil || !strings.Contains(err.Error(), `"comparison", expected one of keyword-synonym`) {
		t.Errorf("a category without a prompt: error %v", err)
	}
}
