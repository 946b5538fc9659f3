package heading

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// ownEntity names the slot for the entity of the column's table: "{table} name".
const ownEntity = "table"

// Read reads a thesaurus of headings from plain text; name is the file's name
// in messages, and classes are those that slots admit. Its form:
//
//	# a comment
//	since
//	  sense: year from which a player belongs to a club
//	  when: transfer fee, ends, squad
//	  cells: year
//	  replace: joined, at club since
//	  add: contract end, debut, previous club
//	  sense*: year in which something began
//	  add: until, closed
//
//	{person} id
//	  sense*: key of a person
//	  replace: {alt} id
//	  add: national id
//
// A line that is not indented begins a heading, "sense" a sense of it, "sense*" the one
// that is taken if no cue decides. The other lines belong to the sense above: "when",
// words of other headings or of the caption, cues for it; "table", words of the
// table's name, or classes in braces; "unless", cues against it; "cells",
// the looks that its cells may have; "replace" and "add", the names. A heading may have
// one slot: of a class, {} for any words, or {table} for the entity of the column's own
// table. In a name {} is what stood in the slot, {alt} each of its other names, and
// {table} the table's entity, or else its name as a noun; a name with nothing to fill it is left out.
//
// Read skips and reports ill-formed lines, and returns an error only if reading fails.
func Read(classes *Classes, name string, r io.Reader, report func(error)) (*Thesaurus, error) {
	t := newThesaurus(classes)
	words := normal{}
	err := t.read(words, name, r, report)
	t.relate(words)
	return t, err
}

// newThesaurus returns an empty thesaurus.
func newThesaurus(classes *Classes) *Thesaurus {
	return &Thesaurus{entries: map[string][]*entry{}, slotted: map[string][]*entry{}, classes: classes, same: map[string][][]string{}, words: map[string]bool{}}
}

// read adds the entries of a file.
func (t *Thesaurus) read(words normal, name string, r io.Reader, report func(error)) error {
	var e *entry
	return lexicon.ReadLines(name, r, report, func(_ int, text string) error {
		key, list, isField := strings.Cut(text, ":")
		switch {
		case !isField:
			var err error
			e, err = t.entry(words, text)
			return err
		case e == nil:
			return errors.New("expected a heading first")
		}
		return e.field(words, key, list)
	})
}

// isName reports whether a text is words of a to z and 0 to 9, with single blanks.
func isName(s string) bool {
	before := byte(' ') // the character before c
	for i := range len(s) {
		c := s[i]
		isWord := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		if !isWord && (c != ' ' || before == ' ') {
			return false
		}
		before = c
	}
	return before != ' '
}

// normal caches [lexicon.Normal] of words and names, which recur in the files.
type normal map[string]string

// of returns [lexicon.Normal] of a name. It normalizes each word and each name once and caches them in n.
func (n normal) of(name string) string {
	if form, ok := n[name]; ok {
		return form
	}
	words := strings.Fields(name)
	for i, w := range words {
		if _, ok := n[w]; !ok {
			n[w] = lexicon.Normal(w)
		}
		words[i] = n[w]
	}
	n[name] = strings.Join(words, " ")
	return n[name]
}

// withoutSlots returns a name with its slots replaced by the word x: "{person} id" → "x id".
func withoutSlots(name string) string {
	if !strings.Contains(name, "{") {
		return name
	}
	return strings.Join(strings.Fields(slotForm.ReplaceAllString(name, "x")), " ")
}

// slotForm matches a slot: "{person}", "{}".
var slotForm = lazyregexp.New(`\{([a-z]*)\}`)

// slotNames removes the slots that a name of a bucket may have.
var slotNames = strings.NewReplacer("{}", "", "{alt}", "", "{table}", "")

