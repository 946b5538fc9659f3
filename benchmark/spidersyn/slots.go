package spidersyn

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// maxOptions bounds the synonyms of a slot to the best; an attack, whose victim chooses, has more.
const maxOptions, maxAttackOptions = 4, 8

// slot is a run of words of a question that synonyms may replace.
type slot struct {
	start, end int      // bytes
	term       string   // normal form: slots of one term change alike
	source     string   // of its options, for records
	options    []option // the best first
}

// option is a synonym for a slot, in the form that the slot needs.
type option struct {
	text, normal string
	cost         int // its rank, and the words that it adds
}

// finder finds the slots of one question.
type finder struct {
	*schema
	question string
	words    sentence
	spans    []link.Span
	cited    []bool // by word: it belongs to a constant of the gold SQL
	slots    []slot
	kept     []string // terms that must stay at one place at least
	linked   bool     // some words name a table or column of the gold SQL
	context  []string // questions of the same database
	err      error    // of a proposer
}

// slots returns the words of an example's question that name tables or columns and have synonyms that may replace them,
// in the order of the question. linked reports whether any words name a table or column, with or without synonyms.
// context are questions of the same database. The error is of a model.
//
// The paper replaces "words related to schema items and cell values". Here values stay: another word for one is no
// value of the column. As a linker may link a word to an item that is not meant, the gold SQL must use that item or one
// of the same name.
func (s *schema) slots(ex *perturb.Example, context []string) (found []slot, linked bool, err error) {
	f := finder{schema: s, question: ex.Question, context: context}
	tokens, words := questionWords(ex.Question)
	f.words, f.spans = words, s.linker.Link(tokens)
	f.markCited(ex)
	used := s.usedNames(ex)
	for _, span := range f.spans {
		if name := s.name(span.Item); used[name] {
			f.addSpan(span, name)
		}
	}
	slices.SortFunc(f.slots, func(a, b slot) int { return a.start - b.start })
	// Two words for one thing would read as two things: a term that stays at one place stays everywhere.
	f.slots = slices.DeleteFunc(f.slots, func(s slot) bool { return slices.Contains(f.kept, s.term) || f.isOutsideSlots(s.term) })
	return keepSharedOptions(f.slots), f.linked, f.err
}

