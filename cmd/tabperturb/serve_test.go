package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// freePort puts the number of a port that nobody listens at into a variable.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strconv.Itoa(unusedPort(ts.Fatalf)))
}

func unusedPort(fatalf func(string, ...any)) int {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fatalf("%v", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// fetch prints what a URL answers, to a file of JSON where one is given. It waits until
// somebody listens there. With ! it wants a refusal, and prints that as an error.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	method, body := http.MethodGet, ""
	if len(args) > 1 {
		method, body = http.MethodPost, ts.ReadFile(args[1])
	}
	status, answer := request(ts.Fatalf, method, args[0], body)
	refused := status != http.StatusOK
	if refused != neg {
		ts.Fatalf("%s: status %d: %s", args[0], status, answer)
	}
	if refused {
		_, _ = ts.Stderr().Write([]byte(strconv.Itoa(status) + " " + answer))
		return
	}
	_, _ = ts.Stdout().Write([]byte(answer))
}

// request asks, as soon as somebody listens.
func request(fatalf func(string, ...any), method, url, body string) (status int, answer string) {
	for range 3000 {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			fatalf("%v", err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			fatalf("%s: %v", url, err)
		}
		return resp.StatusCode, string(data)
	}
	fatalf("%s: nobody listened within half a minute", url)
	return 0, ""
}

// TestServePython runs the Python of docs/serve.md against a service: the reward and the
// scores are what they should be.
func TestServePython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: there is no python3 on the PATH")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```python\n")
	code, _, found := strings.Cut(code, "```\n")
	address := "127.0.0.1:" + strconv.Itoa(unusedPort(t.Fatalf))
	if moved := strings.Replace(code, "127.0.0.1:8787", address, 1); !found || moved == code {
		t.Fatalf("docs/serve.md has no Python that asks 127.0.0.1:8787:\n%s", code)
	} else {
		code = moved
	}
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- command.Run(ctx, strings.NewReader(""), io.Discard, io.Discard, []string{"serve", "--db", filepath.Join(dir, "database"), "--addr", address})
	}()
	request(t.Fatalf, http.MethodGet, "http://"+address+"/healthz", "")
	code += `
gold = "SELECT count(*) FROM books"
print(reward([gold, "SELECT 1 FROM books", "no SQL"], db_id=["town_library"] * 3, gold=[gold] * 3, prompts=[]))
print(process_results({"db_id": "town_library", "query": gold}, ["select count(*) from books"]))
print(process_results({"db_id": "town_library", "query": gold}, ["SELECT count(*) FROM branches"]))
`
	cmd := exec.CommandContext(t.Context(), python, "-c", code)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
	const want = "[1.0, 0.0, 0.0]\n{'exact': 1.0, 'exec': 1.0}\n{'exact': 0.0, 'exec': 0.0}\n"
	if string(out) != want {
		t.Errorf("prints\n%s\nexpected\n%s", out, want)
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("the service ended with %d, expected 0", code)
	}
}
