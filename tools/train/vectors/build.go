// Package vectors makes word vectors from dictionaries alone, without a text
// corpus: the embedded table of package lexicon comes out of it.
//
// Every term gets a sparse row of features: its senses in Open English WordNet,
// their hypernyms, related synsets and the content words of their definitions,
// weighted by the rank of the sense (wordnet.go), and where web-table headers
// are given, the header words it stands beside (headers.go). Paraphrases of PPDB
// then pull rows together, in two rounds, and antonyms push them apart (graph.go). A seeded
// randomised singular value decomposition takes the rows of the chosen terms
// (vocabulary.go) to a few hundred dimensions (package lowrank), written as int8.
//
// The same sources and options give the same bytes, with one processor or many.
package vectors

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/tools/train/lowrank"
)

// Sources are what vectors are made of: files, each of which may be gzip, and
// headers. Only the first two are required.
type Sources struct {
	// Synsets and Senses are Open English WordNet as tab-separated text with a
	// header line:
	//
	//	synset, pos, lexfile, members (a|b), definition, relations (name:synset …)
	//	lemma, pos, sense_id, synset, relations (name:sense_id …)
	Synsets, Senses string
	// Paraphrases has a word and then its paraphrases on each line (PPDB-XL as
	// released for retrofitting).
	Paraphrases string
	// Synonyms and Antonyms have two words on each line.
	Synonyms string
	Antonyms []string
	// Headers are the column names of tables.
	Headers [][]string
	// Aliases has an abbreviation, a tab, and its expansions separated by commas
	// on each line: the abbreviation takes their mean vector.
	Aliases string
}

// Options are the choices of a build; zero values stand for the defaults.
type Options struct {
	Dim  int    // components, default 320
	Rows int    // terms, default 44,000
	Seed uint64 // of the random projection
	// Step is the quantisation step as a share of a row's root mean square,
	// default 0.7: some three bits a component. Bytes buy more as components
	// than as finer steps.
	Step float64
	// Log takes progress, one line a stage; nil for none.
	Log func(string)
}

// Stats measures the file that a build made.
type Stats struct {
	Terms, Dim, Features, Nonzeros int
	Raw, Compressed                int // bytes of the table
}

// Build makes a table, gzip-compressed in the form that
// [lexicon.Load] reads once inflated. Bad lines are reported and passed over; an
// error is for input, output and cancellation.
func Build(ctx context.Context, src Sources, opt Options, report func(error)) ([]byte, Stats, error) {
	opt = opt.withDefaults()
	b := &builder{ctx: ctx, opt: opt, report: report, features: newNames(), words: newNames()}
	if err := b.read(src); err != nil {
		return nil, b.stats, err
	}
	th := b.thesaurus()
	rows, err := b.rows(th)
	if err != nil {
		return nil, b.stats, err
	}
	terms := b.ranked(rows)
	if len(terms) == 0 {
		return nil, b.stats, fmt.Errorf("no terms: expected WordNet in %s and %s", src.Synsets, src.Senses)
	}
	m := rows.Take(terms).DropEmptyColumns()
	b.log("factorise %d × %d, %d values", m.Rows(), m.Cols(), m.Values())
	b.stats.Features, b.stats.Nonzeros = m.Cols(), m.Values()
	vectors, err := lowrank.Factorise(ctx, m, opt.Dim, opt.Seed)
	if err != nil {
		return nil, b.stats, err
	}
	terms, vectors = terms[:min(len(terms), opt.Rows)], vectors[:min(len(terms), opt.Rows)]
	table, err := b.table(terms, refine(th, terms, vectors))
	return table, b.stats, err
}

// withDefaults returns the options with defaults for zero fields.
func (o Options) withDefaults() Options {
	o.Dim = cmp.Or(o.Dim, 320)
	o.Rows = cmp.Or(o.Rows, 44_000)
	o.Step = cmp.Or(o.Step, 0.7)
	return o
}

// builder makes the vectors of one set of sources.
type builder struct {
	ctx    context.Context
	opt    Options
	report func(error)
	bad    int // lines reported
	stats  Stats

	wordnet  wordnet
	headers  headers
	aliases  []alias
	para     []edge // PPDB-XL
	synonyms []edge
	antonyms []edge

	words    *names // terms, rows of the matrices
	features *names // columns
}

// log reports progress if someone listens.
func (b *builder) log(format string, args ...any) {
	if b.opt.Log != nil {
		b.opt.Log(fmt.Sprintf(format, args...))
	}
}

// table quantises the vectors of the terms and adds the aliases.
func (b *builder) table(terms []int, vectors [][]float64) ([]byte, error) {
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = b.words.list[t]
	}
	list, vectors = addAliases(b.aliases, list, vectors)
	var keep []string
	var kept [][]int8
	for i, v := range vectors {
		if row := quantise(v, b.opt.Step); row != nil {
			keep = append(keep, list[i])
			kept = append(kept, row)
		}
	}
	var raw bytes.Buffer
	err := lexicon.WriteVectors(&raw, b.opt.Dim, keep, func(i int) ([]int8, error) { return kept[i], nil })
	if err != nil {
		return nil, err
	}
	b.stats.Terms, b.stats.Dim, b.stats.Raw = len(keep), b.opt.Dim, raw.Len()
	small, err := packed.Pack(raw.Bytes())
	b.stats.Compressed = len(small)
	return small, err
}

// quantise rounds a vector to multiples of step times its root mean square;
// nil if it is zero.
func quantise(v []float64, step float64) []int8 {
	sum := lists.Sum(v, func(x float64) float64 { return x * x })
	if sum == 0 {
		return nil
	}
	unit := step * math.Sqrt(sum/float64(len(v)))
	row := make([]int8, len(v))
	for i, x := range v {
		row[i] = int8(max(-127, min(127, math.Round(x/unit))))
	}
	return row
}

// names numbers strings in the order in which they come.
type names struct {
	id   map[string]int
	list []string
}

// newNames returns an empty numbering.
func newNames() *names { return &names{id: make(map[string]int)} }

// add returns the number of a string, a new one if it has none yet.
func (n *names) add(s string) int {
	id, ok := n.id[s]
	if !ok {
		id = len(n.list)
		n.id[s] = id
		n.list = append(n.list, s)
	}
	return id
}
