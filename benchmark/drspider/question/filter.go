package question

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/fluency"
	"github.com/tabperturb/tabperturb/perturb"
)

// MinFactuality is the entailment that a paraphrase needs in both directions. The
// paper asks an NLI model and gives no threshold; of three classes, one half is
// the least that wins against both others together.
const MinFactuality = 0.5

// Bounds on a paraphrase, in bytes: its length, and how much longer than twice the question it may be.
const (
	maxQuestion = 2000
	maxGrowth   = 80
)

// Funnel counts the drafts of a category and what each filter removed.
type Funnel struct {
	Examples      int // examples asked for
	Drafts        int // drafts written
	Malformed     int // removed: empty, too long, several lines, SQL, parts of a prompt
	Repeated      int // removed: the question itself, or an earlier draft of it
	Agreeing      int // of those left, how many the classifier puts into the category
	NotFactual    int // removed by the factuality model
	LessNatural   int // removed: a model's that read less naturally than the question
	Foreign       int // removed: they name something else of the schema
	OtherMeaning  int // removed: an "or" comes or goes, or a condition, a unit or "distinct" is lost
	OtherCategory int // removed by the classifier
	Surplus       int // removed: more than the samples wanted
	Kept          int
	Covered       int // examples with a paraphrase kept
}

// Trace drafts and filters paraphrases of all examples as a perturbation does, and adds the counts to f; it reports no variants.
// Name is that of the perturbation without its family, such as "keyword-synonym".
func (f *Funnel) Trace(p *perturb.Pass, name string) error {
	for _, c := range categories() {
		if string(c.name) != name {
			continue
		}
		senses, err := p.Senses()
		if err != nil {
			return err
		}
		asked := map[string]bool{}
		for _, ex := range p.Examples {
			o, err := f.paraphrase(c, p, senses, ex, c.ask(p, ex))
			if err != nil {
				return err
			}
			f.trim(p, &o, asked)
		}
		return p.Context.Err()
	}
	return fmt.Errorf("no category %q, expected one of %v", name, indicator.Categories())
}

// checked is a draft with its factuality.
type checked struct {
	perturb.Draft
	forward, backward float64 // entailment of the draft by the question, and back
}

// factuality returns the lower of the two entailments.
func (c checked) factuality() float64 { return min(c.forward, c.backward) }

// from returns the provenance of a draft: its source, its note and the two entailments.
func (c checked) from() dataset.Candidate {
	return dataset.Candidate{Source: c.Source, Evidence: c.Note, Forward: c.forward, Backward: c.backward}
}

// outcome is what is left of the drafts or, where nothing is, the reason.
type outcome struct {
	list   []checked
	reason perturb.Reason
	detail string
}

// paraphrase drafts paraphrases of an example's question, adds those of the paraphraser's answer model, and filters all: it removes drafts
// that repeat another, ask something else or belong to another category. [rankDrafts] sorts the rest. The outcome has the reason if no
// draft is left; the error ends the run.
func (f *Funnel) paraphrase(c category, p *perturb.Pass, senses *perturb.Senses, ex *perturb.Example, model answer) (outcome, error) {
	f.Examples++
	aligner := indicator.New(ex, p.DB)
	before := aligner.Align(ex.Question)
	refusal, refused := errors.AsType[*perturb.Refusal](model.err)
	if model.err != nil && !refused {
		return outcome{reason: "paraphraser-failed", detail: model.err.Error()}, p.Context.Err()
	}
	if p.Factuality == nil {
		return outcome{reason: "no-factuality-model"}, nil
	}
	drafts, err := c.draft(p, senses, ex, aligner, before)
	if err != nil {
		return outcome{}, err
	}
	out, err := f.filter(c, p, ex, aligner, before, append(drafts, model.drafts...))
	if refused && len(out.list) == 0 { // why the paraphraser had no drafts matters more than the filter's reason
		out.reason, out.detail = refusal.Reason, refusal.Detail
	}
	return out, cmp.Or(err, p.Context.Err())
}

// filter filters and sorts the drafts of [Funnel.paraphrase].
func (f *Funnel) filter(c category, p *perturb.Pass, ex *perturb.Example, aligner *indicator.Aligner, before *indicator.Alignment, drafts []perturb.Draft) (outcome, error) {
	f.Drafts += len(drafts)
	if len(drafts) == 0 {
		return outcome{reason: "no-draft"}, nil
	}
	drafts = f.dropMalformed(p.DB, ex.Question, drafts)
	if len(drafts) == 0 {
		return outcome{reason: "drafts-malformed"}, nil
	}
	list, err := withFactuality(p, ex.Question, drafts)
	if err != nil {
		return outcome{}, err
	}
	reason, other, sense := perturb.Reason(""), newForeign(p.DB, ex), meaning{c.name, before}
	list = slices.DeleteFunc(list, func(d checked) bool {
		after := aligner.Align(d.Question)
		agrees := aligner.Classify(before, after).Agrees(c.name)
		if agrees {
			f.Agreeing++
		}
		switch {
		case d.Source == fromGold && !sense.omits(after): // realised from the gold SQL, it keeps its meaning and has a category
			return false
		case d.Source == fromGold:
			f.OtherMeaning++
			reason = cmp.Or(reason, "drafts-other-meaning")
		case d.factuality() < MinFactuality:
			f.NotFactual++
			reason = cmp.Or(reason, "drafts-not-factual")
		case d.Source != fromRules && lessNatural(ex.Question, d.Question):
			f.LessNatural++
			reason = cmp.Or(reason, "drafts-less-natural")
		case other.in(d.Question):
			f.Foreign++
			reason = cmp.Or(reason, "drafts-foreign")
		case sense.differs(after):
			f.OtherMeaning++
			reason = cmp.Or(reason, "drafts-other-meaning")
		case !agrees:
			f.OtherCategory++
			reason = "drafts-other-category"
		default:
			return false
		}
		return true
	})
	sound := len(list)
	list = rankDrafts(ex.Question, list)
	f.Surplus += sound - len(list)
	return outcome{list: list, reason: reason}, nil
}

