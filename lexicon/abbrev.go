package lexicon

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// Abbreviations knows conventional abbreviations of words and phrases, and reads
// others by the rules by which people make them.
type Abbreviations struct {
	short   map[string][]string // word or phrase → the abbreviations that may be written for it, most usual first
	long    map[string][]string // abbreviation → its words and phrases, in file order
	derived map[string][]string // abbreviation by rule → the words and phrases that the rule shortens to it
}

// ReadAbbreviations reads plain text, one word or phrase a line with its
// abbreviations, most usual first ("number: no, num, (nbr)"). Those in parentheses are
// expanded, but not written. It skips and reports ill-formed lines, and returns an error only if reading fails.
func ReadAbbreviations(name string, r io.Reader, report func(error)) (*Abbreviations, error) {
	a := &Abbreviations{
		short:   make(map[string][]string),
		long:    make(map[string][]string),
		derived: make(map[string][]string),
	}
	err := ReadLines(name, r, report, func(_ int, text string) error {
		e, readOnly, err := parseAbbreviation(text)
		if err != nil {
			return err
		}
		word := foldTerm(e.head)
		if a.short[word] == nil {
			a.short[word] = []string{} // listed, even if none of its abbreviations may be written
		}
		for i, s := range e.synonyms {
			short := foldTerm(s.term)
			if !readOnly[i] {
				a.short[word] = appendNew(a.short[word], short)
			}
			a.long[short] = appendNew(a.long[short], word)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, word := range slices.Sorted(maps.Keys(a.short)) {
		forms := shorten(word) // the abbreviations by rule; a phrase has its acronym instead
		if strings.Contains(word, " ") {
			forms = []string{acronym(strings.Fields(word))}
		}
		for _, short := range forms {
			a.derived[short] = append(a.derived[short], word)
		}
	}
	return a, nil
}

// parseAbbreviation parses a line such as "number: no, num, (nbr)" into an entry with the abbreviations as synonyms. readOnly[i]
// is whether abbreviation i is in parentheses: it is expanded, but never written.
func parseAbbreviation(text string) (e entry, readOnly []bool, err error) {
	if e, err = parseEntry(text); err != nil {
		return e, nil, err
	}
	if e.group {
		return e, nil, errors.New(`group of terms, expected "word: abbreviation, abbreviation"`)
	}
	for i := range e.synonyms {
		s := &e.synonyms[i]
		inner, opened := strings.CutPrefix(s.term, "(")
		inner, closed := strings.CutSuffix(inner, ")")
		isWord := inner != "" && !strings.ContainsAny(inner, " ()")
		if s.domain != "" || opened != closed || !isWord {
			return e, nil, errors.New("expected abbreviations of one word each, without domain")
		}
		s.term = inner
		readOnly = append(readOnly, opened)
	}
	return e, readOnly, nil
}

// LintAbbreviations reads a file in [ReadAbbreviations]'s format and reports what [LintDictionary] reports, abbreviations that
// are no shorter than their word, and those that are listed for more than one word.
func LintAbbreviations(name string, r io.Reader, report func(error)) error {
	l := newLinter(name)
	heads := make(map[string]string) // by abbreviation
	err := ReadLines(name, r, l.add, func(line int, text string) error {
		e, _, err := parseAbbreviation(text)
		if err != nil {
			return err
		}
		l.lintEntry(line, e)
		for _, s := range e.synonyms {
			if len(s.term) >= len(e.head) {
				l.report(line, "%q is no shorter than %q", s.term, e.head)
			}
			if other, taken := heads[s.term]; taken {
				l.report(line, "%q stands for %q, and for %q", s.term, e.head, other)
			} else {
				heads[s.term] = e.head
			}
		}
		return nil
	})
	l.flush(report)
	return err
}

// Expand returns the words and phrases that an abbreviation may mean: those that list it; else the listed words that [shorten]
// shortens to it and the listed phrases with these initials; else nil. A listed plural expands to plurals: "pts" to "points".
func (a *Abbreviations) Expand(abbr string) []string {
	if words := a.ExpandListed(abbr); words != nil {
		return words
	}
	return slices.Clone(a.derived[abbr])
}

// ExpandListed returns the words and phrases whose lines list an abbreviation, or nil. A plural expands to plurals: "pts" → "points".
func (a *Abbreviations) ExpandListed(abbr string) []string {
	if words := a.long[abbr]; words != nil {
		return slices.Clone(words)
	}
	singular, isPlural := strings.CutSuffix(abbr, "s")
	if !isPlural {
		return nil
	}
	return plurals(a.long[singular], abbr)
}

// Abbreviate returns shorter forms of a column name, most usual first. Form i replaces each listed part of the name by its
// i-th abbreviation, or by its last if it has fewer: "ranking points" → "ranking pts".
func (a *Abbreviations) Abbreviate(term string) []string {
	words := Words(term)
	parts := segments(words, a.listedFor)
	var out []string
	for rank := range mostOptions(parts) {
		short := make([]string, len(parts))
		for i, p := range parts {
			if short[i] = p.text; len(p.options) > 0 {
				short[i] = p.options[min(rank, len(p.options)-1)]
			}
		}
		out = appendNew(out, strings.Join(short, " "))
	}
	return out
}

// listedFor returns the listed abbreviations of a word or phrase. A plural has those of its singular with an s:
// "points" → "pts".
func (a *Abbreviations) listedFor(term string) []string {
	if short := a.short[term]; short != nil {
		return slices.Clone(short)
	}
	singular := inflectHead(term, english.Singular)
	if singular == term {
		return nil
	}
	return lists.Map(a.short[singular], func(short string) string { return short + "s" })
}

// acronym joins the initials of words: "date of birth" → "dob".
func acronym(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		b.WriteRune(r)
	}
	return b.String()
}

// shorten returns the abbreviations that rules make of a word: its first syllable ("location" → "loc") and its consonants
// ("total" → "ttl"). Words under five letters have none.
func shorten(word string) []string {
	if len(word) < 5 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil
	}
	var out []string
	// A shorter form is ambiguous, and one that saves a single letter is not used.
	if s := firstSyllable(word); len(s) >= 3 && len(s) < len(word)-1 {
		out = append(out, s)
	}
	if s := dropVowels(word); len(s) >= 3 && len(s) <= 6 && len(s) < len(word)-1 {
		out = appendNew(out, s)
	}
	return out
}

// firstSyllable returns the letters before the second group of vowels, at most five: "description" → "descr".
func firstSyllable(word string) string {
	i := 0
	for _, vowels := range []bool{false, true, false} { // consonants, vowels, consonants
		for i < len(word) && isVowel(word[i]) == vowels {
			i++
		}
	}
	return word[:min(i, 5)]
}

// dropVowels returns the first letter of a word and its consonants, doubled ones once: "address" → "adrs".
func dropVowels(word string) string {
	out := []byte{word[0]}
	for i := 1; i < len(word); i++ {
		if c := word[i]; !isVowel(c) && c != out[len(out)-1] {
			out = append(out, c)
		}
	}
	return string(out)
}

// isVowel reports whether a letter is a vowel; y is none.
func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
