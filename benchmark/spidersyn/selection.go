package spidersyn

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
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
// the longest, then the first. An item whose own name appears keeps it.
var MultiAnnotation = &perturb.Perturbation{
	Name:     "spidersyn/multi-annotation",
	Doc:      "Gives every table and column that goes by several names the one that stands in the question as its natural name.",
	Paper:    "Spider-Syn, section 3.1",
	Version:  1,
	Relation: perturb.Invariant,
	Run:      selectAnnotations,
}

// Reasons of rejection.
const (
	noAnnotations = "no table or column of the database has annotations, given or from a dictionary"
	noneStands    = "no annotation stands in the question"
)

// selectAnnotations reports a variant for each distinct schema, with all examples
// that have it.
func selectAnnotations(p *perturb.Pass) error {
	s := newSelector(p.DB, annotationsOf(p.DB, p.Resources))
	variants := map[string]*perturb.Variant{}
	var order []*perturb.Variant
	for _, ex := range p.Examples {
		if err := p.Context.Err(); err != nil {
			return err
		}
		if len(s.items) == 0 {
			p.Reject(ex, 0, noAnnotations)
			continue
		}
		edits := s.relabel(ex.Question)
		if len(edits) == 0 {
			p.Reject(ex, 0, noneStands)
			continue
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
	words map[string]bool // of all names
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

func (s *selector) add(all perturb.Annotations, id dataset.ColumnID, own string) {
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
// as lemmas, with a mark where no name can go on.
type asked struct{ singular, lemmas string }

func (s *selector) asked(question string) asked {
	var singular, lemmas []string
	_, words := questionWords(question)
	for _, w := range words {
		one, lemma := bar, bar
		if w.text != "" {
			one, lemma = w.one, s.lemma(w)
		}
		singular, lemmas = append(singular, one), append(lemmas, lemma)
	}
	return asked{strings.Join(singular, " "), strings.Join(lemmas, " ")}
}

// lemma returns what a word is an inflection of among the words of names, else its
// singular. The released files have lemmas: "give name" for what a question calls a
// given name.
func (s *selector) lemma(w word) string {
	if s.words[w.one] {
		return w.one
	}
	for _, lemma := range lexicon.Lemmas(w.text, func(form string) bool { return s.words[form] }) {
		return lemma
	}
	return w.one
}

// choice returns the position of the name that an item goes by in a question, 0
// where it keeps its own. What stands there in the singular or plural goes before
// what does in another inflection: of "guests who visited", a table visit is the
// guests.
func (a *annotated) choice(q asked) int {
	for _, words := range []string{q.singular, q.lemmas} {
		if i := a.standing(words); i >= 0 {
			return i
		}
	}
	return 0
}

// standing returns the position of the name that stands among words: its own, else
// the longest, of equal ones the first; -1 where none does.
func (a *annotated) standing(words string) int {
	if hasRun(words, a.names[0].words) {
		return 0
	}
	best, length := -1, 0
	for i, n := range a.names[1:] {
		if count := len(strings.Fields(n.words)); count > length && hasRun(words, n.words) {
			best, length = i+1, count
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
		if i := item.choice(q); i > 0 {
			edits = append(edits, perturb.Relabel{
				Table: item.id.Table, Column: item.id.Column, Natural: item.names[i].text,
				From: dataset.Candidate{Name: item.names[i].text, Source: "annotation", Evidence: item.names[0].text, Similarity: 1, Forward: 1, Backward: 1},
			})
		}
	}
	return edits
}
