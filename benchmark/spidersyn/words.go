package spidersyn

import (
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// word is a word of a question. A token in which hyphens or underscores join
// words has several.
type word struct {
	start, end int    // bytes in the question, without a possessive ending
	text       string // lower case; empty for marks and for what stands in quotes
	one        string // text in the singular
	token      int    // of perturb.Tokens
}

// questionWords splits a question into its tokens, as text, and their words. A
// token within quotes stands as a mark in both: it is a value that the question
// cites.
func questionWords(question string) (tokens []string, words []word) {
	spans := perturb.Tokens(question)
	quoted := quotations(question, spans)
	for i, t := range spans {
		text := question[t.Start:t.End]
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
		words = append(words, word{start: start + at, end: start + at + len(p), text: p, one: lexicon.Singular(p), token: token})
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

// quotations tells of each token whether it is, or stands between, quotation
// marks. A single quote opens where a blank precedes it and none follows; a mark
// that nothing closes opens nothing.
func quotations(question string, tokens []perturb.Token) []bool {
	quoted := make([]bool, len(tokens))
	for i := 0; i < len(tokens); i++ {
		closing := closingMark(question, tokens[i])
		if closing == "" {
			continue
		}
		for j := i + 1; j < len(tokens); j++ {
			if strings.Contains(closing, question[tokens[j].Start:tokens[j].End]) {
				for k := i; k <= j; k++ {
					quoted[k] = true
				}
				i = j
				break
			}
		}
	}
	return quoted
}

// closingMark returns the marks that close the quotation which a token opens, or
// "" where it opens none.
func closingMark(question string, t perturb.Token) string {
	switch question[t.Start:t.End] {
	case `"`, "“", "”":
		return "\"“”"
	case "`":
		if strings.HasPrefix(question[t.End:], "`") { // Spider's tokens: ``a value''
			return "'’"
		}
		return "`'’"
	case "'", "‘", "’":
		before := strings.TrimRightFunc(question[:t.Start], unicode.IsSpace)
		after := strings.TrimLeftFunc(question[t.End:], unicode.IsSpace)
		if len(before) < t.Start || t.Start == 0 || strings.HasSuffix(before, "(") {
			if len(after) == len(question)-t.End && after != "" {
				return "'’"
			}
		}
	}
	return ""
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
