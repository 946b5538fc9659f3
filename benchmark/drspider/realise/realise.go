// Package realise words a gold SQL query as questions: by the shape of the query, the
// names of its tables and columns, and a phrasebook of how people ask for them. It
// returns an error for a query that it cannot express for certain.
//
// Dr.Spider's paraphrases are written by people and a large language model (section
// 3.2); these need neither, and hold for any schema.
//
// A query is read into a [plan] first. A [writer] then words the plan, and draws one
// wording wherever it has several.
package realise

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/sqlast"
)

// attempts is how often a query is worded anew, in search of different questions.
const attempts = 48

// maxWords is the number of words of the longest question that somebody would ask.
const maxWords = 50

// Question is a question that asks for what a query returns.
type Question struct {
	Text string
	// Manners has, for each column of the query, how the question refers to it.
	Manners map[dataset.ColumnRef]Manner
}

// Manner is how a question refers to a column.
type Manner uint8

// The manners: by its name, by other words for it, or implied by the entity or a verb
// ("which singers", "who wrote"), by an adjective ("the oldest") or by a value ("from
// France").
const (
	Named Manner = iota
	Reworded
	Carried
	Attributed
	Valued
)

// Questions words a resolved query as up to n different questions, the most fluent
// first. Near is the original question of the query, whose words every second attempt prefers, or
// "" if there is none. Synonyms returns nouns that may replace a column's name; it may be
// nil. If no question can be worded, the error is an [Unsupported].
func Questions(db *dataset.Database, q *sqlast.Query, b *sqlast.Binding, near string, synonyms func(dataset.ColumnRef) []string, rng *rand.Rand, n int) ([]Question, error) {
	if synonyms == nil {
		synonyms = func(dataset.ColumnRef) []string { return nil }
	}
	var found []question
	seen := map[string]bool{}
	var last error
	shared := &knowledge{
		db: withNames(withKeys(db)), binding: b, synonyms: synonyms, nouns: map[dataset.ColumnRef][]string{}, tables: map[int]rowKind{},
		phrases: map[dataset.ColumnRef]*heading.Asked{}, plans: map[*sqlast.Query]planned{}, verbs: map[[4]string][]string{},
		askedWords: wordSet(near), question: near,
	}
	shared.speakNames()
	shared.nameDetails()
	for i := range attempts {
		w := &writer{knowledge: shared, rng: rng, echoes: near != "" && i%2 == 1, manners: map[dataset.ColumnRef]Manner{}, columnNames: map[dataset.ColumnRef]string{}, chosenVerbs: map[string]string{}}
		text := w.query(q)
		if w.err != nil {
			last = w.err
			continue
		}
		text = english.Tidy(text)
		switch {
		case len(strings.Fields(text)) > maxWords:
			last = &Unsupported{"a question that is too long to be asked"}
			continue
		case shared.hasUnsaid(text):
			last = &Unsupported{"a name that has words which nobody says"}
			continue
		}
		if key := strings.ToLower(text); !seen[key] {
			seen[key] = true
			found = append(found, question{Question: Question{text, w.manners}, score: fluency.Score(text), grams: gramsOf(text), nested: len(relative.FindAllString(text, -1))})
		}
	}
	found = flattest(found, maxNested*(1+len(q.Compound)))
	if len(found) == 0 {
		return nil, cmp.Or(last, error(&Unsupported{"relative clauses within others"}))
	}
	picked := diverse(found, n)
	for i := range picked {
		picked[i].Text = withAcronyms(picked[i].Text, near)
	}
	return picked, nil
}

// question is a question with its fluency.
type question struct {
	Question
	score         float64
	grams         map[string]bool // its words and pairs of words, see [gramsOf]
	nested        int             // the number of its relative clauses
	nearestPicked float64         // the greatest overlap with a question that was picked
}

// flattest returns the questions with the fewest relative clauses, or none if all questions have more than most.
func flattest(found []question, most int) []question {
	least := most
	for _, q := range found {
		least = min(least, q.nested)
	}
	return lists.Filter(found, func(q question) bool { return q.nested == least })
}

// maxNested is how many relative clauses on some rows anybody would follow.
const maxNested = 3

// relative matches the pronouns of relative clauses.
var relative = lazyregexp.New(`\b(?:whose|who|that)\b`)

// diverse picks n questions: first the most fluent one, then in turn the one that is most
// fluent after a penalty for its greatest overlap with a question that was picked before.
func diverse(found []question, n int) []Question {
	var out []Question
	value := func(q question) float64 { return q.score - samenessPenalty*q.nearestPicked }
	for range min(n, len(found)) {
		picked := slices.MaxFunc(found, func(x, y question) int { return cmp.Compare(value(x), value(y)) })
		out = append(out, picked.Question)
		found = slices.DeleteFunc(found, func(q question) bool { return q.Text == picked.Text })
		for i := range found {
			found[i].nearestPicked = max(found[i].nearestPicked, overlap(found[i].grams, picked.grams))
		}
	}
	return out
}

