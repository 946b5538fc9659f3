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

// otherType is the least entailment of a replacement whose type is not the column's.
// Types are guessed from cells, so that a difference is a hint and no proof. Chosen on
// ADVETA-Spider: it keeps nearly all names there that people gave.
const otherType = 0.9

// rejectDoubtful rejects what the policy would make a replacement and is none after all.
// The paper asks nothing more (section 4.4). But most of what similar
// tables or an entity's attributes propose is beside a column, not in its place, and a
// model of whole names is taken in by a shared subject: "player" and "number of players".
// So of names that no dictionary made
//   - the heads must mean the same by the policy's own rule ("score" and "gamer tag"),
//   - none may count where the column does not ("player" and "games"),
//   - none may be a verb that leaves open what the column names ("name" and "baptised on"),
//   - none may be a compound of the column's word, which is one kind of it ("name" and "surname"),
//   - those of another type need more entailment, see [otherType].
func (a *Augmenter) rejectDoubtful(ctx context.Context, entity string, t *dataset.Table, proposals [][]Proposal, decisions [][]nli.Decision) error {
	type check struct {
		decision *nli.Decision
		heads    []nli.Pair
	}
	var checks []check
	var pairs []nli.Pair
	for i, list := range proposals {
		column := &t.Columns[i]
		for j := range list {
			c, d := &list[j], &decisions[i][j]
			if d.Side != dataset.Replace || c.Source == "dictionary" || c.Source == "thesaurus" {
				continue
			}
			if doubt := a.doubt(column, &c.Candidate); doubt != "" {
				*d = nli.Decision{Reason: doubt}
				continue
			}
			whole := pair(entity, column, column, &c.Candidate)
			if heads := headPairs(whole); !slices.Contains(heads, whole) {
				checks = append(checks, check{d, heads})
				pairs = append(pairs, heads...)
			}
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
		judgments = judgments[len(c.heads):]
		if best < rule.Threshold {
			*c.decision = nli.Decision{Reason: fmt.Sprintf("%s is no %s: %v entailment %.2f", c.heads[0].Hypothesis, c.heads[0].Premise, rule.Combine, best)}
		}
	}
	return nil
}

// doubt is what speaks against a replacement without asking the model again.
func (a *Augmenter) doubt(column *dataset.Column, c *dataset.Candidate) string {
	words, own := lexicon.Words(c.Name), lexicon.Words(column.Name)
	if e := a.Policy.Replace.Combine.Of(entailments(c)); c.Type != "" && column.Type != "" && c.Type != column.Type && e < otherType {
		return fmt.Sprintf("has type %s, not %s: %v entailment %.2f < %.2f", c.Type, column.Type, a.Policy.Replace.Combine, e, otherType)
	}
	if counts(words, c.Type) && column.Type != "" && column.Type != dataset.Number && !english.IsPlural(heads(own)[0]) {
		return "counts, which the column does not"
	}
	if len(words) > 1 && english.IsPreposition(words[len(words)-1]) && !isVerb(own) {
		return "says when, where or by whom"
	}
	if len(words) == 1 && len(own) == 1 && len(own[0]) >= 3 && len(words[0]) >= len(own[0])+3 && strings.HasSuffix(words[0], own[0]) {
		return "is one kind of " + own[0]
	}
	return ""
}

// counts reports whether a name says that its numbers count something: "number of
// players", "games". A rate ("miles per hour") does not.
func counts(words []string, t dataset.Type) bool {
	if len(words) > 2 && words[1] == "of" && isCount(words[0]) {
		return true
	}
	return t == dataset.Number && !slices.Contains(words, "per") && len(words) > 0 && english.IsPlural(heads(words)[0])
}

// isVerb reports whether a column is named by a verb: "released", "written by".
func isVerb(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return strings.HasSuffix(last, "ed") || english.IsPreposition(last)
}

// headPairs returns the questions whether a head of one name means the same as a head of
// the other.
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

// heads returns what the words of a name say that its values are: the last noun ("tag" in
// "gamer tag"), that before a preposition ("date" in "date of birth"), and where it says
// little what it goes with too ("airport" in "airport name"). A name that is but a verb
// and a preposition ("written by") stays whole, as does one that counts or gives a rate.
// It has one element at least.
func heads(words []string) []string {
	whole := strings.Join(words, " ")
	if len(words) < 2 || english.IsPreposition(words[len(words)-1]) {
		return []string{whole}
	}
	for i, w := range words[1:] {
		if !english.IsPreposition(w) {
			continue
		}
		if w == "per" || saysLittle(words[i]) {
			return []string{whole, words[i]}
		}
		words = words[:i+1]
		break
	}
	last := words[len(words)-1]
	if len(words) > 1 && saysLittle(last) {
		return []string{last, words[len(words)-2]}
	}
	return []string{last}
}

func saysLittle(word string) bool {
	return isCount(word) || slices.Contains([]string{"name", "names", "amount", "amounts"}, word)
}

func isCount(word string) bool {
	return slices.Contains([]string{"number", "numbers", "num", "no", "count", "total"}, word)
}
