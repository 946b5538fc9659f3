package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// thought matches the reasoning that some models put before their answer: <think>…</think>.
var thought = lazyregexp.New(`(?is)^\s*<think(?:ing)?>.*?</think(?:ing)?>`)

// WithoutReasoning returns an answer without the reasoning before it, in valid UTF-8.
func WithoutReasoning(answer string) string {
	return thought.ReplaceAllString(strings.ToValidUTF8(answer, ""), "")
}

// OneLine returns a text on one line, so that it cannot look like another part of a prompt
// or of a message, without characters that cannot be seen.
func OneLine(s string) string {
	seen := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, s)
	return strings.Join(strings.Fields(seen), " ")
}

// Bounded returns the beginning of s, at most n bytes of it, cut between two characters.
func Bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
