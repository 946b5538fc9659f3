package review

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// TestMain makes of the test binary, where it is asked for, a process that a test can
// kill, or measure. It reviews the data directory of which it is told, with the
// buckets.json in it.
func TestMain(m *testing.M) {
	if dir := os.Getenv("REVIEW_TEST_DATA"); dir != "" {
		fmt.Println(serveUntilKilled(dir, os.Getenv("REVIEW_TEST_OUT")))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir, out string) error {
	data, err := LoadData(dir, "dev", []string{filepath.Join(dir, "buckets.json")}, nli.Paper(), func(error) {})
	if err != nil {
		return err
	}
	s, err := NewServer(data, Options{Annotator: "ann", Out: out, Report: func(error) {}})
	if err != nil {
		return err
	}
	l, err := Listen(0)
	if err != nil {
		return err
	}
	fmt.Println(s.URL(l))
	return http.Serve(l, s.Handler())
}

// process starts such a process and returns its address, without the token, and the
// token's cookie.
func process(t *testing.T, dir, out string) (cmd *exec.Cmd, address string, cookie *http.Cookie) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REVIEW_TEST_DATA="+dir, "REVIEW_TEST_OUT="+out)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, token, ok := strings.Cut(strings.TrimSpace(line), "/?token=")
	if err != nil || !ok {
		t.Fatalf("%q, %v; expected the address", line, err)
	}
	return cmd, address, &http.Cookie{Name: cookieName(address[strings.LastIndex(address, ":")+1:]), Value: token}
}

// A process that is killed, while decisions are being sent to it, has lost none that it
// acknowledged, and the next one goes on from there.
func TestKilled(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "ann.jsonl")
	writeLarge(t, dir, large{tables: 3, columns: 10})
	acknowledged := 0
	for round := range 3 {
		cmd, address, cookie := process(t, dir, out)
		acknowledged += decideUntilKilled(&tab{t, address, cookie}, round, cmd.Process)
		_ = cmd.Wait()
		var problems []error
		all, err := ReadDecisions(out, func(err error) { problems = append(problems, err) })
		if err != nil || len(all) < acknowledged || len(all) > acknowledged+round+1 {
			t.Fatalf("round %d: %d decisions, problems %v, %v; expected the %d that were acknowledged", round, len(all), problems, err, acknowledged)
		}
		// What a machine that stops in the middle of a line leaves.
		f, err := os.OpenFile(out, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, `{"n":%d,"time":"2026-01-01T00:00:00Z","ann`, all[len(all)-1].N+1)
		f.Close()
	}
	if acknowledged < 6 {
		t.Errorf("%d decisions acknowledged, expected some in each round", acknowledged)
	}
}

// decideUntilKilled accepts a name of each of ten columns and kills the process
// meanwhile; it returns how many answers came.
func decideUntilKilled(b *tab, round int, p *os.Process) (acknowledged int) {
	b.t.Helper()
	for id := round * 10; id < round*10+10; id++ {
		if id == round*10+4 {
			go p.Kill() // while the request is under way
		}
		status, err := b.try("/api/decide", Request{ID: id, Action: Accept, Side: dataset.Replace, Name: "replace 0"})
		if err != nil {
			return acknowledged
		}
		if status != http.StatusOK {
			b.t.Fatalf("status %d, expected 200", status)
		}
		acknowledged++
	}
	return acknowledged
}

// try sends a request that may find nobody there.
func (b *tab) try(path string, r Request) (status int, err error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequest(http.MethodPost, b.address+path, bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Origin", b.address)
	request.Header.Set("Content-Type", "application/json")
	request.AddCookie(b.cookie)
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
