// Package diff finds by token where two texts differ.
package diff

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Span is a piece of a text, which is changed or common to both sides.
type Span struct {
	Text    string `json:"text"`
	Changed bool   `json:"changed,omitempty"`
}

// maxTokens bounds the pieces of a text that is compared: the time is quadratic. Longer texts are
// marked as changed as a whole.
const maxTokens = 600

// Texts marks on both sides the tokens that are not part of the longest sequence that
// they have in common. Space between changed tokens is changed too.
func Texts(before, after string) (was, now []Span) {
	return compare(before, after, func([]string, []bool) {})
}

// SQL returns where two queries differ, as [Texts] does, but does not mark an AS that only one side has before the same alias.
func SQL(before, after string) (was, now []Span) {
	return compare(before, after, func(list []string, common []bool) {
		for i := 1; i+2 < len(list); i += 2 { // the tokens: between two is space
			common[i] = common[i] || strings.EqualFold(list[i], "AS") && common[i+2]
		}
	})
}

// compare returns the spans of both texts as [Texts] does. Before that it calls ignore for each side with its pieces and
// whether each is common to both texts, so that ignore can mark further pieces as common.
func compare(before, after string, ignore func(list []string, common []bool)) (was, now []Span) {
	if before == after {
		return Join([]Span{{Text: before}}), Join([]Span{{Text: after}})
	}
	a, b := pieces(before), pieces(after)
	commonA, commonB := make([]bool, len(a)), make([]bool, len(b))
	if max(len(a), len(b)) <= maxTokens {
		// Tokens are the pieces at odd positions.
		for _, pair := range Common(len(a)/2, len(b)/2, func(i, j int) bool { return a[2*i+1] == b[2*j+1] }) {
			commonA[2*pair[0]+1], commonB[2*pair[1]+1] = true, true
		}
	}
	ignore(a, commonA)
	ignore(b, commonB)
	return marked(a, commonA), marked(b, commonB)
}

// pieces splits a text into the space before each token, the token, and at last the space at the end:
// tokens are at odd positions. Operators of SQL with two marks, such as <=, are one token.
func pieces(s string) (list []string) {
	at := 0
	mark := func(t string) bool { return len(t) == 1 && strings.Contains("<>=!", t) }
	for _, t := range english.Tokens(s) {
		if n := len(list); n > 0 && t.Start == at && mark(list[n-1]) && mark(s[t.Start:t.End]) {
			list[n-1] += s[t.Start:t.End]
			at = t.End
			continue
		}
		list = append(list, s[at:t.Start], s[t.Start:t.End])
		at = t.End
	}
	return append(list, s[at:])
}

// Common returns the pairs of positions, ascending, of a longest common subsequence of two sequences of
// n and m items. same compares item i of the first with item j of the second.
func Common(n, m int, same func(i, j int) bool) (pairs [][2]int) {
	length := make([]int32, (n+1)*(m+1)) // of the common subsequence of the items from i and j on
	at := func(i, j int) int { return i*(m+1) + j }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if same(i, j) {
				length[at(i, j)] = length[at(i+1, j+1)] + 1
			} else {
				length[at(i, j)] = max(length[at(i+1, j)], length[at(i, j+1)])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case same(i, j):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[at(i+1, j)] >= length[at(i, j+1)]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// marked returns the spans of pieces; common holds for the tokens that both texts have. Space is common
// unless the tokens before and after it are changed.
func marked(list []string, common []bool) []Span {
	var out []Span
	for i, p := range list {
		changed := !common[i]
		if i%2 == 0 { // space
			changed = i > 0 && i < len(list)-1 && !common[i-1] && !common[i+1]
		}
		out = append(out, Span{p, changed})
	}
	return Join(out)
}

// Join joins adjacent spans that are both changed or both common, and leaves out empty ones.
func Join(list []Span) []Span {
	out := []Span{}
	for _, s := range list {
		switch last := len(out) - 1; {
		case s.Text == "":
		case last >= 0 && out[last].Changed == s.Changed:
			out[last].Text += s.Text
		default:
			out = append(out, s)
		}
	}
	return out
}
