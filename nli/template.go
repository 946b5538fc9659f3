package nli

import (
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Sentence returns a column in its context, as ADVETA builds premises and
// hypotheses (section 4.4): "{TPE} {CN} ({CT})", the table's primary entity,
// the column's name and the column's type. An empty entity or type is left
// out, and runs of white space become one blank.
func Sentence(entity, column string, t dataset.Type) string {
	words := append(strings.Fields(entity), strings.Fields(column)...)
	if t != "" {
		words = append(words, "("+string(t)+")")
	}
	return strings.Join(words, " ")
}

// Item is a question put to a [Scorer]: do the columns A and B of a table
// about Entity mean the same?
type Item struct {
	Entity       string
	A, B         string       // A is the target column, B the candidate
	TypeA, TypeB dataset.Type // may be empty
}

// Forward returns the pair with A's sentence as the premise.
func (it Item) Forward() Pair {
	return Pair{
		Premise:    Sentence(it.Entity, it.A, it.TypeA),
		Hypothesis: Sentence(it.Entity, it.B, it.TypeB),
	}
}

// Backward returns the pair with B's sentence as the premise.
func (it Item) Backward() Pair { return it.Forward().swap() }

func (p Pair) swap() Pair { return Pair{Premise: p.Hypothesis, Hypothesis: p.Premise} }