// entry adds an entry without senses for a heading, and returns it. The heading may have one slot, whose class must exist.
func (t *Thesaurus) entry(words normal, heading string) (*entry, error) {
	slot := slotForm.FindStringSubmatchIndex(heading)
	if strings.Count(heading, "{") > 1 || !isName(withoutSlots(heading)) {
		return nil, fmt.Errorf("%q: expected a heading of words and at most one slot", heading)
	}
	if slot == nil {
		key := words.of(heading)
		e := &entry{heading: heading}
		t.entries[key] = append(t.entries[key], e)
		return e, nil
	}
	e := &entry{heading: heading, slot: heading[slot[2]:slot[3]]} // without the braces
	if _, ok := t.classes.terms[e.slot]; !ok && e.slot != "" && e.slot != ownEntity {
		return nil, fmt.Errorf("%q: there is no class %q", heading, e.slot)
	}
	key := frame(strings.Fields(words.of(heading[:slot[0]])), strings.Fields(words.of(heading[slot[1]:])))
	t.slotted[key] = append(t.slotted[key], e)
	return e, nil
}

// field parses a line below a heading: its key and the list after the colon. It adds a sense ("sense*" is the fallback) or sets
// a list of the last one.
func (e *entry) field(words normal, key, list string) error {
	if key == "sense" || key == "sense*" {
		e.senses = append(e.senses, sense{gloss: strings.TrimSpace(list), fallback: key == "sense*"})
		return nil
	}
	if len(e.senses) == 0 {
		return fmt.Errorf("%s: expected a sense first", key)
	}
	s := &e.senses[len(e.senses)-1]
	items, err := splitNames(list)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	cues := map[string]*[]string{"when": &s.when, "table": &s.table, "unless": &s.unless}[key]
	names := map[string]*[]string{"replace": &s.replace, "add": &s.add}[key]
	isSecond := cues != nil && *cues != nil || names != nil && *names != nil || key == "cells" && s.looks != nil
	switch {
	case isSecond:
		return fmt.Errorf("%s: expected one list of it in a sense", key)
	case cues != nil:
		*cues = words.cues(items)
	case key == "cells":
		for _, item := range items {
			if !slices.Contains(looks, Look(item)) {
				return fmt.Errorf("cells: %q is no look, expected one of %v", item, looks)
			}
			s.looks = append(s.looks, Look(item))
		}
	case names != nil:
		for _, item := range items {
			if strings.Contains(item, "{") && strings.Contains(slotNames.Replace(item), "{") {
				return fmt.Errorf("%s: %q: expected no other slots than {}, {alt} and {table}", key, item)
			}
		}
		*names = items
	default:
		return fmt.Errorf("%q: expected sense, when, table, unless, cells, replace or add", key)
	}
	return nil
}

// splitNames returns the names of a list that commas separate, without blank ones. It rejects a name with
// other characters than lower-case letters, digits, single blanks and slots.
func splitNames(list string) ([]string, error) {
	var out []string
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if !isName(withoutSlots(item)) {
			return nil, fmt.Errorf("%q: expected words of a to z and 0 to 9", item)
		}
		out = append(out, item)
	}
	return out, nil
}

// cues returns the cues of a list in normal form. A class in braces ("{person}") stays as it is.
func (n normal) cues(items []string) []string {
	return lists.Map(items, func(item string) string {
		if strings.HasPrefix(item, "{") {
			return item
		}
		return n.of(item)
	})
}

// relate fills t.same and t.words from the senses of all entries: which names share a sense, and
// which words are no abbreviations.
func (t *Thesaurus) relate(words normal) {
	for key, entries := range t.entries {
		for _, e := range entries {
			for _, s := range e.senses {
				t.relateSense(words, key, s)
			}
		}
	}
}

// relateSense adds the words of a sense's names to t.words. It adds the heading, key, and the names that may replace it to t.same,
// as names of one thing. It leaves out names with a slot ("{table} id"), which are no names before it is filled.
func (t *Thesaurus) relateSense(words normal, key string, s sense) {
	for _, name := range slices.Concat(s.replace, s.add) {
		for w := range strings.FieldsSeq(words.of(name)) {
			t.words[w] = true
		}
	}
	names := []string{key}
	for _, name := range s.replace {
		if !strings.Contains(name, "{") {
			names = append(names, words.of(name))
		}
	}
	for _, name := range names {
		t.same[name] = append(t.same[name], names)
	}
}
