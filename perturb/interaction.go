package perturb

import "slices"

// JoinTurns makes examples the turns of one interaction, in their order, and final, which may be nil,
// its final question. It sets Columns of each to the columns that any of them mentions.
func JoinTurns(turns []*Example, final *Example) {
	joined := slices.Clone(turns)
	if final != nil {
		joined = append(joined, final)
		turns[len(turns)-1].FinalExample = final
	}
	columns := joined[0].Columns[:0:0] // empty: append makes a new array
	for _, ex := range joined {
		for _, ref := range ex.Own {
			if !slices.Contains(columns, ref) {
				columns = append(columns, ref)
			}
		}
	}
	for _, ex := range joined {
		ex.turns, ex.Columns = joined, columns
	}
}

// Turns returns the questions that share one schema with the example: the turns of its
// interaction in their order, the final question last, or the example alone. A perturbation of
// the schema must respect what all of them use.
func (ex *Example) Turns() []*Example {
	if ex.turns == nil {
		return []*Example{ex}
	}
	return ex.turns
}