// samenessPenalty is what full overlap costs in units of fluency, which is a mean over words.
const samenessPenalty = 6

// overlap returns the number of members that two sets share, divided by the number of members of either, 0..1.
func overlap(x, y map[string]bool) float64 {
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

// wordSet returns the words of a question, in lower case and without marks.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	isMark := func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), isMark) {
		set[w] = true
	}
	return set
}

// gramsOf returns the set of the words of a question and of its pairs of adjacent words, in lower case.
func gramsOf(text string) map[string]bool {
	set := map[string]bool{}
	words := strings.Fields(strings.ToLower(strings.Trim(text, ".?")))
	for i, w := range words {
		set[w] = true
		if i > 0 {
			set[words[i-1]+" "+w] = true
		}
	}
	return set
}

// Unsupported is the reason why a query was not worded.
type Unsupported struct{ Why string }

// Error implements [error].
func (e *Unsupported) Error() string { return "not realised: " + e.Why }

// knowledge caches what all draws of a writer share.
type knowledge struct {
	db      *dataset.Database
	binding *sqlast.Binding                      // resolves the column references of the query
	tables  map[int]rowKind                      // by index of the table
	phrases map[dataset.ColumnRef]*heading.Asked // results of [writer.askedAs]
	plans   map[*sqlast.Query]planned
	verbs   map[[4]string][]string // by the arguments of [knowledge.relation]

	synonyms   func(dataset.ColumnRef) []string // returns nouns that may replace the name of a column
	nouns      map[dataset.ColumnRef][]string   // results of synonyms
	askedWords map[string]bool                  // the words of the original question, see [Questions]
	question   string                           // that question
	unsaid     map[string]bool                  // words of names that nobody says
}

// memo returns the value of a key in a map. If the map lacks the key, it computes and stores the value first.
func memo[K comparable, V any](values map[K]V, key K, compute func() V) V {
	value, ok := values[key]
	if !ok {
		value = compute()
		values[key] = value
	}
	return value
}

// planned is a plan, or the reason why there is none.
type planned struct {
	plan *plan
	err  error
}

// writer expresses one query once. The first thing that it cannot word sets err, after
// which its texts are of no use.
type writer struct {
	*knowledge
	rng         *rand.Rand
	echoes      bool // of several wordings it draws those with words of the original question
	manners     map[dataset.ColumnRef]Manner
	columnNames map[dataset.ColumnRef]string // drawn once for each column
	chosenVerbs map[string]string            // drawn once for each list of verbs
	err         error
}

// unsupported records why the query cannot be phrased, and returns "".
func (w *writer) unsupported(format string, args ...any) string {
	w.fail(&Unsupported{fmt.Sprintf(format, args...)})
	return ""
}

// fail records an error, which may be nil, unless there is an earlier one.
func (w *writer) fail(err error) { w.err = cmp.Or(w.err, err) }

// draw returns one of several wordings at random; empty ones do not count. If w.echoes is set, it draws among those nearest to the original
// question.
func (w *writer) draw(wordings ...string) string {
	wordings = nonEmpty(wordings...)
	if len(wordings) == 0 {
		return w.unsupported("nothing to draw from")
	}
	if w.echoes {
		wordings = w.nearest(wordings)
	}
	return wordings[w.rng.IntN(len(wordings))]
}

// nearest returns the wordings with the greatest share of words that the original question has too.
func (w *writer) nearest(wordings []string) []string {
	shares := lists.Map(wordings, func(s string) float64 {
		words := wordSet(s)
		known := 0
		for word := range words {
			if w.askedWords[word] {
				known++
			}
		}
		return float64(known) / float64(max(len(words), 1))
	})
	most := slices.Max(shares)
	var out []string
	for i, s := range wordings {
		if shares[i] == most {
			out = append(out, s)
		}
	}
	return out
}

// nonEmpty returns the texts that are not "".
func nonEmpty(texts ...string) []string {
	return lists.Filter(texts, func(s string) bool { return s != "" })
}

// chance returns true with the given probability.
func (w *writer) chance(probability float64) bool { return w.rng.Float64() < probability }

// query returns a question for a whole query, by its kind: a set operation, groups, aggregates or rows. It returns "" and sets w.err if the
// query is unsupported.
func (w *writer) query(q *sqlast.Query) string {
	if q.With != nil {
		return w.unsupported("WITH")
	}
	if len(q.Compound) > 0 {
		return w.setQuestion(q)
	}
	p := w.plan(q)
	if w.err != nil {
		return ""
	}
	if len(p.groups) > 0 {
		return w.groupQuestion(p)
	}
	noun := w.rowNoun(p)
	if p.aggregated() {
		return w.withRounding(q, w.aggregateQuestion(p, noun))
	}
	return w.rowsQuestion(p, noun)
}
