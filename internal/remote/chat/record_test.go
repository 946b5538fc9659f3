package chat

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func question(what string) Question {
	return Question{Purpose: "greet", ID: "town." + what, Request: Request{Messages: []Message{{"user", what}}, N: 1}}
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// openRecord opens a record that has no problems and is closed with the test.
func openRecord(t *testing.T, open func(string, func(error)) (*Record, error), path string) *Record {
	t.Helper()
	r, err := open(path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestClient checks that a question is asked once, that its answer is in the file, and
// that the file alone answers it later.
func TestClient(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	s := newServer(t, first(1, write(http.StatusInternalServerError, "oh")))
	e, _ := client(s.URL)
	asking := &Client{Model: "toy", Record: openRecord(t, OpenRecord, path), Endpoint: e}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			got, err := asking.Ask(t.Context(), question([]string{"one", "two"}[i%2]))
			if err != nil || !slices.Equal(got, []string{"Hello, [key]!"}) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wg.Wait()
	if n := asking.Record.Counts(); n != (Counts{Requests: 2, Usage: Usage{14, 6}}) {
		t.Errorf("counts %+v", n)
	}
	kept := text(t, path)
	want := `,"model":"toy","purpose":"greet","id":"town.one","answers":["Hello, [key]!"],"usage":{"prompt_tokens":7,"completion_tokens":3}}` + "\n"
	if !strings.Contains(kept, want) || strings.Count(kept, "\n") != 2 || strings.Contains(kept, "secret") {
		t.Errorf("the file is %s", kept)
	}

	later := &Client{Model: "toy", Record: openRecord(t, ReadRecord, path)}
	if got, err := later.Ask(t.Context(), question("one")); err != nil || len(got) != 1 {
		t.Errorf("later: %q, %v", got, err)
	}
	warmer := question("one")
	warmer.Temperature = 1
	for name, ask := range map[string]func() ([]string, error){
		"another question": func() ([]string, error) { return later.Ask(t.Context(), question("drei")) },
		"another setting":  func() ([]string, error) { return later.Ask(t.Context(), warmer) },
		"another model": func() ([]string, error) {
			return (&Client{Model: "other", Record: later.Record}).Ask(t.Context(), question("one"))
		},
	} {
		if _, err := ask(); !errors.Is(err, ErrNotRecorded) || !NoAnswer(err) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n := later.Record.Counts(); n != (Counts{Recorded: 1, Missing: 3, Estimated: 3}) {
		t.Errorf("later: counts %+v", n)
	}
	if models, err := later.Record.Models("greet"); err != nil || !slices.Equal(models, []string{"toy"}) {
		t.Errorf("models %q, %v", models, err)
	}
}

// TestClientCut checks that an answer that was cut off in the file is asked for again.
func TestClientCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	s := newServer(t, nil)
	e, _ := client(s.URL)
	ask := func(what ...string) {
		t.Helper()
		r, err := OpenRecord(path, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, w := range what {
			if _, err := (&Client{Model: "toy", Record: r, Endpoint: e}).Ask(t.Context(), question(w)); err != nil {
				t.Fatal(err)
			}
		}
	}
	ask("one", "two")
	whole := text(t, path)
	if err := os.Truncate(path, int64(len(whole)-9)); err != nil {
		t.Fatal(err)
	}
	ask("one", "two")
	if got := text(t, path); got != whole || s.count() != 3 {
		t.Errorf("%d requests, want 3; the file is %s", s.count(), got)
	}
}

// TestClientFails checks that what fails is not recorded, and which failures are of the
// model.
func TestClientFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	s := newServer(t, first(1000, write(http.StatusTooManyRequests, "busy, sk-secret")))
	e, _ := client(s.URL)
	c := &Client{Model: "toy", Record: openRecord(t, OpenRecord, path), Endpoint: e}
	if _, err := c.Ask(t.Context(), question("one")); !NoAnswer(err) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a busy server: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(ctx, question("one")); NoAnswer(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: error %v", err)
	}
	s.once = nil
	asked := s.count()
	if _, err := c.Ask(t.Context(), question("one")); !NoAnswer(err) || s.count() != asked {
		t.Errorf("a question that failed: error %v, and %d more requests, want none", err, s.count()-asked)
	}
	c.Record.Close()
	if _, err := c.Ask(t.Context(), question("two")); err == nil || NoAnswer(err) || !strings.Contains(err.Error(), "cannot be recorded") {
		t.Errorf("a file that cannot be written: error %v", err)
	}
	if got := text(t, path); got != "" {
		t.Errorf("the file is %q", got)
	}
}

// TestLimit checks that no more is asked than the limit allows, that what is left is
// counted once, and that a later run asks for it.
func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	s := newServer(t, nil)
	e, _ := client(s.URL)
	ask := func(limit int) Counts {
		t.Helper()
		r := openRecord(t, OpenRecord, path)
		defer r.Close()
		r.Limit = limit
		c := &Client{Model: "toy", Record: r, Endpoint: e}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				if _, err := c.Ask(t.Context(), question([]string{"a", "b", "c", "d", "e"}[i%5])); err != nil && !errors.Is(err, ErrLimit) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return r.Counts()
	}
	if n := ask(2); n.Requests != 2 || n.Left != 3 || s.count() != 2 {
		t.Errorf("counts %+v, want 2 requests and 3 questions left", n)
	}
	if n := ask(2); n.Requests != 2 || n.Recorded != 2 || n.Left != 1 {
		t.Errorf("the second time: counts %+v", n)
	}
	if n := ask(0); n.Requests != 1 || n.Recorded != 4 || n.Left != 0 || s.count() != 5 {
		t.Errorf("without a limit: counts %+v", n)
	}
}

// TestAskAgain checks that an answer of no use is kept and counted, is asked again only
// where that is wanted, once, as another request, and gives way to a good one, wherever
// that stands in the file.
func TestAskAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	useful := false
	s := newServer(t, nil)
	e, _ := client(s.URL)
	q := question("one")
	q.Identity = []string{"one"}
	q.Useful = func(string) bool { return useful }
	ask := func(again bool) Counts {
		t.Helper()
		r := openRecord(t, OpenRecord, path)
		defer r.Close()
		if again {
			r.AskAgain()
		}
		for range 3 {
			if _, err := (&Client{Model: "toy", Record: r, Endpoint: e}).Ask(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		return r.Counts()
	}
	for i, test := range []struct {
		again, useful             bool
		requests, recorded, empty int
	}{
		{false, false, 1, 0, 1}, {false, true, 0, 1, 1}, {true, false, 1, 0, 1}, {true, true, 1, 0, 0}, {true, false, 0, 1, 0},
	} {
		useful = test.useful
		if n := ask(test.again); n.Requests != test.requests || n.Recorded != test.recorded || n.Empty != test.empty {
			t.Errorf("run %d: counts %+v, want %+v", i, n, test)
		}
	}
	if len(s.tries) != 3 {
		t.Errorf("%d different requests, want 3", len(s.tries))
	}
	lines := strings.SplitAfter(text(t, path), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], `"empty":true`) || strings.Contains(lines[2], "empty") {
		t.Fatalf("the file is %q", lines)
	}
	keys := map[string]bool{}
	for _, order := range []string{lines[0] + lines[2], lines[2] + lines[0]} {
		if err := os.WriteFile(path, []byte(order), 0o666); err != nil {
			t.Fatal(err)
		}
		r := openRecord(t, ReadRecord, path)
		if _, err := (&Client{Model: "toy", Record: r}).Ask(t.Context(), q); err != nil || r.Counts().Empty != 0 {
			t.Errorf("%v, counts %+v, want the good answer", err, r.Counts())
		}
		keys[r.Key()] = true
	}
	if len(keys) != 1 {
		t.Errorf("keys %v, want one whatever the order", keys)
	}
	if err := os.WriteFile(path, []byte(lines[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	r := openRecord(t, ReadRecord, path)
	r.AskAgain()
	if _, err := (&Client{Model: "toy", Record: r}).Ask(t.Context(), q); !errors.Is(err, ErrNotRecorded) || r.Counts().Missing != 1 {
		t.Errorf("a record of an empty answer that is to be asked again: error %v", err)
	}
}

// TestRecordBad checks files with other lines, of something else, and that are not
// there.
func TestRecordBad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	good := `{"key":"` + strings.Repeat("0a", 16) + `","model":"toy","purpose":"greet","id":"x","answers":["Hi"],"usage":{}}` + "\n"
	for _, test := range []struct {
		name, text, fatal string
		problems          int
	}{
		{"lines of something else", good + "{}\nrubbish\n" + strings.Replace(good, "0a", "0", 1) + strings.Replace(good, `["Hi"]`, "[]", 1), "", 4},
		{"a file of something else", "rubbish\n", "is no file of recorded answers", 0},
		{"drafts of one category", `{"key":"ab","by":"toy","drafts":[]}` + "\n", "drafts of one category, which are not read any more, expected another file", 0},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		problems := 0
		r, err := ReadRecord(path, func(error) { problems++ })
		if (err == nil) != (test.fatal == "") || err != nil && !strings.Contains(err.Error(), test.fatal) || problems != test.problems {
			t.Errorf("%s: %v, %d problems", test.name, err, problems)
		}
		if err == nil {
			r.Close()
		}
	}
	if _, err := ReadRecord(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: error %v", err)
	}
	if _, err := (&Client{Model: "toy", Record: &Record{}}).Ask(t.Context(), question("one")); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("a record without a file: error %v", err)
	}
}
