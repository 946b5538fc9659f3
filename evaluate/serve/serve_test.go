package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/serve"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// sampleData writes the sample and returns its folder and the options to judge by, with
// the content in the place of a suite.
func sampleData(t testing.TB) (string, serve.Options) {
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	o := options(t, filepath.Join(dir, "tables.json"), filepath.Join(dir, "database"), "exact", "exec", "suite")
	o.Evaluate.Suite = func(db, _ string) []string { return []string{filepath.Join(dir, "database", db, db+".sqlite")} }
	return dir, o
}

func options(t testing.TB, tables, content string, metrics ...string) serve.Options {
	dbs, err := dataset.Schemas(tables, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	selected, err := evaluate.Select(metrics...)
	if err != nil {
		t.Fatal(err)
	}
	return serve.Options{
		Evaluate: evaluate.Options{Metrics: selected, Databases: dbs, Content: content, Workers: 2},
		Report:   func(err error) { t.Errorf("a fault of the service: %v", err) },
	}
}

// start serves until the test ends and returns the address. That the service then stops
// shows that nothing that was asked has stopped or blocked it.
func start(t testing.TB, o serve.Options) (url string) {
	t.Helper()
	s := serve.New(o)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with %v", err)
		}
		s.Close()
	})
	return "http://" + l.Addr().String()
}

// post asks for verdicts and returns status and body.
func post(t testing.TB, url, body string) (int, []byte) {
	t.Helper()
	resp, err := http.Post(url+"/v1/verdicts", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, data
}

// ask posts requests and returns their answers.
func ask(t testing.TB, url string, requests ...serve.Request) []serve.Answer {
	t.Helper()
	body, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	status, data := post(t, url, string(body))
	answers := answersOf(t, data)
	if status != http.StatusOK || len(answers) != len(requests) {
		t.Fatalf("status %d, %d answers, expected %d: %.500s", status, len(answers), len(requests), data)
	}
	return answers
}

// answersOf parses the answers of the service.
func answersOf(t testing.TB, data []byte) (answers []serve.Answer) {
	t.Helper()
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatalf("%v: %.500s", err, data)
	}
	return answers
}

// line is a verdict as both eval and the service have it.
func line(marks []string, reason string) string { return strings.Join(marks, "") + " " + reason }

// recordLine returns the line of a record of evaluate.
func recordLine(r *evaluate.Record, metrics []evaluate.Metric) string {
	var marks []string
	for _, s := range r.Scores {
		marks = append(marks, s.Verdict.Mark())
	}
	return line(marks, r.Reason(metrics))
}

// evaluated returns what eval says of a file of predictions, and the same pairs as
// requests.
func evaluated(t testing.TB, o evaluate.Options, gold, pred string) (want []string, requests []serve.Request) {
	t.Helper()
	pairs := func(report func(error), each func(*dataset.Pair) error) error {
		return dataset.Pairs(gold, pred)(report, func(p *dataset.Pair) error {
			requests = append(requests, serve.Request{ID: serve.ID(fmt.Sprint(p.Index)), DB: p.DB, Gold: p.Query, Pred: p.Prediction, Question: p.Question})
			return each(p)
		})
	}
	err := evaluate.Run(t.Context(), pairs, o, func(r *evaluate.Record) error {
		want = append(want, recordLine(r, o.Metrics))
		return nil
	})
	if err != nil || len(want) == 0 {
		t.Fatalf("%v, %d verdicts", err, len(want))
	}
	return want, requests
}

// served returns what the service says, in the same form.
func served(answers []serve.Answer, o evaluate.Options) (got []string) {
	for _, a := range answers {
		var marks []string
		for _, m := range o.Metrics {
			right := map[string]*bool{"exact": a.Exact, "exec": a.Exec, "suite": a.Suite}[m.Name]
			v := verdict.Unjudged
			if right != nil {
				v = verdict.Of(*right)
			}
			marks = append(marks, v.Mark())
		}
		got = append(got, line(marks, a.Reason))
	}
	return got
}

