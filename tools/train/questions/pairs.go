package questions

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli/question"
)

// Pair is a pair of questions to one database with what they are to each other.
type Pair struct {
	DB, A, B string
	Class    int    // question.Entailment, Neutral or Contradiction
	Kind     string // how it was made
}

// The kinds of pairs other than flips.
const (
	SameSQL   = "same SQL"              // two questions with one gold
	Synonyms  = "Spider-Syn"            // a question with its Spider-Syn form
	Both      = "same SQL + Spider-Syn" // a question with that of another of one gold
	OtherSQL  = "other SQL, near"       // the most alike questions with other golds
	RandomSQL = "other SQL, random"     //
)

// nearest is the number of the most alike questions that make pairs with one.
const nearest = 3

// Pairs makes the pairs of a split. Flips change one thing of the question itself
// and, marked "~", of a paraphrase of it.
func Pairs(src Sources, seed uint64) ([]Pair, error) {
	c, err := read(src)
	if err != nil {
		return nil, err
	}
	var out []Pair
	for _, db := range c.databases {
		rng := rand.New(rand.NewPCG(seed, hash(db.id)))
		out = append(out, c.same(db)...)
		out = append(out, other(rng, db)...)
		out = append(out, c.flipped(rng, db)...)
	}
	return written(src.Written, out)
}

// Written begins the kinds of pairs that were written by hand.
const Written = "written, "

// written adds the pairs of a file that were written by hand.
func written(path string, out []Pair) ([]Pair, error) {
	if path == "" {
		return out, nil
	}
	err := withFile(path, func(r io.Reader) error {
		lines := bufio.NewScanner(r)
		for n := 1; lines.Scan(); n++ {
			f := strings.Split(lines.Text(), "\t")
			if len(f) != 5 || f[2] != "0" && f[2] != "1" {
				return fmt.Errorf("%s:%d: %q, expected db_id, question, 1 or 0, kind and question with tabs between", path, n, lines.Text())
			}
			p := Pair{DB: f[0], A: f[1], B: f[4], Class: question.Neutral, Kind: Written + f[3]}
			switch {
			case f[2] == "1":
				p.Class = question.Entailment
			case slices.Contains([]string{"operator", "aggregate", "value"}, f[3]):
				p.Class = question.Contradiction
			}
			if p.Class != question.Entailment {
				p.Kind += ", changed"
			}
			out = append(out, p)
		}
		return lines.Err()
	})
	return out, err
}

// hash returns a hash of a text, which is the same in every run.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// same makes the pairs that ask the same.
func (c *corpus) same(db *database) []Pair {
	var out []Pair
	add := func(a, b, kind string) { out = append(out, Pair{db.id, a, b, question.Entailment, kind}) }
	for i, x := range db.examples {
		synonym, ok := c.synonym(db, x.question)
		if ok {
			add(x.question, synonym, Synonyms)
		}
		for _, y := range db.examples[i+1:] {
			if x.same != y.same || strings.EqualFold(x.question, y.question) {
				continue
			}
			add(x.question, y.question, SameSQL)
			if ok {
				add(synonym, y.question, Both)
			}
		}
	}
	return out
}

// other makes pairs of questions with other golds: the nearest by the words they
// share, and one at random.
func other(rng *rand.Rand, db *database) []Pair {
	words := make([][]string, len(db.examples))
	for i, x := range db.examples {
		words[i] = strings.Fields(lexicon.Normal(x.question))
		slices.Sort(words[i])
		words[i] = slices.Compact(words[i])
	}
	var out []Pair
	for i, x := range db.examples {
		var others []int
		for j, y := range db.examples {
			if x.same != y.same && x.question != y.question {
				others = append(others, j)
			}
		}
		if len(others) == 0 {
			continue
		}
		far := others[rng.IntN(len(others))]
		out = append(out, Pair{db.id, x.question, db.examples[far].question, question.Neutral, RandomSQL})
		alike := make(map[int]float64, len(others))
		for _, j := range others {
			alike[j] = jaccard(words[i], words[j])
		}
		slices.SortStableFunc(others, func(j, k int) int { return cmp.Compare(alike[k], alike[j]) })
		for _, j := range others[:min(nearest, len(others))] {
			out = append(out, Pair{db.id, x.question, db.examples[j].question, question.Neutral, OtherSQL})
		}
	}
	return out
}

// jaccard is the share of words in common of two sorted lists.
func jaccard(a, b []string) float64 {
	common := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			common++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}

// flipped makes the pairs of a question and a changed one.
func (c *corpus) flipped(rng *rand.Rand, db *database) []Pair {
	var out []Pair
	for i, x := range db.examples {
		paraphrase := ""
		for j, y := range db.examples {
			if i != j && x.same == y.same && !strings.EqualFold(x.question, y.question) {
				paraphrase = y.question
			}
		}
		if s, ok := c.synonym(db, x.question); ok && (paraphrase == "" || rng.IntN(2) == 0) {
			paraphrase = s
		}
		for _, f := range flips {
			if now, ok := f.make(rng, db, x.question); ok {
				out = append(out, Pair{db.id, x.question, now, f.class, f.kind})
			}
			if paraphrase == "" {
				continue
			}
			if now, ok := f.make(rng, db, paraphrase); ok {
				out = append(out, Pair{db.id, x.question, now, f.class, "~" + f.kind})
			}
		}
	}
	return out
}
