// Package heading is a thesaurus of column headings. A heading of a web table or a schema has one or more senses; each sense
// lists names that may replace the column (REPLACE) and names of further columns that such a table may have (ADD). The table
// decides the sense. ADVETA (section 4.3) uses a dictionary of words instead, which ignores the table.
package heading

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Thesaurus is a thesaurus of headings, see [Read] for its form. It is safe for
// concurrent use.
type Thesaurus struct {
	entries map[string][]*entry // by heading, in the form of [lexicon.Normal], as they were read
	slotted map[string][]*entry // by [frame], the words around the slot
	classes *Classes
	same    map[string][][]string // by name: for each sense that has it, all names of that sense
	words   map[string]bool       // words of names, which are no abbreviations

	contrasts *Thesaurus // headings that come in pairs, see [Thesaurus.readContrasts]; nil for none
}

// entry is a heading with its senses. A heading with a slot ("{person} id") matches names with any words that the slot admits:
// "student id".
type entry struct {
	heading string
	slot    string // what the slot admits: a class, ownEntity, or "" for any words
	senses  []sense
}

// sense is one meaning of a heading, with the cues for and against it.
type sense struct {
	gloss    string   // what the heading means in this sense
	fallback bool     // taken if no cue decides
	when     []string // headings or words of the caption that speak for it
	table    []string // words of the table's name that describe its rows, or classes of its rows in braces
	unless   []string // headings or words that speak against it
	looks    []Look   // of cells; none for any
	replace  []string // names that may replace the column, with slots
	add      []string // names of further columns, with slots
}

// Column is a column in its table.
type Column struct {
	Name  string   // natural name
	Table string   // natural name or caption of the table; "" for none
	Rows  string   // the entity of a row ("student"), if the table's name has it; else ""
	Noun  string   // what a row is called by the table's name, of a known entity or not ("price change"); "" for none
	Other []string // natural names of the table's other columns
	Near  []string // headers on which tables of the same kind agree, in lower case
	Cells []string // sample values; none if they are not known
}

// Names are the names for a column in both buckets, best first.
type Names struct{ Replace, Add []Name }

// Name is a name for a column, with the sense that it was taken from.
type Name struct {
	Text     string
	Sense    string // "heading: gloss"
	Votes    int    // for that sense
	Margin   int    // Votes less those of the next sense; Votes if there is no other
	Default  bool   // the sense was taken as the fallback, without other votes
	Composed bool   // the heading has a slot
	Contrast bool   // the name pairs with the heading: "end date" with "start date"
	Ordinary bool   // the sense is the fallback, which an ordinary table means
}

// Sure reports whether the sense has the votes of more than one cue, or is the fallback, which needs none.
func (n Name) Sure() bool { return n.Ordinary || n.Votes >= sureVotes }

// Names returns the names for a column: those of the sense with most votes, without names that the table has already. Of senses
// with equally many votes it takes the fallback, and none if there is no fallback among them. An entry without a slot
// comes before those with one; each bucket is filled from the first entry that has names for it, or else with what the column is
// called without the word that begins the headings of its table ([Thesaurus.unprefixed]).
func (t *Thesaurus) Names(c Column) Names {
	c.Name = lexicon.Bare(c.Name)
	out, mayName := t.names(c)
	short, hasPrefix := t.unprefixed(c)
	if !mayName || !hasPrefix || len(out.Replace) > 0 && len(out.Add) > 0 {
		return out
	}
	names, mayName := t.names(short)
	if !mayName {
		return out
	}
	if len(out.Replace) == 0 && !t.Repeats(c, short.Name) {
		plain := Name{Text: short.Name, Sense: "{} " + short.Name + ": what the rows have", Votes: fallbackVotes, Margin: fallbackVotes, Default: true, Composed: true, Ordinary: true}
		out.Replace = append([]Name{plain}, names.Replace...)
	}
	if len(out.Add) == 0 {
		out.Add = names.Add
	}
	return out
}

