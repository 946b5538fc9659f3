package spidersyn

import (
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// word is a word of a question. A token in which hyphens or underscores join
// words has several.
type word struct {
	start, end int    // bytes in the question, without a possessive ending
	text       string // lower case; empty for marks and for what stands in quotes
	one        string // text in the singular
	token      int    // of english.Tokens
}

// questionWords splits a question into its tokens, as text, and their words. A
// token within quotes stands as a mark in both: it is a value that the question
// cites.
func questionWords(question string) (tokens []string, words []word) {
	spans := english.Tokens(question)
	quoted := english.Quoted(question, spans)
	for i, t := range spans {
		text := t.Of(question)
		if quoted[i] {
			text = `"`
		}
		tokens = append(tokens, text)
		words = append(words, tokenWords(text, t.Start, i)...)
	}
	return tokens, words
}

// tokenWords returns the words of a token that begins at byte start. One that the
// lexicon would split otherwise ("FlightNo", "1st-class") is none.
func tokenWords(text string, start, token int) []word {
	stem := withoutPossessive(text)
	lower := strings.ToLower(stem)
	pieces := strings.FieldsFunc(lower, isJoint)
	if len(pieces) == 0 || len(lower) != len(stem) || strings.Join(lexicon.Words(stem), " ") != strings.Join(pieces, " ") {
		return []word{{start: start, end: start + len(text), token: token}}
	}
	var words []word
	at := 0
	for _, p := range pieces {
		at += strings.Index(lower[at:], p)
		words = append(words, word{start: start + at, end: start + at + len(p), text: p, one: english.Singular(p), token: token})
		at += len(p)
	}
	return words
}

func isJoint(r rune) bool { return r == '-' || r == '_' }

func withoutPossessive(token string) string {
	for _, ending := range []string{"'s", "’s", "'S", "’S"} {
		if stem, ok := strings.CutSuffix(token, ending); ok {
			return stem
		}
	}
	return token
}

// isFunction tells whether a word ties others together and names nothing.
func isFunction(w string) bool {
	switch w {
	case "a", "an", "the", "of", "in", "on", "at", "by", "to", "for", "from", "with", "per", "as", "into", "than", "since", "until", "under", "over",
		"and", "or", "not", "no", "but", "if", "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "can", "will",
		"this", "that", "these", "those", "there", "it", "its", "they", "them", "their", "he", "his", "she", "her", "we", "us", "i", "me", "my", "you", "your",
		"who", "whom", "whose", "what", "which", "when", "where", "how", "why", "all", "each", "any", "every", "some", "both", "ever", "also", "whether":
		return true
	}
	return false
}
