package linker

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/internal/learn/adam"
)

// Options are how a linker is trained.
type Options struct {
	Epochs   int
	Batch    int     // examples of a step
	Rate     float64 // highest learning rate
	Decay    float64 // of the weights
	Dropout  float64 // share of the hidden units that are set to 0
	Forget   float64 // share of the words that are taken for unknown ones
	Networks int     // number of networks, whose probabilities are averaged
	Seed     uint64
}

// DefaultOptions are the options that the embedded linker was trained with.
func DefaultOptions() Options {
	return Options{Epochs: 8, Batch: 32, Rate: 3e-3, Decay: 1e-3, Dropout: .15, Forget: .15, Networks: 3, Seed: 1}
}

// How often a word must occur to be in the vocabulary: one that only a few questions have, or the names
// of one database, teaches nothing about other databases.
const (
	minQuestions = 4  // questions with a word
	minPairs     = 15 // questions with a pair of words
	minDatabases = 2  // original databases with the word in a name
)

// vocabulary numbers the words of questions and of names from 1; 0 is any other word.
type vocabulary struct {
	Question, Names []string // sorted
	question, names map[string]int32
}

// newVocabulary returns the vocabulary of the words of questions and of names, each sorted.
func newVocabulary(question, names []string) *vocabulary {
	return &vocabulary{Question: question, Names: names, question: numbered(question), names: numbered(names)}
}

// numbered maps words to their numbers from 1.
func numbered(words []string) map[string]int32 {
	numbers := make(map[string]int32, len(words))
	for i, w := range words {
		numbers[w] = int32(i + 1)
	}
	return numbers
}

// terms returns the lemmas of a question, then its pairs of adjacent words.
func (q *Question) terms() []string {
	terms := slices.Clone(q.lemmas)
	for i := 1; i < len(q.words); i++ {
		terms = append(terms, q.words[i-1]+" "+q.words[i])
	}
	return terms
}

// learnWords returns the vocabulary of the words that are frequent enough in examples: of words and pairs of words in questions, and of
// words in names, by the number of databases. Databases that were perturbed from one original count as one.
func learnWords(examples []*Example) *vocabulary {
	single, pairs := map[string]int{}, map[string]int{}
	databases, originals := map[string]int{}, map[string][]string{} // by the lemma of a name: how many originals have it, and which
	read := map[*structure]bool{}
	for _, ex := range examples {
		for i, t := range ex.Question.terms() {
			if i < len(ex.Question.lemmas) {
				single[t]++
			} else {
				pairs[t]++
			}
		}
		s := ex.structure
		if read[s] { // an earlier example has the same schema
			continue
		}
		read[s] = true
		for _, l := range slices.Concat(s.lemmas...) {
			if !slices.Contains(originals[l], s.original) && len(originals[l]) < minDatabases { // more need no count
				originals[l] = append(originals[l], s.original)
				databases[l]++
			}
		}
	}
	question := slices.Concat(frequent(single, minQuestions), frequent(pairs, minPairs))
	slices.Sort(question)
	return newVocabulary(question, frequent(databases, minDatabases))
}

// frequent returns the words with a count of minCount or more, sorted.
func frequent(counts map[string]int, minCount int) []string {
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n < minCount })
	return slices.Sorted(maps.Keys(counts))
}

// itemWords returns, by item, the numbers of the words of its name.
func (v *vocabulary) itemWords(s *structure) [][]int32 {
	words := make([][]int32, len(s.lemmas))
	for i, lemmas := range s.lemmas {
		for _, l := range lemmas {
			words[i] = append(words[i], v.names[l])
		}
	}
	return words
}

// samples returns the samples of examples to train from. Examples of one structure share the numbers of
// the words of its names.
func (v *vocabulary) samples(examples []*Example) []*sample {
	names := map[*structure][][]int32{}
	out := make([]*sample, len(examples))
	for i, ex := range examples {
		if names[ex.structure] == nil {
			names[ex.structure] = v.itemWords(ex.structure)
		}
		s := v.sampleOf(ex, names[ex.structure])
		s.gold, s.weight = ex.Used, cmp.Or(ex.Weight, 1)
		out[i] = s
	}
	return out
}

// sampleOf returns an example as the network reads it, without its gold SQL. names has the numbers of the
// words of each item's name.
func (v *vocabulary) sampleOf(ex *Example, names [][]int32) *sample {
	out := &sample{schema: ex.structure, features: ex.features, names: names}
	if out.features.nonzero == nil { // [Example.Prepare] was not called
		out.features = pack(ex.Schema.Features(ex.Question))
	}
	for _, t := range ex.Question.terms() {
		if w := v.question[t]; w > 0 {
			out.words = append(out.words, w)
		}
	}
	return out
}

