// Package names makes the weights of the compact NLI model from public data: the
// headers of web tables and database schemas, WordNet, PPDB, the dictionary, the
// contrasts, and names that people wrote. A first stage learns from automatic
// pairs: headers with a word replaced by a synonym, an antonym or a sister word,
// other columns of the same table, columns of different tables; and from graded
// pairs of words. The last stage learns mostly from names that people wrote for
// columns, and is cross-validated by what they were written for.
//
// [Train] is deterministic: the same sources, options and lexicon give the same
// bytes, whatever the number of processors.
package names

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/nli/compact"
)

// Options steer the training. Zero fields take the default in parentheses.
type Options struct {
	Seed      uint64  // of all randomness
	Networks  int     // trained from different starts, averaged (3)
	Batch     int     // pairs in a batch (512)
	Steps     int     // batches of the first stage, on automatic pairs (1800)
	Rate      float64 // its highest learning rate (0.004)
	LastSteps int     // batches of the last stage, on hand-written pairs (800)
	LastRate  float64 // its highest learning rate (0.0015)
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	o.Networks, o.Batch = cmp.Or(o.Networks, 3), cmp.Or(o.Batch, 512)
	o.Steps, o.Rate = cmp.Or(o.Steps, 1800), cmp.Or(o.Rate, .004)
	o.LastSteps, o.LastRate = cmp.Or(o.LastSteps, 800), cmp.Or(o.LastRate, .0015)
	return o
}

// Report says what the training saw and how well the result tells hand-written
// names apart that it did not see.
type Report struct {
	Tables, Skipped int            // tables read, and those without a readable header
	Headers         int            // headers that pairs were made from
	Lemmas          int            // whose kind is known
	Columns         int            // words and headers placed by their neighbours
	Pairs           map[string]int // by kind
	Predictions     []Prediction   // of the cross-validation
	Unseen          []Prediction   // on ADVETA's names, with none of them in training
	Losses          []float64      // mean over the last tenth of the steps, per network
	Scale, Bias     float64        // calibration of the result
}

// String prints r on a few lines.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tables %d (%d skipped), headers %d, lemmas %d, columns %d\npairs", r.Tables, r.Skipped, r.Headers, r.Lemmas, r.Columns)
	for _, j := range judgements {
		fmt.Fprintf(&b, " %s %d", j.name, r.Pairs[j.name])
	}
	own := func(p Prediction) bool { return !p.ADVETA && !p.Random }
	adveta := func(p Prediction) bool { return p.ADVETA }
	fmt.Fprintf(&b, "\narea, cross-validated: %.4f on our own names, %.4f on ADVETA's; on ADVETA's with none of them in training %.4f\ncalibration %.3f %+.3f; losses %.4f\n",
		Area(Select(r.Predictions, own)), Area(Select(r.Predictions, adveta)), Area(r.Unseen), r.Scale, r.Bias, r.Losses)
	return b.String()
}

// Train makes a weights file. The lexicon must be the one that the model will
// run with.
func Train(ctx context.Context, l compact.Lexicon, src Sources, opt Options) ([]byte, *Report, error) {
	opt = opt.withDefaults()
	report := &Report{Pairs: map[string]int{}}
	m, data, err := made(ctx, l, &src, opt.Seed, report)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range m.pairs {
		report.Pairs[judgements[p.kind].name]++
	}
	weights := &compact.Weights{Knowledge: data}
	if err := fit(ctx, weights, m, opt, report); err != nil {
		return nil, nil, err
	}
	out, err := weights.Encode()
	return out, report, err
}

// Pair is a pair of names to train from. Kind is the way in which it was made.
type Pair struct{ Entity, A, B, Kind string }

// Pairs returns the pairs that Train learns from.
func Pairs(ctx context.Context, l compact.Lexicon, src Sources, seed uint64) ([]Pair, error) {
	m, _, err := made(ctx, l, &src, seed, &Report{})
	if err != nil {
		return nil, err
	}
	var out []Pair
	for _, p := range m.pairs {
		if p.held {
			continue
		}
		out = append(out, Pair{p.entity, p.a, p.b, judgements[p.kind].name})
	}
	return out, nil
}

// made makes the knowledge and all pairs.
func made(ctx context.Context, l compact.Lexicon, src *Sources, seed uint64, report *Report) (*maker, knowledge.Data, error) {
	m, data, err := prepare(ctx, l, src, seed, report)
	if err != nil {
		return nil, data, err
	}
	if err := m.fromPeople(ctx, src); err != nil {
		return nil, data, err
	}
	if err := m.fromHeaders(ctx); err != nil {
		return nil, data, err
	}
	return m, data, m.betweenHeaders(ctx)
}

// fit trains the networks in two stages and calibrates them by cross-validation
// of the last.
func fit(ctx context.Context, w *compact.Weights, m *maker, opt Options, report *Report) error {
	samples, err := extract(ctx, m)
	if err != nil {
		return err
	}
	t := &trainer{opt: opt, samples: samples, scales: standardise(samples)}
	base, _, err := t.networks(ctx, opt.first(), nil, nil)
	if err != nil {
		return err
	}
	if report.Predictions, err = t.crossValidate(ctx, base); err != nil {
		return err
	}
	c := calibrate(report.Predictions, -1)
	if report.Unseen, err = t.unseen(ctx, base, c); err != nil {
		return err
	}
	if w.Networks, report.Losses, err = t.networks(ctx, opt.last(), base, nil); err != nil {
		return err
	}
	w.Scale, w.Bias = c.scale, c.bias
	report.Scale, report.Bias = c.scale, c.bias
	for _, n := range w.Networks {
		n.Fold(t.scales[0], t.scales[1], t.scales[2])
	}
	return nil
}

