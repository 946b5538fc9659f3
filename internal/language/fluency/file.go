package fluency

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// magic begins the first line of a model; the number of rare words follows.
const magic = "tabperturb-fluency-1"

// maxFile bounds the unpacked bytes of a model that is read.
const maxFile = 64 << 20

// Read reads a model from gzipped text: a line a context, with the words before, how
// many words followed and how many different ones, and which how often. The error names
// the line that is wrong.
func Read(r io.Reader) (*Model, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("model of fluency: %w", err)
	}
	lines := bufio.NewScanner(io.LimitReader(zip, maxFile))
	lines.Buffer(nil, maxFile)
	m := &Model{contexts: map[string]*context{}}
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			err = m.readHead(lines.Text())
		} else {
			err = m.readContext(lines.Text())
		}
		if err != nil {
			return nil, fmt.Errorf("model of fluency: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("model of fluency: %w", err)
	}
	if m.contexts[""] == nil {
		return nil, errors.New("model of fluency: it has no words, expected a line of them")
	}
	return m, nil
}

// readHead parses the first line: magic and the number of rare words.
func (m *Model) readHead(line string) error {
	name, rare, _ := strings.Cut(line, "\t")
	n, err := positive(rare)
	if name != magic || err != nil {
		return fmt.Errorf("%.40q, expected %s and a number", line, magic)
	}
	m.rare = n
	return nil
}

// readContext parses a line of a context: the words before, how many words followed and how many different ones, and pairs of a word and its
// count, separated by tabs. It rejects counts that would give probabilities of 0 or above 1.
func (m *Model) readContext(line string) error {
	f := strings.Split(line, "\t")
	if len(f) != 4 {
		return fmt.Errorf("%d fields, expected 4", len(f))
	}
	total, err1 := positive(f[1])
	types, err2 := positive(f[2])
	pairs := strings.Split(f[3], " ")
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	c := &context{total: total, types: types, words: map[string]int{}}
	if len(pairs)%2 != 0 {
		return fmt.Errorf("%d words and counts, expected pairs", len(pairs))
	}
	for i := 0; i < len(pairs); i += 2 {
		n, err := positive(pairs[i+1])
		if err != nil || pairs[i] == "" || c.words[pairs[i]] > 0 {
			return fmt.Errorf("%.40q with count %.40q, expected a word of its own and a number", pairs[i], pairs[i+1])
		}
		c.words[pairs[i]] = n
		c.kept += n
	}
	switch {
	case c.kept > total, len(c.words) > types, types > total:
		return fmt.Errorf("counts add up to %d of %d words, expected no more than %d of %d", c.kept, len(c.words), total, types)
	case m.contexts[f[0]] != nil:
		return fmt.Errorf("words %.40q stand twice", f[0])
	}
	m.contexts[f[0]] = c
	return nil
}

// positive reads a number from 1 to a million million.
func positive(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > 1e12 {
		return 0, fmt.Errorf("count %.40q, expected a number from 1", s)
	}
	return int(n), nil
}
