package fluency

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
)

// least is how often an n-gram has to be met, by its length from 1, to be counted:
// rarer ones make most of a model and say little.
var least = [order]int{1, 3, 3}

// Train returns the model of the questions. A word met once only is unknown; equal
// questions count as often as they occur.
func Train(questions iter.Seq[string]) *Model {
	var all [][]string
	seen := map[string]int{}
	for q := range questions {
		ws := words(q)
		for _, w := range ws {
			seen[w]++
		}
		all = append(all, ws)
	}
	m := &Model{contexts: map[string]*context{}, rare: 1} // one for all that was never met
	for _, n := range seen {
		if n == 1 {
			m.rare++
		}
	}
	for _, ws := range all {
		for i, w := range ws {
			if seen[w] == 1 {
				ws[i] = unknown
			}
		}
		m.count(ws)
	}
	m.prune()
	return m
}

// count adds the n-grams of a question.
func (m *Model) count(words []string) {
	history := []string{begin, begin}
	for _, w := range append(words, end) {
		for n := range order {
			key := strings.Join(history[order-1-n:], " ")
			c := m.contexts[key]
			if c == nil {
				c = &context{words: map[string]int{}}
				m.contexts[key] = c
			}
			if c.words[w] == 0 {
				c.types++
			}
			c.words[w]++
			c.total++
		}
		history = append(history[1:], w)
	}
}

// prune forgets rare n-grams, and the contexts of nothing else: those say no more
// than shorter ones do.
func (m *Model) prune() {
	for key, c := range m.contexts {
		n := len(strings.Fields(key))
		for w, met := range c.words {
			if met < least[n] {
				delete(c.words, w)
				continue
			}
			c.kept += met
		}
		if len(c.words) == 0 {
			delete(m.contexts, key)
		}
	}
}

// Write writes the model as gzipped text: a line a context, with the words before,
// how many words followed and how many different ones, and which how often, in
// the order of the alphabet. Equal models are equal bytes.
func (m *Model) Write(w io.Writer) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(zip)
	fmt.Fprintf(out, "%s\t%d\n", magic, m.rare)
	for _, key := range slices.Sorted(maps.Keys(m.contexts)) {
		c := m.contexts[key]
		fmt.Fprintf(out, "%s\t%d\t%d\t", key, c.total, c.types)
		for i, word := range slices.Sorted(maps.Keys(c.words)) {
			if i > 0 {
				out.WriteByte(' ')
			}
			fmt.Fprintf(out, "%s %d", word, c.words[word])
		}
		out.WriteByte('\n')
	}
	return cmp.Or(out.Flush(), zip.Close())
}