// isOutsideSlots reports whether the question has a term also where no slot is: "journal" in "journal name".
func (f *finder) isOutsideSlots(term string) bool {
	words := strings.Join(lists.Map(f.words, func(w word) string { return w.singular }), " ")
	return strings.Count(" "+words+" ", " "+term+" ") > lists.Count(f.slots, func(s slot) bool { return s.term == term })
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

// addSpan adds the slot, if any, of a span that is linked to an item of the given name. It sets f.linked if the words of the span are
// that name.
func (f *finder) addSpan(span link.Span, name string) {
	var at []int // positions of its words
	for i, w := range f.words {
		if w.in(span) {
			at = append(at, i)
		}
	}
	if len(at) == 0 || !f.isName(at, name) {
		return
	}
	f.linked = true
	f.addSlot(at[0], at[len(at)-1], span.Item, name)
}

// isName reports whether the words at the positions at are a name, in the singular or plural; for an attack a part of
// the name is enough. Inflected verbs ("named" for a name) do not count, as they need other synonyms, nor does the
// adjective of a boolean ("is official").
func (f *finder) isName(at []int, name string) bool {
	if strings.HasPrefix(name, "is ") {
		return false
	}
	if s := f.run(at[0], at[len(at)-1]); f.attack != nil && hasRun(name, lexicon.Normal(s)) {
		return true
	}
	singular := strings.Join(lists.Map(at, func(i int) string { return f.words[i].singular }), "")
	return singular == strings.ReplaceAll(name, " ", "") // "hometown" is "home town"
}

// addSlot adds the slot of the words first to last, which name an item. If the words must not change or have no options, it
// adds their term to f.kept instead. A term that is never replaced is ignored.
func (f *finder) addSlot(first, last int, item link.Item, name string) {
	dict := f.dicts[item.Table]
	term, ok := f.phrase(first, last)
	switch {
	case !ok, !replaceable(term), isMass(term):
		return
	case f.isVerb(first, last), f.isValue(first, last), f.isFixed(first, last, dict):
		f.kept = append(f.kept, term)
		return
	}
	s := slot{start: f.words[first].start, end: f.words[last].end, term: term, source: "sense"}
	synonyms, limit := f.senses[name], maxOptions
	if f.attack != nil {
		s.source, limit = f.attackName, maxAttackOptions
		synonyms = f.proposals(first, last, item, dict)
	}
	for _, synonym := range synonyms {
		text, ok := inNumber(synonym, f.run(first, last))
		added := max(0, len(strings.Fields(text))-(last-first+1)) // words; each costs as much as one rank
		o := option{text: text, normal: lexicon.Normal(text), cost: len(s.options) + added}
		isSafe := keepsReserved(term, o.normal) && f.isUnambiguous(o.normal, term, name)
		if ok && isSafe && f.fits(text, first, last) {
			s.options = append(s.options, o)
		}
	}
	slices.SortStableFunc(s.options, func(a, b option) int { return a.cost - b.cost })
	s.options = s.options[:min(len(s.options), limit)]
	if len(s.options) == 0 {
		f.kept = append(f.kept, term)
		return
	}
	f.slots = append(f.slots, s)
}

// phrase returns the words first to last in normal form. ok is false if a mark is one of
// them or anything but blanks, hyphens and underscores is between two.
func (f *finder) phrase(first, last int) (term string, ok bool) {
	var words []string
	for i := first; i <= last; i++ {
		w := f.words[i]
		if w.text == "" || i > first && strings.Trim(f.question[f.words[i-1].end:w.start], " -_") != "" {
			return "", false
		}
		words = append(words, w.singular)
	}
	return strings.Join(words, " "), true
}

// markCited sets f.cited for the words of the question that cite a constant of the gold SQL:
// all words of the constant in a row.
func (f *finder) markCited(ex *perturb.Example) {
	f.cited = make([]bool, len(f.words))
	texts := lists.Map(f.words, func(w word) string { return w.text })
	for _, l := range perturb.Literals([]*perturb.Example{ex}) {
		value := lexicon.Words(l.Value.Bytes())
		for _, i := range english.Runs(texts, value) {
			for k := range value {
				f.cited[i+k] = true
			}
		}
	}
}

// isVerb reports whether the words first to last are, or may be, a verb.
func (f *finder) isVerb(first, last int) bool {
	return f.words.isVerb(first, last) || f.words.mayBeVerb(first, last)
}

// isValue reports whether the words first to last are part of a value, or name the column of a value next to them.
func (f *finder) isValue(first, last int) bool {
	return f.isCited(first, last) || f.hasInstance(first, last)
}

// isCited reports whether one of the words first to last belongs to a value of the
// gold SQL, or capitals in and next to them make them part of a name: "United Airlines", "ASY Airport".
func (f *finder) isCited(first, last int) bool {
	if slices.Contains(f.cited[first:last+1], true) {
		return true
	}
	nameAround := f.isCapital(first-1) || f.isCapital(last+1)
	return nameAround && f.isCapital(first)
}

// isCapital reports whether the word at i begins with a capital but not the question; false for marks, numbers and outside
// the question.
func (f *finder) isCapital(i int) bool {
	w := f.words.Word(i)
	if i == 0 || w == "" || isNumeral(w) {
		return false
	}
	return !startsLower(f.question[f.words[i].start:])
}

// hasInstance reports whether the words first to last name a kind of thing and the name of one such thing comes right before or
// after them: "the state of Wisconsin", "Oak Street", "category 'A'".
func (f *finder) hasInstance(first, last int) bool {
	after := last + 1 // where its name may be
	if slices.Contains([]string{"of", "named", "called"}, f.words.Word(after)) {
		after++
	}
	return f.isInstance(first-1) || f.isInstance(after) || f.isQuotedAt(f.words[after-1].end)
}

// isInstance reports whether the word at i belongs to a value or name; false outside the question.
func (f *finder) isInstance(i int) bool {
	return f.words.Word(i) != "" && (f.cited[i] || f.isCapital(i))
}

// isQuotedAt reports whether blanks and then a quotation follow the byte offset end of the question: a column before a
// quoted value is named together with it (type "cat"), as before a name without quotation marks.
func (f *finder) isQuotedAt(end int) bool {
	rest, hasBlank := strings.CutPrefix(f.question[end:], " ")
	return hasBlank && strings.IndexAny(strings.TrimLeft(rest, " "), "\"'`“‘") == 0
}

// keepSharedOptions returns the slots with the options that all slots of the same term have, as these change alike, without slots
// that have no such options.
func keepSharedOptions(slots []slot) []slot {
	has := func(s slot, o option) bool {
		return slices.ContainsFunc(s.options, func(p option) bool { return p.normal == o.normal })
	}
	var out []slot
	for _, s := range slots {
		s.options = lists.Filter(s.options, func(o option) bool {
			return !slices.ContainsFunc(slots, func(t slot) bool { return t.term == s.term && !has(t, o) })
		})
		if len(s.options) > 0 {
			out = append(out, s)
		}
	}
	return out
}
