package execution

import (
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// currentYear matches YEAR(CURDATE()), which the official evaluator replaces by 2020.
var currentYear = lazyregexp.New(`(?i)YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*`)

// prepare returns a query as the official evaluator runs it: with joined operators, 2020 for YEAR(CURDATE()) and,
// unless keepDistinct is set, without DISTINCT.
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

// wordOrString matches a string, a quoted name, or a word with the table before it.
var wordOrString = lazyregexp.New("'[^']*'|\"[^\"]*\"|`[^`]*`|\\[[^]]*\\]|[\\pL\\pN_$.]+")

// replaceValue replaces "value" by 1 in a prediction, as the official evaluator does: parsers that predict
// no constants print the word, or "value" or ' value ', for each. The official evaluator replaces it within strings and within names
// such as first_value too; replaceValue does so only if official is set.
func replaceValue(pred string, official bool) string {
	switch {
	case official:
		return strings.ReplaceAll(pred, "value", "1")
	case !strings.Contains(pred, "value"):
		return pred
	}
	return wordOrString.ReplaceAllStringFunc(pred, func(word string) string {
		if strings.Trim(word, `'" `) != "value" {
			return word
		}
		return strings.Replace(word, "value", "1", 1)
	})
}

// withoutDistinct removes DISTINCT from select lists and calls, at all levels; the
// one of IS DISTINCT FROM is another word. A text that does not parse is
// returned as it is: the engine may know better.
func withoutDistinct(sql string) string {
	q, err := sqlast.Parse(sql)
	if err != nil {
		return sql
	}
	for n := range sqlast.All[sqlast.Node](q) {
		switch n := n.(type) {
		case *sqlast.Select:
			n.Distinct = false
		case *sqlast.Call:
			n.Distinct = false
		}
	}
	return q.String()
}

// maxDetail bounds the detail of an outcome, in bytes.
const maxDetail = 240

// oneLine returns s as at most maxDetail bytes of valid UTF-8 without control
// characters.
func oneLine(s string) string {
	if len(s) > 2*maxDetail { // more than is left, so that a very long text is not copied
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
