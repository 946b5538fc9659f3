package mtteql

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/phrase"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxTokens bounds the work on one question; what is longer is left alone.
const maxTokens = 256

// sentence is a question without its quotations, up to the mark that ends its first
// sentence.
type sentence struct {
	*english.Sentence
	rest []english.Token // the mark, and what follows
}

// newQuestion returns the words of a question up to maxTokens, of all its sentences, with quotations hidden.
func newQuestion(question string) *sentence {
	s := english.NewSentence(question)
	s.Tokens = s.Tokens[:min(len(s.Tokens), maxTokens)]
	s.Words = s.Words[:len(s.Tokens)]
	s.HideQuotations()
	return &sentence{Sentence: s}
}

// newSentence returns the words of the first sentence of a question; rest holds the mark that ends it and what follows.
func newSentence(question string) *sentence {
	s := newQuestion(question)
	end := s.End()
	s.Words, s.Tokens, s.rest = s.Words[:end], s.Tokens[:end], s.Tokens[end:]
	return s
}

// isOneSentence reports whether there is one sentence only.
func (s *sentence) isOneSentence() bool { return len(s.rest) <= 1 }

// Class implements [phrase.Text]: it returns 1 if the token at i is of a class, else 0. WORD is any word outside
// quotations, QUOTED any within, and ANY both. PLURAL is a plural, REDUCED a participle after a plural, as in "the
// cars produced". All other classes are lists of data/words.txt.
func (s *sentence) Class(name string, i int) int {
	if i < 0 || i >= len(s.Words) {
		return 0
	}
	var is bool
	switch w := s.Words[i]; name {
	case "ANY":
		is = true
	case "WORD":
		is = w != ""
	case "QUOTED":
		is = w == ""
	case "PLURAL":
		is = english.IsPlural(w)
	case "REDUCED":
		is = participle.MatchString(w) && english.IsPlural(s.Word(i-1))
	default:
		is = slices.Contains(words[name], w)
	}
	return phrase.One(is)
}

// participle matches words with the ending of a participle, and three letters before it.
var participle = lazyregexp.New(`^(...+ed|..+ing)$`)

// replace returns the edit that puts text in the place of the tokens i to j.
func (s *sentence) replace(i, j int, text string) perturb.Edit {
	return s.replaceBytes(s.Tokens[i].Start, s.Tokens[j-1].End, text)
}

// replaceBytes returns the edit that puts text in the place of the bytes from start to before end.
func (s *sentence) replaceBytes(start, end int, text string) perturb.Edit {
	was := s.Text[start:end]
	return perturb.ReplaceSpan{Start: start, End: end, Was: was, With: text, From: perturb.Certain(text, "rules", was+" -> "+text)}
}

// endWith returns the edits that end the sentence with a mark: they replace "?" by "." or the reverse, and no other token. If
// nothing follows the sentence, they append a question mark, but no full stop.
func (s *sentence) endWith(mark string) []perturb.Edit {
	if len(s.rest) == 0 { // rest is the mark of the sentence and what follows
		if mark != "?" {
			return nil
		}
		end := s.Tokens[len(s.Tokens)-1].End
		return []perturb.Edit{s.replaceBytes(end, end, mark)}
	}
	t := s.rest[0]
	if was := t.Of(s.Text); was == mark || !strings.Contains("?.", was) {
		return nil
	}
	return []perturb.Edit{s.replaceBytes(t.Start, t.End, mark)}
}

// beginsUpper reports whether the question begins with a capital letter.
func (s *sentence) beginsUpper() bool {
	r, _ := utf8.DecodeRuneInString(s.Text[s.Tokens[0].Start:])
	return unicode.IsUpper(r)
}

// capital returns words with a capital letter at the beginning if upper is set or they begin with the pronoun "I".
func capital(words string, upper bool) string {
	if upper || strings.HasPrefix(words, "i ") {
		return english.Capital(words)
	}
	return words
}
