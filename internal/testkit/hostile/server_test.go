//go:build attack

package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// key is the secret of the environment that no file and no message may hold.
const key = "secret-key-of-mine"

// servers answer badly.
var servers = map[string]http.HandlerFunc{
	"repeats the key": func(w http.ResponseWriter, r *http.Request) {
		choice(w, "Sure: "+r.Header.Get("Authorization")+` {"columns": [{"column": 1, "replace": ["`+key+`"]}]}`)
	},
	"repeats the key in an error": func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error": {"message": "wrong `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
	},
	"names that are none": func(w http.ResponseWriter, _ *http.Request) {
		choice(w, `{"columns": [{"column": 1, "replace": ["\u001b[2J", "../../etc/passwd", "a; DROP TABLE x", "", "`+strings.Repeat("x", 100_000)+`"], "add": [null, 7, {}]}, {"column": -1}, {"column": 1e99}]}`)
	},
	"no JSON": func(w http.ResponseWriter, _ *http.Request) { choice(w, strings.Repeat("{\"columns\": [", 20_000)) },
	"sends elsewhere": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/?"+key, http.StatusFound)
	},
	"not found":           http.NotFound,
	"choices that are no": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"choices": [{"message": null}]}`) },
}

func choice(w io.Writer, text string) {
	content, _ := json.Marshal(text)
	fmt.Fprintf(w, `{"choices": [{"message": {"content": %s}}]}`, content)
}

// TestServers asks servers that answer badly.
func TestServers(t *testing.T) {
	in := inputs(t)
	for name, answer := range servers {
		for _, line := range []string{
			"candidates --data IN/small --proposer URL --model toy --record RECORD --out OUT",
			"candidates --data IN/small --judge URL --model toy --record RECORD --out OUT",
			"build --data IN/small --perturb drspider/keyword-synonym --paraphraser URL --model toy --drafts RECORD --samples 1 --out OUT",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(answer)
				defer server.Close()
				dir := t.TempDir()
				r := run(dir, strings.Fields(strings.NewReplacer("IN/", in+"/", "URL", server.URL).Replace(line))...)
				err := r.clean()
				text := r.stdout + r.stderr
				for _, file := range []string{"RECORD", "OUT"} {
					for _, data := range tree(t, filepath.Join(dir, file)) {
						text += data
					}
				}
				if err == nil && strings.Contains(text, key) {
					err = fmt.Errorf("the key stands in what it wrote")
				}
				if err == nil && strings.ContainsAny(r.stdout+r.stderr, "\x1b") {
					err = fmt.Errorf("prints what terminals obey")
				}
				if err != nil {
					err = fmt.Errorf("%s: %s: %w", name, line, err)
				}
				tally.add(t, "hostile server", r.took, err)
				os.RemoveAll(dir)
			})
		}
	}
}

// floods are what strangers send to serve, each on a number of connections that stay open.
var floods = []struct {
	name, sends string
	connections int
}{
	{"announced bodies", requestHead + "Content-Length: 4194304\r\n\r\n[", 8},
	{"idle connections", "", 1100},
	{"half headers", requestHead, 1100},
	{"slow requests", request(`{"db_id":"args","gold":"SELECT 1","pred":"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t","metrics":["exec"]}`), 200},
}

const requestHead = "POST /v1/verdicts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

// request returns a request for verdicts by HTTP.
func request(body string) string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", requestHead, len(body), body)
}

// quick is the time that a quick request may take beside a flood, on a machine with much else to do. It is well under a
// second on an idle one, and took 20 to 218 seconds, or was refused, before floods were bounded.
const quick = 10 * time.Second

// TestFloods asks serve for a quick verdict beside floods, and sends it what it cannot take.
func TestFloods(t *testing.T) {
	data := service(t, inputs(t))
	for _, flood := range floods {
		addr := serving(t, data)
		for range flood.connections {
			if _, err := io.WriteString(dial(t, addr), flood.sends); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		status, answer, err := ask(t, addr, request(`{"db_id":"args","gold":"SELECT 1","pred":"SELECT 1","metrics":["exec"]}`))
		took := time.Since(began)
		if err == nil && (status != http.StatusOK || !strings.Contains(answer, `"exec":true`) || took > quick) {
			err = fmt.Errorf("%s: status %d after %v: %.200s", flood.name, status, took, answer)
		}
		tally.add(t, "flood: "+flood.name, took, err)
	}
	addr := serving(t, data)
	for _, c := range []struct {
		name, sends, says string
		status            int
	}{
		{"too large", request(strings.Repeat("x", 16<<20)), "more than", http.StatusRequestEntityTooLarge},
		{"no UTF-8", request("{\"db_id\":\"args\",\"gold\":\"SELECT '\xff'\",\"pred\":\"SELECT '\xfe'\"}"), "no UTF-8", http.StatusOK},
		{"half a pair", request(`{"db_id":"args","gold":"SELECT '\ud800'","pred":"SELECT '\udc00'"}`), "alone", http.StatusOK},
	} {
		began := time.Now()
		status, answer, err := ask(t, addr, c.sends)
		if err == nil && (status != c.status || !strings.Contains(answer, c.says)) {
			err = fmt.Errorf("%s: status %d, expected %d: %.200s", c.name, status, c.status, answer)
		}
		tally.add(t, "request that cannot be judged", time.Since(began), err)
	}
}

// serving starts serve on a data directory and returns its address.
func serving(t *testing.T, data string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := start(ctx, t.TempDir(), "serve", "--db", filepath.Join(data, "database"), "--tables", filepath.Join(data, "tables.json"), "--addr", "127.0.0.1:0", "--timeout", "10s")
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	_, rest, found := strings.Cut(line, "http://")
	if err != nil || !found {
		t.Fatalf("%q, %v", line, err)
	}
	addr, _, _ := strings.Cut(rest, " ")
	return addr
}

// dial opens a connection that stays open to the end of the test.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request, whole, and returns the status and the answer.
func ask(t *testing.T, addr, request string) (status int, answer string, err error) {
	t.Helper()
	c := dial(t, addr)
	if err := c.SetDeadline(time.Now().Add(maxTime)); err != nil {
		return 0, "", err
	}
	if _, err := io.WriteString(c, request); err != nil {
		return 0, "", err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}
