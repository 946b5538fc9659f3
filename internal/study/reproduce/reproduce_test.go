package reproduce

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every experiment can be read, names only inputs that it needs, and has a figure a column and row of files that its steps
// write.
func TestExperiments(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no experiments")
	}
	for _, e := range all {
		r := &Runner{Dir: "out", Inputs: Inputs{"split": {"dev"}}}
		for _, need := range e.Needs {
			r.Inputs[need] = []string{need}
		}
		lines, err := r.Lines(e)
		if err != nil {
			t.Error(err)
		}
		if joined := strings.Join(lines, "\n"); strings.Contains(joined, "{") {
			t.Errorf("%s: an input is missing among its needs:\n%s", e.Name, joined)
		}
		written := map[string]bool{}
		for _, s := range e.Steps {
			written[s.To] = true
		}
		for _, row := range e.Rows {
			if len(row.Figures) != len(e.Columns) {
				t.Errorf("%s: row %q has %d figures, expected %d", e.Name, row.What, len(row.Figures), len(e.Columns))
			}
			for _, figure := range row.Figures {
				file, _, _ := strings.Cut(figure, " ")
				if folder, _, _ := strings.Cut(file, "/"); !written[file] && !strings.Contains(strings.Join(lines, "\n"), "--out out/"+folder) {
					t.Errorf("%s: row %q: no step writes %s", e.Name, row.What, file)
				}
			}
		}
	}
}

// What is done is not run again, what failed is; other inputs need another folder.
func TestRunner(t *testing.T) {
	e := &Experiment{
		Name: "toy", Needs: []string{"data"}, Columns: []string{"share", "number", "none"},
		Steps: []Step{{Command: "one {data}"}, {Command: "two --out {out}/x {pred}", To: "two.json"}},
		Rows:  []Row{{What: "row", Figures: []string{"two.json % a.0", "two.json # b", "two.json # c"}, Paper: "12.5"}},
	}
	var ran []string
	fail := errors.New("two fails")
	r := &Runner{
		Dir: t.TempDir(), Inputs: Inputs{"data": {"my data"}, "pred": {"--pred", "p"}}, Note: func(string) {},
		Command: func(_ context.Context, args []string, w io.Writer) error {
			ran = append(ran, strings.Join(args, "|"))
			if args[0] == "two" && fail != nil {
				return fail
			}
			_, err := io.WriteString(w, `{"a": [0.125], "b": 7}`)
			return err
		},
	}
	if _, err := r.Run(t.Context(), e); !errors.Is(err, fail) {
		t.Fatalf("got %v, want that two fails", err)
	}
	fail = nil
	result, err := r.Run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	out := r.Dir
	two := "two|--out|" + filepath.Join(out, "x") + "|--pred|p"
	if got, want := strings.Join(ran, "\n"), "one|my data\n"+two+"\n"+two; got != want {
		t.Errorf("ran:\n%s\nwant:\n%s", got, want)
	}
	var b strings.Builder
	if err := WriteText(&b, []*Result{result}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"12.5  ", "7  ", "-  "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the table:\n%s", want, b.String())
		}
	}
	r.Inputs["data"] = []string{"others"}
	if _, err := r.Run(t.Context(), e); err == nil || !strings.Contains(err.Error(), `was made with ["my data"], expected ["others"]`) {
		t.Errorf("other inputs: got %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "two.json")); err != nil {
		t.Error(err)
	}
	delete(r.Inputs, "data")
	if _, err := r.Run(t.Context(), e); err == nil || err.Error() != "toy: expected --data, which its commands read" {
		t.Errorf("no input: got %v", err)
	}
}
