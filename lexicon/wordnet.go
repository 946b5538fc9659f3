package lexicon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"
)

// WordNet is a [Dictionary] over the database files of WordNet 3.x, as the
// distribution and Debian's package wordnet-base have them: index.noun and
// data.noun, and so on for verb, adj and adv. The synonyms of a lemma are the
// words that share a synset with it, in the order of its senses (most frequent
// first), those of nouns before those of other parts of speech, as most column
// names are nouns.
type WordNet struct {
	parts []wordNetPart
}

// wordNetPart holds one part of speech, as read: the index is sorted by lemma
// and searched in place, and its offsets point into data.
type wordNetPart struct{ index, data []byte }

// maxWordNetProblems bounds the reports on one index file.
const maxWordNetProblems = 100

// OpenWordNet reads the files of the folder and checks each line of the indices.
// Lines that are out of order or point to no synset are reported; lookups pass
// over them. Parts of speech without files are left out, but nouns must be there.
func OpenWordNet(fsys fs.FS, report func(error)) (*WordNet, error) {
	var w WordNet
	for _, pos := range []string{"noun", "verb", "adj", "adv"} {
		if _, err := fs.Stat(fsys, "index."+pos); err != nil && pos != "noun" {
			continue
		}
		var p wordNetPart
		var err error
		if p.index, err = readBounded(fsys, "index."+pos); err != nil {
			return nil, fmt.Errorf("WordNet: %w", err)
		}
		if p.data, err = readBounded(fsys, "data."+pos); err != nil {
			return nil, fmt.Errorf("WordNet: %w", err)
		}
		p.check("index."+pos, report)
		w.parts = append(w.parts, p)
	}
	return &w, nil
}

// Synonyms returns the words of all synsets of term, by sense, or nil.
func (w *WordNet) Synonyms(term string) []string {
	lemma := strings.ReplaceAll(term, " ", "_")
	var out []string
	for _, p := range w.parts {
		offsets, err := parseIndexLine(p.find(lemma))
		if err != nil { // an unknown lemma, or a damaged line, which OpenWordNet reported
			continue
		}
		for _, offset := range offsets {
			words, err := p.synset(offset)
			if err != nil {
				continue
			}
			for _, s := range words {
				if s != term && s != "" {
					out = appendNew(out, s)
				}
			}
		}
	}
	return out
}

// find returns the index line of a lemma, or nil. The licence at the head of
// the file begins each line with a blank and so sorts before all lemmas.
func (p wordNetPart) find(lemma string) []byte {
	at := sort.Search(len(p.index), func(i int) bool { // over offsets; it compares the first line that begins at or after one
		line, ok := lineFrom(p.index, i)
		return !ok || string(indexLemma(line)) >= lemma
	})
	line, ok := lineFrom(p.index, at)
	if !ok || string(indexLemma(line)) != lemma {
		return nil
	}
	return line
}

// lineFrom returns the first line that begins at or after offset i, or false if there is none. With it a binary search
// over offsets finds a line.
func lineFrom(text []byte, i int) ([]byte, bool) {
	if i > 0 {
		nl := bytes.IndexByte(text[i-1:], '\n')
		if nl < 0 {
			return nil, false
		}
		i += nl // the offset after the newline
	}
	line, _, _ := bytes.Cut(text[i:], []byte("\n"))
	return line, i < len(text)
}

// indexLemma returns the lemma of an index line, its first field.
func indexLemma(line []byte) []byte {
	lemma, _, _ := bytes.Cut(line, []byte(" "))
	return lemma
}

// parseIndexLine returns the synset offsets of a line
// "lemma pos synsets pointers [pointer…] senses tagged offset…".
func parseIndexLine(line []byte) ([]int, error) {
	f := strings.Fields(string(line))
	if len(f) < 4 {
		return nil, fmt.Errorf("%d fields, expected an index line of WordNet", len(f))
	}
	synsets, err1 := strconv.Atoi(f[2])
	pointers, err2 := strconv.Atoi(f[3])
	fit := synsets >= 1 && pointers >= 0 && synsets == len(f)-6-pointers // 6: the other fields
	if errors.Join(err1, err2) != nil || !fit {
		return nil, fmt.Errorf("%q: the counts do not fit %d fields", f[0], len(f))
	}
	offsets := make([]int, 0, synsets)
	for _, s := range f[6+pointers:] {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%q: offset %q, expected a number", f[0], s)
		}
		offsets = append(offsets, int(n))
	}
	return offsets, nil
}

// synset returns the words of the synset at an offset of the data file, whose
// line is "offset file type count word id word id …", the count in hexadecimal.
func (p wordNetPart) synset(at int) ([]string, error) {
	if at >= len(p.data) {
		return nil, fmt.Errorf("offset %d, expected less than the %d bytes of the data file", at, len(p.data))
	}
	line, _, _ := bytes.Cut(p.data[at:], []byte("\n"))
	f := bytes.SplitN(line, []byte(" "), 5)
	if offset, err := strconv.Atoi(string(f[0])); err != nil || offset != at || len(f) < 5 {
		return nil, fmt.Errorf("no synset at offset %d of the data file", at)
	}
	count, err := strconv.ParseUint(string(f[3]), 16, 8)
	if err != nil {
		return nil, fmt.Errorf("the synset at offset %d has no count of words: %q", at, f[3])
	}
	f = bytes.SplitN(f[4], []byte(" "), 2*int(count)+1)
	if len(f) <= 2*int(count) {
		return nil, fmt.Errorf("the synset at offset %d lacks words", at)
	}
	words := make([]string, count)
	for i := range words {
		word, _, _ := strings.Cut(string(f[2*i]), "(") // syntactic marker of adjectives: "big(a)"
		words[i] = foldTerm(strings.ReplaceAll(word, "_", " "))
	}
	return words, nil
}

// check reports the index lines that no lookup finds or that lead to no synset.
func (p wordNetPart) check(name string, report func(error)) {
	var last []byte
	line, bad := 0, 0
	for text := range bytes.Lines(p.index) {
		line++
		if text[0] == ' ' { // the licence
			continue
		}
		text = bytes.TrimRight(text, "\n")
		err := p.checkLine(text, last)
		last = indexLemma(text)
		if err == nil {
			continue
		}
		report(&LineError{name, line, err})
		if bad++; bad == maxWordNetProblems {
			report(&LineError{name, line, errors.New("more lines like these, not reported")})
			return
		}
	}
}

// checkLine returns an error for an index line that does not sort after the lemma previous, or whose
// synsets are missing.
func (p wordNetPart) checkLine(line, previous []byte) error {
	if lemma := indexLemma(line); bytes.Compare(lemma, previous) <= 0 {
		return fmt.Errorf("%q after %q, expected lemmas in order", lemma, previous)
	}
	offsets, err := parseIndexLine(line)
	if err != nil {
		return err
	}
	for _, offset := range offsets {
		if _, err := p.synset(offset); err != nil {
			return err
		}
	}
	return nil
}