// trim drops drafts that repeat a draft of another example, by asked, then cuts the rest to p.Samples and adds them to asked. Two
// examples may share their gold SQL, so they can get the same draft.
func (f *Funnel) trim(p *perturb.Pass, o *outcome, asked map[string]bool) {
	sound := len(o.list)
	o.list = slices.DeleteFunc(o.list, func(d checked) bool { return asked[fold(d.Question)] })
	if len(o.list) == 0 && sound > 0 {
		o.reason = "drafts-repeated"
	}
	o.list = o.list[:min(len(o.list), max(p.Samples, 0))]
	for _, d := range o.list {
		asked[fold(d.Question)] = true
	}
	f.Kept += len(o.list)
	f.Surplus += sound - len(o.list)
	f.Covered += min(len(o.list), 1)
}

// draft returns the drafts of the category's rules, for multitype of pairs of rules, and then the questions realised from the gold SQL.
func (c category) draft(p *perturb.Pass, senses *perturb.Senses, ex *perturb.Example, aligner *indicator.Aligner, before *indicator.Alignment) ([]perturb.Draft, error) {
	s := &source{Resources: p.Resources, ctx: p.Context, db: p.DB, ex: ex, content: p.Content, question: ex.Question, alignment: before, rng: p.Rand(string(c.name), ex.Question), senses: senses}
	drafts := c.drafts(s)
	if c.parts != nil {
		drafts = c.compose(s, aligner)
	}
	realised, err := c.fromRealised(p, s, aligner)
	return append(drafts, realised...), err
}

// minFluency is the share of the question's fluency that a model's draft must have. Of 140 drafts of Dr.Spider that
// were judged by hand, four have less, and two of these are unnatural.
const minFluency = 0.65

// lessNatural reports whether a draft is much less fluent than the question, or has more surplus verbs than the question.
func lessNatural(question, draft string) bool {
	return fluency.Score(draft) < minFluency*fluency.Score(question) || surplusVerbs(draft) > max(0, surplusVerbs(question))
}

var (
	finiteBe = lazyregexp.New(`(?i)\b(?:is|are|was|were)\b`)
	// opening matches what can open a clause: conjunctions, pronouns, punctuation, a verb at the beginning.
	opening = lazyregexp.New(`(?i)^(?:is|are|was|were)\b|\b(?:what|which|who|whom|whose|how|where|when|why|that|if|whether|while|because|than|as|and|or|but|i|it|he|she|we|you|they|there (?:is|are|was|were))\b|[,;:.(]`)
)

// surplusVerbs returns the number of finite forms of "be" less the number of words that can open a clause: 1 for
// "What is the number of ships are there?", 0 or less for nearly all questions that people write.
func surplusVerbs(question string) int {
	return len(finiteBe.FindAllString(question, -1)) - len(opening.FindAllString(question, -1))
}

// dropMalformed returns the drafts without malformed ones, the question itself and repetitions, and counts what it drops.
func (f *Funnel) dropMalformed(db *dataset.Database, question string, drafts []perturb.Draft) []perturb.Draft {
	seen := map[string]bool{fold(question): true}
	var out []perturb.Draft
	for _, d := range drafts {
		d.Question = strings.TrimSpace(d.Question)
		key := fold(d.Question)
		switch {
		case key == "", malformed(db, question, d.Question):
			f.Malformed++
		case seen[key]:
			f.Repeated++
		default:
			seen[key] = true
			out = append(out, d)
		}
	}
	return out
}

var punctuation = strings.Fields(". , ; : ! ? \" ' “ ” ‘ ’ ` ( ) [ ]")

// fold returns a key that is equal for questions that differ in letter case, spaces and punctuation only.
// Signs that distinguish values ("A+", "3.5", "-5") stay.
func fold(question string) string {
	isMark := func(word string) bool { return slices.Contains(punctuation, word) }
	return strings.Join(slices.DeleteFunc(newSentence(question).Words, isMark), " ")
}

// withFactuality returns drafts with the factuality model's entailments between them and the question.
func withFactuality(p *perturb.Pass, question string, drafts []perturb.Draft) ([]checked, error) {
	questions := lists.Map(drafts, func(d perturb.Draft) string { return d.Question })
	scores, err := p.Judge(question, questions)
	var out []checked
	for i, score := range scores {
		out = append(out, checked{drafts[i], score.Forward, score.Backward})
	}
	return out, err
}

