package mtteql

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// PrefixInsertion puts a common declarative prefix before a question that begins
// with an interrogative one, common or special. The paper leaves the order of words as
// it is: "tell me what is the age of all singers?". A question within a request has that
// of a statement, so here it gets that order where the rule is sure of it. Before other
// questions stands a prefix that takes them as they are.
var PrefixInsertion = metamorphic("prefix-insertion", "section 3.1",
	"Puts a request (\"tell me\") before a question that begins with an interrogative.", relation{insertPrefix, 0.6}.run)

const noInterrogative = "no-interrogative-prefix"

// insertPrefix returns the edits that put each fitting request before an interrogative question.
func insertPrefix(_ *dataset.Database, ex *perturb.Example) (options [][]perturb.Edit, reason perturb.Reason) {
	s := newSentence(ex.Question)
	if len(s.Tokens) < 2 || !question.Fits(s, 0) {
		return nil, noInterrogative
	}
	embeds, moves := s.movesToEmbed()
	for _, p := range prefixes {
		start := []perturb.Edit{s.replace(0, 1, capital(p.words, s.beginsUpper())+" "+s.Words[0])}
		switch {
		case p.isPolite() && s.isPolite(): // one "please" is enough
		case p.ahead:
			options = append(options, start)
		case embeds && slices.Contains(p.follows, "question"):
			options = append(options, slices.Concat(start, moves, s.endWith(p.mark)))
		}
	}
	return options, ""
}

// maxMoved is how many words a verb may move over: behind more it is hard to read.
const maxMoved = 8

// Patterns of questions, by what their statement does to the order of words.
var (
	// copular matches a question with "be" before its subject: "what is the".
	copular = grammar.Must("^ what|which is|are|was|were the")
	// existing matches "how many … are there"; the brackets hold "are there".
	existing = grammar.Must("^ how many (NOUN / of)+ [is|are|was|were there]")
	// subject matches a question for its subject, whose order stays: "which singers have more".
	subject = grammar.Must("^ (how many / what|which) NOUN+ (is|are|was|were PLACED / have|has|had COMPARED)")
	// clausal matches a word that begins a clause, or a participle after a plural.
	clausal = grammar.Must("CLAUSAL|REDUCED")
)

// movesToEmbed returns the edits that turn the question into a clause of a request: "what are the names" into "what the names are",
// "how many are there" into "how many there are". A question for its subject ("which singers have more") needs none. known is
// false if the order of words in the clause is not known.
func (s *sentence) movesToEmbed() (known bool, moves []perturb.Edit) {
	end := len(s.Tokens)
	if stranded.Fits(s, end-1) || anotherRequest.Within(s, 1, end) { // a preposition without object, or "and list"
		return false, nil
	}
	if copular.Fits(s, 0) {
		if end < 4 || end-2 > maxMoved { // too few words for a noun phrase, or too many to move the verb over
			return false, nil
		}
		if clausal.Within(s, 2, end) || !s.isOneNounPhrase(2) {
			return false, nil
		}
		last := s.Tokens[end-1]
		return true, []perturb.Edit{ // the verb moves behind the last word
			s.replace(1, 3, s.Span(2, 3)), s.replaceBytes(last.Start, last.End, last.Of(s.Text)+" "+s.Words[1]),
		}
	}
	if m, ok := existing.At(s, 0); ok {
		return true, []perturb.Edit{s.replace(m.Part.Start, m.Part.End, "there "+s.Words[m.Part.Start])}
	}
	return subject.Fits(s, 0), nil
}