// TestSameAsEval asks for the verdicts on the sample's predictions in lists, one by one in
// another order, and over a pipe.
func TestSameAsEval(t *testing.T) {
	dir, o := sampleData(t)
	want, requests := evaluated(t, o.Evaluate, filepath.Join(dir, "dev.json"), filepath.Join(dir, "predictions.txt"))
	url := start(t, o)
	if diff := cmp.Diff(want, served(ask(t, url, requests...), o.Evaluate)); diff != "" {
		t.Errorf("a list (-eval +serve):\n%s", diff)
	}
	got := make([]string, len(want))
	for i := range requests {
		i = i * 37 % len(requests) // prime to their number: databases alternate
		got[i] = served(ask(t, url, requests[i]), o.Evaluate)[0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("one by one (-eval +serve):\n%s", diff)
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, r := range requests {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, served(pipe(t, o, &in), o.Evaluate)); diff != "" {
		t.Errorf("over a pipe (-eval +serve):\n%s", diff)
	}
}

// pipe returns the answers to lines, each of one request.
func pipe(t *testing.T, o serve.Options, in io.Reader) (answers []serve.Answer) {
	t.Helper()
	s := serve.New(o)
	defer s.Close()
	var out bytes.Buffer
	if err := s.Pipe(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(out.String()) {
		var a serve.Answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		answers = append(answers, a)
	}
	return answers
}

// TestSameAsEvalOnSpider compares the verdicts on published predictions.
func TestSameAsEvalOnSpider(t *testing.T) {
	o, want, requests := spider(t)
	url := start(t, o)
	var got []string
	for part := range slices.Chunk(requests, 500) {
		got = append(got, served(ask(t, url, part...), o.Evaluate)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-eval +serve):\n%s", diff)
	}
	t.Logf("%d verdicts are those of eval", len(got))
}

func spider(t testing.TB) (o serve.Options, want []string, requests []serve.Request) {
	t.Helper()
	gold := shared.File(t, "data", "spider", "dev.json")
	pred := shared.File(t, "data", "predictions", "spider-dev", "dail-sql_gpt-4.txt")
	content := filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database")
	o = options(t, shared.File(t, "data", "spider", "tables.json"), content, "exact", "exec")
	want, requests = evaluated(t, o.Evaluate, gold, pred)
	return o, want, requests
}

func TestAnswers(t *testing.T) {
	_, o := sampleData(t)
	noSuite := o
	noSuite.Evaluate.Metrics = o.Evaluate.Metrics[:2]
	url, without := start(t, o), start(t, noSuite)
	const right = `"db_id":"town_library","gold":"SELECT count(*) FROM books","pred":"SELECT count(*) FROM books"`
	for _, tt := range []struct{ url, body, want string }{
		{url, `{"id":"a",` + right + `}`, `{"id":"a","exact":true,"exec":true,"suite":true,"reason":"",`},
		{url, `{"id":1e3,` + right + `,"metrics":["exec"]}`, `{"id":1e3,"exact":null,"exec":true,"suite":null,"reason":"",`},
		{url, `{` + right + `,"metrics":["suite","exact","suite"]}`, `{"id":null,"exact":true,"exec":null,"suite":true,"reason":"",`},
		{url, ` [ {"id":2,` + right + `} , {"id":null,` + right + `} ] `, `[{"id":2,"exact":true,"exec":true,"suite":true,`},
		{url, `[]`, `[]`},
		{url, `{"db_id":"town_library","gold":"SELECT 1","pred":""}`, `{"id":null,"exact":false,"exec":false,"suite":false,"reason":"exact: no SQL on this schema`},
		{url, `{` + right + `,"question":"How many books?","metrics":["exec-bird"]}`, `{"id":null,"exact":null,"exec":null,"suite":null,"reason":"metric \"exec-bird\" is unknown, expected some of exact, exec, suite"`},
		{without, `{` + right + `}`, `{"id":null,"exact":true,"exec":true,"suite":null,"reason":"",`},
		{without, `{` + right + `,"metrics":["suite"]}`, `{"id":null,"exact":null,"exec":null,"suite":null,"reason":"metric \"suite\": the service has no test suite`},
	} {
		if status, got := post(t, tt.url, tt.body); status != http.StatusOK || !strings.HasPrefix(string(got), tt.want) {
			t.Errorf("%s: status %d, %s\nexpected %s", tt.body, status, got, tt.want)
		}
	}
}

func TestPages(t *testing.T) {
	_, o := sampleData(t)
	url := start(t, o)
	post(t, url, `{"db_id":"town_library","gold":"SELECT count(*) FROM books","pred":"SELECT 1","metrics":["exec"]}`)
	post(t, url, `no`)
	for path, parts := range map[string][]string{
		"/healthz": {`{"status":"ok","databases":7}`},
		"/metrics": {
			`tabperturb_verdicts_total{metric="exec",verdict="wrong"} 1`, `tabperturb_verdict_seconds_count 1`,
			`tabperturb_requests_total{code="200"} 1`, `tabperturb_requests_total{code="400"} 1`, "go_goroutines",
		},
		"/openapi.json": {`"openapi": "3.1`, `"/v1/verdicts"`, `"db_id"`, `"oneOf"`, `"suite"`, `"413"`},
	} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if resp.StatusCode != http.StatusOK || !strings.Contains(string(data), part) {
				t.Errorf("%s: status %d, lacks %s:\n%.4000s", path, resp.StatusCode, part, data)
			}
		}
	}
}