// rankDrafts orders drafts so that rules, known by the notes, take turns, each with its most factual draft first; numbers in another
// form come after all others. The paper keeps five at most and does not define which. Questions realised from the gold
// SQL keep their order, which is diverse already. A draft that differs from an earlier one only in its opening is dropped. One that
// differs from the question only in its opening comes last, and only if there are fewer than [enough] others.
func rankDrafts(question string, list []checked) []checked {
	slices.SortStableFunc(list, func(a, b checked) int {
		if a.Source == fromGold && b.Source == fromGold {
			return 0
		}
		return cmp.Compare(b.factuality(), a.factuality())
	})
	turn := make(map[string]int) // drafts so far with a note
	type ranked struct {
		checked
		turn int
	}
	var plain []ranked
	var others []checked
	for _, d := range list {
		if opensOtherwise(question, d.Question) {
			others = append(others, d)
			continue
		}
		plain = append(plain, ranked{d, turn[d.Note]})
		turn[d.Note]++
	}
	isNumber := func(r ranked) int {
		if strings.Contains(r.Note, numberForm) || strings.Contains(r.Note, allNumberForms) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(plain, func(a, b ranked) int { return cmp.Or(isNumber(a)-isNumber(b), cmp.Compare(a.turn, b.turn)) })
	out := make([]checked, 0, len(list))
	for _, r := range plain {
		out = append(out, r.checked)
	}
	if len(out) < enough {
		out = append(out, others[:min(len(others), 1)]...)
	}
	return dropReopened(out)
}

// enough is the number of drafts that change more than the opening with which no draft of another opening alone is
// kept.
const enough = 3

// dropReopened returns the drafts without those that differ from an earlier one only in their opening.
func dropReopened(list []checked) []checked {
	var out []checked
	for _, d := range list {
		if !slices.ContainsFunc(out, func(o checked) bool { return opensOtherwise(o.Question, d.Question) }) {
			out = append(out, d)
		}
	}
	return out
}

// maxOpening is the number of words within which two questions differ by their opening
// alone.
const maxOpening = 4

// opensOtherwise reports whether two questions are the same but for at most [maxOpening] words at the beginning.
func opensOtherwise(x, y string) bool {
	a, b := strings.Fields(fold(x)), strings.Fields(fold(y))
	longer, same := max(len(a), len(b)), 0 // same: equal words at the end
	for ; len(a) > 0 && len(b) > 0; same++ {
		if a[len(a)-1] != b[len(b)-1] {
			break
		}
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return same > 0 && longer-same <= maxOpening
}

var (
	// identifier matches words with an underscore: "song_name".
	identifier = lazyregexp.New(`[\pL\pN]*_[\pL\pN_]*`)
	// dotted matches names of a table and a column: "T1.name".
	dotted = lazyregexp.New(`([\pL_][\pL\pN_]*)\.([\pL_][\pL\pN_]*)`)
	// alias matches aliases of tables in Spider's gold SQL: "T1".
	alias = lazyregexp.New(`^[Tt][0-9]$`)
	// sqlWord matches keywords of SQL in capitals, and "(*)".
	sqlWord = lazyregexp.New(`\b(?:SELECT|FROM|WHERE|JOIN|GROUP BY|ORDER BY|HAVING|LIMIT|DISTINCT|UNION|INTERSECT|EXCEPT|BETWEEN|COUNT|SUM|AVG|MAX|MIN|ASC|DESC|NULL|LIKE)\b|\(\*\)`)
	// label matches what prompts and their answers call their parts.
	label = lazyregexp.New(`(?i)\b(?:mentioned|sentence|paraphrase|explanation|question|answer|sql|query|output) ?:`)
	// markup matches Markdown, JSON and the marks of lists.
	markup = lazyregexp.New("```|\\*\\*|__|[{}]|\\]\\(|\"[a-z_]+\" ?:|^(?:[-*>#]+|[0-9]+[.)]) ")
)

// malformed reports whether a draft is no question that people would ask: it is empty, too long, of several lines, or has SQL,
// the labels of a prompt or markup that the question lacks.
func malformed(db *dataset.Database, question, draft string) bool {
	switch {
	case draft == "", len(draft) > min(maxQuestion, 2*len(question)+maxGrowth), !utf8.ValidString(draft), strings.ContainsFunc(draft, unicode.IsControl):
		return true
	}
	isNew := func(found string) bool { return !strings.Contains(question, found) } // the question may have such marks itself
	for _, marks := range []*lazyregexp.Regexp{identifier, sqlWord, label, markup} {
		if slices.ContainsFunc(marks.FindAllString(draft, -1), isNew) {
			return true
		}
	}
	return slices.ContainsFunc(dotted.Compiled().FindAllStringSubmatch(draft, -1), func(m []string) bool {
		_, isColumn := db.Lookup(m[1], m[2])
		return (isColumn || alias.MatchString(m[1])) && isNew(m[0])
	})
}
