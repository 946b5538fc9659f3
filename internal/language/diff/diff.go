// Package diff tells by token where two texts differ.
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

// maxTokens bounds the tokens of a side that are compared; longer texts are shown as
// changed in one piece.
const maxTokens = 600

// Texts marks on both sides the tokens that are not part of the longest sequence that
// they have in common. Space between changed tokens is changed too.
func Texts(before, after string) (was, now []Span) {
	if before == after {
		return Join([]Span{{Text: before}}), Join([]Span{{Text: after}})
	}
	a, b := pieces(before), pieces(after)
	keepA, keepB := make([]bool, len(a)), make([]bool, len(b))
	if max(len(a), len(b)) <= maxTokens {
		common(a, b, keepA, keepB)
	}
	return marked(a, keepA), marked(b, keepB)
}

// pieces splits a text into tokens, each with the space before it. Comparisons of SQL
// that are two marks are one token.
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

// common marks a longest common subsequence of the tokens, which are the pieces at odd
// positions.
func common(a, b []string, keepA, keepB []bool) {
	n, m := len(a)/2, len(b)/2
	length := make([]int32, (n+1)*(m+1)) // of the sequence from i and j on
	at := func(i, j int) int { return i*(m+1) + j }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[2*i+1] == b[2*j+1] {
				length[at(i, j)] = length[at(i+1, j+1)] + 1
			} else {
				length[at(i, j)] = max(length[at(i+1, j)], length[at(i, j+1)])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[2*i+1] == b[2*j+1]:
			keepA[2*i+1], keepB[2*j+1] = true, true
			i, j = i+1, j+1
		case length[at(i+1, j)] >= length[at(i, j+1)]:
			i++
		default:
			j++
		}
	}
}

// marked makes spans of pieces. Space stands with the tokens around it: it is common
// unless both are changed.
func marked(list []string, keep []bool) []Span {
	var out []Span
	for i, p := range list {
		changed := !keep[i]
		if i%2 == 0 {
			changed = i > 0 && i < len(list)-1 && !keep[i-1] && !keep[i+1]
		}
		out = append(out, Span{p, changed})
	}
	return Join(out)
}

// Join joins neighbours of one kind and leaves out empty spans.
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
