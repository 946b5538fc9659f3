package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const verdictHead = "index\tdb_id\thardness\texact\texec\tsuite\treason\n"

func TestRead(t *testing.T) {
	var lines []string
	v, err := Read(strings.NewReader(verdictHead+
		"0\tzoo\teasy\t1\t1\t1\t\r\n"+
		"1\tzoo\teasy\t1\t1\n"+
		"x\tzoo\teasy\t1\t1\t1\t\n"+
		"-1\tzoo\teasy\t1\t1\t1\t\n"+
		"2\tzoo\tsimple\t1\t1\t1\t\n"+
		"3\tzoo\thard\t1\tyes\t1\t\n"+
		"0\tzoo\teasy\t1\t1\t1\t\n"+
		"\n"+
		"4\tzoo\t-\t0\t-\t0\tother rows\n"), "v.tsv", func(err error) { lines = append(lines, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Name: "v.tsv", Metrics: []string{"exact", "exec", "suite"}, Records: 9, Rows: []Row{
		{0, "zoo", "easy", []Verdict{Right, Right, Right}},
		{4, "zoo", "-", []Verdict{Wrong, Unjudged, Wrong}},
	}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"v.tsv:3: 5 columns, expected 7",
		`v.tsv:4: index "x", expected a number from 0`,
		`v.tsv:5: index "-1", expected a number from 0`,
		`v.tsv:6: hardness "simple", expected one of easy, medium, hard, extra or -`,
		`v.tsv:7: exec "yes", expected 1, 0 or -`,
		"v.tsv:8: index 0 occurs twice, expected once",
		"v.tsv:9: 1 columns, expected 7",
	}, lines); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestReadBroken(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "v.tsv: is empty"},
		{"SELECT 1\n", `v.tsv:1: header "SELECT 1"`},
		{"index\tdb_id\thardness\treason\n", "v.tsv:1: header"},
		{"index\tdb_id\thardness\texact\n", "v.tsv:1: header"},
		{"index\tdb_id\thardness\texact\texact\treason\n", `v.tsv:1: metric "exact", expected different names`},
		{"index\tdb_id\thardness\t\treason\n", `v.tsv:1: metric ""`},
		{verdictHead + strings.Repeat("x", 2*maxLine), "v.tsv:2: "},
	} {
		_, err := Read(strings.NewReader(c.text), "v.tsv", func(err error) { t.Error(err) })
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %s…", c.text, err, c.want)
		}
	}
}

func TestLevels(t *testing.T) {
	if !slices.Equal(Levels(), []string{"easy", "medium", "hard", "extra"}) {
		t.Errorf("levels %v", Levels())
	}
}
