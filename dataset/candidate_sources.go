package dataset

// The [Candidate.Source] of names that perturbations also make or look for themselves.
// Package augment defines these sources and all others, see augment.Sources.
const (
	ThesaurusSource  = "thesaurus"
	RetrievalSource  = "retrieval"
	DictionarySource = "dictionary"
	AttributesSource = "attributes"
)
