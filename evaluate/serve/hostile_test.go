package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/conformance"
	"github.com/tabperturb/tabperturb/evaluate/serve"
	"github.com/tabperturb/tabperturb/internal/testkit/memtest"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

const right = `{"db_id":"town_library","gold":"SELECT count(*) FROM books","pred":"SELECT count(*) FROM books","metrics":["exec"]}`

// alive fails the test unless the service still judges.
func alive(t *testing.T, url string) {
	t.Helper()
	if status, got := post(t, url, right); status != http.StatusOK || !strings.Contains(string(got), `"exec":true`) {
		t.Fatalf("the service does not judge any more: status %d, %s", status, got)
	}
}

// TestHostileSQL puts the attacks of the conformance suite to a service, as predictions
// and as gold, two at a time. Each is answered, none is right, none touches a file.
func TestHostileSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("bounds of memory are not those of a race detector's run")
	}
	dir, o, db := attacked(t)
	o.Evaluate.Execution.Limits.Time = 100 * time.Millisecond
	url := start(t, o)
	const harmless = "SELECT name FROM t WHERE id < 3 ORDER BY name"
	requests := []serve.Request{
		{Gold: harmless, Pred: "ATTACH '/etc/passwd' AS x"},
		{Gold: harmless, Pred: "SELECT load_extension('./evil.so')"},
		{Gold: "DROP TABLE t", Pred: "PRAGMA writable_schema = ON"},
		{Gold: "VACUUM INTO '" + filepath.Join(dir, "copy.sqlite") + "'", Pred: "SELECT writefile('x', 'y')"},
	}
	all := attacks(t)
	for i := 0; i < len(all); i += shared.Every(12) {
		requests = append(requests, serve.Request{Gold: harmless, Pred: all[i]}, serve.Request{Gold: all[i], Pred: harmless})
	}
	before := files(t, dir)
	memtest.ForgetPeak()
	var wg sync.WaitGroup
	for first := range 2 {
		wg.Go(func() {
			for i := first; i < len(requests); i += 2 {
				requests[i].DB = db
				attack(t, url, requests[i])
			}
		})
	}
	wg.Wait()
	const most = 3 << 29 // as the sandbox's own tests have it
	if p := memtest.Peak("self"); p > most {
		t.Errorf("took %d MB, expected at most %d", p>>20, most>>20)
	} else {
		t.Logf("%d attacks took %d MB at most", len(requests), p>>20)
	}
	if after := files(t, dir); !maps.Equal(before, after) {
		t.Errorf("files changed: %v, before %v", after, before)
	}
	if a := ask(t, url, serve.Request{DB: db, Gold: harmless, Pred: harmless})[0]; a.Exec == nil || !*a.Exec {
		t.Errorf("the service does not judge any more: %+v", a)
	}
}

// attacked writes the databases of the conformance suite and returns the id of one with
// the table that the attacks ask.
func attacked(t *testing.T) (dir string, o serve.Options, db string) {
	t.Helper()
	suite, err := conformance.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "suite")
	if err := suite.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range suite.Pairs() {
		if p.Database == "small" {
			db = suite.Schema(p).ID
		}
	}
	return dir, options(t, filepath.Join(dir, "tables.json"), filepath.Join(dir, "database"), "exact", "exec"), db
}

// attack posts a request that must be refused, or judged not right with a reason.
func attack(t *testing.T, url string, r serve.Request) {
	body, err := json.Marshal(r)
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := http.Post(url+"/v1/verdicts", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusRequestEntityTooLarge {
		return
	}
	var a serve.Answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%.100q: status %d, %v", body, resp.StatusCode, err)
	}
	if (a.Exec != nil && *a.Exec) || a.Reason == "" {
		t.Errorf("%.200q is judged %+v", body, a)
	}
}

