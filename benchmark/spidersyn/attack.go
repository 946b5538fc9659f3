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

// Attacks lists the paper's automatic attacks on questions as perturbations, which draw words where an attack has its victim
// choose the worst ([Attacker.Open]).
var Attacks = []*perturb.Perturbation{glove.perturbation(), bert.perturbation()}

// Attackers returns the paper's two ways to find words for an attack (sections 3.2 and 4.1).
func Attackers() []*Attacker { return []*Attacker{&glove, &bert} }

// Attacker finds words that may replace those of a question that stand for tables and columns of its gold SQL. As in the paper
// it leaves reserved words alone, and takes parts of names too. The paper takes what the models give; the guards of
// [Substitution] are kept here, of which people and parsers would else be fooled alike.
type Attacker struct {
	Name  string // without its family
	Doc   string // one sentence
	Paper string
	Needs string // as of [perturb.Perturbation]
	open  func(*perturb.Pass) (proposer, perturb.Reason)
}

// proposer proposes words for the words first to last of a question, which stand for an item or for a part of its name, the best
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

// predicted returns the words that a masked model predicts for the words first to last.
func (f *finder) predicted(ctx context.Context, m perturb.Masked, first, last int) (words []string, err error) {
	start, end := f.words[first].start, f.words[last].end
	text := baseline.NoBlank(f.question[:start]) + baseline.Blank + baseline.NoBlank(f.question[end:])
	found, err := baseline.Predictions(ctx, m, strings.Join(append(f.domain(first, last), text), " "))
	for _, w := range found {
		words = append(words, w.Text)
	}
	return words, err
}

// domain returns questions of the database that tell a model what the words first to last mean: those that have them, as in the
// paper's figure 5.
func (f *finder) domain(first, last int) (questions []string) {
	for _, q := range f.context {
		if q != f.question && len(questions) < contextQuestions && hasRun(lexicon.Normal(q), lexicon.Normal(f.run(first, last))) {
			questions = append(questions, baseline.NoBlank(q))
		}
	}
	return questions
}

// nearest returns words by their cosine to a term, the nearest first.
func nearest(v lexicon.Vectors, term string, words []string) []string {
	words = slices.Clone(words)
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(cosine(v, term, b), cosine(v, term, a)), cmp.Compare(a, b))
	})
	return slices.CompactFunc(words, func(a, b string) bool { return lexicon.Normal(a) == lexicon.Normal(b) })
}

// cosine returns how near two phrases are by their vectors.
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

// run reports questions with words of the attacker.
func (a *Attacker) run(p *perturb.Pass) error {
	s, lacks, err := a.schema(p)
	if err != nil {
		return err
	}
	if lacks != "" {
		p.RejectAll(p.Examples, 0, lacks)
		return p.Context.Err()
	}
	return s.report(p)
}

// schema returns the names of the pass's database with the attacker's words, or the reason why there are none.
func (a *Attacker) schema(p *perturb.Pass) (*schema, perturb.Reason, error) {
	propose, lacks := a.open(p)
	if lacks != "" {
		return nil, lacks, nil
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

// minEntailment is the entailment that a name with a word of an attack needs in both directions, in place of the paper's people,
// unless the thesaurus has it for the name.
const minEntailment = 0.95

// proposals returns the attack's words for the words first to last of a question, which name an item or a part of its name: those that
// the thesaurus has for it, and words that pass the guards of words and with which the name means the same by the NLI model. Of a
// column of numbers, where "area" is no region, the thesaurus has all senses that it knows.
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
		return !isSure(w) && usable(w, term, term) && !sharesStem(w, term) && f.Expand(w) == nil && f.isSynonym(dict, term, w) && f.reads(w, first, last)
	})
	same, failed := f.sameName(item, name, term, others)
	f.err = cmp.Or(f.err, err, failed)
	return append(lists.Filter(words, isSure), same...)
}

// isNumber reports whether an item is a column of numbers.
func (f *finder) isNumber(item link.Item) bool {
	return !item.IsTable() && f.db.Column(dataset.ColumnRef(item)).Type == dataset.Number
}

// sensesOf returns names that the thesaurus has for a term of the name of an item: those of items with the name, or of the term as if
// it were a name in the item's table.
func (f *finder) sensesOf(item link.Item, term string) []string {
	if list := f.senses[term]; len(list) > 0 || term == f.name(item) {
		return list
	}
	var names []string
	for _, c := range f.sources.Part(dataset.ColumnRef(item), term) {
		if usable(c.Name, term, term) {
			names = append(names, lexicon.InNumber(c.Name, "thing"))
		}
	}
	return names
}

// sameName returns the words with which, in the place of a term, the name of an item means the same by the NLI model. Without a
// model it returns all.
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
		pairs = append(pairs, p, p.Swap())
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

// minOverlap is the share of a term's synonyms, itself among them, of which a word must have more, and minNear the cosine that it must
// have to the term. A word for another one of several senses ("land" for "country") has less of either.
const minOverlap, minNear = 0.5, 0.5

// isSynonym reports whether a dictionary has a word and a term for each other and most other synonyms of the term for both, and
// whether the vectors, where there are some, have them near.
func (f *finder) isSynonym(dict lexicon.Dictionary, term, word string) bool {
	all, others := append(slices.Clone(dict.Synonyms(term)), term), append(slices.Clone(dict.Synonyms(word)), word)
	shared := lists.Count(all, func(w string) bool { return slices.Contains(others, w) })
	isMutual := slices.Contains(all, word) && slices.Contains(others, term)
	return isMutual && float64(shared) > minOverlap*float64(len(all)) && (f.Vectors == nil || cosine(f.Vectors, term, word) >= minNear)
}

// minFluency is the share of the question's fluency that it must have with a word of an attack. Of what falls below it most is
// seldom said, such as the "office seekers" of a poll.
const minFluency = 0.8

// reads reports whether the question reads well with a word in the place of the words first to last.
func (f *finder) reads(w string, first, last int) bool {
	words := f.run(first, last)
	if english.IsPlural(words) && english.IsUncounted(w) || len(strings.Fields(w)) > last-first+2 {
		return false
	}
	form := lexicon.InNumber(w, words)
	if !all(strings.Fields(form), fluency.Default().Knows) {
		return false // nobody asks in this word
	}
	now := f.question[:f.words[first].start] + form + f.question[f.words[last].end:]
	return fluency.Score(now) >= minFluency*fluency.Score(f.question)
}

// minStem is the number of letters that words of one stem begin with: "train" and "training".
const minStem = 4

// sharesStem reports whether a word begins as another does, so that a linker would hardly miss it.
func sharesStem(a, b string) bool {
	n := min(minStem, len(a), len(b))
	return a[:n] == b[:n]
}

// Moves finds the words of an attack on the questions of a database.
type Moves struct {
	schema *schema
	pass   *perturb.Pass
}

// Open returns the attacker's words for the database of a pass, or the reason why there are none.
func (a *Attacker) Open(p *perturb.Pass) (*Moves, perturb.Reason, error) {
	s, lacks, err := a.schema(p)
	return &Moves{s, p}, lacks, err
}

// Of returns, for each term of a question that can be replaced, the edits that put each of its words there, the best first.
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