// prepare reads the sources, learns the knowledge from them and returns the maker of pairs. It stores the sizes of the sources in
// report.
func prepare(ctx context.Context, l compact.Lexicon, src *Sources, seed uint64, report *Report) (*maker, knowledge.Data, error) {
	fail := func(err error) (*maker, knowledge.Data, error) { return nil, knowledge.Data{}, err }
	w, err := readWordNet(ctx, src)
	if err != nil {
		return fail(err)
	}
	paraphrases, err := readParaphrases(ctx, src.Paraphrases)
	if err != nil {
		return fail(err)
	}
	tables, skipped, err := src.tables(ctx)
	if err != nil {
		return fail(err)
	}
	if len(tables) == 0 {
		return fail(fmt.Errorf("no tables in the sources, expected at least one"))
	}
	data, extractor, err := learnWords(ctx, l, w, tables, paraphrases, seed)
	if err != nil {
		return fail(err)
	}
	m := &maker{
		rng: rand.New(rand.NewPCG(seed, 1)), extractor: extractor, wordnet: w, paraphrases: paraphrases,
		counts: map[string]uint32{}, tables: tables, headers: frequentHeaders(tables), seen: map[[2]string]bool{}, excluded: map[[2]string]bool{},
	}
	for _, c := range data.Counts {
		m.counts[c.Word] = c.N
	}
	if len(m.headers) == 0 {
		return fail(fmt.Errorf("no header occurs in two tables of the sources"))
	}
	report.Tables, report.Skipped, report.Headers = len(tables), skipped, len(m.headers)
	report.Lemmas, report.Columns = len(data.Lemmas), len(data.Columns.Terms)
	return m, data, nil
}

// learnWords computes the knowledge of words and an extractor of features that uses it: the kinds of the words in headers, in
// paraphrases and in common use, the vectors of headers by their neighbours, how many distinct headers have each lemma, and the
// metric that separates words that exclude each other.
func learnWords(ctx context.Context, l compact.Lexicon, w *wordnet, tables []table, paraphrases map[string][]string, seed uint64) (knowledge.Data, *namepair.Extractor, error) {
	words := map[string]bool{}
	headers := map[string]bool{}
	for _, t := range tables {
		for _, n := range t.names {
			headers[n] = true
			for word := range strings.FieldsSeq(n) {
				words[word] = true
			}
		}
	}
	var data knowledge.Data
	fail := func(err error) (knowledge.Data, *namepair.Extractor, error) { return data, nil, err }
	err := w.kinds(ctx, &data, seed, func(term string) bool {
		if _, ok := l.Vectors.Lookup(nil, term); ok {
			return true
		}
		return words[term] || paraphrases[term] != nil || len(w.senses[term]) > 2
	})
	if err != nil {
		return fail(err)
	}
	base, err := knowledge.New(data)
	if err != nil {
		return fail(err)
	}
	e := l.Extractor(base)
	counts := map[string]uint32{}
	for n := range headers {
		for _, l := range slices.Compact(slices.Sorted(strings.FieldsSeq(e.Lemmas(n)))) {
			counts[l]++
		}
	}
	data.Headers = uint32(len(headers))
	for word, n := range counts {
		if n >= 2 {
			data.Counts = append(data.Counts, knowledge.Count{Word: word, N: n})
		}
	}
	slices.SortFunc(data.Counts, func(a, b knowledge.Count) int { return strings.Compare(a.Word, b.Word) })
	if data.Columns, err = columns(ctx, tables, e.Lemmas, seed); err != nil {
		return fail(err)
	}
	if data.Metric, err = metric(l.Vectors, sameWords(l, words), apartWords(l, words)); err != nil {
		return fail(err)
	}
	if base, err = knowledge.New(data); err != nil {
		return fail(err)
	}
	return data, l.Extractor(base), nil
}

// sameWords lists pairs of words of headers with their synonyms of the
// dictionary.
func sameWords(l compact.Lexicon, words map[string]bool) [][2]string {
	var out [][2]string
	for _, w := range slices.Sorted(maps.Keys(words)) {
		for _, s := range l.Dictionary.Synonyms(w) {
			out = append(out, [2]string{w, s})
		}
	}
	return out
}

// apartWords lists pairs of words of headers that exclude each other.
func apartWords(l compact.Lexicon, words map[string]bool) [][2]string {
	var out [][2]string
	sets := map[uint16][]member{}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		for _, at := range l.Contrasts.Memberships(word) {
			for _, other := range sets[at.Set] {
				if other.member != at.Member {
					out = append(out, [2]string{word, other.word})
				}
			}
			sets[at.Set] = append(sets[at.Set], member{word, at.Member})
		}
	}
	return out
}

// maxParaphrases bounds the paraphrases kept of a word.
const maxParaphrases = 40

// readParaphrases reads the first [maxParaphrases] paraphrases of each word.
func readParaphrases(ctx context.Context, files []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, file := range files {
		err := lines(ctx, file, func(line string) error {
			f := strings.Fields(line)
			if len(f) < 2 {
				return nil
			}
			list := out[f[0]]
			for _, p := range f[1:] {
				if len(list) < maxParaphrases && p != f[0] && !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
			out[f[0]] = list
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ReadHeldOut reads names to keep out of training for [Sources.HeldOut]: words
// separated by blanks, commas, quotes or brackets, so that a JSON array and a
// plain list both do.
func ReadHeldOut(r io.Reader) (map[string]bool, error) {
	names := map[string]bool{}
	s := bufio.NewScanner(r)
	for s.Scan() {
		for _, n := range strings.FieldsFunc(s.Text(), func(r rune) bool { return strings.ContainsRune(" \t,\"[]", r) }) {
			names[n] = true
		}
	}
	return names, s.Err()
}
