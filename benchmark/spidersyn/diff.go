package spidersyn

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// maxDiff bounds the tokens of a question that are compared.
const maxDiff = 512

// subsequences returns the lengths of the longest common subsequences of a[i:] and
// b[j:].
func subsequences(a, b []string) [][]int {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	return longest
}

// similarity is the share of two questions' words that a longest common
// subsequence has, 0..1.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(subsequences(a, b)[0][0]) / float64(len(a)+len(b))
}

// lowerTokens returns the tokens of a question in lower case, without possessive
// endings.
func lowerTokens(question string) []string {
	var out []string
	for _, t := range english.Tokens(question) {
		out = append(out, strings.ToLower(withoutPossessive(question[t.Start:t.End])))
	}
	return out[:min(len(out), maxDiff)]
}