// unprefixed returns a column without the first word of its name, and its table's other columns too, if most headings of the table begin
// with that word and it is a word of the table's name or abbreviates it: "position" of the columns mni_id, mni_position and mni_label of menu
// items. It returns false for others, where only "id" or no word is left, and where another heading ends in the same words.
func (t *Thesaurus) unprefixed(c Column) (Column, bool) {
	const leastColumns = 3 // two headings may share their first word for other reasons
	prefix, rest, _ := strings.Cut(strings.ToLower(c.Name), " ")
	isPrefix := slices.Contains(lexicon.Words(c.Table), english.Singular(prefix)) || slices.Contains(lexicon.Words(lexicon.Normal(c.Table)), prefix) ||
		!t.words[prefix] && abbreviates(strings.ToLower(c.Table), prefix)
	isSaid := func(w string) bool {
		return len(w) > 1 && t.words[english.Singular(w)] && !english.IsFunction(w) && !english.IsNumeric(w)
	}
	if rest == "id" || !isPrefix || !slices.ContainsFunc(lexicon.Words(rest), isSaid) {
		return c, false
	}
	c.Name = rest
	shared := 1
	c.Other = slices.Clone(c.Other)
	for i, name := range c.Other {
		name = strings.ToLower(name)
		if strings.HasSuffix(" "+name, " "+rest) {
			return c, false
		}
		if short, ok := strings.CutPrefix(name, prefix+" "); ok {
			c.Other[i] = short
			shared++
		}
	}
	return c, shared >= leastColumns && 2*shared > len(c.Other)+1
}

// abbreviates reports whether short begins as text does and its letters stand in text in the same order: those of "mni" in "menu items".
func abbreviates(text, short string) bool {
	if short == "" || !strings.HasPrefix(text, short[:1]) {
		return false
	}
	for _, letter := range short {
		var ok bool
		if _, text, ok = strings.Cut(text, string(letter)); !ok {
			return false
		}
	}
	return true
}

// names returns the names that the entries of a column's own name have, and false if an entry lists it as a heading that gets no names.
func (t *Thesaurus) names(c Column) (out Names, mayName bool) {
	if c.Name == "" {
		return out, false
	}
	ctx := t.context(c)
	forms := t.forms(c.Name)
	for _, m := range t.find(ctx, forms) {
		if len(m.entry.senses) == 0 {
			return Names{}, false
		}
		s, margin := ctx.pick(m.entry.senses)
		if s == nil {
			continue
		}
		replace, add := t.namesOf(ctx, m, s, margin)
		if len(out.Replace) == 0 {
			out.Replace = replace
		}
		if len(out.Add) == 0 {
			out.Add = add
		}
	}
	out.Add = t.withContrasts(ctx, forms, out)
	return out, true
}

// find returns the entries that match the forms of a name, first those without a slot.
func (t *Thesaurus) find(ctx *context, forms []form) []match {
	var found []match
	for _, form := range forms {
		for _, e := range t.entries[form.key()] {
			found = append(found, match{entry: e})
		}
	}
	for _, form := range forms {
		found = append(found, t.matches(ctx, form)...)
	}
	return found
}

// Has reports whether a name is a heading.
func (t *Thesaurus) Has(name string) bool { return t.entries[lexicon.Normal(name)] != nil }

// Rows returns the entity of a table's rows, the longest term of a class at the end of its name: "pop_singers" → "singer". It
// returns "" if there is none, or if the name has another entity before it.
func (t *Thesaurus) Rows(table string) string {
	words := strings.Fields(lexicon.Normal(table))
	for i := range words {
		if rest := strings.Join(words[i:], " "); t.classes.Known(rest) {
			return rest
		}
		if t.classes.Known(words[i]) {
			return "" // the name joins two entities: "person friend"
		}
	}
	return ""
}

// maxNoun bounds the words of [Thesaurus.Noun].
const maxNoun = 3

// Noun returns a table's name as a noun for a row: "price_changes" → "price change". It returns "" for a name of more than
// three words, with a word that no name of the thesaurus has, or with a plural or "has" before its last word: "users_teams" and
// "project_has_files" are links, not things.
func (t *Thesaurus) Noun(table string) string {
	words := lexicon.Words(table)
	if len(words) == 0 || len(words) > maxNoun {
		return ""
	}
	last := len(words) - 1
	for i, w := range words {
		isLink := i < last && (english.IsPlural(w) && !english.IsAttributive(w) || w == "has")
		if isLink || !t.words[english.Singular(w)] {
			return ""
		}
	}
	words[last] = english.Singular(words[last])
	return strings.Join(words, " ")
}

// form is a form of a name: its words, and the same words in the singular (keys).
type form struct{ keys, words []string }

