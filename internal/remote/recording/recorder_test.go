package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// answer is a line of a file of answers to a task.
type answer struct {
	Key  string `json:"key"`
	By   string `json:"by"`
	Task string `json:"task"`
	Text string `json:"text"` // empty for one of no use
}

var form = Form[answer]{
	What: "answers", Opening: `{"key":"`,
	Decode: func(line []byte) (*answer, error) {
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			return nil, err
		}
		if a.Key != Hash(a.By, a.Task).String() {
			return nil, fmt.Errorf(`"key" is %q, expected that of the task`, a.Key)
		}
		return &a, nil
	},
	Encode: func(a *answer) ([]byte, error) {
		a.Key = Hash(a.By, a.Task).String()
		text, err := json.Marshal(a)
		return append(text, '\n'), err
	},
	Key:   func(a *answer) Key { return Hash(a.By, a.Task) },
	Empty: func(a *answer) bool { return a.Text == "" },
}

// parrot never answers the same twice.
type parrot struct {
	name  string
	asked atomic.Int32
	fail  error
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "answers.jsonl") }

// open opens a recorder that has no problems and is closed with the test.
func open(t *testing.T, path string) *Recorder[answer] {
	t.Helper()
	r, err := NewRecorder(form, path, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// get asks a parrot by way of a recorder.
func (p *parrot) get(ctx context.Context, r *Recorder[answer], task string) (answer, error) {
	a, err := r.Get(ctx, Hash(p.name, task), func(context.Context) (*answer, error) {
		n := p.asked.Add(1)
		if p.fail != nil {
			return nil, p.fail
		}
		return &answer{By: p.name, Task: task, Text: fmt.Sprint(task, n)}, nil
	})
	if err != nil {
		return answer{}, err
	}
	return *a, nil
}

func (p *parrot) all(t *testing.T, path string, tasks ...string) []answer {
	t.Helper()
	r := open(t, path)
	defer r.Close()
	var out []answer
	for _, task := range tasks {
		a, err := p.get(t.Context(), r, task)
		if err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		out = append(out, a)
	}
	return out
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRecorderOnce checks that many who ask for a task at once get one answer, and that a
// later run has the same.
func TestRecorderOnce(t *testing.T) {
	p, path := &parrot{name: "a"}, file(t)
	r := open(t, path)
	got := make([]answer, 40)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = p.get(t.Context(), r, fmt.Sprint(i%4)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	for i := range got {
		if got[i] != got[i%4] || got[i].Task != fmt.Sprint(i%4) {
			t.Errorf("answers %+v and %+v to one task", got[i], got[i%4])
		}
	}
	if later := p.all(t, path, "0", "1", "2", "3"); !slices.Equal(later, got[:4]) || p.asked.Load() != 4 {
		t.Errorf("later %+v, before %+v; asked %d times for 4 tasks", later, got[:4], p.asked.Load())
	}
}

// TestRecorderFails checks that failures are passed on and not recorded.
func TestRecorderFails(t *testing.T) {
	path, p := file(t), &parrot{name: "a", fail: errors.New("no")}
	r := open(t, path)
	if _, err := p.get(t.Context(), r, "one"); !errors.Is(err, p.fail) {
		t.Errorf("error %v", err)
	}
	p.fail = nil
	first, err := p.get(t.Context(), r, "one")
	if n := strings.Count(content(t, path), "\n"); n != 1 || err != nil {
		t.Errorf("%d lines, want 1; error %v", n, err)
	}
	r.known.file.Close() // stands for a disk that fails
	for range 2 {
		if _, err := p.get(t.Context(), r, "two"); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("error %v, want that of the file", err)
		}
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "cannot be recorded") {
		t.Errorf("Close: %v, want the failed write", err)
	}
	if again := p.all(t, path, "one"); again[0] != first {
		t.Errorf("reopened: %+v, want %+v", again[0], first)
	}
}

// TestRecorderCut checks that a file which was cut off anywhere in its last line is
// gone on with: that task alone is asked again.
func TestRecorderCut(t *testing.T) {
	path, p := file(t), &parrot{name: "a"}
	first := p.all(t, path, "one", "two")
	whole := content(t, path)
	begin := strings.IndexByte(whole, '\n') + 1
	for cut := begin; cut < len(whole); cut += 7 {
		path := file(t)
		write(t, path, whole[:cut])
		kept, err := Open(form, path, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if two, err := kept.Get(Hash("a", "two")); two != nil || err != nil {
			t.Errorf("cut at %d: %v, %v", cut, two, err)
		}
		kept.Close()
		asked := p.asked.Load()
		if again := p.all(t, path, "one", "two"); again[0] != first[0] || p.asked.Load() != asked+1 {
			t.Errorf("cut at %d: %+v, asked %d times, want once", cut, again, p.asked.Load()-asked)
		}
		if got := content(t, path); !strings.HasPrefix(got, whole[:begin]) || strings.Count(got, "\n") != 2 {
			t.Errorf("cut at %d: the file is %q", cut, got)
		}
	}
	write(t, path, whole[:begin/2])
	p.all(t, path, "one")
	if got := content(t, path); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "}\n") {
		t.Errorf("cut in the only line: the file is %q", got)
	}
}

// TestOpenBad checks lines that are no answer, and files of none.
func TestOpenBad(t *testing.T) {
	path, p := file(t), &parrot{name: "a"}
	p.all(t, path, "one")
	good := content(t, path)
	for _, test := range []struct {
		name, text string
		problems   []string // what each begins with, behind the path
		fatal      string
	}{
		{"empty", "", nil, ""},
		{"blank lines", "\n" + good + "\r\n", nil, ""},
		{"rubbish between", "rubbish\n" + good + "{}\n\xff\n[1]\n", []string{":1: ", `:3: "key" is ""`, ":4: text is not UTF-8", ":5: "}, ""},
		{"another task", good + strings.Replace(good, `"task":"one"`, `"task":"two"`, 1), []string{`:2: "key" is `}, ""},
		{"the same twice", good + good, nil, ""},
		{"rubbish only", "rubbish\n", nil, "is no file of answers, expected lines that begin with"},
		{"rubbish without an end", "rubbish", nil, "is no file of answers"},
		{"a long line", good + strings.Repeat("x", MaxLine+1), nil, "expected a file of answers"},
	} {
		t.Run(test.name, func(t *testing.T) {
			write(t, path, test.text)
			var problems, same []error
			r, err := Open(form, path, func(err error) { problems = append(problems, err) })
			recorder, err2 := NewRecorder(form, path, func(err error) { same = append(same, err) })
			if test.fatal != "" {
				if err == nil || err2 == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), test.fatal) {
					t.Errorf("errors %v and %v, want %q", err, err2, test.fatal)
				}
			} else {
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				defer r.Close()
				defer recorder.Close()
			}
			if len(problems) != len(test.problems) || len(same) != len(problems) {
				t.Fatalf("problems %v and %v, want %q", problems, same, test.problems)
			}
			for i, want := range test.problems {
				if !strings.HasPrefix(problems[i].Error(), path+want) {
					t.Errorf("problem %v, want %q", problems[i], want)
				}
			}
			if content(t, path) != test.text {
				t.Error("the file changed")
			}
		})
	}
	if _, err := Open(form, filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestOrder checks that neither answers nor key depend on the order of lines, an answer
// of no use among them.
func TestOrder(t *testing.T) {
	path := file(t)
	var lines []string
	for _, a := range []answer{{By: "b", Task: "one", Text: "x"}, {By: "a", Task: "one"}, {By: "a", Task: "one", Text: "y"}, {By: "a", Task: "two", Text: "z"}} {
		line, err := form.Encode(&a)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	keys := map[string]bool{}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		var text string
		for _, i := range order {
			text += lines[i]
		}
		write(t, path, text)
		r, err := Open(form, path, func(err error) { t.Error(err) })
		if err != nil {
			t.Fatal(err)
		}
		keys[r.Key()] = true
		for by, want := range map[string]string{"a": "y", "b": "x"} {
			if got, err := r.Get(Hash(by, "one")); err != nil || got == nil || got.Text != want {
				t.Errorf("order %v: %s: %v, %v", order, by, got, err)
			}
		}
		r.Close()
	}
	if len(keys) != 1 {
		t.Errorf("keys %v, want one", keys)
	}
}

// FuzzRecorder checks that no file makes a recorder panic, that what stands in whole
// lines is never changed, and that a recorder goes on behind it.
func FuzzRecorder(f *testing.F) {
	p := &parrot{name: "a"}
	line, err := form.Encode(&answer{By: "a", Task: "one", Text: "un"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", string(line), string(line) + string(line[:20]), "rubbish\n" + string(line), "{}\n", string(line[:20])} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "answers.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		write(t, path, string(data))
		r, err := NewRecorder(form, path, func(error) {})
		if err != nil {
			return
		}
		defer r.Close()
		got, err := p.get(t.Context(), r, "one")
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		now := []byte(content(t, path))
		if whole := data[:bytes.LastIndexByte(data, '\n')+1]; !bytes.HasPrefix(now, whole) || len(now) > 0 && now[len(now)-1] != '\n' {
			t.Fatalf("%q became %q", data, now)
		}
		back, err := Open(form, path, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		defer back.Close()
		if again, err := back.Get(Hash("a", "one")); err != nil || again == nil || *again != got {
			t.Fatalf("%q: %v, later %v, %v", data, got, again, err)
		}
	})
}
