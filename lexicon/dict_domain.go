package lexicon

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Domains returns the domains that the embedded dictionary may mark, sorted.
func Domains() []string {
	return []string{
		"commerce", "computing", "education", "finance", "geography", "government",
		"health", "media", "military", "people", "science", "sport", "transport",
	}
}

// In returns d restricted to a domain: d.In(domain) if d has domains, as [Thesaurus] and [Forms] have, else d.
func In(d Dictionary, domain string) Dictionary {
	if t, ok := d.(interface {
		In(domain string) Dictionary
	}); ok {
		return t.In(domain)
	}
	return d
}

// Votes of a [DomainWords]: a word of the table's name describes the rows and counts more than a word of a column's name, which
// has one vote. A domain needs minVotes votes and at least clearLead times the votes of any other.
const (
	tableVotes = 2
	minVotes   = 2
	clearLead  = 2
)

// DomainWords finds the domain of a table by the words of its name and its columns' names. It is read from plain text: lines
// of a domain and the words and phrases, in the singular, that belong to it alone:
//
//	# a comment
//	sport: team, goal, world cup
//	health: patient, dose
type DomainWords struct {
	domain map[string]string // of each word or phrase
}

// ReadDomainWords reads the format that [DomainWords] describes; name is the file's name in messages. It reports and skips
// ill-formed lines and lines of a domain that [Domains] lacks. It reports a term that no column name can have or that an
// earlier line has, and skips the rest of the line from it on. It returns an error only if reading fails.
func ReadDomainWords(name string, r io.Reader, report func(error)) (*DomainWords, error) {
	d := &DomainWords{domain: make(map[string]string)}
	err := ReadLines(name, r, report, func(_ int, text string) error {
		e, err := parseEntry(text)
		switch {
		case err != nil:
			return err
		case e.group, !slices.Contains(Domains(), e.head): // a group "term = term" has no domain before it
			return fmt.Errorf("%q is no domain, expected one of %s", e.head, strings.Join(Domains(), ", "))
		}
		return lists.Each(e.synonyms, func(s synonym) error { return d.add(e.head, s) })
	})
	return d, err
}

// add puts a term into a domain; it rejects one that another line has or that no column name can contain.
func (d *DomainWords) add(domain string, s synonym) error {
	switch other, again := d.domain[s.term]; {
	case again:
		return fmt.Errorf("%q again, expected it under %s alone", s.term, other)
	case s.domain != "":
		return fmt.Errorf("%q has a domain of its own, expected the line's alone", s.term)
	case Normal(s.term) != s.term, len(strings.Fields(s.term)) > maxHeadWords:
		return fmt.Errorf("%q: expected up to %d lower-case words in the singular", s.term, maxHeadWords)
	}
	d.domain[s.term] = domain
	return nil
}

// Domain returns the domain of a table by the words of its name and of its
// columns' names, or "" if too few words have a domain or none has a clear
// lead. A term counts once, however many columns have it. A word of a longer term
// ("cup" of "world cup") does not count by itself. A nil receiver returns "".
func (d *DomainWords) Domain(table string, columns []string) string {
	if d == nil {
		return ""
	}
	votes := make([]int, len(Domains()))
	seen := make(map[string]bool)
	// count adds weight votes for the domain of each new term of a name.
	count := func(name string, weight int) {
		for _, s := range segments(strings.Fields(Normal(name)), d.options) {
			if len(s.options) > 0 && !seen[s.text] {
				seen[s.text] = true
				at, _ := slices.BinarySearch(Domains(), s.options[0]) // always found: ReadDomainWords checks it
				votes[at] += weight
			}
		}
	}
	count(table, tableVotes)
	for _, c := range columns {
		count(c, 1)
	}
	most := slices.Max(votes)
	best := slices.Index(votes, most)
	next := slices.Max(slices.Delete(votes, best, best+1)) // votes of the second domain
	if most < max(minVotes, clearLead*next) {
		return ""
	}
	return Domains()[best]
}

// options returns the domain of a term as a list of one, or nil, for [segments].
func (d *DomainWords) options(term string) []string {
	if domain, ok := d.domain[term]; ok {
		return []string{domain}
	}
	return nil
}

// Restricted is a synonym that holds in the tables of one domain only.
type Restricted struct{ Term, Domain string }

// RestrictedSynonyms returns the synonyms of a term that hold in one domain only, or nil if d has no domains. [Thesaurus]
// has, and so has [Forms] over one.
func RestrictedSynonyms(d Dictionary, term string) []Restricted {
	if t, ok := d.(interface {
		Restricted(term string) []Restricted
	}); ok {
		return t.Restricted(term)
	}
	return nil
}

// Restricted returns the synonyms of a term that hold in some domain only.
func (t *Thesaurus) Restricted(term string) []Restricted {
	var out []Restricted
	for _, s := range t.entries[term] {
		if s.domain != "" {
			out = append(out, Restricted{s.term, s.domain})
		}
	}
	return out
}

// Restricted returns the synonyms of the term as written that hold in one domain only.
func (f Forms) Restricted(term string) []Restricted { return RestrictedSynonyms(f.Dictionary, term) }
