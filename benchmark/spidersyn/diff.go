package spidersyn

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// maxDiff bounds the tokens of a question that are compared.
const maxDiff = 512

// Replacement is a stretch of a question, in lower case, that gave way to another;
// one of the two may be empty.
type Replacement struct{ Was, With string }

// Replacements returns the stretches in which two questions differ, in order: what
// is left of them without a longest common subsequence of their words.
func Replacements(before, after string) []Replacement {
	a, b := lowerTokens(before), lowerTokens(after)
	longest := subsequences(a, b)
	var out []Replacement
	var was, with []string
	flush := func() {
		if len(was)+len(with) > 0 {
			out = append(out, Replacement{strings.Join(was, " "), strings.Join(with, " ")})
		}
		was, with = nil, nil
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			i, j = i+1, j+1
		case j == len(b), i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			was = append(was, a[i])
			i++
		default:
			with = append(with, b[j])
			j++
		}
	}
	flush()
	return out
}

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

// normal returns the replacement without the words that both sides begin or end
// with, and without number: "last names" for "family names" is "last" for
// "family".
func (r Replacement) normal() Replacement {
	was, with := strings.Fields(lexicon.Normal(r.Was)), strings.Fields(lexicon.Normal(r.With))
	for len(was) > 0 && len(with) > 0 && was[0] == with[0] {
		was, with = was[1:], with[1:]
	}
	for len(was) > 0 && len(with) > 0 && was[len(was)-1] == with[len(with)-1] {
		was, with = was[:len(was)-1], with[:len(with)-1]
	}
	return Replacement{strings.Join(was, " "), strings.Join(with, " ")}
}

// parts returns the replacement and, where both sides have as many words, those
// of each word, all in normal form: neighbours that changed alike stand in a diff
// as one.
func (r Replacement) parts() []Replacement {
	whole := r.normal()
	out := []Replacement{whole}
	was, with := strings.Fields(whole.Was), strings.Fields(whole.With)
	if len(was) == len(with) && len(was) > 1 {
		for i := range was {
			out = append(out, Replacement{was[i], with[i]})
		}
	}
	return out
}
