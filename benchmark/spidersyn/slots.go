package spidersyn

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxTerm bounds the words of a phrase that is looked up, as the dictionary does.
const maxTerm = 4

// maxOptions bounds the synonyms of a slot to the safest.
const maxOptions = 4

// slot is a stretch of the question that synonyms may stand in for.
type slot struct {
	start, end int      // bytes
	term       string   // normal form: slots of one term change alike
	used       bool     // it stands for something that the gold SQL uses
	options    []option // the safest first
}

// option is a synonym for a slot, as it would stand there.
type option struct {
	text, normal string
	safety       float64 // see [finder.safety]
}

// finder finds the slots of one question.
type finder struct {
	*schema
	question string
	words    sentence
	spans    []link.Span
	cited    []bool // by word: it is of a text constant of the gold SQL
	slots    []slot
	linked   bool // some word stands for an item or a value
}

// slots returns the stretches of an example's question that stand for tables,
// columns and values and have synonyms that may take their place, in order.
// Linked tells whether any stand for such at all.
//
// The paper replaces "words related to schema items and cell values". A linker may
// take a word for an item that is not meant, so that here the item, or one of its
// name, must stand in the gold SQL. What else is linked changes with it where it
// says the same: "the id of each document".
func (s *schema) slots(ex *perturb.Example) (found []slot, linked bool) {
	f := finder{schema: s, question: ex.Question}
	tokens, words := questionWords(ex.Question)
	f.words, f.spans = words, s.linker.Link(tokens)
	f.cite(ex)
	used := s.usedNames(ex)
	for _, span := range f.spans {
		name := s.name(span.Item)
		f.span(span, name, used[name])
	}
	f.values(ex)
	slices.SortFunc(f.slots, func(a, b slot) int { return a.start - b.start })
	return agree(f.slots), f.linked
}

// usedNames returns the names, in normal form, of the tables and columns that the
// gold SQL mentions.
func (s *schema) usedNames(ex *perturb.Example) map[string]bool {
	used := map[string]bool{}
	for _, c := range ex.Own {
		used[s.name(link.Item{Table: c.Table, Column: c.Column})] = true
	}
	for _, t := range ex.Binding.Tables() {
		if i := s.db.Table(t); i >= 0 {
			used[s.name(link.Item{Table: i, Column: -1})] = true
		}
	}
	return used
}

// span adds the slots of a linked span: from the left, the longest phrases of which
// the dictionary has synonyms.
func (f *finder) span(span link.Span, name string, used bool) {
	var at []int // of its words
	for i, w := range f.words {
		if w.in(span) {
			at = append(at, i)
		}
	}
	if len(at) == 0 || !f.isName(at, name) {
		return
	}
	f.linked = f.linked || used
	for i := 0; i < len(at); {
		n := min(maxTerm, len(at)-i)
		for ; n > 0; n-- {
			if f.add(at[i], at[i+n-1], name, f.dicts[span.Item.Table], used) {
				break
			}
		}
		i += max(n, 1)
	}
}

// isName tells whether words are a name as it stands or in the other number, and
// not inflected otherwise: a verb of the name's stem ("named") has no noun's
// synonyms. The words of a boolean's name ("is official") are adjectives, of which
// the same holds.
func (f *finder) isName(at []int, name string) bool {
	var run strings.Builder
	for _, i := range at {
		run.WriteString(f.words[i].one)
	}
	return run.String() == strings.ReplaceAll(name, " ", "") && !strings.HasPrefix(name, "is ")
}

