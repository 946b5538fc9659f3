package question

import (
	"cmp"
	_ "embed" // swaps.txt
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/swaps.txt
var swapsText string

// swaps are rows of data/swaps.txt for one rule.
type swaps []swap

// swap puts other words in the place of some.
type swap struct {
	*lazyregexp.Regexp          // of lower-case letters, for any case; its group x is the words that go
	with               []string // they may name groups of the expression
	conditions         []string // all of them must hold; "!" before one negates it
}

// number matches a number that a question states, in one or two words at most.
const number = `(?:\d[\d,.]*\d|\d|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|(?:one |two |five )?(?:hundred|thousand|million))`

// swapLists are the swaps by the name of their rule.
var swapLists = sync.OnceValue(func() map[string]swaps {
	lists := map[string]swaps{}
	for line := range wordfile.Lines(swapsText) {
		cells := strings.Split(line, " => ")
		if len(cells) != 4 {
			panic(fmt.Sprintf("%q: expected RULE => CONDITIONS => EXPRESSION => WORDS", line)) // the file is part of this package
		}
		re := lazyregexp.New(`(?i)` + strings.ReplaceAll(cells[2], "N", number))
		lists[cells[0]] = append(lists[cells[0]], swap{re, strings.Split(cells[3], " | "), strings.Fields(cells[1])})
	}
	return lists
})

// holds reports whether all conditions of a swap hold for the words from start to end.
func (w swap) holds(s *source, start, end int) bool {
	return !slices.ContainsFunc(w.conditions, func(condition string) bool {
		name, negated := strings.CutPrefix(condition, "!")
		return conditions[name](s, start, end) == negated // the condition does not hold
	})
}

// change is other words for a span of a question.
type change struct {
	start, end int
	with       string
}

// changed stores the changes that each list of swaps makes in a question, under its first swap: several rules share a
// list.
type changed struct {
	question string
	by       map[*swap][]change
}

// changes returns the changes that the swaps make in the question of s. It keeps them in s for other rules that
// use the list. The caller must not change them.
func (list swaps) changes(s *source) []change {
	if s.changed.by == nil || s.changed.question != s.question {
		s.changed = changed{s.question, map[*swap][]change{}}
	}
	found, ok := s.changed.by[&list[0]] // the first swap identifies the list
	if !ok {
		found = list.find(s)
		s.changed.by[&list[0]] = found
	}
	return found
}

// find returns the changes that the swaps make, where their conditions hold. It leaves out words that mention no keyword of the gold SQL,
// and words that mention a column or a value or may be a part of a column's name.
func (list swaps) find(s *source) []change {
	var out []change
	for _, c := range list {
		x := c.Compiled().SubexpIndex("x")
		for _, at := range c.FindAllStringSubmatchIndex(s.question, -1) {
			start, end := at[2*x], at[2*x+1]
			switch {
			case start < 0, !s.isKeyword(start, end), s.isName(start, end), !c.holds(s, start, end): // -1: the group took no part
				continue
			}
			was := s.question[start:end]
			for _, with := range c.with {
				words := strings.TrimSpace(string(c.Compiled().ExpandString(nil, with, s.question, at)))
				if !strings.EqualFold(words, was) {
					out = append(out, change{start, end, matchCase(words, was)})
				}
			}
		}
	}
	return out
}

// isKeyword reports whether the bytes from start to before end of the question mention a keyword of the gold SQL, and
// neither a column by its name nor a constant that is text.
func (s *source) isKeyword(start, end int) bool {
	keyword := false
	for _, m := range s.alignment.Mentions {
		if !m.Overlaps(start, end) {
			continue
		}
		switch m.Kind {
		case indicator.Keyword:
			keyword = true
		case indicator.Column:
			if m.Via != indicator.Attribute {
				return false
			}
		case indicator.Value:
			if !english.IsNumeric(m.Value) {
				return false
			}
		}
	}
	return keyword
}

// isName reports whether the bytes from start to before end overlap words that are the name of a column of several words. With
// a column "average attendance", "mean attendance" would ask for another.
func (s *source) isName(start, end int) bool {
	q := english.NewSentence(s.question)
	for ref := range s.db.AllColumns() {
		name := lexicon.Words(s.db.Column(ref).Name)
		if len(name) < 2 {
			continue
		}
		for i, t := range q.Tokens {
			if n := nameAt(q, i, name); n > i && max(t.Start, start) < min(q.Tokens[n-1].End, end) {
				return true
			}
		}
	}
	return false
}

// nameAt returns the token after a name that begins at token i, or 0 if it does not begin there. Between its words the question may have
// "of" and "the", as in "number of the products".
func nameAt(q *english.Sentence, i int, name []string) (end int) {
	for _, w := range name {
		if english.Singular(q.Word(i)) != english.Singular(w) {
			return 0
		}
		end = i + 1
		i = q.Skip(end, "of", "the")
	}
	return end
}

// apply returns the question with the changes and with fitting articles. The changes may be in any order, but must not overlap.
func (s *source) apply(changes ...change) string {
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(s.question[at:c.start])
		b.WriteString(c.with)
		at = c.end
	}
	b.WriteString(s.question[at:])
	return fitArticles(english.Tidy(b.String()))
}

