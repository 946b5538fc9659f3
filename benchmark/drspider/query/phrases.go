package query

import (
	_ "embed"
	"iter"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

var (
	//go:embed data/words.txt
	wordText string
	//go:embed data/comparisons.txt
	comparisonText string
	//go:embed data/adjectives.txt
	adjectiveText string
	//go:embed data/superlatives.txt
	superlativeText string
	//go:embed data/poles.txt
	poleText string
	//go:embed data/opposites.txt
	oppositeText string
	//go:embed data/directions.txt
	directionText string
)

// words are the lists of data/words.txt.
var words = wordfile.ReadLists(wordText)

// listed reports whether a word is in one of the lists of data/words.txt.
func listed(list, word string) bool { return slices.Contains(words.Words(list), word) }

// anyOf reports whether a set has one of some words.
func anyOf(set map[string]bool, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

// oppositeRows are the rows of data/opposites.txt.
var oppositeRows = wordfile.Rows(oppositeText, 4)

// oppositeFor returns the opposite that data/opposites.txt has for a word, for columns with one of these words in their names:
// "older" for "newer" of a car's model year. It returns "" if no row fits.
func oppositeFor(word string, names map[string]bool) string {
	for _, row := range oppositeRows { // word, opposite, words that the column must have one of, words that it must lack
		if row[0] == word && anyOf(names, strings.Fields(row[2])) && !anyOf(names, strings.Fields(row[3])) {
			return row[1]
		}
	}
	return ""
}

// phraseList holds phrases with their senses, by first word, the longest first.
type phraseList[T any] map[string][]phrase[T]

// phrase is an entry of a [phraseList].
type phrase[T any] struct {
	words []string
	sense T
}

// add adds a phrase with its sense. The words of text must be in lower case.
func (l phraseList[T]) add(text string, sense T) {
	words := strings.Fields(text)
	list := append(l[words[0]], phrase[T]{words, sense})
	slices.SortStableFunc(list, func(a, b phrase[T]) int { return len(b.words) - len(a.words) })
	l[words[0]] = list
}

// match is a phrase in a question.
type match[T any] struct {
	first, end int // tokens, end exclusive
	sense      T
}

// at returns the longest phrase that begins at token i.
func (l phraseList[T]) at(q *question, i int) (m match[T], ok bool) {
	for _, p := range l[q.Word(i)] {
		if end := i + len(p.words); end <= len(q.Words) && slices.Equal(q.Words[i:end], p.words) {
			return match[T]{i, end, p.sense}, true
		}
	}
	return m, false
}

// in yields the phrases of a question from left to right, none overlapping another.
func (l phraseList[T]) in(q *question) iter.Seq[match[T]] {
	return func(yield func(match[T]) bool) {
		for i := 0; i < len(q.Words); i++ {
			m, ok := l.at(q, i)
			if !ok {
				continue
			}
			if !yield(m) {
				return
			}
			i = m.end - 1
		}
	}
}
