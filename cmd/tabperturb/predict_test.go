package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// secret is the key of the endpoint, which what fails repeats.
const secret = "sk-nowhere-to-be-seen"

// refused is a question that the faulty model refuses for good.
const refused = "How many books does the library hold?"

// faultless is of how many prompts one meets a fault at first.
const faultless = 9

// faultyModel answers each prompt but one, some after a fault, and counts.
type faultyModel struct {
	mu       sync.Mutex
	tries    map[string]int
	answered map[string]int
	hold     int // after so many answers nothing is answered; 0 for no such end
}

func (m *faultyModel) reset(hold int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hold = hold
	if hold != 0 || m.tries == nil {
		m.tries, m.answered = map[string]int{}, map[string]int{}
	}
}

// next notes a request and says what fault it meets, 0 for none, and whether it is held.
func (m *faultyModel) next(prompt string) (fault int, held bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held = m.hold > 0 && len(m.answered) >= m.hold; held {
		return 0, true
	}
	if m.tries[prompt]++; m.tries[prompt] == 1 && len(m.tries)%faultless == 0 {
		return len(m.tries) / faultless, false
	}
	m.answered[prompt]++
	return 0, false
}

func (m *faultyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body chat.Request
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Messages) != 1 {
		http.Error(w, "expected one message", http.StatusBadRequest)
		return
	}
	prompt, key := body.Messages[0].Content, r.Header.Get("Authorization")
	if strings.Contains(prompt, refused) {
		http.Error(w, "no, "+key, http.StatusBadRequest)
		return
	}
	fault, held := m.next(prompt)
	switch {
	case held:
		<-r.Context().Done()
	case fault == 0:
		_, question, _ := strings.Cut(prompt, "-- Question: ")
		question, _, _ = strings.Cut(question, "\n")
		content, _ := json.Marshal("```sql\nSELECT '" + strings.ReplaceAll(question, "'", "''") + "'\n```\n" + key)
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}]}`, content)
	case fault%5 == 1:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "busy "+key, http.StatusTooManyRequests)
	case fault%5 == 2:
		http.Error(w, "broken "+key, http.StatusInternalServerError)
	case fault%5 == 3:
		<-r.Context().Done() // the client's patience ends
	case fault%5 == 4:
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"choices": [`)
	default:
		fmt.Fprint(w, "<html>"+key+"</html>")
	}
}

// killedRun is a program that asks the faulty model, in a folder of its own.
type killedRun struct {
	*testing.T
	dir, url string
	env      []string
	printed  bytes.Buffer
}

func (k *killedRun) command(out string) *exec.Cmd {
	cmd := exec.CommandContext(k.Context(), "tabperturb", "predict", "--data", "data", "--victim", "openai:"+k.url, "--model", "toy", "--timeout", "2s", "--concurrency", "6", "--out", out)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = k.dir, k.env, &k.printed, &k.printed
	cmd.Path = filepath.Join(strings.Split(lookup(k.env, "PATH"), string(filepath.ListSeparator))[0], "tabperturb")
	cmd.Err = nil
	return cmd
}

func lookup(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// predict runs to the end, where the question that is refused is named.
func (k *killedRun) predict(out string) string {
	k.Helper()
	err := k.command(out).Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
		k.Fatalf("%v, expected exit code 2:\n%s", err, k.printed.String())
	}
	data, err := os.ReadFile(filepath.Join(k.dir, out))
	if err != nil {
		k.Fatal(err)
	}
	return string(data)
}

// kill starts a run and kills it once so many answers are recorded.
func (k *killedRun) kill(out string, answers int) {
	cmd := k.command(out)
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		recorded, _ := os.ReadFile(filepath.Join(k.dir, out+".record.jsonl"))
		if bytes.Count(recorded, []byte("\n")) >= answers {
			break
		}
		if time.Now().After(deadline) {
			k.Fatalf("%d answers are recorded after a minute, expected %d", bytes.Count(recorded, []byte("\n")), answers)
		}
	}
	if runtime.GOOS == "linux" {
		for _, name := range []string{"cmdline", "comm"} {
			if title, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", cmd.Process.Pid, name)); err != nil || len(title) == 0 || bytes.Contains(title, []byte(secret)) {
				k.Errorf("the process has the %s %q, %v, expected one without the key", name, title, err)
			}
		}
	}
}

// keyless checks that the key stands in nothing that was written or printed.
func (k *killedRun) keyless() {
	files := 0
	err := filepath.WalkDir(k.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if files++; bytes.Contains(data, []byte(secret)) {
			k.Errorf("%s: holds the key", path)
		}
		return err
	})
	if err != nil || files < 4 {
		k.Errorf("%d files, %v, expected the predictions and records of two runs", files, err)
	}
	if strings.Contains(k.printed.String(), secret) {
		k.Errorf("the key is printed:\n%s", k.printed.String())
	}
}

// TestPredictKilled asks a faulty endpoint for the SQL of a data directory, once undisturbed
// and once killed on the way and run again: nothing is answered twice, all is the same, and
// the key stands nowhere.
func TestPredictKilled(t *testing.T) {
	t.Parallel()
	model := &faultyModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	k := &killedRun{T: t, dir: t.TempDir(), url: server.URL, env: append(pageEnv(t), "TABPERTURB_API_KEY="+secret)}
	if err := sample.WriteData(context.Background(), filepath.Join(k.dir, "data")); err != nil {
		t.Fatal(err)
	}
	model.reset(0)
	whole := k.predict("whole.sql")
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	for i, line := range lines {
		if (line == "") != (i == 0) || i > 0 && !strings.HasPrefix(line, "SELECT '") {
			t.Errorf("line %d: %q, expected SQL of all but the question that is refused", i+1, line)
		}
	}
	if want := "dev.json:1: "; !strings.Contains(k.printed.String(), want) {
		t.Errorf("expected %q for the question without an answer in:\n%s", want, k.printed.String())
	}

	const before = 40
	model.reset(before)
	k.kill("killed.sql", before)
	if _, err := os.Stat(filepath.Join(k.dir, "killed.sql")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("killed.sql: %v, expected none of a run that was killed", err)
	}
	model.reset(0)
	if again := k.predict("killed.sql"); again != whole {
		t.Errorf("a run that was killed and run again writes\n%s\nexpected\n%s", again, whole)
	}
	for prompt, n := range model.answered {
		if n != 1 {
			t.Errorf("answered %d times, expected once: %s", n, prompt[max(0, len(prompt)-120):])
		}
	}
	if want := len(lines) - 1; len(model.answered) != want {
		t.Errorf("%d prompts were answered, expected %d", len(model.answered), want)
	}
	k.keyless()
}
