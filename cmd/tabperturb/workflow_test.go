package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// TestWorkflow runs the commands of docs/workflows/migrate-check.yml in a repository with a pull request: one that adds no
// migration, one that breaks no golden question, and one that does.
func TestWorkflow(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: scripts run the command too")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: there is no git")
	}
	script := stepOf(t, filepath.Join("..", "..", "docs", "workflows", "migrate-check.yml"))
	dir := t.TempDir()
	if err := sample.WriteData(t.Context(), filepath.Join(dir, "golden")); err != nil {
		t.Fatal(err)
	}
	env := append(pageEnv(t), "GITHUB_BASE_REF=main", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x.org")
	sh := func(line string) (string, int) {
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", line) // as GitHub runs a step
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	commit := "git add -A && git commit -qm change"
	if out, code := sh("git init -q && mkdir migrations && echo 'SELECT 1' > migrations/1.sql && " + commit + " && git update-ref refs/remotes/origin/main HEAD"); code != 0 {
		t.Fatal(out)
	}
	script = strings.Replace(script, "--data golden", "--data golden --only town_library", 1) // the sample has seven databases
	for _, test := range []struct {
		change, want string
		code         int
	}{
		{"echo x >> migrations/1.sql", "", 0},
		{"echo 'ALTER TABLE loans RENAME TO lendings' > migrations/2.sql", "\nbroken      0 ", 0},
		{"echo 'ALTER TABLE members DROP COLUMN gender' > migrations/3.sql", "members.gender (WHERE) is gone", 1},
	} {
		if out, code := sh(test.change + " && " + commit); code != 0 {
			t.Fatal(out)
		}
		if out, code := sh(script); code != test.code || !strings.Contains(out, test.want) || test.want == "" && out != "" {
			t.Errorf("%s: exit code %d, want %d\n%s", test.change, code, test.code, out)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "migrate-check.xml")); err != nil || !strings.Contains(string(data), `failures="1"`) {
		t.Errorf("migrate-check.xml: %v\n%s", err, data)
	}
}

// stepOf returns the lines of the one step of several lines in a workflow.
func stepOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(data), "        run: |\n")
	if !found {
		t.Fatalf("%s: has no step of several lines", path)
	}
	var step strings.Builder
	for line := range strings.Lines(after) {
		text, ok := strings.CutPrefix(line, "          ")
		if !ok {
			break
		}
		step.WriteString(text)
	}
	return step.String()
}
