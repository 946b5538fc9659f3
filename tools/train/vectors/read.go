package vectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/source"
)

// maxBad bounds the bad lines that are reported.
const maxBad = 100

// read reads all sources and numbers the terms.
func (b *builder) read(src Sources) error {
	if err := readWordNet(b, src); err != nil {
		return err
	}
	for i := range b.wordnet.senses {
		b.words.add(b.wordnet.senses[i].word)
	}
	b.log("%d synsets, %d senses, %d terms", len(b.wordnet.synsets), len(b.wordnet.senses), len(b.words.list))
	b.antonyms = b.wordnet.antonyms(b.words)
	steps := []func() error{
		func() error { return b.readPairs(src.Paraphrases, &b.para) },
		func() error { return b.readPairs(src.Synonyms, &b.synonyms) },
		func() error { b.addHeaders(src.Headers); return nil },
		func() error { return b.readAliases(src.Aliases) },
	}
	for _, path := range src.Antonyms {
		steps = append(steps, func() error { return b.readPairs(path, &b.antonyms) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// readPairs reads lines of a word and the words it goes with.
func (b *builder) readPairs(path string, edges *[]edge) error {
	return b.readLines(path, func(_ int, text string) error {
		f := strings.Fields(text)
		if len(f) < 2 {
			return errors.New("one word, expected two or more")
		}
		head := lexicon.Key(f[0])
		if !usable(head) {
			return nil
		}
		for _, w := range f[1:] {
			if other := lexicon.Key(w); usable(other) && other != head {
				*edges = append(*edges, edge{b.words.add(head), b.words.add(other)})
			}
		}
		return nil
	})
}

// readTable reads tab-separated rows of n fields below a header line.
func (b *builder) readTable(path string, n int, do func(f []string)) error {
	return b.readLines(path, func(line int, text string) error {
		f := strings.Split(text, "\t")
		if line == 1 {
			return nil
		}
		if len(f) != n {
			return fmt.Errorf("%d fields, expected %d separated by tabs", len(f), n)
		}
		do(f)
		return nil
	})
}

// readLines calls do with each line of a file that is not empty, numbered from 1. An error of do is about the line, and is
// counted and reported. It reads nothing for the path "".
func (b *builder) readLines(path string, do func(line int, text string) error) error {
	if path == "" {
		return nil
	}
	return source.Lines(b.ctx, path, func(n int, text string) error {
		if text == "" {
			return nil
		}
		if err := do(n, text); err != nil {
			if b.bad++; b.bad <= maxBad {
				b.report(&lexicon.LineError{File: path, Line: n, Err: err})
			}
		}
		return nil
	})
}

// lemmatizer returns a function that gives the WordNet lemma of a word, or the
// word itself.
func (b *builder) lemmatizer() func(string) string {
	known := func(w string) bool { return len(b.wordnet.ofWord[w]) > 0 }
	memo := make(map[string]string)
	return func(word string) string {
		if l, ok := memo[word]; ok {
			return l
		}
		l := word
		if lemmas := english.Lemmas(word, known); !known(word) && len(lemmas) > 0 {
			l = lemmas[0]
		}
		memo[word] = l
		return l
	}
}
