package questionpair

import (
	_ "embed" // kinds.txt
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed kinds.txt
var kindsText string

// newKinds reads the embedded file: the things of each kind.
func newKinds() map[string][]string {
	kinds := make(map[string][]string)
	for line := range wordfile.Lines(kindsText) {
		kind, things, _ := strings.Cut(line, ":")
		kinds[kind] = append(kinds[kind], lists.Map(strings.Split(things, ","), strings.TrimSpace)...)
	}
	return kinds
}

// kin appends features of the plain words of the question own that the other question lacks: the sum and the maximum of what
// their loss costs, which is less if a covered word is close in meaning, and how many are next to a value, whose column they
// may name. The last one is how many words without a partner end the question, if the last word of the other has one.
func (s *side) kin(e *Extractor, t *Table, own Question, other *side, dst []float64) []float64 {
	sum, worst, nextToValue := 0.0, 0.0, 0.0
	for i, w := range s.words {
		if s.cover[i] >= uncovered || !w.isPlain() {
			continue
		}
		cost := max(t.word(w.Text).Loss, 0) * (1 - s.kinship(e, i))
		sum += cost
		worst = max(worst, cost)
		if besideValue(own, s.token[i]) {
			nextToValue++
		}
	}
	tail := 0.0
	if n := len(other.words); n > 0 && other.partner[n-1] >= 0 {
		for i := len(s.words) - 1; i >= 0 && s.partner[i] < 0; i-- {
			tail++
		}
	}
	return append(dst, sum/4, worst, nextToValue, min(tail, 3))
}

// kinship returns the highest cosine of a lost word, by its position, with a word that is covered, 0 to 1.
func (s *side) kinship(e *Extractor, lost int) float64 {
	best := 0.0
	for i, w := range s.words {
		if s.cover[i] >= uncovered && !w.Value {
			best = max(best, e.Compare(s.words[lost].Text, w.Text).Cosine)
		}
	}
	return best
}

// nearby is the distance in tokens within which a thing implies its kind.
const nearby = 2

// imply marks a word for a kind as implied if a thing of that kind is near it: "pets" near "cats", "country" near
// "France". It skips the words of a list, because the question asks for them.
func (e *Extractor) imply(tokens []Token) {
	for i, w := range tokens {
		if !w.isWord() || w.Value || w.Listed {
			continue
		}
		isOfKind := func(u Token) bool {
			return (u.Place && slices.Contains(areas, w.Text)) || slices.Contains(e.kinds[w.Text], u.Text)
		}
		if slices.ContainsFunc(tokens[max(0, i-nearby):min(len(tokens), i+nearby+1)], isOfKind) {
			tokens[i].Implied = true
		}
	}
}

// besideValue reports whether a value or a number is next to the token at a position.
func besideValue(q Question, at int) bool {
	around := q.Tokens[max(0, at-1):min(len(q.Tokens), at+2)]
	return slices.ContainsFunc(around, func(t Token) bool { return t.Value || t.Kind == Number })
}

// areas are the words for kinds of places, and for what else goes by the words for
// what comes from there.
var areas = strings.Fields("country nation region continent state nationality citizenship origin place location territory area language")
