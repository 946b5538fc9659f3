package lexicon

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
)

// functionWeight is the weight of a function word against 1 for any other:
// enough that "date of" and "date to" differ, too little to make "of" a topic.
const functionWeight = 0.1

// maxWords bounds the work on one name; a longer one is text, not a name.
const maxWords = 64

// Phrase returns the unit vector of a name, split by [Words]: the mean of the
// vectors of its terms. From the left, the longest run of up to
// [MaxPhraseWords] words that v knows is a term, as written or singular; a word
// that v does not know counts as its lemma ([english.Lemmas]), else as the two words that
// it joins ("firstname"). Function words count a tenth.
//
// known is the number of words that have a vector and total the number of
// words; numbers that v does not know count in neither. vec is nil if known
// is 0. It has v.Dim() components.
func Phrase(v Vectors, name string) (vec []float32, known, total int) {
	words := Words(name)
	words = words[:min(len(words), maxWords)]
	p := phrase{v: v, sum: make([]float32, v.Dim())}
	for len(words) > 0 {
		n, ok := p.addTerm(words)
		switch {
		case ok:
			known += n
			total += n
		case !isNumber(words[0]):
			total++
		}
		words = words[n:]
	}
	if known == 0 || !normalize(p.sum) {
		return nil, 0, total
	}
	return p.sum, known, total
}

// phrase is the sum of the vectors of a name's terms.
type phrase struct {
	v   Vectors
	sum []float32
	buf []float32 // for lookups
}

// addTerm adds the vector of the first term of words to the sum, see [Phrase], and returns the term's number of words. If the
// first word has no vector in any form, it returns 1 and false.
func (p *phrase) addTerm(words []string) (n int, ok bool) {
	for n := min(len(words), MaxPhraseWords); n > 1; n-- {
		weight := contentWeight(words[:n])
		if p.add(strings.Join(words[:n], " "), weight) {
			return n, true
		}
		last := words[n-1]
		if singular := english.Singular(last); singular != last && p.add(strings.Join(words[:n-1], " ")+" "+singular, weight) {
			return n, true
		}
	}
	word := words[0]
	weight := contentWeight(words[:1])
	if p.add(word, weight) {
		return 1, true
	}
	if lemmas := english.Lemmas(word, p.known); len(lemmas) > 0 {
		return 1, p.add(lemmas[0], weight)
	}
	if first, second, ok := splitCompound(word, p.known); ok {
		p.add(first, 1)
		p.add(second, 1)
		return 1, true
	}
	return 1, false
}

// known reports whether a term has a vector.
func (p *phrase) known(term string) bool {
	buf, ok := p.v.Lookup(p.buf[:0], term)
	p.buf = buf[:0]
	return ok
}

// add adds the weighted vector of a term to the sum, if it has one.
func (p *phrase) add(term string, weight float32) bool {
	buf, ok := p.v.Lookup(p.buf[:0], term)
	p.buf = buf[:0]
	if !ok || len(buf) != len(p.sum) {
		return false
	}
	for i, x := range buf {
		p.sum[i] += float32(weight * x)
	}
	return true
}

// contentWeight returns the weight of a term: its number of words that are no function words, at
// least functionWeight.
func contentWeight(words []string) float32 {
	n := lists.Count(words, func(w string) bool { return !isFunctionWord(w) })
	return max(float32(n), functionWeight)
}

// isFunctionWord reports whether a word of a name carries grammar, not meaning. The embedded vectors and weights were made with
// this list.
func isFunctionWord(word string) bool {
	switch word {
	case "a", "an", "the", "of", "in", "on", "at", "by", "to", "for", "from", "with", "per", "as", "into",
		"and", "or", "is", "are", "was", "were", "be", "has", "have", "had", "do", "does", "did",
		"this", "that", "its", "it", "their", "his", "her", "which", "who", "what", "s":
		return true
	}
	return false
}

// isNumber reports whether word starts with a digit, as all of Words' numbers do.
func isNumber(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(r)
}

// normalize scales v to length one, in place. It returns false if v has no direction, as it is zero
// or not finite.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}

// Cosine returns the cosine of the angle between two vectors of one length, in
// -1..1; 0 if one of them is zero or the lengths differ.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, dot/math.Sqrt(aa*bb))) // rounding can exceed 1
}

// Dot returns the dot product of a and b, which have one length. The order of summation is fixed, so that results are
// repeatable. Conversions keep processors that fuse a product and a sum from rounding otherwise. Four sums run side by side, as one sum would wait for each addition.
func Dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float32(a[i] * b[i])
		s1 += float32(a[i+1] * b[i+1])
		s2 += float32(a[i+2] * b[i+2])
		s3 += float32(a[i+3] * b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float32(a[i] * b[i])
	}
	return s0 + s1 + s2 + s3
}

// splitCompound splits a word written together, as "firstname", into two known words. Of several splits it takes
// the one with the longest shorter word. It returns false if there is none.
func splitCompound(word string, known func(string) bool) (first, second string, ok bool) {
	const shortest = 3 // letters of a part; shorter words are found by chance
	for n := len(word) / 2; n >= shortest; n-- {
		for _, cut := range []int{n, len(word) - n} {
			if known(word[:cut]) && known(word[cut:]) {
				return word[:cut], word[cut:], true
			}
		}
	}
	return "", "", false
}
