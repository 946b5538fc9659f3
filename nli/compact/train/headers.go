package train

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
)

// Numbers of pairs of two headers. Half of those of one table are nearest
// neighbours by cosine, which are hard to tell from synonyms.
const (
	tablePairs  = 12000
	sharedPairs = 4000
	randomPairs = 4000
)

// betweenHeaders makes the pairs of two headers.
func (m *maker) betweenHeaders(ctx context.Context) error {
	frequent := map[string]bool{}
	for _, h := range m.headers {
		frequent[h] = true
	}
	for i := range tablePairs {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := m.tables[m.rng.IntN(len(m.tables))]
		if len(t.names) < 2 {
			continue
		}
		a := m.rng.IntN(len(t.names))
		b := m.rng.IntN(len(t.names) - 1)
		if b >= a {
			b++
		}
		if i%2 == 0 {
			b = m.nearest(t.names, a)
		}
		m.negative(kindTable, t.names[a], t.names[b])
	}
	byWord := map[string][]string{}
	for _, h := range m.headers {
		for _, w := range strings.Fields(h) {
			if !feature.Stop(w) {
				byWord[w] = append(byWord[w], h)
			}
		}
	}
	for range sharedPairs {
		a := pick(m.rng.IntN, m.headers)
		words := strings.Fields(a)
		if group := byWord[pick(m.rng.IntN, words)]; len(group) > 1 {
			m.negative(kindShared, a, pick(m.rng.IntN, group))
		}
	}
	for range randomPairs {
		m.negative(kindRandom, pick(m.rng.IntN, m.headers), pick(m.rng.IntN, m.headers))
	}
	return nil
}

// negative adds a pair of two headers unless they are one name in two forms.
func (m *maker) negative(k kind, a, b string) {
	x, y := m.extractor.Name(a), m.extractor.Name(b)
	if !feature.SameLemmas(x, y) && !m.synonymous(a, b) {
		m.add(k, a, a, b, 0)
	}
}

// synonymous tells whether the dictionary calls two names synonyms.
func (m *maker) synonymous(a, b string) bool {
	return slices.Contains(m.extractor.Dictionary.Synonyms(a), b) || slices.Contains(m.extractor.Dictionary.Synonyms(b), a)
}

func (m *maker) nearest(names []string, at int) int {
	best, most := -1, float32(-2)
	target := m.extractor.Name(names[at])
	for i, n := range names {
		if i != at {
			if c := feature.Cosine(target, m.extractor.Name(n)); c > most {
				best, most = i, c
			}
		}
	}
	return best
}

func pick(intN func(int) int, s []string) string { return s[intN(len(s))] }

// maxQuestions bounds the file of questions, in bytes.
const maxQuestions = 64 << 20

// fromQuestions makes pairs of what Spider-Syn's authors wrote in place of a
// schema word, alone and within the headers of that database that hold it.
func (m *maker) fromQuestions(ctx context.Context, s *Sources) error {
	if s.Questions == "" {
		return nil
	}
	r, err := open(s.Questions)
	if err != nil {
		return err
	}
	defer r.Close()
	var questions []struct {
		DB       string `json:"db_id"`
		Original string `json:"SpiderQuestion"`
		Replaced string `json:"SpiderSynQuestion"`
	}
	if err := json.NewDecoder(r).Decode(&questions); err != nil {
		return fmt.Errorf("%s: %w", s.Questions, err)
	}
	schemas := map[string][]string{}
	for _, t := range m.tables {
		if t.db != "" {
			schemas[t.db] = append(schemas[t.db], t.names...)
		}
	}
	for _, q := range questions {
		if s.HeldOut[q.DB] {
			continue
		}
		for _, r := range replacements(strings.Fields(normal(q.Original)), strings.Fields(normal(q.Replaced))) {
			m.replacement(schemas[q.DB], r)
		}
	}
	return ctx.Err()
}

func (m *maker) replacement(names []string, r [2]string) {
	from, to := m.extractor.Lemmas(r[0]), m.extractor.Lemmas(r[1])
	if from == to {
		return
	}
	for _, n := range names {
		lemmas := m.extractor.Lemmas(n)
		changed, ok := replaceTerm(lemmas, from, to)
		if !ok {
			continue
		}
		m.add(kindQuestion, from, from, to, .9)
		if lemmas != from {
			m.add(kindQuestion, n, lemmas, changed, .85)
		}
	}
}

// replaceTerm replaces the words from by the words to, once.
func replaceTerm(s, from, to string) (string, bool) {
	at := strings.Index(" "+s+" ", " "+from+" ")
	if at < 0 || from == "" || to == "" {
		return "", false
	}
	return s[:at] + to + s[at+len(from):], true
}

// maxSpan bounds the words of a replacement: longer ones rephrase the question.
const maxSpan = 3

// replacements lists the word spans of a that b has others for, by a longest
// common subsequence.
func replacements(a, b []string) [][2]string {
	const maxQuestion = 80
	if len(a) > maxQuestion || len(b) > maxQuestion {
		return nil
	}
	var length [maxQuestion + 1][maxQuestion + 1]uint8
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var out [][2]string
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		p, q := i, j
		for i < len(a) && j < len(b) && a[i] != b[j] {
			if length[i+1][j] >= length[i][j+1] {
				i++
			} else {
				j++
			}
		}
		if i == len(a) {
			j = len(b)
		} else if j == len(b) {
			i = len(a)
		}
		if i > p && j > q && i-p <= maxSpan && j-q <= maxSpan {
			out = append(out, [2]string{strings.Join(a[p:i], " "), strings.Join(b[q:j], " ")})
		}
	}
	return out
}
