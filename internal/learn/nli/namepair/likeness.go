package namepair

// Likeness is how alike two words are.
type Likeness struct {
	Lemma        float32 // 1 where they are forms of one word, or the same number
	Stem         float32 // 1 if they have one stem
	Synonym      float32 // 1 where the dictionary lists one for the other
	Contrast     float32 // 1 where they exclude each other
	Cosine       float32 // of their vectors
	Metric       float32 // of their vectors, where words of different meaning lie far apart
	Kind         float32 // cosine of the kinds of things that they name
	Column       float32 // cosine of what stands beside them in the headers of tables
	Trigrams     float32 // share of the trigrams that both have
	Abbreviation float32 // 1 where one reads as a clipped form of the other
}

// Likeness compares two words. What is not known is 0.
func (e *Extractor) Likeness(a, b string) Likeness {
	x, y := e.Name(a), e.Name(b)
	var in Input
	e.Pair(&in, Names{A: x, B: y})
	f := in.Cells[:CellDim]
	return Likeness{
		Lemma: f[cellLemma], Stem: f[cellStem], Synonym: f[cellDictionary], Contrast: f[cellContrast], Cosine: f[cellCosine],
		Metric: f[cellMetric], Kind: f[cellKind], Column: f[cellColumn], Trigrams: f[cellTrigrams], Abbreviation: f[cellAbbreviation],
	}
}
