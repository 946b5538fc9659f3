package lexicon

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of the plain-text formats: a phrase longer than maxHeadWords is never
// looked up, and a line longer than maxLine is no line a person wrote.
const (
	maxHeadWords    = 4
	maxSynonymWords = 5
	maxLine         = 64 << 10
)

// LineError is a fault in a record of a word list: the record was skipped, or a linter reports it.
type LineError struct {
	File string
	Line int // from 1; the number of the record in formats without lines
	Err  error
}

// Error implements [error].
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns the error that e wraps.
func (e *LineError) Unwrap() error { return e.Err }

// Thesaurus is a [Dictionary] read from plain text, one entry a line:
//
//	# a comment
//	salary: pay, wage, remuneration
//	film = movie = motion picture
//	tie: necktie, draw [sport]
//	draw [sport]: tie, stalemate
//
// A colon gives the synonyms of one head, best first; they need not hold the
// other way round. Equals signs join terms that may all replace each other.
// A domain in brackets restricts a synonym, or after the first term the whole
// line, to that domain. Heads have up to four words, synonyms up to five.
type Thesaurus struct {
	entries map[string][]synonym
	domain  string // see In; "" for none
}

// synonym is a term that may replace a head, in the tables of a domain if that is not empty.
type synonym struct{ term, domain string }

// ReadThesaurus reads the format that [Thesaurus] describes; name is the file's name
// in messages. It skips ill-formed lines and reports each with a [*LineError]. It returns
// an error only if reading fails.
func ReadThesaurus(name string, r io.Reader, report func(error)) (*Thesaurus, error) {
	t := &Thesaurus{entries: make(map[string][]synonym)}
	var entries []entry
	err := ReadLines(name, r, report, func(_ int, text string) error {
		e, err := parseEntry(text)
		if err == nil {
			entries = append(entries, e)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	// The synonyms of a term's own line rank before those of groups that contain the term.
	for _, e := range entries {
		for _, s := range e.synonyms {
			t.add(e.head, s)
		}
	}
	for _, e := range entries {
		if e.group {
			t.addGroup(e)
		}
	}
	return t, nil
}

// addGroup gives each term of a group but the head all other terms as synonyms; ReadThesaurus gives them to the head. It may add a term
// to itself, as t.add ignores that.
func (t *Thesaurus) addGroup(e entry) {
	for _, from := range e.synonyms {
		t.add(from.term, synonym{e.head, e.domain})
		for _, to := range e.synonyms {
			t.add(from.term, to)
		}
	}
}

// add appends a synonym to those of head, unless it is the head itself or listed already.
func (t *Thesaurus) add(head string, s synonym) {
	head, s.term = foldTerm(head), foldTerm(s.term)
	if head != s.term && !slices.Contains(t.entries[head], s) {
		t.entries[head] = append(t.entries[head], s)
	}
}

// Synonyms returns the synonyms of term that hold in the domain that [Thesaurus.In] chose, then
// those that hold in every domain.
func (t *Thesaurus) Synonyms(term string) []string {
	var special, general []string // of the domain, and of every domain
	for _, s := range t.entries[term] {
		switch s.domain {
		case "":
			general = append(general, s.term)
		case t.domain:
			special = append(special, s.term)
		}
	}
	if special == nil {
		return general
	}
	return appendNew(special, general...)
}

// In returns the dictionary with the synonyms that hold in a domain, in addition to those that hold in every domain.
func (t *Thesaurus) In(domain string) Dictionary { return &Thesaurus{t.entries, domain} }

// Reserved returns the words that Spider-Syn never replaces, as they are "the
// most standard words to represent their meanings" (Gan et al. 2021, section
// 2.2), sorted. Dictionaries have synonyms of them ("id": identifier), so a
// perturbation that follows Spider-Syn must exclude these words itself.
func Reserved() []string { return []string{"age", "id", "name", "year"} }

// appendNew appends the terms that dst lacks.
func appendNew(dst []string, terms ...string) []string {
	for _, t := range terms {
		if !slices.Contains(dst, t) {
			dst = append(dst, t)
		}
	}
	return dst
}

// entry is one parsed line; its terms are as written.
type entry struct {
	head, domain string
	group        bool // the terms may all replace each other ("=")
	synonyms     []synonym
}

// parseEntry parses "head: synonym, synonym" or the group "term = term". "head [domain]: …" restricts all synonyms of the line to tables
// of a domain, "head: synonym [domain]" one of them.
func parseEntry(text string) (entry, error) {
	var e entry
	sep := ","
	head, rest, ok := strings.Cut(text, ":")
	if !ok {
		if head, rest, ok = strings.Cut(text, "="); !ok {
			return e, errors.New(`no separator, expected "head: synonym, synonym" or "term = term"`)
		}
		e.group, sep = true, "="
	}
	first, err := parseTerm(head)
	if err != nil {
		return e, err
	}
	e.head, e.domain = first.term, first.domain
	for item := range strings.SplitSeq(rest, sep) {
		s, err := parseTerm(item)
		if err != nil {
			return e, err
		}
		if s.domain != "" && (e.group || e.domain != "") {
			return e, fmt.Errorf("%q has a domain of its own, expected one after the first term only", s.term)
		}
		s.domain = cmp.Or(s.domain, e.domain)
		e.synonyms = append(e.synonyms, s)
	}
	return e, nil
}

// parseTerm splits "term [domain]".
func parseTerm(s string) (synonym, error) {
	term, mark, marked := strings.Cut(s, "[")
	out := synonym{term: strings.TrimSpace(term)}
	if marked {
		domain, tail, closed := strings.Cut(mark, "]")
		out.domain = strings.TrimSpace(domain)
		if !closed || out.domain == "" || strings.TrimSpace(tail) != "" {
			return out, fmt.Errorf("ill-formed domain in %q, expected \"term [domain]\"", strings.TrimSpace(s))
		}
	}
	if out.term == "" || strings.ContainsAny(out.term, ":=,[]") {
		return out, fmt.Errorf("ill-formed term %q, expected words", strings.TrimSpace(s))
	}
	return out, nil
}

// foldTerm returns the form in which terms are keys: lower case with single blanks.
func foldTerm(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

// ReadLines calls do for each line that is neither blank nor a comment (#), with its number from 1 and without blanks around
// it. An error of do is reported as a [*LineError] of the file name; the error returned is one of reading.
func ReadLines(name string, r io.Reader, report func(error), do func(line int, text string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	line := 0
	for scanner.Scan() {
		line++
		text := strings.TrimSpace(scanner.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		if err := do(line, text); err != nil {
			report(&LineError{name, line, err})
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w, expected text in lines of at most %d bytes", name, line+1, err, maxLine)
	}
	return nil
}
