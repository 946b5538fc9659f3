package spidersyn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/baseline"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb"
)

// Attacks lists the paper's automatic attacks on questions as perturbations. They draw words at random; an attack with a victim
// chooses those that fool it ([Attacker.Open]).
var Attacks = []*perturb.Perturbation{glove.perturbation(), bert.perturbation()}

// Attackers returns the paper's two ways to find words for an attack (sections 3.2 and 4.1).
func Attackers() []*Attacker { return []*Attacker{&glove, &bert} }

// Attacker finds words that may replace those of a question that name tables and columns of its gold SQL. As in the paper
// it leaves reserved words alone, and replaces parts of names too. The paper takes what the models give; here the guards of
// [Substitution] apply, as words that they reject would fool people too.
type Attacker struct {
	Name  string // without its family
	Doc   string // one sentence
	Paper string
	Needs string // as of [perturb.Perturbation]
	open  func(*perturb.Pass) (proposer, perturb.Reason)
}

// proposer proposes words for the words first to last of a question, which name an item or a part of it, the best
// first. sure are names that the thesaurus has for the item.
type proposer func(f *finder, first, last int, dict lexicon.Dictionary, sure []string) ([]string, error)

// glove takes near words. The paper takes those of the nearest GloVe vectors; but a vector has all senses of its word ("course" is
// near to "trajectory"), and antonyms and co-hyponyms are near too, so that most of these mean something else. Here the words are those
// that the thesaurus and the dictionary have for the name, and the vectors decide which are near.
var glove = Attacker{
	Name:  "glove",
	Doc:   "Puts near words into a question, in the place of those that stand for tables and columns of its gold SQL.",
	Paper: "Spider-Syn, sections 4.1 and 4.4 (ADV_GLOVE)",
	open: func(p *perturb.Pass) (proposer, perturb.Reason) {
		if p.Vectors == nil {
			return nil, "no-vectors"
		}
		return func(f *finder, first, last int, dict lexicon.Dictionary, sure []string) ([]string, error) {
			term, _ := f.phrase(first, last)
			isNew := func(w string) bool { return !slices.Contains(sure, w) }
			return append(slices.Clone(sure), lists.Filter(nearest(p.Vectors, term, dict.Synonyms(term)), isNew)...), nil
		}, ""
	},
}

// contextQuestions bounds the questions of the same database that a masked model reads before the one with the blank.
const contextQuestions = 3

// bert takes what a masked model predicts in the place of a word, after questions of the same database that have it too.
var bert = Attacker{
	Name:  "bert",
	Doc:   "Puts words that a masked language model predicts into a question, in the place of those that stand for tables and columns of its gold SQL.",
	Paper: "Spider-Syn, section 3.2 (ADV_BERT)",
	Needs: perturb.NeedsMasked,
	open: func(p *perturb.Pass) (proposer, perturb.Reason) {
		if p.Masked == nil {
			return nil, "no-masked-model"
		}
		return func(f *finder, first, last int, _ lexicon.Dictionary, _ []string) ([]string, error) {
			return f.predicted(p.Context, p.Masked, first, last)
		}, ""
	},
}

// predicted returns the words that a masked model predicts in the place of the words first to last, the most probable first. The model
// reads the question after a few others of the database ([finder.domain]).
func (f *finder) predicted(ctx context.Context, m perturb.Masked, first, last int) ([]string, error) {
	start, end := f.words[first].start, f.words[last].end
	text := baseline.NoBlank(f.question[:start]) + baseline.Blank + baseline.NoBlank(f.question[end:])
	found, err := baseline.Predictions(ctx, m, strings.Join(append(f.domain(first, last), text), " "))
	return lists.Map(found, func(w perturb.Word) string { return w.Text }), err
}

// domain returns at most contextQuestions other questions of the database that contain the words first to last too: they show a masked
// model what the words mean (the paper's figure 5).
func (f *finder) domain(first, last int) (questions []string) {
	for _, q := range f.context {
		if q != f.question && len(questions) < contextQuestions && hasRun(lexicon.Normal(q), lexicon.Normal(f.run(first, last))) {
			questions = append(questions, baseline.NoBlank(q))
		}
	}
	return questions
}

// nearest returns words sorted by their cosine to a term, the highest first. Of neighbours with one normal form ("pupil", "pupils") it
// returns the first.
func nearest(v lexicon.Vectors, term string, words []string) []string {
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(cosine(v, term, b), cosine(v, term, a)), cmp.Compare(a, b))
	})
	return slices.CompactFunc(words, func(a, b string) bool { return lexicon.Normal(a) == lexicon.Normal(b) })
}

