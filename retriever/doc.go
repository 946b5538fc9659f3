// Package retriever finds web tables of the domain of a table: given the table and questions
// about it, the most similar tables of a corpus. It is the first step of ADVETA (section
// 4.1); the headers of these tables become candidates for perturbation.
//
// [Open] opens a corpus as a stream of tables. Corpora are web text: every table is cleaned
// and bounded by [Limits]. A bad table is reported as a [*TableError], and the stream goes on.
//
//	tables, err := retriever.Open("tabfact", "all_csv.tar.gz", retriever.Limits{})
//	stats, err := retriever.Build(ctx, "corpus.index", tables, retriever.BuildOptions{})
//
// [Build] drops near-duplicates and writes an index folder: the tables, and an inverted index
// of their captions and headers. Its bytes do not depend on the order of the tables.
//
//	idx, err := retriever.OpenIndex("corpus.index")
//	hits, err := idx.Search(ctx, retriever.Query{Name: "singer", Headers: headers, Questions: questions}, 100)
package retriever
