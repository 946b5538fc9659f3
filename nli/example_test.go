package nli_test

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
)

// The embedded model scores names against a column in both directions, and the
// paper's policy decides what they are good for.
func Example() {
	model, err := compact.New(compact.Embedded())
	if err != nil {
		fmt.Println(err)
		return
	}
	names := []string{"written by", "publisher"}
	var pairs []nli.Pair
	for _, name := range names {
		pairs = append(pairs, nli.Pair{Entity: "book", Premise: "author", Hypothesis: name})
	}
	judgments, err := nli.Score(context.Background(), model, pairs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, j := range judgments {
		fmt.Println(names[i], nli.Paper().Decide(j.Entailments()).Side)
	}
	// Output:
	// written by replace
	// publisher add
}