// cosine returns the cosine of the vectors of two phrases, 0 if one has no vector.
func cosine(v lexicon.Vectors, a, b string) float64 {
	x, _, _ := lexicon.Phrase(v, a)
	y, _, _ := lexicon.Phrase(v, b)
	return lexicon.Cosine(x, y)
}

// perturbation returns the attacker as a perturbation.
func (a *Attacker) perturbation() *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "question-attack/" + a.Name, Doc: a.Doc, Paper: a.Paper, Version: 1, Needs: a.Needs,
		Relation: perturb.Invariant, Judged: true, Named: true, Run: a.run,
	}
}

// run reports variants in which words of the attacker replace names of tables and columns. It rejects all examples if the pass lacks a
// resource that the attacker needs.
func (a *Attacker) run(p *perturb.Pass) error {
	s, reason, err := a.schema(p)
	if err != nil {
		return err
	}
	if reason != "" {
		p.RejectAll(p.Examples, 0, reason)
		return p.Context.Err()
	}
	return s.report(p)
}

// schema returns the index of the pass's database with the attacker's proposer. If the pass lacks a dictionary, or the vectors or masked
// model of the attacker, it returns the reason for rejection and no schema.
func (a *Attacker) schema(p *perturb.Pass) (*schema, perturb.Reason, error) {
	propose, reason := a.open(p)
	if reason != "" {
		return nil, reason, nil
	}
	if p.Dictionary == nil {
		return nil, noDictionary, nil
	}
	senses, err := p.Senses()
	if err != nil {
		return nil, "", err
	}
	s := newSchema(p.Resources, p.DB)
	s.addSenses(senses)
	s.linker = link.Partial{MinShare: link.DefaultMinShare}.Linker(p.DB)
	s.attack, s.attackName, s.ctx = propose, a.Name, p.Context
	return s, "", nil
}

// minEntailment is the entailment, in both directions, that a name must keep with a word of an attack that the thesaurus lacks. The
// paper asks people instead.
const minEntailment = 0.95

// proposals returns the attack's words for the words first to last of a question, which name an item or a part of it: first those
// that the thesaurus has (sure), then others that pass the guards and keep the meaning of the name by the NLI model. It returns
// only sure ones for a column of numbers whose term the thesaurus knows: an "area" in numbers is no region. An error of a model
// is stored in f.err.
func (f *finder) proposals(first, last int, item link.Item, dict lexicon.Dictionary) []string {
	name := f.name(item)
	term, _ := f.phrase(first, last)
	sure := f.sensesOf(item, term)
	words, err := f.attack(f, first, last, dict, sure)
	isSure := func(w string) bool { return slices.Contains(sure, w) }
	if f.isNumber(item) && f.Headings != nil && f.Headings().Has(term) {
		f.err = cmp.Or(f.err, err)
		return lists.Filter(words, isSure)
	}
	others := lists.Filter(words, func(w string) bool {
		if isSure(w) || sharesStem(w, term) || f.Expand(w) != nil { // in the list above, easy to link, or an abbreviation
			return false
		}
		return usable(w, term, term) && f.isSynonym(dict, term, w) && f.readsWell(w, first, last)
	})
	same, failed := f.sameName(item, name, term, others)
	f.err = cmp.Or(f.err, err, failed)
	return append(lists.Filter(words, isSure), same...)
}

// isNumber reports whether an item is a column of numbers.
func (f *finder) isNumber(item link.Item) bool {
	return !item.IsTable() && f.db.Column(dataset.ColumnRef(item)).Type == dataset.Number
}

// sensesOf returns the names that the thesaurus has for a term, the name of an item or a part of it. A term that is the whole name of
// some item gets the names of that item; any other is looked up as if it were the whole name of this one.
func (f *finder) sensesOf(item link.Item, term string) []string {
	if list := f.senses[term]; len(list) > 0 || term == f.name(item) {
		return list
	}
	var names []string
	for _, c := range f.sources.Part(dataset.ColumnRef(item), term) {
		if usable(c.Name, term, term) {
			names = append(names, lexicon.InNumber(c.Name, "thing")) // in the singular, as "thing" is
		}
	}
	return names
}

