package english

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a question, or a part of one, by its tokens. Positions count
// tokens from 0; a range is from its first token to before its end.
type Sentence struct {
	Text   string
	Tokens []Token
	Words  []string // the tokens in lower case, "" for what no rule may read: see [Sentence.Hide]
}

// Enumerate joins phrases by commas and, before the last, a conjunction: "name, age and city".
func Enumerate(phrases []string, conjunction string) string {
	last := len(phrases) - 1
	if last < 1 {
		return strings.Join(phrases, "")
	}
	return strings.Join(phrases[:last], ", ") + " " + conjunction + " " + phrases[last]
}

// Tidy leaves one blank between words and none before a mark, and begins with a capital: "how  many singers ?" gives
// "How many singers?".
func Tidy(sentence string) string {
	return Capital(beforeMarks.Replace(strings.Join(strings.Fields(sentence), " ")))
}

// beforeMarks drops the blank before a mark.
var beforeMarks = strings.NewReplacer(" ,", ",", " .", ".", " ?", "?", " !", "!", " ;", ";")

// NewSentence splits a text into tokens.
func NewSentence(text string) *Sentence {
	s := &Sentence{Text: text, Tokens: Tokens(text)}
	s.Words = make([]string, len(s.Tokens))
	for i, t := range s.Tokens {
		s.Words[i] = strings.ToLower(t.Of(text))
	}
	return s
}

// Word returns the token i in lower case, "" outside the sentence.
func (s *Sentence) Word(i int) string {
	if i < 0 || i >= len(s.Words) {
		return ""
	}
	return s.Words[i]
}

// Is reports whether the token i is one of the words.
func (s *Sentence) Is(i int, words ...string) bool {
	return slices.Contains(words, s.Word(i))
}

// Skip returns the first position from i on whose token is none of the words.
func (s *Sentence) Skip(i int, words ...string) int {
	for s.Is(i, words...) {
		i++
	}
	return i
}

// From returns the first token that begins at or after a byte of the text, or -1.
func (s *Sentence) From(start int) int {
	return slices.IndexFunc(s.Tokens, func(t Token) bool { return t.Start >= start })
}

// Has reports whether the words of a phrase follow each other from position i on, and returns the position
// after them.
func (s *Sentence) Has(i int, phrase string) (end int, ok bool) {
	for w := range strings.FieldsSeq(phrase) {
		if s.Word(i) != w {
			return 0, false
		}
		i++
	}
	return i, true
}

// Runs returns the positions in words at which run begins; none for an empty run.
func Runs(words, run []string) (at []int) {
	if len(run) == 0 {
		return nil
	}
	for i := range len(words) - len(run) + 1 {
		if slices.Equal(words[i:i+len(run)], run) {
			at = append(at, i)
		}
	}
	return at
}

// Span returns the text of a range of tokens, "" for none.
func (s *Sentence) Span(start, end int) string {
	if start < 0 || end > len(s.Tokens) || start >= end {
		return ""
	}
	return s.Text[s.Tokens[start].Start:s.Tokens[end-1].End]
}

// Hide hides a range of tokens from rules: quotations, names, values.
func (s *Sentence) Hide(start, end int) { clear(s.Words[start:end]) }

// HideQuotations hides quotation marks and the words between them.
func (s *Sentence) HideQuotations() {
	for i, quoted := range Quoted(s.Text, s.Tokens) {
		if quoted {
			s.Hide(i, i+1)
		}
	}
}

// End returns the position of the mark that ends the first sentence, or the number of tokens if none does. A point
// after a short word in title case belongs to an abbreviation: "St. Louis".
func (s *Sentence) End() int {
	for i := range s.Tokens {
		if s.ends(i) {
			return i
		}
	}
	return len(s.Tokens)
}

// ends reports whether the token i ends a sentence.
func (s *Sentence) ends(i int) bool {
	last := i+1 == len(s.Tokens)
	joinsNext := !last && s.Tokens[i+1].Start == s.Tokens[i].End && s.Words[i+1] != ""
	if joinsNext && s.Words[i] != "?" {
		return false // a word follows without a blank, as in "e.g."
	}
	switch s.Words[i] {
	case "?", "!", ";":
		return true
	case ".":
		return last || i == 0 || !isTitle(s.Tokens[i-1].Of(s.Text))
	}
	return false
}

// isTitle reports whether a word may be the abbreviation of a title or the like.
func isTitle(word string) bool {
	const longest = 3
	first, _ := utf8.DecodeRuneInString(word)
	return len(word) <= longest && unicode.IsUpper(first)
}

// Quoted returns for each token of a text whether it is a quotation mark or between two. A single quote opens a
// quotation if a blank precedes it and none follows. An opening mark that nothing closes counts for nothing.
func Quoted(text string, tokens []Token) []bool {
	quoted := make([]bool, len(tokens))
	for i := 0; i < len(tokens); i++ {
		closing := closingMarks(text, tokens[i])
		if closing == "" {
			continue
		}
		closes := func(t Token) bool { return strings.Contains(closing, t.Of(text)) }
		if n := slices.IndexFunc(tokens[i+1:], closes); n >= 0 { // n tokens are between the marks
			for range n + 1 { // the opening mark and these
				quoted[i] = true
				i++
			}
			quoted[i] = true
		}
	}
	return quoted
}

// closingMarks returns the marks that close the quotation which a token opens,
// or "" if it opens none.
func closingMarks(text string, t Token) string {
	switch t.Of(text) {
	case `"`, "“", "”":
		return "\"“”"
	case "`":
		if strings.HasPrefix(text[t.End:], "`") { // Spider's tokens: ``a value''
			return "'’"
		}
		return "`'’"
	case "'", "‘", "’":
		before, _ := utf8.DecodeLastRuneInString(text[:t.Start])
		after, _ := utf8.DecodeRuneInString(text[t.End:])
		opens := t.Start == 0 || before == '(' || unicode.IsSpace(before)
		if opens && t.End < len(text) && !unicode.IsSpace(after) {
			return "'’"
		}
	}
	return ""
}
