package doctor

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Print writes findings for people: a paragraph for each check, in the order of [Checks], with at most show of its findings, or all if
// show is negative. The last line has the counts.
func Print(w io.Writer, s Summary, findings []Finding, show int) error {
	by := map[string][]Finding{}
	counts := map[Severity]int{}
	for _, f := range findings {
		by[f.Check] = append(by[f.Check], f)
		counts[f.Severity]++
	}
	b := bufio.NewWriter(w)
	for _, c := range catalog {
		found := by[c.Name]
		if len(found) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s %s: %d\n  %s\n", c.Severity, c.Name, len(found), c.Doc)
		for i, f := range found {
			if i == show {
				fmt.Fprintf(b, "    … and %d more\n", len(found)-show)
				break
			}
			fmt.Fprintf(b, "    %s: %s\n", f.Place(), f.Detail)
		}
	}
	fmt.Fprintf(b, "%s: %s on %s: ", s.Split, table.Count(s.Examples, "example"), table.Count(s.Databases, "database"))
	if len(findings) == 0 {
		fmt.Fprintln(b, "no findings")
	} else {
		fmt.Fprintf(b, "%s, %s, %s\n", table.Count(counts[Error], "error"), table.Count(counts[Warning], "warning"), table.Count(counts[Note], "note"))
	}
	return b.Flush()
}

// maxDetail bounds the detail of a finding, in characters.
const maxDetail = 300

// oneLine returns text from a data set as one line of the report: valid UTF-8, without control characters and cut to maxDetail characters.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if r := []rune(s); len(r) > maxDetail {
		s = string(r[:maxDetail-1]) + "…"
	}
	return s
}
