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
// The paper leaves open which of several annotations that appear is taken: here
// the longest, then the first. An item whose own name appears keeps it, and so do all items where no annotation
// appears: such questions have a variant too, so that figures are of all questions. It leaves open
// too what counts as appearing: here a name does not if its words are a verb ("Show the
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

// selectAnnotations reports a variant for each distinct relabelled schema, with all examples
// whose questions select it. Without annotations it rejects all examples.
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
		if len(edits) == 0 { // no annotation appears
			edits = s.defaults()
		}
		key, err := perturb.VariantID(p.DB.ID, edits) // equal for equal edits
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

// annotationsOf returns the annotations of the resources or, if there are none, those that
// [AutoAnnotations] makes from the dictionary.
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

// annotated is an item with its own name and its annotations.
type annotated struct {
	id    dataset.ColumnID
	names []annotation // its own first
}

// annotation is a name with its words in the form in which questions are searched.
type annotation struct {
	text  string
	words string
}

// newSelector returns a selector of the names of all tables and columns of a database and their annotations.
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
	o := ownName{words: lexicon.Normal(own), table: id.Column == ""}
	if o.words != "" && !slices.Contains(s.own, o) {
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

// questionIndex is a question as names are looked up in it: its words in the singular, and
// as lemmas, each [bar] where no name may be, and the own names of items in it.
type questionIndex struct {
	singular, lemmas []string
	own              []ownSpan
}

// ownSpan is an own name in a question: its words from start to before end.
type ownSpan struct {
	ownName
	start, end int
}

// index returns the words of a question in which names are looked up, and the own names of items among them. Words that cannot
// be a name, such as verbs and quoted values, are replaced by bars.
func (s *selector) index(question string) questionIndex {
	var q questionIndex
	_, words := questionWords(question)
	for i, w := range words {
		singular, lemma := bar, bar // no name has a bar, so none matches here
		canName := w.text != "" && !words.isImperative(i) && !words.isVerb(i, i) && !words.isSetNoun(i)
		if canName {
			singular, lemma = w.singular, s.lemma(w)
		}
		q.singular, q.lemmas = append(q.singular, singular), append(q.lemmas, lemma)
	}
	for _, o := range s.own {
		words := strings.Fields(o.words)
		for _, i := range english.Runs(q.singular, words) {
			q.own = append(q.own, ownSpan{o, i, i + len(words)})
		}
	}
	return q
}

// hasName reports whether words, the singulars or lemmas of the question, contain a name of the item whose own name is own. The name
// does not count inside the own name of another item, nor where it counts the rows of a table ("number of singers").
func (q questionIndex) hasName(words []string, name, own string) bool {
	run := strings.Fields(name)
	others := lists.Filter(q.own, func(o ownSpan) bool { return o.words != own })
	return slices.ContainsFunc(english.Runs(words, run), func(i int) bool {
		end := i + len(run)
		return !slices.ContainsFunc(others, func(o ownSpan) bool {
			isInside := o.start <= i && end <= o.end
			return isInside || !isCount(own) && o.isCounted(words, i, end) // a name of a count may count
		})
	})
}

// isCounted reports whether words[start:end] count the rows of a table: they are "number of" and the name of a table at o.
func (o ownSpan) isCounted(words []string, start, end int) bool {
	if !o.table || o.end != end || o.start != start+len(counters) {
		return false
	}
	return slices.Equal(words[start:o.start], counters)
}

// counters are the words that count what follows.
var counters = []string{"number", "of"}

// isCount reports whether the own name of an item begins with a measure: "number of rooms", "total sales".
func isCount(own string) bool {
	first, _, _ := strings.Cut(own, " ")
	return isOfClass("MEASURE", first)
}

// lemma returns the form of a word that names have: its singular, else the likeliest form that it may be an inflection
// of; the singular if names have none of them. The released files have lemmas: "give name" for what a question calls a
// given name.
func (s *selector) lemma(w word) string {
	if s.words[w.singular] {
		return w.singular
	}
	lemmas := english.Lemmas(w.text, func(form string) bool { return s.words[form] })
	if len(lemmas) == 0 {
		return w.singular
	}
	return lemmas[0]
}

// chosenName returns the position in a.names of the name that a question uses, 0 for the item's own name and where it
// uses none. Names in the singular or plural come before names in another inflection, which must have several words: a
// single inflected word is a verb ("flights landing", for a land).
func (a *annotated) chosenName(q questionIndex) int {
	if i := a.namePosition(q, q.singular, 1); i >= 0 {
		return i
	}
	return max(0, a.namePosition(q, q.lemmas, 2))
}

// namePosition returns the position in a.names of the name of at least minWords words that words, the singulars or
// lemmas of a question, contain: the own name, else the longest, of equally long ones the first; -1 for none.
func (a *annotated) namePosition(q questionIndex, words []string, minWords int) int {
	own := a.names[0].words
	best, length := -1, minWords-1
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

// relabel returns the edits that give items the names by which a question calls them, in the order of the schema. Items
// that keep their own names have none.
func (s *selector) relabel(question string) []perturb.Edit {
	q := s.index(question)
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

// defaults returns the edits for questions in which no annotation appears: one that gives the first item the name that it has, so
// that these questions have a variant too.
func (s *selector) defaults() []perturb.Edit {
	item := s.items[0]
	own := item.names[0].text
	return []perturb.Edit{perturb.Relabel{Table: item.id.Table, Column: item.id.Column, Natural: own, From: perturb.Certain(own, defaultName, own)}}
}