// add appends words with their keys.
func (f *form) add(words ...string) {
	for _, w := range words {
		f.keys, f.words = append(f.keys, english.Singular(w)), append(f.words, w)
	}
}

// key returns the key of the form in the maps of a thesaurus.
func (f *form) key() string { return strings.Join(f.keys, " ") }

// forms returns the forms of a name: as written, and with abbreviations expanded if that differs ("cust addr", "customer
// address").
func (t *Thesaurus) forms(name string) []form {
	abbreviations := lexicon.DefaultAbbreviations()
	var written, long form // long: with abbreviations expanded
	for _, w := range lexicon.Words(name) {
		written.add(w)
		singular := english.Singular(w)
		full := abbreviations.ExpandListed(singular)
		if full == nil && !t.words[singular] { // no word of the thesaurus: perhaps an abbreviation by rule
			full = abbreviations.Expand(singular)
		}
		if len(full) == 1 { // more are ambiguous
			long.add(strings.Fields(full[0])...)
		} else {
			long.add(w)
		}
	}
	if slices.Equal(written.keys, long.keys) {
		return []form{written}
	}
	return []form{written, long}
}

// match is an entry that matches a name.
type match struct {
	entry        *entry
	slotWords    string   // the words of the name that fill the slot
	alternatives []string // other names for slotWords
}

// maxSlot bounds the words in a slot.
const maxSlot = 3

// matches returns the entries with a slot that match a name: for "singer id" an entry "{table} id" where "singer" fills the slot. Those
// with fewest words in the slot come first; among these the slot of the table's entity, then slots of a class, then those of any words.
func (t *Thesaurus) matches(ctx *context, f form) []match {
	var all []match
	for n := 1; n <= min(maxSlot, len(f.keys)); n++ {
		var ofTable, ofClass, ofAny []match // by what the slot admits
		for i := 0; i+n <= len(f.keys); i++ {
			if n > 1 && n == len(f.keys) {
				continue // a slot may be the whole name only if that is one word
			}
			slot := strings.Join(f.keys[i:i+n], " ")
			for _, e := range t.slotted[frame(f.keys[:i], f.keys[i+n:])] {
				m := match{entry: e, slotWords: strings.Join(f.words[i:i+n], " "), alternatives: t.classes.alternatives[slot]}
				switch {
				case e.slot == "" && !english.IsFunction(f.keys[i+n-1]): // "since date" is no "date of since"
					ofAny = append(ofAny, m)
				case e.slot == ownEntity && slot == ctx.rows:
					ofTable = append(ofTable, m)
				case t.classes.has(e.slot, slot):
					ofClass = append(ofClass, m)
				}
			}
		}
		all = slices.Concat(all, ofTable, ofClass, ofAny)
	}
	return all
}

// frame returns the key of the words before and after a slot: "" and "id" → "{id".
func frame(before, after []string) string {
	return strings.Join(before, " ") + "{" + strings.Join(after, " ")
}

// namesOf returns the names of sense s of a matched entry for a column, with their slots filled. It leaves out repeats, and
// names that the table has or that could be taken for another of its columns. margin is the lead of the sense ([Name.Margin]).
func (t *Thesaurus) namesOf(ctx *context, m match, s *sense, margin int) (replace, add []Name) {
	votes := ctx.votes(s)
	template := Name{
		Sense: m.entry.heading + ": " + s.gloss, Votes: votes, Margin: margin,
		Default: s.fallback && votes == fallbackVotes, Ordinary: s.fallback, Composed: strings.Contains(m.entry.heading, "{"),
	}
	seen := map[string]bool{ctx.self: true}
	// expand fills the slots of names. key is the form in which two names are the same: a name that replaces the column may
	// have its words in another order, a name to add may not.
	expand := func(names []string, key func(string) string) (out []Name) {
		for _, name := range names {
			for _, name := range t.fillSlots(name, m.slotWords, m.alternatives, ctx.noun) {
				if !seen[key(name)] && !ctx.other[lexicon.WordSet(name)] && !t.meansOtherColumn(ctx, name) {
					template.Text = name
					out = append(out, template)
				}
				seen[key(name)] = true
			}
		}
		return out
	}
	replace = expand(s.replace, lexicon.Normal)
	for _, name := range replace { // seen has the names in the other form, in which the names to add are looked up
		seen[lexicon.WordSet(name.Text)] = true
	}
	seen[lexicon.WordSet(ctx.self)] = true
	if template.Default && len(s.when) >= manyCues {
		return replace, nil // the table has none of the cues, so it is not one of the tables that the names to add are for
	}
	return replace, expand(s.add, lexicon.WordSet)
}

