package table_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

func rates() *table.Table {
	t := table.New("error rate", "relation", "pairs", "rate")
	t.Add("a|b", 12, table.Figure("8.3", 1./12))
	t.AddStrong("all", 1234, "-")
	t.Notes = []string{"not judged 3"}
	return t
}

func Example() {
	page := table.Page{Title: "exact", Tables: []*table.Table{rates()}, Legend: "in %"}
	page.Write(os.Stdout, "text")
	// Output:
	// exact
	//
	// error rate
	// relation  pairs  rate
	// a|b       12     8.3
	// all       1234   -
	// not judged 3
	//
	// in %
}

func TestFormats(t *testing.T) {
	want := map[string]string{
		"text": "error rate\nrelation  pairs  rate\na|b       12     8.3\nall       1234   -\nnot judged 3\n",
		"md":   "**error rate**\n\n| relation | pairs | rate |\n| --- | ---: | ---: |\n| a\\|b | 12 | 8.3 |\n| **all** | **1234** | **-** |\n\nnot judged 3\n",
		"csv":  "relation,pairs,rate\na|b,12,8.3\nall,1234,-\n",
		"json": "[\n  \"<&>\"\n]\n",
	}
	page := table.Page{Tables: []*table.Table{rates()}, Lines: rates(), Data: []string{"<&>"}}
	for _, format := range table.Formats() {
		var b strings.Builder
		if err := page.Write(&b, format); err != nil || b.String() != want[format] {
			t.Errorf("%s: %q, %v, expected %q", format, b.String(), err, want[format])
		}
	}
	if err := page.Write(os.Stdout, "html"); err == nil {
		t.Error("html is written, expected an error")
	}
}

func TestText(t *testing.T) {
	right := &table.Table{Columns: []table.Column{{}, {Name: "all"}, {Name: "judged"}}, Right: true}
	right.Add("exact", 100, 9)
	if got, want := right.String(), "         all  judged\n  exact  100       9\n"; got != want {
		t.Errorf("right-aligned: %q, expected %q", got, want)
	}
	plain := &table.Table{}
	plain.Add("questions", 5)
	if got, want := plain.String(), "questions  5\n"; got != want {
		t.Errorf("without a header: %q, expected %q", got, want)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 915: "915 B", 999: "999 B", 1000: "1 kB", 231508: "232 kB",
		999499: "999 kB", 999500: "1 MB", 45179315: "45.2 MB", 437999999: "438 MB", 12e9: "12 GB",
	} {
		if got := table.Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
