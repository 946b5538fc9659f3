//go:build quality

package quality

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// TestChatGPT runs the commands that score ChatGPT's released predictions on the
// questions of Spider-Syn and Spider-Realistic. It was not asked those of Spider;
// what stands before a change are the questions that the authors of the other
// data set left as they were.
func TestChatGPT(t *testing.T) {
	data, out := spiderData(t), filepath.Join(t.TempDir(), "out")
	syn, realistic := shared.File(t, "data/predictions/spider-syn-dev/chatgpt_predict.json.gz"), shared.File(t, "data/predictions/spider-realistic/chatgpt_predict.json.gz")
	var report bytes.Buffer
	tabperturb := command(t)
	tabperturb(io.Discard, "build", "--data", data, "--out", out, "--questions", "syn="+shared.File(t, "data/spider-syn/dev.json"),
		"--questions", "realistic="+shared.File(t, "data/spider-realistic/spider-realistic_min.jsonl"))
	for _, side := range []struct{ name, before, after string }{{"syn", realistic, syn}, {"realistic", syn, realistic}} {
		fmt.Fprintf(&report, "# before and after, where ChatGPT was asked both questions: human/%s\n", side.name)
		tabperturb(&report, "eval", "robustness", "--build", out, "--perturb", "human/"+side.name, "--pred-pre", side.before, "--pred-post", side.after, "--metric", "exact,exec")
		post := filepath.Join(out, "human", side.name, "post")
		fmt.Fprintf(&report, "\n# after, all questions: human/%s\n", side.name)
		tabperturb(&report, "eval", "--gold", filepath.Join(post, "dev.json"), "--tables", filepath.Join(post, "tables.json"), "--db", filepath.Join(data, "database"), "--pred", side.after, "--metric", "exact,exec")
		fmt.Fprintln(&report)
	}
	paths := strings.NewReplacer(data, "DATA", filepath.Dir(out), "DIR")
	golden(t, "chatgpt", paths.Replace(report.String()))
}

// command builds the program and returns a function that runs it.
func command(t *testing.T) func(out io.Writer, args ...string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "tabperturb")
	if msg, err := exec.Command("go", "build", "-o", bin, "../../../cmd/tabperturb").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	return func(out io.Writer, args ...string) {
		t.Helper()
		var messages bytes.Buffer
		cmd := exec.Command(bin, args...)
		cmd.Stdout, cmd.Stderr = out, &messages
		// Exit status 2 is that of records that could not be used, here those that
		// Spider corrected since. A panic has it too.
		err := cmd.Run()
		if err != nil && cmd.ProcessState.ExitCode() != 2 || bytes.Contains(messages.Bytes(), []byte("\ngoroutine ")) {
			t.Fatalf("%v: %v: %s", args, err, &messages)
		}
		if err != nil {
			t.Logf("%v: %v: %s", args, err, &messages)
		}
	}
}

// text opens a file of the public data, unpacked.
func text(t *testing.T, name string) io.Reader {
	t.Helper()
	r, closer, err := dataset.OpenText(shared.File(t, "data/"+name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return r
}
