package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
)

// prefix is the beginning of a question that says nothing of what is asked for:
// a common prefix of table 2.
type prefix struct {
	words  string
	ask    bool // the sentence ends with a question mark
	phrase bool // a noun phrase may follow: "list the names"
	clause bool // a question may follow: "tell me what is the age"
	rude   bool // read where it stands, never put in
}

// declaratives are the common declarative prefixes: "tell me", "return", "find" and
// "list" are those of table 2, the others are of the same kind. Table 9 has "return" before a question.
var declaratives = []prefix{
	{words: "tell me", phrase: true, clause: true},
	{words: "return", phrase: true, clause: true},
	{words: "show me", phrase: true, clause: true},
	{words: "report", phrase: true, clause: true},
	{words: "find out", phrase: true, clause: true},
	{words: "identify", phrase: true, clause: true},
	{words: "please tell me", phrase: true, clause: true},
	{words: "please show me", phrase: true, clause: true},
	{words: "please find out", phrase: true, clause: true},
	{words: "can you tell me", phrase: true, clause: true, ask: true},
	{words: "can you show me", phrase: true, clause: true, ask: true},
	{words: "could you tell me", phrase: true, clause: true, ask: true},
	{words: "could you show me", phrase: true, clause: true, ask: true},
	{words: "can you find out", phrase: true, clause: true, ask: true},
	{words: "i want to know", phrase: true, clause: true},
	{words: "i would like to know", phrase: true, clause: true},
	{words: "i need to know", phrase: true, clause: true},
	{words: "state", phrase: true, clause: true},
	{words: "can you find", phrase: true, clause: true, ask: true},
	{words: "i want to find out", phrase: true, clause: true},
	{words: "i want to see", phrase: true, clause: true},
	{words: "find", phrase: true},
	{words: "list", phrase: true},
	{words: "show", phrase: true},
	{words: "give", phrase: true},
	{words: "give me", phrase: true},
	{words: "display", phrase: true},
	{words: "get", phrase: true},
	{words: "provide", phrase: true},
	{words: "retrieve", phrase: true},
	{words: "please show", phrase: true},
	{words: "please list", phrase: true},
	{words: "please find", phrase: true},
	{words: "please give me", phrase: true},
	{words: "can you list", phrase: true, ask: true},
	{words: "can you give me", phrase: true, ask: true},
	{words: "could you list", phrase: true, ask: true},
	{words: "could you give me", phrase: true, ask: true},
	{words: "let me know", clause: true},
	{words: "please let me know", clause: true},
	{words: "determine", clause: true},
	{words: "do you know", clause: true, ask: true},
	{words: "would you tell me", clause: true, ask: true},
	{words: "can you please tell me", clause: true, ask: true},
	{words: "could you please tell me", clause: true, ask: true},
	{words: "please give", phrase: true, rude: true},
	{words: "please display", phrase: true, rude: true},
	{words: "give us", phrase: true, rude: true},
	{words: "show us", phrase: true, rude: true},
	{words: "tell us", phrase: true, clause: true, rude: true},
}

// interrogatives are the common interrogative prefixes, of table 2 and in the
// past tense.
var interrogatives = []string{"what is", "what are", "what was", "what were", "what's", "which is", "which are", "which was", "which were"}

// questionWords begin a question: a common interrogative prefix or, where more
// than "is" follows, a special one ("how many", "which airlines").
var questionWords = []string{"what", "which", "who", "whom", "whose", "when", "where", "how", "what's", "who's", "why"}

func isQuestionWord(w string) bool { return slices.Contains(questionWords, w) }

// opening is the common prefix that a question begins with.
type opening struct {
	words string
	body  int  // the token after it
	asks  bool // it is an interrogative prefix
	// clause says that the body is a question of its own: "tell me how many".
	clause bool
}

// opening reads the longest common prefix at the beginning.
func (s *sentence) opening() (o opening, ok bool) {
	for _, words := range interrogatives {
		if next, is := s.has(0, words); is && next > o.body {
			o, ok = opening{words: words, body: next, asks: true}, true
		}
	}
	for _, p := range declaratives {
		if next, is := s.has(0, p.words); is && next > o.body {
			o, ok = opening{words: p.words, body: next, clause: isQuestionWord(s.at(next))}, true
		}
	}
	return o, ok && o.body < s.stop
}

// notObject are words that no noun phrase begins with: after "what is" or "tell
// me" they say that something else is asked for or done.
var notObject = set(`there it they he she we you that this these those not in on at of to from for with about by between above below
	under over if whether as and or out up me us also then how being going used called named located made produced`)

// tells are words that begin another request after "and" or a comma.
var tells = set(`return list show sort order rank group tell give find count also please include what which who whom whose when where how
	why is are was were do does did`)

// stranded are words that end a sentence only where its object was moved to the
// front: "what are the cars made of".
var stranded = set(`of in from for to with by at on about into like called named look made`)

// set splits words at blanks.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// object tells whether a noun phrase seems to begin at the body.
func (s *sentence) object(body int) bool {
	w := s.at(body)
	return body < s.stop && !notObject[w] && !isQuestionWord(w) && (w != "" || s.Words[body] == "") && !isMark(w)
}

func isMark(w string) bool { return len(w) == 1 && strings.Contains(",.:;!?()-/", w) }

// one tells whether the sentence from the body on is that noun phrase and nothing
// else: no other request follows, and no object was moved to its front.
func (s *sentence) one(body int) bool {
	if !s.object(body) || stranded[s.at(s.stop-1)] {
		return false
	}
	for i := body + 1; i+1 < s.stop; i++ {
		if w := s.Words[i]; w == "and" || w == "," || w == "or" || w == "also" || w == "then" {
			if tells[s.Words[i+1]] {
				return false
			}
		}
	}
	return true
}

// boundaries end the head of a noun phrase.
var boundaries = set(`of for in on at from with without by to that which who whom whose where when as per among across between within
	under over above below before after during than is are was were has have had do does did can could will would may must be
	and or , : ( - not only sorted ordered grouped if along`)

// number tells whether the noun phrase at the body is singular or plural, as the
// verb before it has to be: "is the name", "are the names", "are the name and
// age". It knows phrases with "the" and "all" only, and not all of those.
func (s *sentence) number(body int) (be string, ok bool) {
	i, all := body, s.at(body) == "all"
	if all {
		i++
	}
	if s.at(i) == "the" {
		i++
	} else if !all {
		return "", false
	}
	start := i
	for i < s.stop && !boundaries[s.Words[i]] && !(i > start && isParticiple(s.Words[i]) && english.IsPlural(s.Words[i-1])) {
		if s.Words[i] == "" {
			return "", false
		}
		i++
	}
	if i == start {
		return "", false
	}
	head := s.Words[i-1]
	switch next := s.at(i); {
	case next == "," || next == "and":
		return "are", true
	case english.IsPlural(head):
		return "are", true
	case all || strings.HasSuffix(head, "ed") || !isWord(head):
		return "", false
	}
	return "is", true
}

func isParticiple(w string) bool {
	return len(w) > 4 && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing"))
}

func isWord(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}
