package lexicon

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Domains returns the domains that the embedded dictionary may mark, sorted.
func Domains() []string {
	return []string{
		"commerce", "computing", "education", "finance", "geography", "government",
		"health", "media", "military", "people", "science", "sport", "transport",
	}
}

// In returns the dictionary that d is for tables of a domain: d.In(domain) where
// d tells domains apart, as [Thesaurus] and [Forms] do, else d.
func In(d Dictionary, domain string) Dictionary {
	if t, ok := d.(interface {
		In(domain string) Dictionary
	}); ok {
		return t.In(domain)
	}
	return d
}

// Votes of a [DomainWords]: a word of the table's name says what the rows are, a
// word of a column's only what they have to do with. A domain needs the votes of
// minVotes and at least clearLead times those of any other.
const (
	tableVotes = 2
	minVotes   = 2
	clearLead  = 2
)

// DomainWords tells the domain of a table from the words of its names. It is
// read from plain text, lines of a domain and the words and phrases, in the
// singular, that are at home there and nowhere else:
//
//	# a comment
//	sport: team, goal, world cup
//	health: patient, dose
type DomainWords struct {
	domain map[string]string // of each word or phrase
}

// ReadDomainWords reads the format that [DomainWords] describes; name stands for
// the file in messages. Lines that are ill-formed, name a domain that [Domains]
// lacks, or hold a term that no column name can have or that stood before, are
// skipped from there and reported; the error is for reading alone.
func ReadDomainWords(name string, r io.Reader, report func(error)) (*DomainWords, error) {
	d := &DomainWords{domain: make(map[string]string)}
	err := ReadLines(name, r, report, func(_ int, text string) error {
		e, err := parseEntry(text)
		if err != nil {
			return err
		}
		if e.group || !slices.Contains(Domains(), e.head) {
			return fmt.Errorf("%q is no domain, expected one of %s", e.head, strings.Join(Domains(), ", "))
		}
		for _, s := range e.synonyms {
			if err := d.add(e.head, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *DomainWords) add(domain string, s synonym) error {
	switch other, again := d.domain[s.term]; {
	case again:
		return fmt.Errorf("%q again, expected it under %s alone", s.term, other)
	case s.domain != "":
		return fmt.Errorf("%q has a domain of its own, expected the line's alone", s.term)
	case Normal(s.term) != s.term || len(strings.Fields(s.term)) > maxHeadWords:
		return fmt.Errorf("%q: expected up to %d lower-case words in the singular", s.term, maxHeadWords)
	}
	d.domain[s.term] = domain
	return nil
}

// Domain returns the domain of a table by the words of its name and of its
// columns' names, or "" where they are too few or do not agree. A term counts
// once, however many columns have it, and within a longer one not at all. A nil
// receiver knows none.
func (d *DomainWords) Domain(table string, columns []string) string {
	if d == nil {
		return ""
	}
	votes := make([]int, len(Domains()))
	seen := make(map[string]bool)
	count := func(name string, weight int) {
		for _, s := range segments(strings.Fields(Normal(name)), d.of) {
			if len(s.options) > 0 && !seen[s.text] {
				seen[s.text] = true
				at, _ := slices.BinarySearch(Domains(), s.options[0])
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
	if most < max(minVotes, clearLead*slices.Max(slices.Delete(votes, best, best+1))) {
		return ""
	}
	return Domains()[best]
}

// of returns the domain of a term in the form that segments asks for.
func (d *DomainWords) of(term string) []string {
	if domain, ok := d.domain[term]; ok {
		return []string{domain}
	}
	return nil
}

// Restricted is a synonym that holds in the tables of one domain only.
type Restricted struct{ Term, Domain string }

// RestrictedSynonyms returns the synonyms of a term that hold in some domain
// only, where d tells domains apart, as [Thesaurus] and [Forms] over one do; else
// nil.
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

// Restricted returns those of the term as written.
func (f Forms) Restricted(term string) []Restricted { return RestrictedSynonyms(f.Dictionary, term) }
