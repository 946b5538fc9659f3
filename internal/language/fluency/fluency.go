// Package fluency scores how natural a question reads: the naturalness of
// MT-TEQL (section 5), which is the fluency score of Ge, Wei and Zhou (2018,
// section 3.1). For a question x of |x| words it is
//
//	f(x) = 1 / (1 + H(x)),  H(x) = -1/|x| Σ ln P(x_i | x_<i)
//
// between 0 and 1, the higher the more fluent. The papers take P from a large
// network over a large corpus; here it is a small n-gram model of questions to
// databases that runs in process from an embedded file of counts, so its scores
// compare with each other and not with the papers'.
//
//	s := fluency.Score("What is the age of all singers?")
package fluency

import (
	"bytes"
	_ "embed"
	"math"
	"strings"
	"sync"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Threshold is a score below which a question is suspect: of a hundred questions
// of Spider's development set, about one is below it.
const Threshold = 0.13

// order is the longest n-gram.
const order = 3

// maxWords bounds what is read of one question.
const maxWords = 256

// Words that stand for what is no word of the vocabulary.
const (
	begin   = "<s>"
	end     = "</s>"
	unknown = "<unk>"
	number  = "<num>"
)

// Model is an n-gram model of questions. It is read-only and safe for concurrent
// use.
type Model struct {
	// contexts holds, by the words before, which words followed how often; the
	// key of the words before is their join by blanks, "" for none.
	contexts map[string]*context
	rare     int // number of distinct words that count as unknown
}

// context counts what follows some words. A rare n-gram is counted without its last
// word.
type context struct {
	total, types int            // all that followed and how many different ones, the rare ones included
	kept         int            // sum of the counts in words
	words        map[string]int // how often each word followed, without rare ones
}

//go:embed model.txt.gz
var embedded []byte

// Default returns the embedded model. It is of the questions of Spider's training
// set and of WikiSQL, WikiTableQuestions and BIRD, which are put in more ways than
// Spider's, and of the embedded sample. It is made at the first call and shared.
var Default = sync.OnceValue(func() *Model {
	m, err := Read(bytes.NewReader(embedded))
	if err != nil {
		panic("fluency: embedded model: " + err.Error()) // a broken build
	}
	return m
})

// Score returns the naturalness of a question by the embedded model, from 0 to 1.
func Score(question string) float64 { return Default().Score(question) }

// Score returns the naturalness of a question, from 0 to 1, of four digits. A question without
// words has 0.
func (m *Model) Score(question string) float64 {
	ws := words(question)
	if len(ws) == 0 {
		return 0
	}
	history, entropy := []string{begin, begin}, 0.0
	ws = append(ws, end)
	for _, w := range ws {
		known := w == end || m.Knows(w)
		if !known {
			w = unknown
		}
		p := m.probability(history, w)
		if !known {
			p /= float64(m.rare) // one of the words that the class stands for
		}
		entropy -= math.Log(p)
		history = append(history[1:], w)
	}
	return decimal.Round(1 / (1 + entropy/float64(len(ws))))
}

// Knows reports whether a word, in lower case, is in the vocabulary: whether several questions have it.
func (m *Model) Knows(word string) bool {
	c := m.contexts[""]
	return c != nil && c.words[word] > 0
}

// probability returns the probability of a word after the words of history, interpolated over n-grams of
// all lengths by Witten and Bell (1991): the more different words followed a context, the likelier the next
// is a new one. Pruned n-grams count as new.
func (m *Model) probability(history []string, word string) float64 {
	p := 1.0
	if c := m.contexts[""]; c != nil {
		p /= float64(len(c.words) + 1) // each word of the vocabulary, or an unknown one
	}
	for n := range order {
		c := m.contexts[strings.Join(history[order-1-n:], " ")] // the last n words
		if c == nil {
			continue
		}
		novel := float64(c.types + c.total - c.kept) // different words that followed, and occurrences of pruned ones
		// The conversion keeps processors that fuse both operations from rounding otherwise.
		p = (float64(c.words[word]) + float64(novel*p)) / float64(c.total+c.types)
	}
	return p
}

// words returns the words of a question in lower case, numbers as one word.
func words(question string) []string {
	var out []string
	for _, t := range english.Tokens(question) {
		if len(out) == maxWords {
			break
		}
		w := strings.ToLower(question[t.Start:t.End])
		if strings.ContainsFunc(w, unicode.IsDigit) {
			w = number
		}
		out = append(out, w)
	}
	return out
}
