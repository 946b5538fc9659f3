package namepair

import (
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// span is a run of words of a name, or a synonym of it.
type span struct {
	hash       uint64 // of its text
	start, end int    // the run: words from start to before end
	domain     uint8  // in which a synonym holds; 0 for all
}

// maxSpan is the most words that a dictionary entry has.
const maxSpan = 4

// spans returns the runs of words, as written and as lemmas, and their synonyms in the dictionary. Each list is sorted
// by hash, for match.
func (e *Extractor) spans(words []word) (own, synonyms []span) {
	for r := range runsOf(words) {
		for _, form := range slices.Compact([]string{r.text, r.lemmas}) {
			own = append(own, span{hash: hash(form), start: r.start, end: r.end})
			for _, s := range e.Dictionary.Synonyms(form) {
				synonyms = append(synonyms, span{hash(phrase(s)), r.start, r.end, 0})
			}
			for _, s := range lexicon.RestrictedSynonyms(e.Dictionary, form) {
				synonyms = append(synonyms, span{hash(phrase(s.Term)), r.start, r.end, domain(s.Domain)})
			}
		}
	}
	return sortSpans(own), sortSpans(synonyms)
}

// run is the words of a name from start to before end, joined by blanks as written and as lemmas.
type run struct {
	text, lemmas string
	start, end   int
}

// runsOf yields all runs of at most maxSpan words.
func runsOf(words []word) iter.Seq[run] {
	return func(yield func(run) bool) {
		for start := range words {
			r := run{start: start}
			for r.end = start + 1; r.end <= min(len(words), start+maxSpan); r.end++ {
				r.text = strings.TrimSpace(r.text + " " + words[r.end-1].text)
				r.lemmas = strings.TrimSpace(r.lemmas + " " + words[r.end-1].lemma)
				if !yield(r) {
					return
				}
			}
		}
	}
}

// phrase returns a term in the spelling of runs of words.
func phrase(term string) string { return strings.Join(lexicon.Words(term), " ") }

// domain returns the number of a domain of the dictionary, from 1; 0 for none.
func domain(name string) uint8 {
	at, ok := slices.BinarySearch(lexicon.Domains(), name)
	if !ok {
		return 0
	}
	return uint8(at + 1)
}

// setSpan is a run of words that is a member of a set of contrasts.
type setSpan struct {
	set, member uint16 // numbers of the set and of the member in it
	start, end  int    // the run: words from start to before end
}

// sets returns the sets of contrasts that runs of words belong to.
func (e *Extractor) sets(words []word) []setSpan {
	var out []setSpan
	add := func(term string, start, end int) bool {
		found := e.Contrasts.Memberships(term)
		for _, m := range found {
			out = append(out, setSpan{m.Set, m.Member, start, end})
		}
		return len(found) > 0
	}
	for r := range runsOf(words) {
		if !add(r.text, r.start, r.end) && r.lemmas != r.text { // lemmas count only if the words as written are in no set
			add(r.lemmas, r.start, r.end)
		}
	}
	slices.SortFunc(out, func(a, b setSpan) int {
		return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.member, b.member), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	return slices.Compact(out)
}

// contrasts marks the runs of words of two names that exclude each other, different members of one set:
// the cells of their words, and the pair. Both lists of sets are sorted.
func contrasts(in *Input, a, b *Name) {
	for i, j := 0, 0; i < len(a.sets) && j < len(b.sets); {
		switch {
		case a.sets[i].set < b.sets[j].set:
			i++
		case a.sets[i].set > b.sets[j].set:
			j++
		default:
			for k := j; k < len(b.sets) && b.sets[k].set == a.sets[i].set; k++ {
				if x, y := a.sets[i], b.sets[k]; x.member != y.member {
					in.contrast(x, y)
				}
			}
			i++
		}
	}
}

// contrast marks the cells of two runs of words that exclude each other, and the pair.
func (in *Input) contrast(x, y setSpan) {
	for i := x.start; i < x.end; i++ {
		for j := y.start; j < y.end; j++ {
			in.Cells[(i*in.B+j)*CellDim+cellContrast] = 1
		}
	}
	in.Phrase[phraseContrast] = 1
}

// sortSpans sorts spans by hash and drops repeated ones.
func sortSpans(s []span) []span {
	slices.SortFunc(s, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.domain, b.domain))
	})
	return slices.Compact(s)
}

// hash returns a 64-bit hash of s.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// match calls f for each synonym that holds in a domain, or in any (0), and occurs among the spans. Both lists are sorted
// by hash.
func match(synonyms, spans []span, domain uint8, f func(synonym, span span)) {
	for i, j := 0, 0; i < len(synonyms) && j < len(spans); {
		switch {
		case synonyms[i].hash < spans[j].hash:
			i++
		case synonyms[i].hash > spans[j].hash:
			j++
		default:
			for k := j; k < len(spans) && spans[k].hash == synonyms[i].hash; k++ {
				if d := synonyms[i].domain; d == 0 || d == domain {
					f(synonyms[i], spans[k])
				}
			}
			i++
		}
	}
}

// dictionary marks runs of words that are synonyms in the dictionary: the cells of their words, and the pair
// if the runs are the whole names. It also sets the share of each name that such runs cover.
func dictionary(in *Input, domain uint8, a, b *Name) {
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
	match(a.synonyms, b.spans, domain, mark)
	match(b.synonyms, a.spans, domain, func(y, x span) { mark(x, y) })
	in.Phrase[phraseCoverA], in.Phrase[phraseCoverB] = covered(a.words, coverA), covered(b.words, coverB)
}

// covered returns the share of words, weighted by idf, that are marked; marks has one for each word.
func covered(words []word, marks [maxWords]bool) float32 {
	var held, all float32
	for i := range words {
		weight := words[i].weight()
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
