package report

import (
	"strings"

	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
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
	if !special.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special is what a shell may read as more than itself.
var special = lazyregexp.New(`[^-A-Za-z0-9_./,=:+@%]`)

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