// add adds the slot of the words first to last where it has options, and tells
// whether the dictionary has an entry for them: a phrase that has is not replaced
// word by word.
func (f *finder) add(first, last int, name string, dict lexicon.Dictionary, used bool) bool {
	var term, written []string
	for i := first; i <= last; i++ {
		w := f.words[i]
		if w.text == "" || i > first && strings.Trim(f.question[f.words[i-1].end:w.start], " -_") != "" {
			return false
		}
		term, written = append(term, w.one), append(written, w.text)
	}
	s := slot{start: f.words[first].start, end: f.words[last].end, term: strings.Join(term, " "), used: used}
	if !replaceable(s.term) || f.words.isVerb(first, last) || f.isCited(first, last) || f.isFixed(first, last, dict) {
		return false
	}
	synonyms := dict.Synonyms(strings.Join(written, " "))
	for rank, synonym := range synonyms {
		o := option{synonym, lexicon.Normal(synonym), 0}
		if f.isRare(synonym, dict) || hasRun(o.normal, s.term) || !keepsReserved(s.term, o.normal) || !f.free(o.normal, s.term, name) || !f.fits(synonym, first, last) {
			continue
		}
		var safe bool
		if o.safety, safe = f.safety(s.term, o.normal, rank, dict); safe {
			s.options = append(s.options, o)
		}
	}
	slices.SortStableFunc(s.options, func(a, b option) int { return cmp.Compare(b.safety, a.safety) })
	s.options = s.options[:min(len(s.options), maxOptions)]
	if len(s.options) > 0 {
		f.slots = append(f.slots, s)
	}
	return len(synonyms) > 0
}

// cite marks the words that the text constants of the gold SQL have, where all of
// one stand together.
func (f *finder) cite(ex *perturb.Example) {
	f.cited = make([]bool, len(f.words))
	texts := make([]string, len(f.words))
	for i, w := range f.words {
		texts[i] = w.text
	}
	for _, l := range perturb.Literals([]*perturb.Example{ex}) {
		value := lexicon.Words(l.Value.Bytes())
		for _, i := range runs(texts, value) {
			for k := range value {
				f.cited[i+k] = true
			}
		}
	}
}

// isCited tells whether one of the words first to last belongs to a value, as the
// gold SQL tells, or seems to, as capitals do: "United Airlines", "ASY Airport".
func (f *finder) isCited(first, last int) bool {
	if slices.Contains(f.cited[first:last+1], true) && !f.isCommonNoun(first, last) {
		return true
	}
	isName := func(i int) bool {
		w := f.words.Word(i)
		return i > 0 && w != "" && !startsLower(f.question[f.words[i].start:]) && !isNumeral(w)
	}
	return isName(first) && (isName(first-1) || isName(last+1))
}

// isCommonNoun tells whether the words are a single one in lower case.
func (f *finder) isCommonNoun(first, last int) bool {
	w := f.words[first]
	return first == last && f.question[w.start:w.end] == w.text
}

// values adds the slots of the words that are text constants of the gold SQL, as
// common nouns: in lower case and outside quotes.
func (f *finder) values(ex *perturb.Example) {
	for _, l := range perturb.Literals([]*perturb.Example{ex}) {
		ref, ok := f.db.Lookup(l.Table, l.Column)
		text := lexicon.Normal(l.Value.Bytes())
		if !ok || text == "" || f.db.Column(ref).Type == dataset.Number || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		for i, w := range f.words {
			if w.one != text || w.text == "" || !f.isCommonNoun(i, i) || f.taken(w) {
				continue
			}
			f.linked = true
			f.add(i, i, text, f.dicts[ref.Table], true)
		}
	}
}

// taken tells whether a slot has the word already.
func (f *finder) taken(w word) bool {
	return slices.ContainsFunc(f.slots, func(s slot) bool { return s.start <= w.start && w.end <= s.end })
}

// agree leaves to the slots of one term the options that all of them have, and of
// the terms those that some slot has for something used.
func agree(slots []slot) []slot {
	has := func(s slot, o option) bool {
		return slices.ContainsFunc(s.options, func(p option) bool { return p.normal == o.normal })
	}
	var out []slot
	for _, s := range slots {
		if !slices.ContainsFunc(slots, func(t slot) bool { return t.term == s.term && t.used }) {
			continue
		}
		s.options = slices.DeleteFunc(slices.Clone(s.options), func(o option) bool {
			return slices.ContainsFunc(slots, func(t slot) bool { return t.term == s.term && !has(t, o) })
		})
		if len(s.options) > 0 {
			out = append(out, s)
		}
	}
	return out
}
