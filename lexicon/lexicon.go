// Package lexicon holds knowledge about words: vectors, synonyms
// and abbreviations, with small embedded defaults.
package lexicon

// Vectors gives word vectors of one dimension. Keys are lower case; multi-word
// terms hold single blanks ("date of birth"). Implementations are safe for
// concurrent use.
type Vectors interface {
	// Dim is the number of components of each vector.
	Dim() int
	// Lookup appends the vector of a term to dst and returns it, or false
	// if the term is unknown. It does not try other forms of the term.
	Lookup(dst []float32, term string) ([]float32, bool)
}

// Dictionary gives the synonyms of a word or phrase, best first.
// Implementations are safe for concurrent use.
type Dictionary interface {
	// Synonyms returns the synonyms of term, or nil. The slice is the caller's.
	Synonyms(term string) []string
}
