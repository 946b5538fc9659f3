package heading

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Votes for a sense. A word of the table's name describes the rows, so it counts most; another heading is a weaker cue, and a
// word within one weaker still. The fallback starts with votes of its own, so that one cue does not outvote it.
const (
	leastVotes    = 2
	sureVotes     = 3
	fallbackVotes = 2
	headingVotes  = 2
	wordVotes     = 1
	tableVotes    = 6
	otherVotes    = -4 // the rows are another entity than the cues of the table's name
	unlessVotes   = -3 // times those of the cue
	lookVotes     = -6
	amountVotes   = 3
	nearVotes     = 3 // at most, of headers that similar tables have: they outvote the fallback, not the table's own cues
)

// context is the table of a column, in the form in which cues are looked up.
type context struct {
	classes *Classes
	texts   []string        // the other headings and the table's name, each with blanks at both ends to find whole words
	table   string          // the table's name or caption, in the form of [lexicon.Normal], with blanks at both ends
	rows    string          // the entity of a row, in the same form; "" if it is not known
	noun    string          // what fills {table}: rows, or else what a row is called; "" for none
	look    Look            // of the column's cells
	self    string          // the column's name, in the form of [lexicon.Normal]
	other   map[string]bool // the other columns' names, as [lexicon.WordSet]
	near    map[string]bool // headers of similar tables, as they are and in the form of [lexicon.Normal]
}

// context returns the context of a column: its table's name, its neighbours and the look of its cells, normalized. The other columns'
// names are in it as written and with abbreviations expanded.
func (t *Thesaurus) context(c Column) *context {
	ctx := &context{classes: t.classes, rows: lexicon.Normal(c.Rows), look: LookOf(c.Cells), self: lexicon.Normal(c.Name), other: map[string]bool{}, near: map[string]bool{}}
	ctx.noun = cmp.Or(ctx.rows, c.Noun)
	for _, name := range c.Near {
		ctx.near[name], ctx.near[lexicon.Normal(name)] = true, true
	}
	ctx.table = " " + lexicon.Normal(c.Table) + " "
	ctx.texts = append(ctx.texts, ctx.table)
	for _, name := range c.Other {
		name = lexicon.Bare(name)
		for _, form := range t.forms(name) {
			ctx.other[lexicon.WordSet(form.key())] = true
			ctx.texts = append(ctx.texts, " "+form.key()+" ")
		}
	}
	return ctx
}

// pick returns the sense with most votes, and its lead over the next one. Of senses with equally many votes the fallback wins.
// It returns nil if no sense has leastVotes, or if several have most votes and none of them is the fallback.
func (c *context) pick(senses []sense) (*sense, int) {
	var best *sense
	most, next, tie := 0, 0, false // next: the most votes of the other senses
	for i := range senses {
		s := &senses[i]
		votes := c.votes(s)
		switch {
		case votes < leastVotes: // cannot win, but may reduce the lead
			next = max(next, votes)
		case best == nil || votes > most:
			best, most, next, tie = s, votes, max(next, most), false
		case votes == most && s.fallback:
			best, next, tie = s, most, false
		case votes == most && !best.fallback: // until the fallback has as many or a sense has more
			tie = true
		default:
			next = max(next, votes)
		}
	}
	if tie {
		return nil, 0
	}
	return best, most - next
}

// votes sums the votes for a sense: see the constants.
func (c *context) votes(s *sense) int {
	votes := 0
	if s.fallback {
		votes += fallbackVotes
	}
	for _, cue := range s.when {
		votes += c.cueVotes(cue)
	}
	votes += min(c.nearCues(s), nearVotes)
	for _, cue := range s.unless {
		votes += unlessVotes * c.cueVotes(cue)
	}
	switch {
	case slices.ContainsFunc(s.table, c.matchesTable):
		votes += tableVotes
	case len(s.table) > 0 && c.rows != "": // the rows are known, and of another entity
		votes += otherVotes
	}
	switch {
	case !c.look.fits(s.looks):
		votes += lookVotes
	case c.look == LookAmount && slices.Contains(s.looks, LookAmount):
		votes += amountVotes // few senses list amounts, those of money, so cells such as 32.38 are a strong cue for them
	}
	return votes
}

// nearCues counts the cues of a sense and its names to add that are headers of similar tables.
func (c *context) nearCues(s *sense) int {
	if len(c.near) == 0 {
		return 0
	}
	isNear := func(name string) bool { return c.near[name] }
	return lists.Count(s.when, isNear) + lists.Count(s.add, isNear)
}

// cueVotes returns the votes of a cue: headingVotes if it is another heading or the table's name, wordVotes if it is part
// of one, else 0.
func (c *context) cueVotes(cue string) int {
	votes := 0
	for _, text := range c.texts {
		switch {
		case text == " "+cue+" ":
			return headingVotes
		case strings.Contains(text, " "+cue+" "):
			votes = wordVotes
		}
	}
	return votes
}

// matchesTable reports whether the table fits a cue of [sense.table]: its name has the word, or its rows are of the class
// ("{person}").
func (c *context) matchesTable(cue string) bool {
	if class, ok := strings.CutPrefix(cue, "{"); ok {
		return c.rows != "" && c.classes.has(strings.TrimSuffix(class, "}"), c.rows)
	}
	return strings.Contains(c.table, " "+cue+" ")
}
