package rerank

import "strings"

// Selector ranks the names that sources propose for a column, and bounds how many of them are taken.
type Selector struct {
	*Reranker
	TopK int // names for a column

	// InOrder is set where names keep the order of their share of the retrieved tables.
	InOrder bool
}

// NewSelector returns a Selector with the default.
func NewSelector(r *Reranker) *Selector { return &Selector{Reranker: r, TopK: DefaultTopK} }

// Lower returns a header in lower case with single blanks.
func Lower(header string) string { return strings.ToLower(strings.Join(strings.Fields(header), " ")) }
