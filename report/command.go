package report

import (
	"strings"

	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Command returns the command line "tabperturb" with arguments, quoted for a shell. Empty arguments are left out.
func Command(args ...string) string {
	out := []string{"tabperturb"}
	for _, a := range args {
		if a != "" {
			out = append(out, quote(cleanText(a)))
		}
	}
	return strings.Join(out, " ")
}

// quote returns a word of a command line, quoted for a shell if necessary.
func quote(s string) string {
	if !special.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special matches a character to which a shell may give a meaning.
var special = lazyregexp.New(`[^-A-Za-z0-9_./,=:+@%]`)

// flagIf returns a flag if it is set, else "".
func flagIf(set bool, flag string) string {
	if set {
		return flag
	}
	return ""
}

// metricFlag returns the flag that selects metrics; "" for none.
func metricFlag(metrics []evaluate.MetricReport) string {
	names := lists.Map(metrics, func(m evaluate.MetricReport) string { return m.Name })
	return flagIf(len(names) > 0, "--metric="+strings.Join(names, ","))
}