// sameName returns the words that can replace a term in the name of an item without changing its meaning: by the NLI model, the two names
// entail each other with [minEntailment] or more. Without a model it returns all words.
func (f *finder) sameName(item link.Item, name, term string, words []string) ([]string, error) {
	if f.NLI == nil {
		return words, nil
	}
	var pairs []nli.Pair
	for _, w := range words {
		p := nli.Pair{Premise: name, Hypothesis: strings.Replace(name, term, w, 1)}
		if !item.IsTable() {
			p.Entity = lexicon.Normal(f.db.Tables[item.Table].Name)
		}
		pairs = append(pairs, p, p.Swap()) // both directions: word i has pairs 2i and 2i+1
	}
	scores, err := f.NLI.Classify(f.ctx, pairs)
	if err != nil {
		return nil, err
	}
	var same []string
	for i, w := range words {
		if min(scores[2*i].Entailment, scores[2*i+1].Entailment) >= minEntailment {
			same = append(same, w)
		}
	}
	return same, nil
}

// A synonym must share more than minOverlap of the term's synonyms, the term among them, and have a cosine to the term of minNear or
// more. A word for another sense of the term ("land" for "country") has less of either.
const minOverlap, minNear = 0.5, 0.5

// isSynonym reports whether a word has the sense of a term: in a dictionary they are synonyms of each other and share most synonyms of
// the term, and their vectors are near. Without vectors the dictionary decides.
func (f *finder) isSynonym(dict lexicon.Dictionary, term, word string) bool {
	ofTerm, ofWord := append(slices.Clone(dict.Synonyms(term)), term), append(slices.Clone(dict.Synonyms(word)), word)
	shared := lists.Count(ofTerm, func(w string) bool { return slices.Contains(ofWord, w) })
	isMutual := slices.Contains(ofTerm, word) && slices.Contains(ofWord, term)
	return isMutual && float64(shared) > minOverlap*float64(len(ofTerm)) && (f.Vectors == nil || cosine(f.Vectors, term, word) >= minNear)
}

// minFluency is the share of its fluency that a question must keep with a word of an attack. Most words that cost more are
// seldom used, such as the "office seekers" of a poll.
const minFluency = 0.8

// readsWell reports whether the question reads well with w, a word or phrase, in the place of the words first to last. It does not if w
// lacks a plural that is needed, adds more than one word, has a word that no question uses, or makes the question much less fluent.
func (f *finder) readsWell(w string, first, last int) bool {
	words := f.run(first, last)
	form := lexicon.InNumber(w, words)
	lacksPlural := english.IsPlural(words) && english.IsUncounted(w)
	added := len(strings.Fields(w)) - (last - first + 1)
	if lacksPlural || added > 1 || !all(strings.Fields(form), fluency.Default().Knows) {
		return false
	}
	now := f.question[:f.words[first].start] + form + f.question[f.words[last].end:]
	return fluency.Score(now) >= minFluency*fluency.Score(f.question)
}

// minStem is the number of letters that words of one stem begin with: "train" and "training".
const minStem = 4

// sharesStem reports whether two words begin with the same minStem bytes, or one begins with the whole shorter other: a linker would
// hardly miss such a word.
func sharesStem(a, b string) bool {
	n := min(minStem, len(a), len(b))
	return a[:n] == b[:n]
}

// Moves holds the words that an attack may put into the questions of a database.
type Moves struct {
	schema *schema
	pass   *perturb.Pass
}

// Open returns the attacker's words for the database of a pass, or the reason why there are none.
func (a *Attacker) Open(p *perturb.Pass) (*Moves, perturb.Reason, error) {
	s, reason, err := a.schema(p)
	return &Moves{s, p}, reason, err
}

// Of returns the moves of a question. terms[i][j] holds the edits that replace term i, wherever the question has it, with its j-th
// word, the best first.
func (m *Moves) Of(ex *perturb.Example) (terms [][][]perturb.Edit, err error) {
	slots, _, err := m.schema.slots(ex, contextOf(m.pass.Examples))
	if err != nil {
		return nil, err
	}
	if slots, err = m.schema.factual(m.pass, ex.Question, slots); err != nil {
		return nil, err
	}
	for _, t := range byCost(slots) {
		var words [][]perturb.Edit
		for _, o := range t.options {
			words = append(words, replaceSlots(ex.Question, slots, map[string]string{t.term: o.normal}))
		}
		terms = append(terms, words)
	}
	return terms, nil
}