// attacks reads the SQL of the conformance suite's attacks.
func attacks(t *testing.T) (all []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "conformance", "testdata", "hostile.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file []struct {
		SQL []struct {
			Text  string
			Times int
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file) == 0 {
		t.Fatal(err, len(file))
	}
	for _, f := range file {
		var sql strings.Builder
		for _, part := range f.SQL {
			sql.WriteString(strings.Repeat(part.Text, max(part.Times, 1)))
		}
		all = append(all, sql.String())
	}
	return all
}

// files are size and time of the files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %d files", dir, err, len(all))
	}
	return all
}

// TestHostileNames asks for databases by paths: no name is made a path that is not one of
// tables.json, even where a file lies there.
func TestHostileNames(t *testing.T) {
	dir, o := sampleData(t)
	outside := filepath.Join(dir, "outside.sqlite")
	if err := os.Link(dataset.SQLitePath(dir, "town_library"), outside); err != nil {
		t.Fatal(err)
	}
	url := start(t, o)
	for _, id := range []string{
		"", ".", "..", "../outside", "../../outside", "..\\outside", "/etc/passwd", outside, strings.TrimSuffix(outside, ".sqlite"),
		"town_library/../town_library", "./town_library", "town_library\x00", "town_library.sqlite", "TOWN_LIBRARY", "file:town_library?mode=rw", strings.Repeat("x", 100_000),
	} {
		a := ask(t, url, serve.Request{DB: id, Gold: "SELECT count(*) FROM books", Pred: "SELECT count(*) FROM books"})[0]
		if a.Exact != nil || a.Exec != nil || a.Suite != nil || !strings.Contains(a.Reason, "is unknown, expected one of the 7 of tables.json") || len(a.Reason) > 300 {
			t.Errorf("db_id %.100q: %.400q", id, a.Reason)
		}
	}
	alive(t, url)
}

// TestHostileBodies sends what is no request.
func TestHostileBodies(t *testing.T) {
	_, o := sampleData(t)
	o.Limits = serve.Limits{Body: 1 << 20, Batch: 100}
	url := start(t, o)
	deep := strings.Repeat("[", 200_000)
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{"", 400, "empty"},
		{"\x00\xff", 400, "invalid character"},
		{"{", 400, "unexpected EOF"},
		{"[" + right, 400, "EOF"},
		{right + right, 400, "something follows"},
		{"null", 400, "null, expected an object"},
		{"[null]", 400, "request 1 of the list"},
		{"7", 400, "record is a number, expected an object"},
		{`{"db_id":7,"pred":""}`, 400, "db_id of type string"},
		{`{"predicts":"SELECT 1"}`, 400, `found \"predicts\"; expected SQL as one of pred, prediction, `},
		{`{"pred":"SELECT 1","sql":"SELECT 1"}`, 400, `unknown field`},
		{`{"id":{},"pred":""}`, 400, "expected a string or a number"},
		{`{"id":true,"pred":""}`, 400, "expected a string or a number"},
		{`{"id":"` + strings.Repeat("x", 1000) + `","pred":""}`, 400, "at most 200 bytes"},
		{deep, 400, "the request cannot be read"},
		{`{"id":` + deep, 400, "exceeded max depth"},
		{`{"x":` + strings.Repeat(`{"x":`, 100_000), 400, "the request cannot be read"},
		{"[" + strings.Repeat(`{"pred":""},`, 80_000) + "{}]", 400, "more than 100 requests"},
		{`{"gold":"` + strings.Repeat("x", 2<<20) + `"}`, 413, "more than 1048576 bytes"},
		{strings.Repeat(" ", 2<<20), 413, "more than 1048576 bytes"},
		{`{"db_id":"town_library","gold":"SELECT 1","pred":"` + strings.Repeat("(", 100_000) + `"}`, 200, "expected at most 65536"},
		{`{"db_id":"town_library","gold":"SELECT title FROM books","pred":"SELECT ` + strings.Repeat("(", 60_000) + `"}`, 200, `"exec":false`},
		{`{"db_id":"town_library","gold":" ","pred":""}`, 200, "gold is empty"},
	} {
		// Without a length too: a body that comes in parts.
		for _, r := range []io.Reader{strings.NewReader(tt.body), io.MultiReader(strings.NewReader(tt.body))} {
			resp, err := http.Post(url+"/v1/verdicts", "application/json", r)
			if err != nil {
				t.Fatalf("%.60q: %v", tt.body, err)
			}
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != tt.status || !strings.Contains(string(got), tt.want) || len(got) > 2000 {
				t.Errorf("%.60q: status %d, %.300q, expected %d, %q", tt.body, resp.StatusCode, got, tt.status, tt.want)
			}
		}
	}
	alive(t, url)
}

