package sqlast

import "strings"

// spacedComparisons joins the two signs of a comparison.
var spacedComparisons = strings.NewReplacer("> =", ">=", "< =", "<=", "! =", "!=")

// JoinOperators removes the blank in comparison operators such as "> =", as the official evaluators
// do before they run a query: some gold SQL and many predictions have it, and engines reject it.
func JoinOperators(sql string) string { return spacedComparisons.Replace(sql) }
