// Package heading is a thesaurus of column headings: for the headings of web tables
// and database schemas it says, by the sense that a heading has in a kind of table,
// which names stand for the column (REPLACE) and which other columns such a table
// may have beside it (ADD). It is the first book of ADVETA's dictionary (section
// 4.3), whose words say nothing of the table that they stand in.
package heading

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Thesaurus is a thesaurus of headings, see [Read] for its form. It is safe for
// concurrent use.
type Thesaurus struct {
	entries map[string][]*entry // by heading, in the form of [lexicon.Normal], as they were read
	slotted map[string][]*entry // by what stands around the slot
	classes *Classes
	same    map[string][][]string // the names of each sense that a name is of, which stand for each other
	words   map[string]bool       // of names: what is no abbreviation
}

// entry is a heading with its senses. A heading with a slot ("{person} id") stands
// for those with any words that the slot admits.
type entry struct {
	heading string
	slot    string // what the slot admits: a class, table, "" for any words
	senses  []sense
}

// sense is one thing that a heading says, with what tells it from the others.
type sense struct {
	gloss    string
	fallback bool     // holds where nothing decides
	when     []string // headings or words of the caption that speak for it
	table    []string // words of the table's name that say what its rows are
	unless   []string // headings or words that speak against it
	looks    []Look   // of cells; none for any
	replace  []string
	add      []string
}

// Column is a column in its table.
type Column struct {
	Name  string   // natural name
	Table string   // natural name or caption of the table; "" where it says nothing
	Rows  string   // what a row is ("student"), where the table is called so; else ""
	Other []string // natural names of the table's other columns
	Cells []string // sample values; none where they are not known
}

// Names are what the thesaurus says of a column, best first.
type Names struct{ Replace, Add []Name }

// Name is a name for a column, with the sense that it was taken from.
type Name struct {
	Text     string
	Sense    string // "heading: gloss"
	Votes    int    // for that sense
	Margin   int    // by which they are more than those of the next sense; Votes where there is none
	Default  bool   // nothing but its being the fallback spoke for the sense
	Composed bool   // the heading was found by its parts
	Ordinary bool   // the sense is that of an ordinary table
}

// Sure tells whether more than a single cue speaks for the sense, or none has to.
func (n Name) Sure() bool { return n.Ordinary || n.Votes >= sureVotes }

// Votes for a sense. A word of the table's name says what the rows are; another
// heading only what they have to do with, and a word in one little. The fallback is what
// an ordinary table means: one cue does not outvote it.
const (
	leastVotes    = 2
	sureVotes     = 3
	fallbackVotes = 2
	headingVotes  = 2
	wordVotes     = 1
	tableVotes    = 6
	otherVotes    = -4 // the rows are something else than the table's words say
	unlessVotes   = -3 // times those of the cue
	lookVotes     = -6
)

// Names returns what the thesaurus says of a column: the names of the sense that has
// most votes, without those that the table has already. Where senses are equally good,
// or none has a vote, the fallback is taken if it is among them. The heading itself
// counts before those with a slot that it fits; each bucket is filled from the first that
// has names for it.
func (t *Thesaurus) Names(c Column) Names {
	var out Names
	if c.Name = lexicon.Bare(c.Name); c.Name == "" {
		return out
	}
	ctx := t.context(c)
	forms := t.forms(c.Name)
	var found []match
	for _, form := range forms {
		for _, e := range t.entries[form.key()] {
			if len(e.senses) == 0 {
				return out
			}
			found = append(found, match{entry: e})
		}
	}
	for _, form := range forms {
		found = append(found, t.matches(ctx, form)...)
	}
	for _, m := range found {
		s, margin := ctx.pick(m.entry.senses)
		if s == nil {
			continue
		}
		replace, add := t.fill(ctx, m, s, margin)
		if len(out.Replace) == 0 {
			out.Replace = replace
		}
		if len(out.Add) == 0 {
			out.Add = add
		}
	}
	return out
}

// Has reports whether a name is a heading.
func (t *Thesaurus) Has(name string) bool { return t.entries[lexicon.Normal(name)] != nil }

// Rows returns what a row is of a table that is called so ("pop_singers": "singer"),
// where a class knows it, else "".
func (t *Thesaurus) Rows(table string) string {
	words := strings.Fields(lexicon.Normal(table))
	for i := range words {
		if rest := strings.Join(words[i:], " "); t.classes.Known(rest) {
			return rest
		}
		if t.classes.Known(words[i]) {
			return "" // it joins two entities: "person friend"
		}
	}
	return ""
}

// form is the words of a name, as they are looked up and as they stand.
type form struct{ keys, words []string }

func (f *form) add(words ...string) {
	for _, w := range words {
		f.keys, f.words = append(f.keys, english.Singular(w)), append(f.words, w)
	}
}

func (f *form) key() string { return strings.Join(f.keys, " ") }

// forms returns the forms of a name: its words as they stand, and with abbreviations
// written out ("cust addr", "customer address").
func (t *Thesaurus) forms(name string) []form {
	abbreviations := lexicon.DefaultAbbreviations()
	var as, long form
	for _, w := range lexicon.Words(name) {
		as.add(w)
		one := english.Singular(w)
		full := abbreviations.ExpandListed(one)
		if full == nil && !t.words[one] {
			full = abbreviations.Expand(one)
		}
		if len(full) == 1 {
			long.add(strings.Fields(full[0])...)
		} else {
			long.add(w)
		}
	}
	if slices.Equal(as.keys, long.keys) {
		return []form{as}
	}
	return []form{as, long}
}

// match is a heading with a slot that a name fits.
type match struct {
	entry        *entry
	words        string // in the slot
	alternatives []string
}

// maxSlot bounds the words in a slot.
const maxSlot = 3

