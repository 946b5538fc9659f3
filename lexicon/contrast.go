package lexicon

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Contrasts holds sets of terms that exclude each other: what one of them names, the others do not. Such terms share their
// contexts (killed, injured; debit, credit), so their word vectors are near and only a list separates them. A [Dictionary]
// is the opposite: it lists terms that may replace each other.
//
// The plain text has a set a line:
//
//	# a comment
//	length: metre, meter, m | kilometre, kilometer, km | mile, mi
//	outcome: win, won, victory | loss, lost, defeat | draw, drew, tie
//
// The topic before the colon is for people alone, and several sets may have it.
// Bars separate the members of the set; commas separate the forms of one member,
// synonyms and spellings, which do not exclude each other. A term may be in
// several sets.
type Contrasts struct {
	sets  int
	terms map[string][]Membership
}

// Membership is the place of a term in one set: the number of the set in its
// file and the number of the member in the set, both from 0.
type Membership struct{ Set, Member uint16 }

// ReadContrasts reads the format that [Contrasts] describes; name is the file's name
// in messages. It skips and reports ill-formed lines, and returns an error only if reading fails.
func ReadContrasts(name string, r io.Reader, report func(error)) (*Contrasts, error) {
	c := &Contrasts{terms: make(map[string][]Membership)}
	err := ReadLines(name, r, report, func(_ int, text string) error {
		s, err := parseContrast(text)
		if err != nil {
			return err
		}
		return c.add(s)
	})
	return c, err
}

// add appends a set, unless there are as many as [Membership] can number.
func (c *Contrasts) add(s contrast) error {
	if c.sets > math.MaxUint16 {
		return fmt.Errorf("set %d, expected at most %d", c.sets+1, math.MaxUint16+1)
	}
	for member, forms := range s {
		for _, form := range forms {
			term := foldTerm(form)
			c.terms[term] = append(c.terms[term], Membership{uint16(c.sets), uint16(member)})
		}
	}
	c.sets++
	return nil
}

// Excludes reports whether some set has the two terms in different members: "debit" and "credit". Terms
// are in the form of [Words], joined by blanks.
func (c *Contrasts) Excludes(a, b string) bool {
	others := c.Memberships(b)
	for _, m := range c.Memberships(a) {
		for _, o := range others {
			if m.Set == o.Set && m.Member != o.Member {
				return true
			}
		}
	}
	return false
}

// Memberships returns the places of a term in the form of [Words], joined by
// blanks, sorted by set, or nil. A term that is in no set has the places of the
// same term with a singular last word. A nil receiver has none. The slice is
// shared and must not be changed.
func (c *Contrasts) Memberships(term string) []Membership {
	if c == nil {
		return nil
	}
	if m, ok := c.terms[term]; ok {
		return m
	}
	start := strings.LastIndexByte(term, ' ') + 1
	rest, word := term[:start], term[start:]
	n := len(word)
	if n < 4 || word[n-1] != 's' {
		return c.lookup(rest, english.Singular(word), "")
	}
	switch word[n-2] {
	case 's', 'u', 'i': // a singular: "loss", "status", "basis"
		return nil
	}
	// Look up "miles" without s ("mile"), then "counties" with y for "ies" ("county"), then "losses" without es ("loss").
	// english.Singular would allocate, and need not decide: a candidate that some set lists is the singular.
	if m := c.lookup(rest, word[:n-1], ""); m != nil || word[n-2] != 'e' {
		return m
	}
	if word[n-3] == 'i' {
		return c.lookup(rest, word[:n-3], "y")
	}
	return c.lookup(rest, word[:n-2], "")
}

// lookup returns the places of the term that the concatenated parts spell, without allocating.
func (c *Contrasts) lookup(parts ...string) []Membership {
	var buf [64]byte
	key := buf[:0]
	for _, p := range parts {
		key = append(key, p...)
	}
	return c.terms[string(key)]
}

// contrast is one parsed line: the forms of each member, as written.
type contrast [][]string

// parseContrast parses a line "topic: term, term | term". Bars separate the members, commas the terms that are forms of one member. The
// topic is for people.
func parseContrast(text string) (contrast, error) {
	topic, rest, ok := strings.Cut(text, ":")
	if !ok || strings.TrimSpace(topic) == "" || strings.ContainsAny(topic, "|,") {
		return nil, errors.New(`no topic, expected "topic: term, term | term"`)
	}
	var s contrast
	seen := make(map[string]bool)
	for member := range strings.SplitSeq(rest, "|") {
		var forms []string
		for form := range strings.SplitSeq(member, ",") {
			term, key := strings.TrimSpace(form), foldTerm(form)
			switch {
			case term == "", strings.ContainsAny(term, ":=[]"):
				return nil, fmt.Errorf("ill-formed term %q, expected words", term)
			case seen[key]:
				return nil, fmt.Errorf("%q twice, expected each term in one member", key)
			}
			seen[key] = true
			forms = append(forms, term)
		}
		s = append(s, forms)
	}
	if len(s) < 2 {
		return nil, fmt.Errorf("%d member, expected at least 2, separated by bars", len(s))
	}
	return s, nil
}

// LintContrasts reads a file in [Contrasts]' format and reports ill-formed
// lines, lines out of order or given twice, terms that are not the
// lower-case words of a column name, terms of too many words, and terms that are
// forms of one member here and exclude each other elsewhere.
func LintContrasts(name string, r io.Reader, report func(error)) error {
	l := newLinter(name)
	c := &Contrasts{terms: make(map[string][]Membership)}
	var sets []contrast
	var lines []int
	err := ReadLines(name, r, l.add, func(line int, text string) error {
		s, err := parseContrast(text)
		if err != nil {
			return err
		}
		l.lintContrast(line, text, s)
		sets, lines = append(sets, s), append(lines, line)
		return c.add(s)
	})
	for i, s := range sets {
		l.lintContradictions(lines[i], s, c)
	}
	l.flush(report)
	return err
}

// lintContrast reports a line out of order or given twice, and ill-formed terms.
func (l *linter) lintContrast(line int, text string, s contrast) {
	l.lintSorted(line, &l.last, text, fmt.Sprintf("%q is out of order, expected lines sorted", text))
	l.lintUnique(line, text, "set")
	for _, forms := range s {
		for _, term := range forms {
			l.lintTerm(line, term, maxHeadWords)
		}
	}
}

// lintContradictions reports the forms of one member of s that some set of c has in
// different members.
func (l *linter) lintContradictions(line int, s contrast, c *Contrasts) {
	for _, forms := range s {
		for i, a := range forms {
			for _, b := range forms[i+1:] {
				if c.Excludes(a, b) {
					l.report(line, "%q and %q are one member, and exclude each other on another line", a, b)
				}
			}
		}
	}
}
