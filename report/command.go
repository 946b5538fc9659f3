package report

import (
	"strings"

	"github.com/tabperturb/tabperturb/evaluate"
)

// Command returns a command line of tabperturb; what is empty is left out, and what a shell would
// read otherwise is quoted.
func Command(args ...string) string {
	out := []string{"tabperturb"}
	for _, a := range args {
		if a != "" {
			out = append(out, quote(prose(a)))
		}
	}
	return strings.Join(out, " ")
}

func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,=:+@%", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func flagIf(set bool, flag string) string {
	if set {
		return flag
	}
	return ""
}

func metricFlag(metrics []evaluate.MetricReport) string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	if names == nil {
		return ""
	}
	return "--metric=" + strings.Join(names, ",")
}
