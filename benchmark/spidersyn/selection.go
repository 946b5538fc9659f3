package spidersyn

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// MultiAnnotation is the paper's defence, multi-annotation selection: "for each
// schema item, we check whether any annotations appear in the NL question, and we
// select such annotations as the model input". What it writes is a schema for each
// question, in which the natural names are those that the question uses; SQL
// names, questions and content stay.
//
// The paper does not say which of several annotations that appear is taken: here
// the longest, then the first. An item whose own name appears keeps it, and so do all items where no annotation
// appears: such questions have a variant too, so that figures are of all questions. Nor does it
// say what appearing is: here a name does not where its words are a verb ("Show the
// …", "sorted", for a show and a sort), are of a set phrase ("into account"), lie in
// the own name of another item, or count one ("number of flights", for a flight number).
var MultiAnnotation = &perturb.Perturbation{
	Name:     "spidersyn/multi-annotation",
	Doc:      "Gives every table and column that goes by several names the one that stands in the question as its natural name; where none stands there, it keeps its own.",
	Paper:    "Spider-Syn, section 3.1",
	Version:  3,
	Relation: perturb.Invariant,
	Run:      selectAnnotations,
}

// Reasons of rejection.
const (
	noAnnotations = "no-annotations"
)

// selectAnnotations reports a variant for each distinct schema, with all examples
// that have it.
func selectAnnotations(p *perturb.Pass) error {
	s := newSelector(p.DB, annotationsOf(p.DB, p.Resources))
	if len(s.items) == 0 {
		p.RejectAll(p.Examples, 0, noAnnotations)
		return p.Context.Err()
	}
	variants := map[string]*perturb.Variant{}
	var order []*perturb.Variant
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		edits := s.relabel(ex.Question)
		if len(edits) == 0 {
			edits = s.defaults()
		}
		key, err := perturb.VariantID(p.DB.ID, edits)
		if err != nil {
			return err
		}
		if variants[key] == nil {
			variants[key] = &perturb.Variant{Edits: edits}
			order = append(order, variants[key])
		}
		variants[key].Examples = append(variants[key].Examples, ex)
	}
	for _, v := range order {
		p.Report(*v)
	}
	return nil
}

// annotationsOf returns the annotations that were given, else those that the
// dictionary makes.
func annotationsOf(db *dataset.Database, res perturb.Resources) perturb.Annotations {
	if res.Annotations != nil {
		return res.Annotations
	}
	return AutoAnnotations(db, res)
}

// selector selects the names of a database's items by questions.
type selector struct {
	items []annotated
	own   []ownName       // of all items, without repetitions
	words map[string]bool // of all names of items
}

// ownName is an item's own name in normal form.
type ownName struct {
	words string
	table bool
}

// annotated is an item with the names that it goes by.
type annotated struct {
	id    dataset.ColumnID
	names []annotation // its own first
}

// annotation is a name with its words in the form in which questions are searched.
type annotation struct {
	text  string
	words string
}

// newSelector reads the names of all items of a database, with their annotations.
func newSelector(db *dataset.Database, all perturb.Annotations) *selector {
	s := &selector{words: map[string]bool{}}
	for t, table := range db.Tables {
		s.add(all, dataset.ColumnID{DB: db.ID, Table: table.Original}, table.Name)
		for c, column := range table.Columns {
			s.add(all, db.ColumnID(dataset.ColumnRef{Table: t, Column: c}), column.Name)
		}
	}
	return s
}

// add adds an item with its own name, and its annotations if it has any.
func (s *selector) add(all perturb.Annotations, id dataset.ColumnID, own string) {
	if o := (ownName{lexicon.Normal(own), id.Column == ""}); o.words != "" && !slices.Contains(s.own, o) {
		s.own = append(s.own, o)
	}
	alternatives := all[id.Key()]
	if len(alternatives) == 0 {
		return
	}
	item := annotated{id: id}
	for _, text := range append([]string{own}, alternatives...) {
		words := lexicon.Normal(text)
		for w := range strings.FieldsSeq(words) {
			s.words[w] = true
		}
		item.names = append(item.names, annotation{text, words})
	}
	s.items = append(s.items, item)
}

// asked is a question as names are looked up in it: its words in the singular, and
// as lemmas, with a mark where no name can go on, and the own names that the question has.
type asked struct {
	singular, lemmas []string
	own              []ownSpan
}

