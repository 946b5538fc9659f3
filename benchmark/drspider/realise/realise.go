// Package realise says a gold SQL query as questions: by the shape of the query, the
// names of its tables and columns, and a phrasebook of how people ask for them. It
// abstains from what it cannot say for certain.
//
// Dr.Spider's paraphrases are written by people and a large language model (section
// 3.2); these need neither, and hold for any schema.
package realise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/sqlast"
)

// draws is how often a query is said anew, in search of different questions.
const draws = 48

// Question is a question that asks for what a query returns.
type Question struct {
	Text string
	// Said is how each column of the query is said.
	Said map[dataset.ColumnRef]Manner
}

// Manner is how a question says a column.
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

// Questions says a resolved query as up to n different questions, the most fluent
// first. Synonyms are nouns that may stand for a column here; nil for none. The error is
// an [Abstained].
func Questions(db *dataset.Database, q *sqlast.Query, b *sqlast.Binding, synonyms func(dataset.ColumnRef) []string, rng *rand.Rand, n int) ([]Question, error) {
	var found []question
	seen := map[string]bool{}
	var last error
	known := &known{db: db, b: b, synonyms: synonyms, nouns: map[dataset.ColumnRef][]string{}, tables: map[int]rowKind{}, phrases: map[dataset.ColumnRef]*heading.Asked{}, plans: map[*sqlast.Query]planned{}, verbs: map[[4]string][]string{}}
	for range draws {
		w := &writer{known: known, rng: rng, said: map[dataset.ColumnRef]Manner{}, called: map[dataset.ColumnRef]string{}, chosen: map[string]string{}}
		text := w.query(q)
		if w.err != nil {
			last = w.err
			continue
		}
		text = tidy(text)
		if key := strings.ToLower(text); !seen[key] {
			seen[key] = true
			found = append(found, question{Question: Question{text, w.said}, score: fluency.Score(text), words: wordsOf(text)})
		}
	}
	if len(found) == 0 {
		return nil, last
	}
	return diverse(found, n), nil
}

// question is a question with how fluent it is.
type question struct {
	Question
	score float64
	words map[string]bool
	near  float64 // what it has in common with the nearest that was picked
}

// diverse picks the most fluent question, then in turn the one that is most fluent for
// how little it has in common with those picked.
func diverse(found []question, n int) []Question {
	var out []Question
	for len(out) < n && len(found) > 0 {
		best := 0
		for i, f := range found {
			if f.score-sameness*f.near > found[best].score-sameness*found[best].near {
				best = i
			}
		}
		picked := found[best]
		out = append(out, picked.Question)
		found = slices.Delete(found, best, best+1)
		for i := range found {
			found[i].near = max(found[i].near, overlap(found[i].words, picked.words))
		}
	}
	return out
}

// sameness is what a word in common costs beside fluency, which is a mean over words.
const sameness = 6

// overlap is the share of the words of two questions that both have.
func overlap(x, y map[string]bool) float64 {
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func wordsOf(text string) map[string]bool {
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

// Abstained says why a query was not realised.
type Abstained struct{ Why string }

func (e *Abstained) Error() string { return "not realised: " + e.Why }

// known is what holds however a query is said: it is found out once.
type known struct {
	db      *dataset.Database
	b       *sqlast.Binding
	tables  map[int]rowKind
	phrases map[dataset.ColumnRef]*heading.Asked // nil for those of which nothing is known
	plans   map[*sqlast.Query]planned
	verbs   map[[4]string][]string // of relations

	synonyms func(dataset.ColumnRef) []string
	nouns    map[dataset.ColumnRef][]string // what synonyms said
}

// others returns nouns that may stand for a column.
func (k *known) others(c dataset.ColumnRef) []string {
	if k.synonyms == nil {
		return nil
	}
	list, ok := k.nouns[c]
	if !ok {
		list = k.synonyms(c)
		k.nouns[c] = list
	}
	return list
}

// planned is a plan, or why there is none.
type planned struct {
	plan *plan
	err  error
}

// writer says one query once. The first thing that it cannot say stops it.
type writer struct {
	*known
	rng    *rand.Rand
	said   map[dataset.ColumnRef]Manner
	called map[dataset.ColumnRef]string // the nouns of columns, drawn once
	chosen map[string]string            // of verbs
	err    error
}

// silent returns a writer for a part whose failure need not stop all.
func (w *writer) silent() *writer {
	return &writer{known: w.known, rng: w.rng, said: w.said, called: w.called, chosen: w.chosen}
}

// abstain notes why the query cannot be said; what is written further is of no use.
func (w *writer) abstain(format string, args ...any) string {
	if w.err == nil {
		w.err = &Abstained{fmt.Sprintf(format, args...)}
	}
	return ""
}

// one draws one of several wordings; empty ones are none.
func (w *writer) one(wordings ...string) string {
	wordings = slices.DeleteFunc(slices.Clone(wordings), func(s string) bool { return s == "" })
	if len(wordings) == 0 {
		return w.abstain("nothing to draw from")
	}
	return wordings[w.rng.IntN(len(wordings))]
}

func (w *writer) chance(of float64) bool { return w.rng.Float64() < of }

// tidy leaves one blank between words, none before a mark that closes, and begins with
// a capital.
func tidy(q string) string {
	q = strings.Join(strings.Fields(q), " ")
	for _, mark := range []string{",", ".", "?", "!"} {
		q = strings.ReplaceAll(q, " "+mark, mark)
	}
	return english.Capital(q)
}

// list joins phrases by commas and a conjunction.
func list(items []string, conjunction string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	case 2:
		return items[0] + " " + conjunction + " " + items[1]
	default:
		return strings.Join(items[:n-1], ", ") + " " + conjunction + " " + items[n-1]
	}
}

// query says a query at the top.
func (w *writer) query(q *sqlast.Query) string {
	switch {
	case q.With != nil:
		return w.abstain("WITH")
	case len(q.Compound) > 0:
		return w.set(q)
	}
	p := w.plan(q)
	if w.err != nil {
		return ""
	}
	switch {
	case len(p.groups) > 0:
		return w.grouped(p)
	case p.aggregated():
		return w.aggregates(p)
	}
	return w.rows(p)
}
