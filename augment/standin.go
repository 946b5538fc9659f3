package augment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

// otherTypeEntailment is the lowest entailment of a replacement whose type is not the
// column's. Types are guessed from cells, so a difference is a hint and no proof. Chosen on
// ADVETA-Spider: nearly all names there that people gave have more.
const otherTypeEntailment = 0.9

// rejectDoubtful rejects REPLACE names that cannot stand in for their column, though the
// policy accepts them. The paper has no such check (section 4.4). But most names of similar
// tables or of an entity's attributes go with a column rather than in its place, and a
// model of whole names is misled by a shared subject: "player" and "number of players".
// So of names that are no synonyms from a book it rejects
//   - one whose head does not mean the same by the policy's own rule ("score" → "gamer tag"),
//   - one that counts where the column does not ("player" → "games"),
//   - one that is a verb, which leaves open what the column names ("name" → "baptised on"),
//   - a compound of the column's word, which is one kind of it ("name" → "surname"),
//   - one of another type, but for high entailment, see [otherTypeEntailment].
func (a *Augmenter) rejectDoubtful(ctx context.Context, entity string, t *dataset.Table, names []Judged) error {
	type check struct {
		name  *Judged
		heads []nli.Pair
	}
	var checks []check
	var pairs []nli.Pair
	for i := range names {
		name := &names[i]
		if name.Decision.Side != dataset.Replace || name.source.Synonyms {
			continue
		}
		column := &t.Columns[name.Column]
		if doubt := a.doubt(column, &name.Candidate); doubt != "" {
			name.reject("%s", doubt)
			continue
		}
		whole := pair(entity, column, column, &name.Candidate)
		if heads := headPairs(whole); !slices.Contains(heads, whole) { // else the score of the whole names decided
			checks = append(checks, check{name, heads})
			pairs = append(pairs, heads...)
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	if err != nil {
		return err
	}
	rule := a.Policy.Replace
	for _, c := range checks {
		best := 0.0
		for n := range c.heads {
			best = max(best, rule.Combine.Of(judgments[n].Entailments()))
		}
		judgments = judgments[len(c.heads):] // those of the next check come first
		if best < rule.Threshold {
			c.name.reject("%s is no %s: %v entailment %.2f", c.heads[0].Hypothesis, c.heads[0].Premise, rule.Combine, best)
		}
	}
	return nil
}

// doubt returns the reason why a candidate cannot replace a column by its words, type or entailments, "" if
// there is none.
func (a *Augmenter) doubt(column *dataset.Column, c *dataset.Candidate) string {
	words, target := lexicon.Words(c.Name), lexicon.Words(column.Name)
	combine := a.Policy.Replace.Combine
	if e := combine.Of(entailments(c)); hasOtherType(column, c) && e < otherTypeEntailment {
		return fmt.Sprintf("has type %s, not %s: %v entailment %.2f < %.2f", c.Type, column.Type, combine, e, otherTypeEntailment)
	}
	switch {
	case counts(words, c.Type) && holdsNoCounts(column, target):
		return "counts, which the column does not"
	case isPhrasalVerb(words) && !isVerb(target):
		return "says when, where or by whom"
	case isCompoundOf(words, target):
		return "is one kind of " + target[0]
	}
	return ""
}

// hasOtherType reports whether the types of a column and a candidate are known and differ.
func hasOtherType(column *dataset.Column, c *dataset.Candidate) bool {
	return c.Type != "" && column.Type != "" && c.Type != column.Type
}

// holdsNoCounts reports whether a column of these words counts nothing: it has a type, but
// not number, and its head is no plural.
func holdsNoCounts(column *dataset.Column, words []string) bool {
	if column.Type == "" || column.Type == dataset.Number {
		return false
	}
	return !english.IsPlural(heads(words)[0])
}

// isPhrasalVerb reports whether a name ends in a preposition: "baptised on".
func isPhrasalVerb(words []string) bool {
	return len(words) > 1 && english.IsPreposition(words[len(words)-1])
}

// isCompoundOf reports whether a name is one word that ends in the column's only word after at least
// three letters: "surname" of "name", but not "estate" of "state".
func isCompoundOf(words, target []string) bool {
	const letters = 3 // at least, of the column's word and of the part before it
	if len(words) != 1 || len(target) != 1 || len(target[0]) < letters {
		return false
	}
	before, ok := strings.CutSuffix(words[0], target[0])
	return ok && len(before) >= letters
}

// counts reports whether a column with these words for a name and this type counts something: "number of
// players" of any type, a head noun in the plural such as "games" of numbers. A rate ("miles per hour") does not.
func counts(words []string, t dataset.Type) bool {
	if len(words) > 2 && words[1] == "of" && isCount(words[0]) {
		return true
	}
	if t != dataset.Number || slices.Contains(words, "per") {
		return false
	}
	return english.IsPlural(heads(words)[0])
}

// isVerb reports whether the words of a column's name are a verb: "released", "written by".
func isVerb(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return strings.HasSuffix(last, "ed") || english.IsPreposition(last)
}

// headPairs returns the pairs of each head of the premise with each head of the hypothesis, see [heads]: for
// "score" and "gamer tag" the pair of "score" and "tag".
func headPairs(whole nli.Pair) []nli.Pair {
	var out []nli.Pair
	for _, x := range heads(lexicon.Words(whole.Premise)) {
		for _, y := range heads(lexicon.Words(whole.Hypothesis)) {
			head := whole
			head.Premise, head.Hypothesis = x, y
			out = append(out, head)
		}
	}
	return out
}

// heads returns the words of a name that name its values, at least one: the last noun
// ("gamer tag" → "tag"), or the noun before a preposition ("date of birth" → "date"). Where
// that noun means little, the noun before it is a head too ("airport name" → "name",
// "airport"). A verb with its preposition ("written by") is returned whole. So is a count or
// a rate, with its first noun ("number of players" → "number of players", "number").
func heads(words []string) []string {
	whole := strings.Join(words, " ")
	if len(words) < 2 || english.IsPreposition(words[len(words)-1]) {
		return []string{whole}
	}
	for i, w := range words[1:] {
		if !english.IsPreposition(w) {
			continue
		}
		if w == "per" || isVague(words[i]) {
			return []string{whole, words[i]}
		}
		words = words[:i+1]
		break
	}
	last := words[len(words)-1]
	if len(words) > 1 && isVague(last) {
		return []string{last, words[len(words)-2]}
	}
	return []string{last}
}

// isVague reports whether a noun alone does not show what values are: "name", "total".
func isVague(word string) bool {
	return isCount(word) || slices.Contains([]string{"name", "names", "amount", "amounts"}, word)
}

// isCount reports whether a word names a count: "number", "total".
func isCount(word string) bool {
	return slices.Contains([]string{"number", "numbers", "num", "no", "count", "total"}, word)
}