// articles matches an indefinite article with the word after it.
var articles = lazyregexp.New(`(?i)\b(an?) ([a-z][\w-]*)`)

// fitArticles returns a question with "a" or "an" as the word after each article needs. Words in capitals keep their article, as they may be
// read letter by letter.
func fitArticles(q string) string {
	return articles.ReplaceAllStringFunc(q, func(m string) string {
		was, word, _ := strings.Cut(m, " ")
		if strings.ToUpper(word) == word {
			return m
		}
		return matchCase(english.Article(word), was) + " " + word
	})
}

// singles returns one draft for each change, in random order. A draft makes the change at all places of the question that have the same
// words.
func (s *source) singles(changes []change) []string {
	var out []string
	for _, c := range changes {
		same := []change{}
		end := -1 // of the last one
		for _, d := range changes {
			if d.start > end && strings.EqualFold(d.with, c.with) && strings.EqualFold(s.question[d.start:d.end], s.question[c.start:c.end]) {
				same = append(same, d)
				end = d.end
			}
		}
		out = append(out, s.apply(same...))
	}
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// namedColumn is a column that the question names; the zero value is none.
type namedColumn struct {
	words string // of the question
	*dataset.Column
}

// before returns the column whose name in the question ends right before a byte and the blanks before that.
func (s *source) before(start int) namedColumn {
	end := len(strings.TrimRight(s.question[:start], " "))
	return s.named(func(m indicator.Mention) bool { return m.End == end })
}

// after returns the column whose name in the question begins at a byte, after blanks.
func (s *source) after(end int) namedColumn {
	start := len(s.question) - len(strings.TrimLeft(s.question[end:], " "))
	return s.named(func(m indicator.Mention) bool { return m.Start == start })
}

// named returns the column of the first mention by a name or synonym, not by an adjective, that accepts returns true for, or the zero value.
func (s *source) named(accepts func(indicator.Mention) bool) namedColumn {
	for _, m := range s.alignment.Spoken(indicator.Column) {
		if m.Via != indicator.Attribute && accepts(m) {
			return s.column(m)
		}
	}
	return namedColumn{}
}

// column returns the column that a mention is of or applies to; the zero value if there is none.
func (s *source) column(m indicator.Mention) namedColumn {
	if m.Kind == 0 || m.Column.Table < 0 {
		return namedColumn{}
	}
	return namedColumn{m.Text, s.db.Column(m.Column)}
}

// isNumber reports whether the question names a column of numbers.
func (c namedColumn) isNumber() bool { return c.Column != nil && c.Type == dataset.Number }

// isSingular reports whether the question names a column in the singular.
func (c namedColumn) isSingular() bool { return c.words != "" && !english.IsPlural(c.words) }

// nameWords returns the words of the column's name.
func (c namedColumn) nameWords() []string {
	if c.Column == nil {
		return nil
	}
	return lexicon.Words(c.Name)
}

// has reports whether the column's name has one of the words.
func (c namedColumn) has(words ...string) bool {
	return slices.ContainsFunc(c.nameWords(), func(w string) bool { return slices.Contains(words, w) })
}

// hasWordOf reports whether a word of the column's name, in the singular, is on a list of
// data/words.txt. Columns with a word of "size" can be large as well as high; those with a word of "extent" are
// large, not high.
func (c namedColumn) hasWordOf(list string) bool {
	return slices.ContainsFunc(c.nameWords(), func(w string) bool { return slices.Contains(words.Words(list), english.Singular(w)) })
}

// keyword returns the first mention of a keyword that overlaps the bytes from start to before end, or the zero value.
func (s *source) keyword(start, end int) indicator.Mention {
	for _, m := range s.alignment.Of(indicator.Keyword) {
		if m.Overlaps(start, end) {
			return m
		}
	}
	return indicator.Mention{}
}