// ownSpan says that the words from start to before end are an own name.
type ownSpan struct {
	ownName
	start, end int
}

// asked reads a question as the words among which names are looked up.
func (s *selector) asked(question string) asked {
	var q asked
	_, words := questionWords(question)
	for i, w := range words {
		one, lemma := bar, bar
		if w.text != "" && !words.isImperative(i) && !words.isVerb(i, i) && !words.isSetNoun(i) {
			one, lemma = w.one, s.lemma(w)
		}
		q.singular, q.lemmas = append(q.singular, one), append(q.lemmas, lemma)
	}
	for _, o := range s.own {
		words := strings.Fields(o.words)
		for _, i := range english.Runs(q.singular, words) {
			q.own = append(q.own, ownSpan{o, i, i + len(words)})
		}
	}
	return q
}

// hasName reports whether the words of the question have the name of an item, not as a part of another item's own name, nor as a
// count of a table's rows.
func (q asked) hasName(words []string, name, own string) bool {
	run := strings.Fields(name)
	others := lists.Filter(q.own, func(o ownSpan) bool { return o.words != own })
	return slices.ContainsFunc(english.Runs(words, run), func(i int) bool {
		end := i + len(run)
		return !slices.ContainsFunc(others, func(o ownSpan) bool {
			if o.start <= i && end <= o.end {
				return true
			}
			return !isCount(own) && o.isCounted(words, i, end)
		})
	})
}

// isCounted reports whether the words from start to end count the rows of the table that the span names: "number of singers".
func (o ownSpan) isCounted(words []string, start, end int) bool {
	if !o.table || o.end != end || o.start != start+len(counters) {
		return false
	}
	return slices.Equal(words[start:o.start], counters)
}

// counters are the words that count what follows.
var counters = []string{"number", "of"}

// isCount reports whether an item of this name counts something.
func isCount(own string) bool {
	first, _, _ := strings.Cut(own, " ")
	return isOfClass("MEASURE", first)
}

// lemma returns what a word is an inflection of among the words of names, else its
// singular. The released files have lemmas: "give name" for what a question calls a
// given name.
func (s *selector) lemma(w word) string {
	if s.words[w.one] {
		return w.one
	}
	for _, lemma := range english.Lemmas(w.text, func(form string) bool { return s.words[form] }) {
		return lemma
	}
	return w.one
}

// chosenName returns the position of the name that an item goes by in a question, 0
// where it keeps its own. A name in the singular or plural goes before
// what does in another inflection, which only names of several words may: one
// inflected word is a verb ("flights landing", for a land).
func (a *annotated) chosenName(q asked) int {
	if i := a.namePosition(q, q.singular, 1); i >= 0 {
		return i
	}
	return max(0, a.namePosition(q, q.lemmas, 2))
}

// namePosition returns the index in a.names of the name that the words of a question
// contain: the own name, else the longest, of equal ones the first; -1 for none. A name
// must have at least least words.
func (a *annotated) namePosition(q asked, words []string, least int) int {
	own := a.names[0].words
	best, length := -1, least-1
	for i, n := range a.names {
		count := len(strings.Fields(n.words))
		if count > length && q.hasName(words, n.words, own) {
			if i == 0 {
				return 0
			}
			best, length = i, count
		}
	}
	return best
}

// relabel returns the edits that select names by a question, in the order of the
// schema.
func (s *selector) relabel(question string) []perturb.Edit {
	q := s.asked(question)
	var edits []perturb.Edit
	for _, item := range s.items {
		if i := item.chosenName(q); i > 0 {
			edits = append(edits, perturb.Relabel{
				Table: item.id.Table, Column: item.id.Column, Natural: item.names[i].text,
				From: perturb.Certain(item.names[i].text, "annotation", item.names[0].text),
			})
		}
	}
	return edits
}

// defaultName is the source of a name that no annotation gives.
const defaultName = "default"

// defaults returns the edits that give names where no annotation appears: the own name of an item, which it has.
func (s *selector) defaults() []perturb.Edit {
	item := s.items[0]
	own := item.names[0].text
	return []perturb.Edit{perturb.Relabel{Table: item.id.Table, Column: item.id.Column, Natural: own, From: perturb.Certain(own, defaultName, own)}}
}
