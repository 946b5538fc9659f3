package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/serve"
)

// TestPipeLines has lines that are no requests among good ones, an empty one too: each is answered by a line.
func TestPipeLines(t *testing.T) {
	_, o := sampleData(t)
	o.Limits.Body = 1000
	in := strings.Join([]string{
		right, "", "no", `{"db_id":"` + strings.Repeat("x", 5000) + `"}`, "[" + right + "," + right + "]", strings.Repeat("y", 999_999), "\x00", right,
	}, "\n") // without an end of line
	s := serve.New(o)
	defer s.Close()
	var out bytes.Buffer
	if err := s.Pipe(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	want := []string{`"exec":true`, "the request is empty", "the line is no request: invalid character", "more than 1000 bytes", `[{"id":null`, "more than 1000 bytes", "invalid character", `"exec":true`}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, expected %d:\n%s", len(lines), len(want), &out)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) || !json.Valid([]byte(line)) {
			t.Errorf("line %d: %.200s, expected %s", i+1, line, want[i])
		}
	}
}

// TestPipeTalks writes a line when it has read the answer to the one before, and stops the
// service while it waits for another.
func TestPipeTalks(t *testing.T) {
	_, o := sampleData(t)
	s := serve.New(o)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Pipe(ctx, in, out) }()
	answer := json.NewDecoder(answers)
	for range 3 {
		if _, err := io.WriteString(ask, right+"\n"); err != nil {
			t.Fatal(err)
		}
		var a serve.Answer
		if err := answer.Decode(&a); err != nil || a.Exec == nil || !*a.Exec {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	in.Close()
}

// FuzzPipe: whatever a line holds, it is answered by one line of JSON.
func FuzzPipe(f *testing.F) {
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Name: "t", Original: "t", Columns: []dataset.Column{{Name: "a", Original: "a", Type: dataset.Text}}}}}
	metrics, err := evaluate.Select("exact", "exec")
	if err != nil {
		f.Fatal(err)
	}
	s := serve.New(serve.Options{
		Evaluate: evaluate.Options{Metrics: metrics, Databases: map[string]*dataset.Database{"d": db}},
		Limits:   serve.Limits{Batch: 3, Body: 10_000},
		Report:   func(err error) { f.Errorf("a fault of the service: %v", err) },
	})
	f.Cleanup(s.Close)
	for _, line := range []string{
		`{"id":1,"db_id":"d","gold":"SELECT a FROM t","pred":"SELECT a FROM t ORDER BY a"}`, `[{"id":"x","db_id":"d","gold":"SELECT a FROM t"},{"id":null}]`,
		`[[[`, `[]`, `{"metrics":["exec"],"db_id":"d","gold":"\u0000"}`, "\x00", `null`, `{"id":-0.1e+9}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.ReplaceAll(line, []byte("\n"), nil)
		var out bytes.Buffer
		if err := s.Pipe(t.Context(), bytes.NewReader(line), &out); err != nil {
			t.Fatal(err)
		}
		want := 1
		if len(line) == 0 {
			want = 0
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != want || (n == 1 && !json.Valid(out.Bytes())) {
			t.Errorf("%q is answered %q, expected %d line of JSON", line, &out, want)
		}
	})
}
