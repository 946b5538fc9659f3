// Package train makes the weights of the compact NLI model from public data: the
// headers of web tables and database schemas, WordNet, PPDB and the dictionary.
// It labels no pair by hand: positives are headers with a word replaced by a
// synonym, negatives are headers with a word replaced by an antonym or a sister
// word, and other columns of the same table.
//
// [Train] is deterministic: the same sources, options and lexicon give the same
// bytes, whatever the number of processors.
package train

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/nli/compact/internal/feature"
	"github.com/tabperturb/tabperturb/nli/compact/internal/knowledge"
)

// Options steer the training. Zero fields take the default in parentheses.
type Options struct {
	Seed     uint64  // of all randomness
	Networks int     // trained from different starts, averaged (3)
	Steps    int     // batches per network (300)
	Batch    int     // pairs per batch (512)
	Rate     float64 // highest learning rate (0.004)
}

func (o Options) withDefaults() Options {
	if o.Networks == 0 {
		o.Networks = 3
	}
	if o.Steps == 0 {
		o.Steps = 300
	}
	if o.Batch == 0 {
		o.Batch = 512
	}
	if o.Rate == 0 {
		o.Rate = .004
	}
	return o
}

// Report says what the training saw and how well the result tells held-out
// pairs apart.
type Report struct {
	Tables, Skipped int            // tables read, and those without a readable header
	Headers         int            // headers that pairs were made from
	Lemmas          int            // in the taxonomy
	Pairs           map[string]int // by kind
	HeldOut         int            // pairs of held-out headers
	Area            float64        // under the ROC curve: held-out positives against negatives
	Accuracy        float64        // three-way, of held-out negatives and one-way pairs
	Scale, Bias     float64        // calibration
	Losses          []float64      // mean over the last tenth of the steps, per network
}

// String prints r on a few lines.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tables %d (%d skipped), headers %d, lemmas %d\npairs", r.Tables, r.Skipped, r.Headers, r.Lemmas)
	for _, j := range judgements {
		fmt.Fprintf(&b, " %s %d", j.name, r.Pairs[j.name])
	}
	fmt.Fprintf(&b, "\nheld out %d: area %.4f, three-way accuracy %.4f; calibration %.3f %+.3f; losses %.4f\n",
		r.HeldOut, r.Area, r.Accuracy, r.Scale, r.Bias, r.Losses)
	return b.String()
}

// Train makes a weights file. The vectors and dictionary must be those that the
// model will run with.
func Train(ctx context.Context, v lexicon.Vectors, d lexicon.Dictionary, src Sources, opt Options) ([]byte, *Report, error) {
	opt = opt.withDefaults()
	report := &Report{Pairs: map[string]int{}}
	m, data, err := prepare(ctx, v, d, &src, opt.Seed, report)
	if err != nil {
		return nil, nil, err
	}
	if err := m.fromHeaders(ctx); err != nil {
		return nil, nil, err
	}
	if err := m.betweenHeaders(ctx); err != nil {
		return nil, nil, err
	}
	for _, p := range m.pairs {
		report.Pairs[judgements[p.kind].name]++
	}
	weights := &compact.Weights{Knowledge: data, Scale: 1}
	if err := fit(ctx, weights, m, opt, report); err != nil {
		return nil, nil, err
	}
	out, err := weights.Encode()
	return out, report, err
}

// prepare reads the sources and builds the knowledge and what makes pairs.
func prepare(ctx context.Context, v lexicon.Vectors, d lexicon.Dictionary, src *Sources, seed uint64, report *Report) (*maker, knowledge.Data, error) {
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
	data, extractor, err := learnWords(v, d, w, tables, paraphrases)
	if err != nil {
		return fail(err)
	}
	m := &maker{
		rng: rand.New(rand.NewPCG(seed, 1)), extractor: extractor, wordnet: w, paraphrases: paraphrases,
		counts: map[string]uint32{}, tables: tables, headers: frequentHeaders(tables), seen: map[[2]string]bool{},
	}
	for _, c := range data.Counts {
		m.counts[c.Word] = c.N
	}
	if len(m.headers) == 0 {
		return fail(fmt.Errorf("no header occurs in two tables of the sources"))
	}
	report.Tables, report.Skipped, report.Headers, report.Lemmas = len(tables), skipped, len(m.headers), len(data.Lemmas)
	return m, data, nil
}

// learnWords makes the knowledge: the taxonomy of words in headers, paraphrases
// and common use, and how many distinct headers hold each lemma.
func learnWords(v lexicon.Vectors, d lexicon.Dictionary, w *wordnet, tables []table, paraphrases map[string][]string) (knowledge.Data, *feature.Extractor, error) {
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
	w.taxonomy(&data, func(word string) bool {
		return words[word] || paraphrases[word] != nil || len(w.senses[word]) > 2
	})
	base, err := knowledge.New(data)
	if err != nil {
		return data, nil, err
	}
	e := &feature.Extractor{Vectors: v, Dictionary: d, Knowledge: base}
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
	if base, err = knowledge.New(data); err != nil {
		return data, nil, err
	}
	return data, &feature.Extractor{Vectors: v, Dictionary: d, Knowledge: base}, nil
}

// maxParaphrases bounds the paraphrases kept of a word.
const maxParaphrases = 40

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
