package nli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// EntityPredictor predicts the primary entity of tables, which is what their rows are
// (ADVETA's TPE, appendix B.2).
type EntityPredictor struct {
	Classifier Classifier
	Classes    []string // nil means EntityClasses

	// Cues, if set, add the evidence of headers and caption for a class to its entailment.
	// They help a Classifier of column names, such as the embedded one. The paper's
	// RoBERTa-MNLI has none.
	Cues *EntityCues
}

// entityHypothesis is the hypothesis with %s for the class. The paper does not state its own.
const entityHypothesis = "This table is about %s."

// Bounds of the premise, so that the text of a large table fits into a model.
const (
	maxEntityColumns = 40
	maxEntityText    = 60  // runes of a name or a value
	maxCaption       = 300 // runes of a caption
)

// EntityClass is a class with the probability that a table is about it.
type EntityClass struct {
	Name        string
	Probability float64
}

// tableName returns the name of a table. ok is false for a made-up name such as "table 3", see [dataset.Named].
func tableName(t *dataset.Table) (name string, ok bool) {
	name = strings.TrimSpace(cmp.Or(t.Name, t.Original))
	return name, dataset.Named(name)
}

// classes returns Classes or the default.
func (e *EntityPredictor) classes() []string {
	if len(e.Classes) > 0 {
		return e.Classes
	}
	return EntityClasses()
}

// Predict classifies a table without training examples (zero-shot). The premise has the
// caption, the columns and a value of each column; each hypothesis names a class. The result
// is the softmax of their entailments, each plus the evidence of the Cues if there are any, best first, ties in the order of Classes.
//
// The paper draws the value of a column at random, and takes the softmax of logits. Predict
// takes the first sample, so that a table has one premise, and the probabilities that a
// [Classifier] returns.
func (e *EntityPredictor) Predict(ctx context.Context, t *dataset.Table, caption string) ([]EntityClass, error) {
	if e.Classifier == nil {
		return nil, errors.New("predict the primary entity: no NLI model")
	}
	names := e.classes()
	premise := entityPremise(t, caption)
	pairs := lists.Map(names, func(class string) Pair {
		return Pair{Premise: premise, Hypothesis: fmt.Sprintf(entityHypothesis, class)}
	})
	scores, err := Scorer{Classifier: e.Classifier}.Pairs(ctx, pairs)
	if err != nil {
		return nil, fmt.Errorf("predict the primary entity of %q: %w", clip(cmp.Or(caption, t.Name, t.Original)), err)
	}
	var evidence map[string]float64
	if e.Cues != nil {
		evidence = e.Cues.evidence(t, caption)
	}
	classes := make([]EntityClass, len(names))
	sum := 0.0
	for i, s := range scores {
		classes[i] = EntityClass{names[i], math.Exp(s.Entailment + evidence[names[i]])} // not normalized yet
		sum += classes[i].Probability
	}
	for i := range classes {
		classes[i].Probability /= sum
	}
	slices.SortStableFunc(classes, func(a, b EntityClass) int { return cmp.Compare(b.Probability, a.Probability) })
	return classes, nil
}

// entityPremise returns the premise of a table: "caption. column (value), column (value).", with the first sample as the
// value. An empty caption or value is left out.
func entityPremise(t *dataset.Table, caption string) string {
	columns := make([]string, 0, maxEntityColumns)
	for _, c := range t.Columns[:min(len(t.Columns), maxEntityColumns)] {
		text := shorten(cmp.Or(c.Name, c.Original), maxEntityText)
		if len(c.Samples) > 0 && strings.TrimSpace(c.Samples[0]) != "" {
			text += " (" + shorten(c.Samples[0], maxEntityText) + ")"
		}
		columns = append(columns, text)
	}
	text := strings.Join(columns, ", ") + "."
	if caption := strings.TrimRight(shorten(caption, maxCaption), "."); caption != "" {
		text = caption + ". " + text
	}
	return text
}

// shorten returns at most most runes from the start of a text, with white space as single blanks.
func shorten(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	return string(r[:min(len(r), most)])
}

// EntityClasses returns the 48 classes of primary entities.
//
// The paper merges the 66 fine types of Few-NERD (Ding et al., 2021) into 48 and does not list
// them. This list has Few-NERD's eight groups with plain names of the types. It joins similar
// types (aircraft, car, ship and train are vehicles), splits the geopolitical entity into
// country and city, has "other" types only for building, event and person, and omits types
// that tables are seldom about (god, road, library, protest, soldier).
func EntityClasses() []string {
	return []string{
		// art
		"television program", "film", "song", "painting", "book",
		// building
		"airport", "hospital", "hotel", "restaurant", "stadium", "theater", "building",
		// event
		"war", "disaster", "election", "sports event", "event",
		// location
		"country", "city", "river", "island", "mountain",
		// organization
		"company", "school", "government agency", "newspaper", "political party", "sports league", "sports team", "band",
		// other
		"award", "species", "chemical", "currency", "disease", "language", "law",
		// person
		"actor", "artist", "athlete", "politician", "scientist", "person",
		// product
		"vehicle", "food", "game", "software", "weapon",
	}
}
