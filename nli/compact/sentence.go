package compact

import "strings"

// types are the column types that a sentence may end in, as "(type)".
var types = []string{"text", "number", "time", "boolean", "others", "real"}

// Columns takes the column names out of a pair of sentences
// "{entity} {column} ({type})" (ADVETA, section 4.4). The type is cut where
// there is one. Where the entity ends cannot be told, so all words that both
// begin with are cut, but for a last word each; thus the result does not depend
// on the entity, and "breed name" against "breed code" reads "name" against
// "code". Sentences that are equal are returned whole.
func Columns(premise, hypothesis string) (a, b string) {
	x, y := strings.Fields(trimType(premise)), strings.Fields(trimType(hypothesis))
	common := 0
	for common < min(len(x), len(y)) && strings.EqualFold(x[common], y[common]) {
		common++
	}
	if common == len(x) || common == len(y) {
		common = max(0, min(len(x), len(y))-1)
	}
	if len(x) == len(y) && common == len(x)-1 && strings.EqualFold(x[common], y[common]) {
		common = 0
	}
	return strings.Join(x[common:], " "), strings.Join(y[common:], " ")
}

// trimType cuts a column type in parentheses at the end.
func trimType(s string) string {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutSuffix(s, ")")
	if !ok {
		return s
	}
	at := strings.LastIndexByte(rest, '(')
	if at < 0 {
		return s
	}
	for _, t := range types {
		if strings.EqualFold(rest[at+1:], t) {
			return strings.TrimSpace(rest[:at])
		}
	}
	return s
}
