package feature

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// span is a text with the run of words of a name that it belongs to.
type span struct {
	hash       uint64 // of the text
	start, end int
}

// maxSpan is the most words that a dictionary entry has.
const maxSpan = 4

// spans returns the runs of words, as written and as lemmas, and what the
// dictionary has for them, each sorted.
func (e *Extractor) spans(words []word) (own, synonyms []span) {
	for start := range words {
		var text, lemmas string
		for end := start + 1; end <= min(len(words), start+maxSpan); end++ {
			text = strings.TrimSpace(text + " " + words[end-1].text)
			lemmas = strings.TrimSpace(lemmas + " " + words[end-1].lemma)
			own = append(own, span{hash(text), start, end})
			found := e.Dictionary.Synonyms(text)
			if lemmas != text {
				own = append(own, span{hash(lemmas), start, end})
				found = append(found, e.Dictionary.Synonyms(lemmas)...)
			}
			for _, s := range found {
				synonyms = append(synonyms, span{hash(strings.Join(lexicon.Words(s), " ")), start, end})
			}
		}
	}
	return sortSpans(own), sortSpans(synonyms)
}

func sortSpans(s []span) []span {
	slices.SortFunc(s, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return slices.Compact(s)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// match calls f for each synonym that occurs among the spans.
func match(synonyms, spans []span, f func(synonym, span span)) {
	for i, j := 0, 0; i < len(synonyms) && j < len(spans); {
		switch {
		case synonyms[i].hash < spans[j].hash:
			i++
		case synonyms[i].hash > spans[j].hash:
			j++
		default:
			for k := j; k < len(spans) && spans[k].hash == synonyms[i].hash; k++ {
				f(synonyms[i], spans[k])
			}
			i++
		}
	}
}

// dictionary marks what the dictionary calls synonyms: the cells of the words of
// both runs, whole names, and the share of either name that is so covered.
func dictionary(in *Input, a, b *Name) {
	var coverA, coverB [maxWords]bool
	mark := func(x, y span) {
		for i := x.start; i < x.end; i++ {
			coverA[i] = true
			for j := y.start; j < y.end; j++ {
				coverB[j] = true
				in.Cells[(i*in.B+j)*CellDim+cellDictionary] = 1
			}
		}
		if x.end-x.start == len(a.words) && y.end-y.start == len(b.words) {
			in.Phrase[phraseDictionary] = 1
		}
	}
	match(a.synonyms, b.spans, mark)
	match(b.synonyms, a.spans, func(y, x span) { mark(x, y) })
	in.Phrase[phraseCoverA], in.Phrase[phraseCoverB] = covered(a.words, coverA), covered(b.words, coverB)
}

// covered returns the share of words, by idf, that are marked.
func covered(words []word, marks [maxWords]bool) float32 {
	var held, all float32
	for i := range words {
		weight := words[i].idf + .05
		if words[i].stop {
			weight *= .1
		}
		all += weight
		if marks[i] {
			held += weight
		}
	}
	if all == 0 {
		return 0
	}
	return held / all
}
