package sqlast

import "strings"

// spacedComparisons joins the two signs of a comparison.
var spacedComparisons = strings.NewReplacer("> =", ">=", "< =", "<=", "! =", "!=")

// JoinOperators joins comparison operators that stand apart in a text of SQL ("> ="),
// as the official evaluators do before they run it: some gold SQL and many predictions
// are written so, and engines do not take it.
func JoinOperators(sql string) string {
	if !strings.Contains(sql, " =") {
		return sql
	}
	return spacedComparisons.Replace(sql)
}
