package execution

import (
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

var currentYear = lazyregexp.New(`(?i)YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*`)

// prepare does to a query what the official evaluator does before it runs one.
func prepare(sql string, keepDistinct bool) string {
	sql = sqlast.JoinOperators(sql)
	lower := strings.ToLower(sql)
	if strings.Contains(lower, "curdate") {
		sql = currentYear.ReplaceAllString(sql, "2020")
	}
	if !keepDistinct && strings.Contains(lower, "distinct") {
		sql = withoutDistinct(sql)
	}
	return sql
}

// plugged does to a prediction what the official evaluator does first: it puts 1 for
// the word "value", which parsers print that predict no constants, but within strings
// and names such as gross_value too.
func plugged(pred string) string { return strings.ReplaceAll(pred, "value", "1") }

// withoutDistinct removes DISTINCT from select lists and calls, at all levels; the
// one of IS DISTINCT FROM is another word. A text that does not parse is
// returned as it is: the engine may know better.
func withoutDistinct(sql string) string {
	q, err := sqlast.Parse(sql)
	if err != nil {
		return sql
	}
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.Select:
			n.Distinct = false
		case *sqlast.Call:
			n.Distinct = false
		}
		return true
	})
	return q.String()
}

// maxDetail bounds the detail of an outcome, in bytes.
const maxDetail = 240

// oneLine returns s as at most maxDetail bytes of valid UTF-8 without control
// characters.
func oneLine(s string) string {
	if len(s) > 2*maxDetail {
		s = s[:2*maxDetail]
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail-len("…")], "") + "…"
}
