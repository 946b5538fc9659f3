package mtteql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxTokens bounds the work on one question; what is longer is left alone.
const maxTokens = 256

// sentence is a question without its quotations. Only its first sentence is
// looked at.
type sentence struct {
	*english.Sentence
	stop int // the token that ends the first sentence, the number of tokens where none does
}

func newSentence(question string) *sentence {
	s := &sentence{Sentence: english.NewSentence(question)}
	s.Tokens = s.Tokens[:min(len(s.Tokens), maxTokens)]
	s.Words = s.Words[:len(s.Tokens)]
	s.HideQuotations()
	s.stop = s.End()
	return s
}

// single tells whether there is one sentence only.
func (s *sentence) single() bool { return s.stop+1 >= len(s.Tokens) }

// at returns token i of the first sentence in lower case, "" beyond it.
func (s *sentence) at(i int) string {
	if i >= s.stop {
		return ""
	}
	return s.Word(i)
}

// has tells whether the words stand in the first sentence from token i on.
func (s *sentence) has(i int, words string) (next int, ok bool) {
	next, ok = s.Has(i, words)
	return next, ok && next <= s.stop
}

// replace returns the edit that puts text in the place of the tokens i to j.
func (s *sentence) replace(i, j int, text string) perturb.Edit {
	was := s.Span(i, j)
	return perturb.ReplaceSpan{Start: s.Tokens[i].Start, End: s.Tokens[j-1].End, Was: was, With: text, From: candidate(was, text)}
}

// close returns the edits that end the first sentence with a mark. One without a
// mark gets only a question mark, and only at the end of the question.
func (s *sentence) close(mark string) []perturb.Edit {
	switch {
	case s.Is(s.stop, "?", ".") && s.Words[s.stop] != mark:
		return []perturb.Edit{s.replace(s.stop, s.stop+1, mark)}
	case s.stop == len(s.Tokens) && mark == "?" && s.stop > 0:
		at := s.Tokens[s.stop-1].End
		return []perturb.Edit{perturb.ReplaceSpan{Start: at, End: at, With: mark, From: candidate("", mark)}}
	}
	return nil
}

// upper tells whether the question begins with a capital letter.
func (s *sentence) upper() bool {
	r, _ := utf8.DecodeRuneInString(s.Text[s.Tokens[0].Start:])
	return unicode.IsUpper(r)
}

// capital writes words with a capital letter where upper asks for it, or the
// pronoun "I" begins them.
func capital(words string, upper bool) string {
	if upper || strings.HasPrefix(words, "i ") {
		return english.Capital(words)
	}
	return words
}
