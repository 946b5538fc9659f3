package paraphrase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/recording"
	"github.com/tabperturb/tabperturb/perturb"
)

// parrot is a paraphraser that never says the same twice.
type parrot struct {
	name  string
	asked atomic.Int32
	fail  error
}

func (p *parrot) Key() string { return p.name }

func (p *parrot) Drafts(_ context.Context, t perturb.Task) ([]perturb.Draft, error) {
	n := p.asked.Add(1)
	if p.fail != nil {
		return nil, p.fail
	}
	if t.Example.Question == "" {
		return nil, nil
	}
	return []perturb.Draft{
		{Question: fmt.Sprintf("%s? <%d> \u2028", t.Example.Question, n), Source: p.name, Note: "a"},
		{Question: "Same?", Source: p.name},
	}, nil
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "drafts.jsonl") }

// unexpected is a report of what should not be.
func unexpected(t *testing.T) func(error) {
	return func(err error) { t.Error(err) }
}

// openRecorder opens a recorder that has no problems and is closed with the test.
func openRecorder(t *testing.T, p perturb.Paraphraser, path string) *Recorder {
	t.Helper()
	r, err := NewRecorder(p, path, unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func drafts(t *testing.T, p perturb.Paraphraser, tasks ...perturb.Task) [][]perturb.Draft {
	t.Helper()
	var out [][]perturb.Draft
	for _, task := range tasks {
		d, err := p.Drafts(t.Context(), task)
		if err != nil {
			t.Fatalf("%s: %v", task.Example.Question, err)
		}
		out = append(out, d)
	}
	return out
}

func read1(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestRecorder checks that a task is asked once, in this run and in later ones, and
// that a recording has the same drafts.
func TestRecorder(t *testing.T) {
	path, p := file(t), &parrot{name: "a"}
	tasks := []perturb.Task{task("others", "One"), task("multitype", "One"), task("others", "Two"), task("others", "")}
	first := drafts(t, openRecorder(t, p, path), tasks...)
	if first[3] == nil || len(first[3]) > 0 || len(first[0]) != 2 {
		t.Errorf("drafts %+v", first)
	}
	r, err := Recorded(path, unexpected(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, later := range map[string]perturb.Paraphraser{"another run": openRecorder(t, p, path), "a recording": r} {
		if diff := cmp.Diff(first, drafts(t, later, tasks...)); diff != "" {
			t.Errorf("%s (-first +later):\n%s", name, diff)
		}
	}
	if p.asked.Load() != 4 || r.Tasks() != 4 {
		t.Errorf("asked %d times, %d tasks recorded, want 4", p.asked.Load(), r.Tasks())
	}
	if _, err := r.Drafts(t.Context(), task("others", "Three")); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("a task that nobody answered: error %v", err)
	}
}

// TestRecorderOnce checks that many who ask for a task at once get one answer.
func TestRecorderOnce(t *testing.T) {
	p := &parrot{name: "a"}
	r := openRecorder(t, p, file(t))
	got := make([][]perturb.Draft, 40)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = r.Drafts(t.Context(), task("others", fmt.Sprint(i%4))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range got {
		if !slices.Equal(got[i], got[i%4]) {
			t.Errorf("drafts %+v and %+v of one task", got[i], got[i%4])
		}
	}
	if n := p.asked.Load(); n != 4 {
		t.Errorf("asked %d times for 4 tasks", n)
	}
}

// TestRecorderFails checks that failures are passed on and not recorded.
func TestRecorderFails(t *testing.T) {
	path, p := file(t), &parrot{name: "a", fail: errors.New("no")}
	r := openRecorder(t, p, path)
	if _, err := r.Drafts(t.Context(), boats); !errors.Is(err, p.fail) {
		t.Errorf("error %v", err)
	}
	p.fail = nil
	first := drafts(t, r, boats)
	if n := strings.Count(read1(t, path), "\n"); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
	r.file.Close() // stands for a disk that fails
	for range 2 {
		if _, err := r.Drafts(t.Context(), task("others", "Two")); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("error %v, want that of the file", err)
		}
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "cannot be recorded") {
		t.Errorf("Close: %v, want the failed write", err)
	}
	if diff := cmp.Diff(first, drafts(t, openRecorder(t, p, path), boats)); diff != "" {
		t.Errorf("reopened (-first +later):\n%s", diff)
	}
}

// TestRecorderCut checks that a file which was cut off anywhere in its last line is
// gone on with: that task alone is asked again.
func TestRecorderCut(t *testing.T) {
	path, p := file(t), &parrot{name: "a"}
	one, two := task("others", "One"), task("others", "Two")
	first := drafts(t, openRecorder(t, p, path), one, two)
	whole := read1(t, path)
	begin := strings.IndexByte(whole, '\n') + 1
	for cut := begin; cut < len(whole); cut += 7 {
		path := file(t)
		if err := os.WriteFile(path, []byte(whole[:cut]), 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := Recorded(path, unexpected(t)); err != nil || r.Tasks() != 1 {
			t.Fatalf("cut at %d: a recording: %v", cut, err)
		}
		asked := p.asked.Load()
		again := drafts(t, openRecorder(t, p, path), one, two)
		if !slices.Equal(again[0], first[0]) || p.asked.Load() != asked+1 {
			t.Errorf("cut at %d: %+v, asked %d times, want once", cut, again, p.asked.Load()-asked)
		}
		if got := read1(t, path); !strings.HasPrefix(got, whole[:begin]) || strings.Count(got, "\n") != 2 {
			t.Errorf("cut at %d: the file is %q", cut, got)
		}
	}
	if err := os.WriteFile(path, []byte(whole[:begin/2]), 0o666); err != nil {
		t.Fatal(err)
	}
	drafts(t, openRecorder(t, p, path), one)
	if got := read1(t, path); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "}\n") {
		t.Errorf("cut in the only line: the file is %q", got)
	}
}

// TestRecordedBad checks lines that are no answered task, and files of none.
func TestRecordedBad(t *testing.T) {
	path, p := file(t), &parrot{name: "a"}
	drafts(t, openRecorder(t, p, path), boats)
	good := read1(t, path)
	for _, test := range []struct {
		name, text string
		problems   []string // what each begins with, behind the path
		fatal      string
	}{
		{"empty", "", nil, ""},
		{"blank lines", "\n" + good + "\r\n", nil, ""},
		{"rubbish between", "rubbish\n" + good + "{}\n\xff\n[1]\n", []string{":1: ", `:3: "key" is ""`, ":4: text is not UTF-8", ":5: "}, ""},
		{"another question", good + strings.Replace(good, "Show the boats", "Show the ships", 1), []string{`:2: "key" is `}, ""},
		{"an empty draft", good + strings.Replace(good, "Same?", " ", 1), []string{":2: a draft has no question"}, ""},
		{"no drafts", good + strings.Replace(good, "drafts", "draughts", 1), []string{`:2: lacks "drafts"`}, ""},
		{"the same twice", good + good, nil, ""},
		{"rubbish only", "rubbish\n", nil, "is no file of recorded drafts"},
		{"rubbish without an end", "rubbish", nil, "is no file of recorded drafts"},
		{"a long line", good + strings.Repeat("x", recording.MaxLine+1), nil, "expected a file of recorded drafts"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			var problems, same []error
			r, err := Recorded(path, func(err error) { problems = append(problems, err) })
			recorder, err2 := NewRecorder(p, path, func(err error) { same = append(same, err) })
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
			if read1(t, path) != test.text {
				t.Error("the file changed")
			}
		})
	}
	if _, err := Recorded(filepath.Join(t.TempDir(), "none"), unexpected(t)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestRecordedForm pins the form of the file: those that people have stay readable, and
// what is added to them looks alike.
func TestRecordedForm(t *testing.T) {
	path, one := file(t), task("others", "One?")
	want := `{"key":"8aa2ce8eb613d6da85c112629f7cbf91","by":"toy 00c0ffee","category":"others","db_id":"harbour","example":7,` +
		`"question":"One?","query":"SELECT 1","drafts":[{"question":"One?? <1> \u2028","source":"toy 00c0ffee","note":"a"},` +
		`{"question":"Same?","source":"toy 00c0ffee"}]}` + "\n"
	drafts(t, openRecorder(t, &parrot{name: "toy 00c0ffee"}, path), one)
	if got := read1(t, path); got != want {
		t.Errorf("the file is\n%swant\n%s", got, want)
	}
}

// TestRecordingOrder checks that neither drafts nor key depend on the order of lines.
func TestRecordingOrder(t *testing.T) {
	path, a, b := file(t), &parrot{name: "a"}, &parrot{name: "b"}
	other := task("others", "Two")
	second := openRecorder(t, b, path)
	fromB := drafts(t, second, boats)
	fromA := drafts(t, openRecorder(t, a, path), boats, other)
	lines := strings.SplitAfter(strings.TrimSuffix(read1(t, path), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	keys := map[string]bool{}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		var text string
		for _, i := range order {
			text += lines[i]
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Recorded(path, unexpected(t))
		if err != nil {
			t.Fatal(err)
		}
		keys[r.Key()] = true
		if diff := cmp.Diff(slices.Concat(fromA[0], fromB[0]), drafts(t, r, boats)[0]); diff != "" {
			t.Errorf("order %v (-want +got):\n%s", order, diff)
		}
		r.Close()
	}
	if len(keys) != 1 {
		t.Errorf("keys %v, want one", keys)
	}
}

// TestResume cuts a run of an endpoint off in the middle and goes on: nothing is
// lost, and what was answered is not asked again.
func TestResume(t *testing.T) {
	var tasks []perturb.Task
	for i := range 12 {
		tasks = append(tasks, task("others", fmt.Sprint("Boat ", i, "?")))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var served atomic.Int32
	m := newModel(t, func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n == 0 { // every request fails once
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		if served.Add(1) == 4*5+2 {
			cancel()
		}
		return false
	})
	e := client(m.URL)
	path := file(t)
	r := openRecorder(t, e, path)
	done := 0
	for _, task := range tasks {
		if _, err := r.Drafts(ctx, task); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			break
		}
		done++
	}
	r.Close()
	if got := strings.Count(read1(t, path), "\n"); got != done || done != 5 {
		t.Fatalf("%d tasks were answered and %d recorded, want 5", done, got)
	}
	before, _ := m.count()
	e = client(m.URL)
	all := drafts(t, openRecorder(t, e, path), tasks...)
	for i, d := range all {
		if len(d) != 20 {
			t.Errorf("task %d has %d drafts, want 20", i, len(d))
		}
	}
	// The task that was cut off has two requests that failed once already, or more.
	if after, _ := m.count(); after-before > 8*(len(tasks)-done) || after-before < 8*(len(tasks)-done)-4 {
		t.Errorf("%d requests after the cut for %d tasks, want at most 8 a task", after-before, len(tasks)-done)
	}
	asked := map[string]bool{}
	for _, req := range m.requests[before:] {
		asked[req.Messages[10].Content] = true
	}
	if len(asked) != len(tasks)-done {
		t.Errorf("%d tasks were asked after the cut, want %d", len(asked), len(tasks)-done)
	}
}

// FuzzRecorded checks that no file makes a recording or a recorder panic, that what
// stands in whole lines is never changed, and that a recorder goes on behind it.
func FuzzRecorded(f *testing.F) {
	p := &parrot{name: "a"}
	rec := record{By: "a", Category: "others", DB: "harbour", Question: "One", Query: "SELECT 1", Drafts: []draft{{Question: "Un?"}}}
	line, err := encode(&rec)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", string(line), string(line) + string(line[:40]), "rubbish\n" + string(line), "{}\n", string(line[:20])} {
		f.Add([]byte(seed))
	}
	path := filepath.Join(f.TempDir(), "drafts.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := NewRecorder(p, path, func(error) {})
		if err != nil {
			return
		}
		defer r.Close()
		got, err := r.Drafts(t.Context(), task("others", "One"))
		if err != nil || len(got) == 0 && !bytes.Contains(data, []byte("[")) {
			t.Fatalf("%q: %v, %v", data, got, err)
		}
		now := []byte(read1(t, path))
		if whole := data[:bytes.LastIndexByte(data, '\n')+1]; !bytes.HasPrefix(now, whole) || len(now) > 0 && now[len(now)-1] != '\n' {
			t.Fatalf("%q became %q", data, now)
		}
		back, err := Recorded(path, func(error) {})
		if err != nil {
			t.Fatal(err)
		}
		defer back.Close()
		if again := drafts(t, back, task("others", "One")); len(again[0]) < len(got) {
			t.Fatalf("%q: %v, later %v", data, got, again)
		}
	})
}