// TestGuard asks without a token where one is wanted, as a page of another site, and for
// what there is not.
func TestGuard(t *testing.T) {
	_, o := sampleData(t)
	open := start(t, o)
	o.Token = "secret"
	closed := start(t, o)
	const verdicts = "/v1/verdicts"
	for _, tt := range []struct {
		method, url, path string
		header            [2]string
		status            int
	}{
		{"POST", open, verdicts, [2]string{}, 200},
		{"POST", open, verdicts, [2]string{"Host", "evil.example"}, 403},
		{"POST", open, verdicts, [2]string{"Host", "localhost"}, 200},
		{"POST", open, verdicts, [2]string{"Origin", "http://evil.example"}, 403},
		{"POST", open, verdicts, [2]string{"Content-Type", "text/plain"}, 415},
		{"GET", open, verdicts, [2]string{}, 404},
		{"POST", open, "/shutdown", [2]string{}, 404},
		{"GET", open, "/v1/../../../etc/passwd", [2]string{}, 404},
		{"POST", closed, verdicts, [2]string{}, 401},
		{"POST", closed, verdicts, [2]string{"Authorization", "Bearer secre"}, 401},
		{"POST", closed, verdicts, [2]string{"Authorization", "secret"}, 401},
		{"POST", closed, verdicts, [2]string{"Authorization", "Bearer secret"}, 200},
		{"GET", closed, "/metrics", [2]string{}, 401},
		{"GET", closed, "/openapi.json", [2]string{}, 401},
		{"GET", closed, "/healthz", [2]string{}, 200},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, tt.url+tt.path, strings.NewReader(right))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if tt.header[0] == "Host" {
			req.Host = tt.header[1]
		} else if tt.header[0] != "" {
			req.Header.Set(tt.header[0], tt.header[1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s %s %v: status %d, expected %d: %s", tt.method, tt.path, tt.header, resp.StatusCode, tt.status, got)
		}
	}
}

// TestTokenOffLoopback: what other machines can reach wants a token.
func TestTokenOffLoopback(t *testing.T) {
	_, o := sampleData(t)
	s := serve.New(o)
	defer s.Close()
	for _, addr := range []string{"0.0.0.0:0", ":0"} {
		if l, err := s.Listen(addr); err == nil || !strings.Contains(err.Error(), "expected a token") {
			t.Errorf("listens at %v, %v, expected that a token is asked for", l, err)
		}
	}
	o.Token = "secret"
	with := serve.New(o)
	defer with.Close()
	l, err := with.Listen("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestSlowAndMany opens more connections than there may be, which send slowly or nothing;
// who comes behind them is answered once their time is up.
func TestSlowAndMany(t *testing.T) {
	_, o := sampleData(t)
	o.Limits = serve.Limits{Read: 300 * time.Millisecond, Connections: 8}
	url := start(t, o)
	addr := strings.TrimPrefix(url, "http://")
	for i := range 40 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		head := "POST /v1/verdicts HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
		if i%2 == 0 {
			head += "\r\n{"
		}
		if _, err := io.WriteString(c, head); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, url)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /v1/verdicts HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{", addr)
	if got, _ := io.ReadAll(c); !bytes.Contains(got, []byte("408")) {
		t.Errorf("a slow body is answered with %q, expected status 408", got)
	}
}

// TestMemory asks at once for more than may be in work: all are answered or told to ask
// again.
func TestMemory(t *testing.T) {
	_, o := sampleData(t)
	o.Limits = serve.Limits{Memory: 200 << 10}
	url := start(t, o)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			resp, err := http.Post(url+"/v1/verdicts", "application/json", strings.NewReader("["+right+","+right+"]"))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d, expected 200 or 503", resp.StatusCode)
			}
		})
	}
	wg.Wait()
	alive(t, url)
}

