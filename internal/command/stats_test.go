package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset/counts"
)

func TestStats(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tables.json": `[{"db_id": "d", "table_names": ["player"], "table_names_original": ["player"],
			"column_names": [[-1, "*"], [0, "name"], [0, "home town"]], "column_names_original": [[-1, "*"], [0, "name"], [0, "town"]],
			"column_types": ["text", "text", "text"], "primary_keys": [], "foreign_keys": []}]`,
		"dev.json": `[{"db_id": "d", "question": "Who?", "query": "SELECT name FROM player"}]`,
		"names-rpl.json": `{"SPIDER_0": {"header": ["name", "home town"], "db_id": "d", "table_name_original": "player",
			"column_names_original": ["name", "town"], "table_id": "SPIDER_0", "dict": {"home town": ["place of birth", "native town"]}}}`,
		"other-rpl.json": `{}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		a := &app{stdout: &out, stderr: &out}
		cmd := a.statsCmd()
		cmd.SetArgs(append([]string{"--data", dir}, args...))
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		err := cmd.Execute()
		return out.String(), err
	}
	got, err := run()
	if want := "1 databases, 1 tables, 2 columns (2.00 a table), 2 different names of 3 words\n1 questions\n"; err != nil || got != want {
		t.Errorf("prints\n%s, %v, expected\n%s", got, err, want)
	}
	got, err = run("--buckets", filepath.Join(dir, "names-rpl.json"))
	if err != nil || !strings.Contains(got, "\nREPLACE  1                   1.00     2      2.00      3                6      1                       2\n") {
		t.Errorf("prints\n%s, %v", got, err)
	}
	got, err = run("--json", "--buckets", filepath.Join(dir, "names-rpl.json"))
	var s counts.Statistics
	if err != nil || json.Unmarshal([]byte(got), &s) != nil || s.Data.Tables != 1 || s.Replace.Perturbed != 1 || *s.Add != (counts.Names{Tables: 1, Columns: 2}) {
		t.Errorf("prints\n%s, %v", got, err)
	}
	for _, args := range [][]string{
		{"--split", "train"}, {"--split", "a/b"}, {"--buckets", filepath.Join(dir, "absent-rpl.json")}, {"--buckets", filepath.Join(dir, "other-rpl.json")},
	} {
		if got, err := run(args...); err == nil {
			t.Errorf("%q: prints\n%s, expected an error", args, got)
		}
	}
}