// manyCues is the number of cues from which on they describe the tables in which a sense occurs.
const manyCues = 4

// Repeats reports whether a name means another column of the table, or the column itself.
func (t *Thesaurus) Repeats(c Column, name string) bool {
	c.Other = slices.Concat(c.Other, []string{c.Name})
	return t.meansOtherColumn(t.context(c), name)
}

// meansOtherColumn reports whether a name could be taken for another column of the table: it shares a sense with that column's
// name, or names the time of the event that the column names ("deleted at" with a column "deleted").
func (t *Thesaurus) meansOtherColumn(ctx *context, name string) bool {
	self := lexicon.Normal(name)
	words := strings.Fields(self)
	event := lists.Filter(words, func(w string) bool { return !slices.Contains(timeWords, w) })
	if len(event) < len(words) && ctx.other[lexicon.WordSet(strings.Join(event, " "))] { // the name has a time word
		return true
	}
	return slices.ContainsFunc(t.same[self], func(names []string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return other != self && ctx.other[lexicon.WordSet(other)] })
	})
}

// timeWords turn the name of an event into one of its time: "deleted", "deleted at".
var timeWords = []string{"at", "on", "date", "time", "timestamp", "datetime"}

// fillSlots returns the names that a name with slots makes: {} is filled by words, {alt} by each alternative, {table} by noun.
// It returns nil if a slot has nothing to fill it or if the name would read badly.
func (t *Thesaurus) fillSlots(name, words string, alternatives []string, noun string) []string {
	lacksNoun := strings.Contains(name, "of {}") && !t.isNoun(words)                                            // "date of opened"
	isAbbreviated := strings.Contains(name, "{} identifier") && isShort(words)                                  // "cat identifier"
	isState := strings.HasSuffix(name, "{table} {}") && english.IsPast(words[strings.LastIndex(words, " ")+1:]) // "customer blocked"
	if lacksNoun || isAbbreviated || isState {
		return nil
	}
	name = strings.ReplaceAll(name, "{}", words)
	if strings.Contains(name, "{table}") {
		if noun == "" || slices.Contains(strings.Fields(words), noun) || repeatsWord(noun, name) { // no "order order id"
			return nil
		}
		name = strings.ReplaceAll(name, "{table}", noun)
	}
	if !strings.Contains(name, "{alt}") {
		return []string{name}
	}
	return lists.Map(alternatives, func(a string) string { return strings.ReplaceAll(name, "{alt}", a) })
}

// isNoun reports whether words can follow "of" as a noun: the thesaurus has them all, and the last is no participle, no
// adjective and no abbreviation.
func (t *Thesaurus) isNoun(words string) bool {
	for _, w := range strings.Fields(words) {
		if !t.words[english.Singular(w)] {
			return false
		}
	}
	last := words[strings.LastIndex(words, " ")+1:]
	isVerbForm := participle.MatchString(words) || english.IsPast(last)
	return !isVerbForm && !notNouns[last] && !isShort(words)
}

// notNouns are adjectives and verbs that precede the head of a name: a "retail price" is no "price of retail".
var notNouns = wordfile.ReadSet("retail wholesale full net gross list base join close open start end begin daily weekly monthly hourly yearly annual final")

// isShort reports whether words end in an abbreviation, which does not go with a long word: "cat" in "cat identifier".
func isShort(words string) bool {
	last := words[strings.LastIndex(words, " ")+1:]
	return len(lexicon.DefaultAbbreviations().ExpandListed(last)) > 0
}

// participle matches what ends in a participle or in an adjective made of a verb.
var participle = regexp.MustCompile(`\w{2,}(ed|able|ible)$`)

// repeatsWord reports whether a word of a name is the last word of noun or derived from it, so that noun in its slot {table}
// would repeat it: "order status" in "{table} status", "cite" in "{table} cited".
func repeatsWord(noun, name string) bool {
	last := noun[strings.LastIndex(noun, " ")+1:]
	root := strings.TrimSuffix(last, "e")
	return slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		return w == last || len(last) > 3 && strings.HasPrefix(w, root) // many words begin with a short one by chance
	})
}