// TestFloods asks for a quick verdict beside floods of connections and requests: it is answered soon. Without bounds it
// would take from 25 seconds to minutes, or be refused. The time allowed is that of a machine with much else to do.
func TestFloods(t *testing.T) {
	const most = 5 * time.Second
	head := "POST /v1/verdicts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	body := fmt.Sprintf(`{"db_id":"town_library","gold":"SELECT 1 FROM books","pred":%q,"metrics":["exec"]}`, endless)
	for _, tt := range []struct {
		name, sends string
		n           int
		limits      serve.Limits
	}{
		{"announced bodies", head + "Content-Length: 4194304\r\n\r\n[", 8, serve.Limits{Memory: 1 << 20}},
		{"idle connections", "", 40, serve.Limits{Connections: 8}},
		{"half headers", head, 40, serve.Limits{Connections: 8}},
		{"slow bodies", head + "Content-Length: 1000\r\n\r\n{", 40, serve.Limits{Connections: 8}},
		{"slow requests", fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body), 12, serve.Limits{Verdict: 10 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, o := sampleData(t)
			o.Evaluate.Execution.Limits.Time = time.Hour
			o.Limits = tt.limits
			url := start(t, o)
			for range tt.n {
				c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if _, err := io.WriteString(c, tt.sends); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(200 * time.Millisecond) // until most of it has come in
			began := time.Now()
			alive(t, url)
			if took := time.Since(began); took > most {
				t.Errorf("a quick request took %v, expected at most %v", took, most)
			}
		})
	}
}

// TestTooLargeIsAnswered sends a body that is too large as clients do that read no answer before they have sent all.
func TestTooLargeIsAnswered(t *testing.T) {
	_, o := sampleData(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(start(t, o), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const size = 16 << 20
	for _, text := range []string{fmt.Sprintf("POST /v1/verdicts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size), strings.Repeat("x", size)} {
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatalf("the connection ends while the body is sent: %v", err)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(got), "more than 4194304 bytes") {
		t.Errorf("status %d, %s, expected 413 and why", resp.StatusCode, got)
	}
}

// TestDamagedText has bytes and escapes that decoding would replace, so that different SQL were the same: such a request
// is not judged, the others of its list are.
func TestDamagedText(t *testing.T) {
	_, o := sampleData(t)
	url := start(t, o)
	for _, tt := range []struct{ gold, pred, want string }{
		{"\xff", "\xfe", "bytes that are no UTF-8"},
		{"a", "\xe2\x82", "bytes that are no UTF-8"},
		{`\ud800`, `\udc00`, `surrogate \\ud800 alone`},
		{`a`, `\udc00\ud800`, `surrogate \\udc00 alone`},
		{`a`, `\ud83d\u0041`, `surrogate \\ud83d alone`},
		{`a`, `\ud83d`, `surrogate \\ud83d alone`},
		{`\ud83d\ude00`, "\U0001F600", `"exec":true`},
		{`\\\\ud800`, `\\\\ud800`, `"exec":true`},
		{`\ufffd`, "\uFFFD", `"exec":true`},
	} {
		body := fmt.Sprintf(`[%s,{"id":7,"db_id":"town_library","gold":"SELECT '%s'","pred":"SELECT '%s'","metrics":["exec"]}]`, right, tt.gold, tt.pred)
		status, got := post(t, url, body)
		first, second, _ := strings.Cut(string(got), `},{`)
		if status != http.StatusOK || !strings.Contains(first, `"exec":true`) || !strings.HasPrefix(second, `"id":7`) || !strings.Contains(second, tt.want) {
			t.Errorf("%q and %q: status %d, %s, expected %s", tt.gold, tt.pred, status, got, tt.want)
		}
	}
}
