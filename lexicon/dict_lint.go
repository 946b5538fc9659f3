package lexicon

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// LintDictionary reads a file in [Thesaurus]'s format and reports ill-formed
// lines, lines out of order, terms that are not the lower-case words
// of a column name, terms of too many words, unknown domains, heads that have
// two lines, synonyms equal to their head, and pairs given twice.
func LintDictionary(name string, r io.Reader, report func(error)) error {
	l := newLinter(name)
	err := ReadLines(name, r, l.add, func(line int, text string) error {
		e, err := parseEntry(text)
		if err == nil {
			l.lintEntry(line, e)
		}
		return err
	})
	l.flush(report)
	return err
}

// linter collects the faults of a file.
type linter struct {
	file   string
	last   string         // key of the previous line: of a dictionary, the head with its domain
	seen   map[string]int // line of each key that may occur once
	errors []*LineError
}

// newLinter returns a linter without faults; file names the file in messages.
func newLinter(file string) *linter { return &linter{file: file, seen: make(map[string]int)} }

// add appends a fault, which is a [*LineError].
func (l *linter) add(err error) { l.errors = append(l.errors, err.(*LineError)) }

// report adds a fault of a line, formatted as by [fmt.Errorf].
func (l *linter) report(line int, format string, args ...any) {
	l.add(&LineError{l.file, line, fmt.Errorf(format, args...)})
}

// flush passes all faults to report, in the order of lines.
func (l *linter) flush(report func(error)) {
	slices.SortStableFunc(l.errors, func(a, b *LineError) int { return a.Line - b.Line })
	for _, err := range l.errors {
		report(err)
	}
}

// lintEntry reports the faults of a line of a dictionary.
func (l *linter) lintEntry(line int, e entry) {
	key := e.head + "[" + e.domain // a term may have a line for each domain: "bench [sport]: …"
	l.lintSorted(line, &l.last, key, fmt.Sprintf("%q is out of order, expected lines sorted by their first term", e.head))
	l.lintUnique(line, key, fmt.Sprintf("head %q", e.head))
	l.lintDomain(line, e.domain)
	l.lintTerm(line, e.head, maxHeadWords)
	for _, s := range e.synonyms {
		l.lintDomain(line, s.domain)
		limit := maxSynonymWords
		if e.group {
			limit = maxHeadWords
		}
		l.lintTerm(line, s.term, limit)
		l.lintPair(line, e.head, s)
	}
	if !e.group {
		return
	}
	// In a group each term is the head of the others.
	for i, a := range e.synonyms {
		l.lintPair(line, a.term, synonym{e.head, e.domain})
		for j, b := range e.synonyms {
			if i != j {
				l.lintPair(line, a.term, b)
			}
		}
	}
}

// lintPair reports a synonym equal to its head, and a pair given twice.
func (l *linter) lintPair(line int, head string, s synonym) {
	if head == s.term {
		l.report(line, "%q is a synonym of itself", head)
		return
	}
	l.lintUnique(line, head+":"+s.term, fmt.Sprintf("synonym %q of %q", s.term, head))
}

// lintSorted reports a fault if key sorts before *previous, the key of the line before, and then stores key there.
func (l *linter) lintSorted(line int, previous *string, key, fault string) {
	if key < *previous {
		l.report(line, "%s", fault)
	}
	*previous = key
}

// lintUnique reports a key that an earlier line has; what describes it in the message.
func (l *linter) lintUnique(line int, key, what string) {
	if first, again := l.seen[key]; again {
		l.report(line, "%s again, first on line %d", what, first)
		return
	}
	l.seen[key] = line
}

// lintDomain reports a domain that [Domains] lacks; "" is none.
func (l *linter) lintDomain(line int, domain string) {
	if domain != "" && !slices.Contains(Domains(), domain) {
		l.report(line, "unknown domain %q, expected one of %s", domain, strings.Join(Domains(), ", "))
	}
}

// lintTerm reports a term of more than limit words, and one that differs from its own [Words]: dictionaries are only asked for
// words in that form.
func (l *linter) lintTerm(line int, term string, limit int) {
	words := Words(term)
	if strings.Join(words, " ") != term {
		l.report(line, "%q: expected lower-case words as column names have them: %q", term, strings.Join(words, " "))
	}
	if len(words) > limit {
		l.report(line, "%q has %d words, expected at most %d", term, len(words), limit)
	}
}