// matches returns the headings with a slot that fit a name, those first that leave
// fewest words to the slot, and of these those whose slot admits least.
func (t *Thesaurus) matches(ctx *context, f form) []match {
	var all []match
	for n := 1; n <= min(maxSlot, len(f.keys)); n++ {
		var out, any []match
		for i := 0; i+n <= len(f.keys); i++ {
			if n > 1 && n == len(f.keys) {
				continue // a slot that is all of the name is for one word
			}
			slot := strings.Join(f.keys[i:i+n], " ")
			for _, e := range t.slotted[frame(f.keys[:i], f.keys[i+n:])] {
				m := match{entry: e, words: strings.Join(f.words[i:i+n], " "), alternatives: t.classes.alternatives[slot]}
				switch {
				case e.slot == "":
					any = append(any, m)
				case e.slot == ownEntity && slot == ctx.rows, t.classes.has(e.slot, slot):
					out = append(out, m)
				}
			}
		}
		slices.SortStableFunc(out, func(x, y match) int { return slotOrder(x.entry) - slotOrder(y.entry) })
		all = append(append(all, out...), any...)
	}
	return all
}

func slotOrder(e *entry) int {
	if e.slot == ownEntity {
		return 0
	}
	return 1
}

// frame is what stands before and behind a slot.
func frame(before, behind []string) string {
	return strings.Join(before, " ") + "{" + strings.Join(behind, " ")
}

// context is a column's table as cues are looked up in it.
type context struct {
	classes *Classes
	texts   []string // the other headings and the table's name, each with blanks at both ends
	table   string
	rows    string
	look    Look
	self    string          // the column's name, in the form of [lexicon.Normal]
	other   map[string]bool // those of the other columns' names
}

func (t *Thesaurus) context(c Column) *context {
	ctx := &context{classes: t.classes, rows: lexicon.Normal(c.Rows), look: LookOf(c.Cells), self: lexicon.Normal(c.Name), other: map[string]bool{}}
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

// pick returns the sense with most votes, or nil, and how many the next has less.
func (c *context) pick(senses []sense) (*sense, int) {
	var best *sense
	most, next, tie := 0, 0, false
	for i := range senses {
		s := &senses[i]
		votes := c.votes(s)
		switch {
		case votes < leastVotes:
			next = max(next, votes)
		case best == nil || votes > most:
			best, most, next, tie = s, votes, max(next, most), false
		case votes == most && s.fallback:
			best, next, tie = s, most, false
		case votes == most && !best.fallback:
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

func (c *context) votes(s *sense) int {
	votes := 0
	if s.fallback {
		votes += fallbackVotes
	}
	for _, cue := range s.when {
		votes += c.among(cue)
	}
	for _, cue := range s.unless {
		votes += unlessVotes * c.among(cue)
	}
	switch {
	case slices.ContainsFunc(s.table, c.named):
		votes += tableVotes
	case len(s.table) > 0 && c.rows != "":
		votes += otherVotes
	}
	if !c.look.fits(s.looks) {
		votes += lookVotes
	}
	return votes
}

// among returns the votes of a cue: whether it is another heading, or is in one or in
// the table's name.
func (c *context) among(cue string) int {
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

// named reports whether the table is called by a word, or by one of a class.
func (c *context) named(cue string) bool {
	if class, ok := strings.CutPrefix(cue, "{"); ok {
		return c.rows != "" && c.classes.has(strings.TrimSuffix(class, "}"), c.rows)
	}
	return strings.Contains(c.table, " "+cue+" ")
}

// fill returns the names of a sense for a column.
func (t *Thesaurus) fill(ctx *context, m match, s *sense, margin int) (replace, add []Name) {
	votes := ctx.votes(s)
	of := Name{
		Sense: m.entry.heading + ": " + s.gloss, Votes: votes, Margin: margin,
		Default: s.fallback && votes == fallbackVotes, Ordinary: s.fallback, Composed: strings.Contains(m.entry.heading, "{"),
	}
	seen := map[string]bool{ctx.self: true}
	expand := func(names []string, key func(string) string) (out []Name) {
		for _, name := range names {
			for _, name := range instances(name, m.words, m.alternatives, ctx.rows) {
				if !seen[key(name)] && !ctx.other[lexicon.WordSet(name)] && !t.repeats(ctx, name) {
					of.Text = name
					out = append(out, of)
				}
				seen[key(name)] = true
			}
		}
		return out
	}
	replace = expand(s.replace, lexicon.Normal)
	for _, name := range replace {
		seen[lexicon.WordSet(name.Text)] = true
	}
	seen[lexicon.WordSet(ctx.self)] = true
	return replace, expand(s.add, lexicon.WordSet)
}

// repeats reports whether a name stands in some sense for another column of the
// table: it could be taken for that one.
func (t *Thesaurus) repeats(ctx *context, name string) bool {
	self := lexicon.Normal(name)
	for _, names := range t.same[self] {
		if slices.ContainsFunc(names, func(other string) bool { return other != self && ctx.other[lexicon.WordSet(other)] }) {
			return true
		}
	}
	return false
}

// instances returns a name with its slots filled: none where there is nothing to
// fill them with.
func instances(name, words string, alternatives []string, rows string) []string {
	if strings.Contains(name, "{table}") {
		if rows == "" || slices.Contains(strings.Fields(words), rows) {
			return nil
		}
		name = strings.ReplaceAll(name, "{table}", rows)
	}
	name = strings.ReplaceAll(name, "{}", words)
	if !strings.Contains(name, "{alt}") {
		return []string{name}
	}
	var out []string
	for _, a := range alternatives {
		out = append(out, strings.ReplaceAll(name, "{alt}", a))
	}
	return out
}
