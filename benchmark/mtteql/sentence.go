package mtteql

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxTokens bounds the work on one question; what is longer is left alone.
const maxTokens = 256

// sentence is a question in tokens. Only its first sentence is looked at.
type sentence struct {
	text string
	toks []perturb.Token
	low  []string // tokens in lower case; "" for what stands in quotes
	stop int      // the token that ends the first sentence, len(toks) where none does
}

func newSentence(question string) *sentence {
	s := &sentence{text: question, toks: perturb.Tokens(question)}
	s.toks = s.toks[:min(len(s.toks), maxTokens)]
	for _, t := range s.toks {
		s.low = append(s.low, strings.ToLower(question[t.Start:t.End]))
	}
	s.quote()
	s.stop = len(s.toks)
	for i := range s.toks {
		if s.ends(i) {
			s.stop = i
			break
		}
	}
	return s
}

// quotes pairs the marks that open and close a citation.
var quotes = map[string]string{`"`: `"`, "“": "”", "'": "'", "‘": "’", "`": "'"}

// quote empties the tokens within quotation marks. A single quote opens only at
// the beginning of a word: "the shops' names" has none.
func (s *sentence) quote() {
	for i := 0; i < len(s.low); i++ {
		closing := quotes[s.low[i]]
		if closing == "" || i > 0 && s.toks[i-1].End == s.toks[i].Start {
			continue
		}
		if n := slices.Index(s.low[i+1:], closing); n >= 0 {
			clear(s.low[i : i+n+2])
			i += n + 1
		}
	}
}

// ends tells whether the token ends a sentence. A point after a short word in
// title case is that of an abbreviation: "St. Louis".
func (s *sentence) ends(i int) bool {
	if i+1 < len(s.toks) && s.toks[i+1].Start == s.toks[i].End && s.low[i+1] != "" && s.low[i] != "?" {
		return false
	}
	switch s.low[i] {
	case "?", "!", ";":
		return true
	case ".":
		if i+1 == len(s.toks) || i == 0 {
			return true
		}
		before := s.text[s.toks[i-1].Start:s.toks[i-1].End]
		first, _ := utf8.DecodeRuneInString(before)
		return len(before) > 3 || !unicode.IsUpper(first)
	}
	return false
}

// single tells whether there is one sentence only.
func (s *sentence) single() bool { return s.stop+1 >= len(s.toks) }

// at returns token i of the first sentence in lower case, "" beyond it.
func (s *sentence) at(i int) string {
	if i < 0 || i >= s.stop {
		return ""
	}
	return s.low[i]
}

// has tells whether the words stand from token i on.
func (s *sentence) has(i int, words string) (next int, ok bool) {
	for w := range strings.SplitSeq(words, " ") {
		if s.at(i) != w {
			return i, false
		}
		i++
	}
	return i, true
}

// wordsAt returns what tokens i to j hold, as written.
func (s *sentence) wordsAt(i, j int) string { return s.text[s.toks[i].Start:s.toks[j-1].End] }

// replace returns the edit that puts text in the place of the tokens i to j.
func (s *sentence) replace(i, j int, text string) perturb.Edit {
	was := s.wordsAt(i, j)
	return perturb.ReplaceSpan{Start: s.toks[i].Start, End: s.toks[j-1].End, Was: was, With: text, From: candidate(was, text)}
}

// close returns the edits that end the first sentence with a mark. One without a
// mark gets only a question mark, and only at the end of the question.
func (s *sentence) close(mark string) []perturb.Edit {
	switch {
	case s.stop < len(s.toks) && (s.low[s.stop] == "?" || s.low[s.stop] == ".") && s.low[s.stop] != mark:
		return []perturb.Edit{s.replace(s.stop, s.stop+1, mark)}
	case s.stop == len(s.toks) && mark == "?" && s.stop > 0:
		at := s.toks[s.stop-1].End
		return []perturb.Edit{perturb.ReplaceSpan{Start: at, End: at, With: mark, From: candidate("", mark)}}
	}
	return nil
}

// upper tells whether the question begins with a capital letter.
func (s *sentence) upper() bool {
	r, _ := utf8.DecodeRuneInString(s.text[s.toks[0].Start:])
	return unicode.IsUpper(r)
}

// capital writes words with a capital letter where upper asks for it, or the
// pronoun "I" begins them.
func capital(words string, upper bool) string {
	r, size := utf8.DecodeRuneInString(words)
	if !upper && !strings.HasPrefix(words, "i ") || r == utf8.RuneError {
		return words
	}
	return string(unicode.ToUpper(r)) + words[size:]
}

// isPlural tells whether a lower-case word is a plural noun, as far as its form
// says.
func isPlural(word string) bool {
	switch word {
	case "people", "men", "women", "children":
		return true
	case "series", "species", "news", "gas", "status", "address", "class", "bus", "this", "is", "was", "has", "does", "its", "his", "as":
		return false
	}
	return lexicon.Singular(word) != word
}