// Train trains a linker: it calls step after each epoch of each network. The same examples and options give
// the same linker.
func Train(ctx context.Context, examples []*Example, o Options, step func()) (*Model, error) {
	v := learnWords(examples)
	samples := v.samples(examples)
	m := &Model{vocabulary: v}
	for k := range o.Networks {
		n, err := fit(ctx, v, samples, o, o.Seed+uint64(k)<<32, step) // a seed for each network
		if err != nil {
			return nil, err
		}
		m.nets = append(m.nets, n)
	}
	return m, nil
}

// parts is the number of parts of a batch whose gradients are computed concurrently. It does not depend
// on the number of processors: the rounding of sums depends on their order.
const parts = 2

// fit trains one network; step is called after each epoch. Each batch is divided among the workers. The weights are
// rounded at the end, as the file of a linker stores them.
func fit(ctx context.Context, v *vocabulary, samples []*sample, o Options, seed uint64, step func()) (*net, error) {
	rng := rand.New(rand.NewPCG(seed, 0x11))       // another stream than that of [worker.run]
	n := newNet(len(v.Question)+1, len(v.Names)+1) // 1 for unknown words
	n.randomize(rng)
	optimiser := adam.Adam[float32]{Decay: o.Decay, Clip: 5}
	var workers [parts]worker
	for i := range workers {
		workers[i].gradient = newNet(len(v.Question)+1, len(v.Names)+1)
	}
	order := rng.Perm(len(samples))
	batches := (len(samples) + o.Batch - 1) / o.Batch
	for epoch := range o.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for b := range batches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			batch := order[b*o.Batch : min((b+1)*o.Batch, len(order))]
			var wg sync.WaitGroup
			for i := range workers {
				part := batch[i*len(batch)/parts : (i+1)*len(batch)/parts]
				seed := rng.Uint64()
				wg.Go(func() { workers[i].run(n, samples, part, o, seed, len(batch)) })
			}
			wg.Wait()
			for i := 1; i < parts; i++ { // sums the gradients in a fixed order
				for k, g := range workers[i].gradient.params {
					workers[0].gradient.params[k] += g
				}
				clear(workers[i].gradient.params)
			}
			optimiser.Step(n.params, workers[0].gradient.params, adam.OneCycle(epoch*batches+b, o.Epochs*batches, o.Rate))
		}
		step()
	}
	for i, p := range n.params {
		n.params[i] = round(p)
	}
	return n, nil
}

// worker computes the gradient of a part of a batch.
type worker struct {
	pass     pass
	gradient *net
}

// run computes the gradient of the loss over one part of a batch and adds it to w.gradient. part has the positions in samples of the
// part's samples. Each loss is divided by batchSize, the size of the whole batch, so that the gradients of all parts add up to that of
// the mean loss. The seed draws dropout and the words that are taken for unknown.
func (w *worker) run(n *net, samples []*sample, part []int, o Options, seed uint64, batchSize int) {
	rng := rand.New(rand.NewPCG(seed, 0x17)) // another stream than that of fit
	batch := make([]*sample, len(part))
	for i, at := range part {
		s := *samples[at]
		s.words = forget(rng, s.words, o.Forget)
		s.names = forgetNames(rng, s.names, o.Forget)
		s.weight /= float32(batchSize)
		batch[i] = &s
	}
	keep := float32(1 / (1 - o.Dropout)) // keeps the expected state as it is without dropout
	w.pass.keep = func(mask []float32) {
		for i := range mask {
			mask[i] = keep
			if rng.Float64() < o.Dropout {
				mask[i] = 0
			}
		}
	}
	n.forward(&w.pass, batch)
	n.backward(w.gradient, &w.pass)
}

// forget returns words with a share of them drawn to be unknown, number 0.
func forget(rng *rand.Rand, words []int32, share float64) []int32 {
	words = slices.Clone(words)
	for i := range words {
		if rng.Float64() < share {
			words[i] = 0
		}
	}
	return words
}

// forgetNames applies forget to the words of each name.
func forgetNames(rng *rand.Rand, names [][]int32, share float64) [][]int32 {
	out := make([][]int32, len(names))
	for i := range names {
		out[i] = forget(rng, names[i], share)
	}
	return out
}
