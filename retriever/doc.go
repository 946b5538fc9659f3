// Package retriever finds the web tables of one domain: given a table with the
// questions asked about it, the tables of a corpus that are closest to it. It
// is the first step of ADVETA (section 4.1), whose headers then become
// candidates for perturbation.
//
// A corpus is read with [Open], as a stream of tables that holds one at a time.
// Corpora are web text: what is read is cleaned and bounded by [Limits], and a
// bad table is reported as a [*TableError] and does not stop the rest.
//
//	tables, err := retriever.Open("tabfact", "all_csv.tar.gz", retriever.Limits{})
//	stats, err := retriever.Build(ctx, "corpus.index", tables, retriever.BuildOptions{})
//
// [Build] drops near-duplicates and writes an index folder that holds the
// tables and an inverted index of their captions and headers. The folder of the
// same tables answers alike, in whatever order they came.
//
//	idx, err := retriever.OpenIndex("corpus.index")
//	hits, err := idx.Search(ctx, retriever.Query{Name: "singer", Headers: headers, Questions: questions}, 100)
package retriever
