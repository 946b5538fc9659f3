package benchmark

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// Why turns of an interaction are rejected whose own gold SQL is as it should be.
const (
	reasonUnusableTurn = "turn-unusable"
	reasonMissingTurn  = "turn-missing"
	reasonTurn         = "turn-rejected"
	reasonSchemas      = "turn-schemas-differ"
	reasonLaterTurn    = "later-turn"
)

// finalIndex returns the [dataset.Example.Index] of the final question of an example. It is negative,
// so that no example has it.
func finalIndex(ex *dataset.Example) int { return -1 - ex.Index }

// finalOf returns the final question of the interaction that ends with a turn. It returns nil for other turns, and for a final
// question without gold SQL.
func finalOf(ex *dataset.Example) *dataset.Example {
	if ex.Final == nil || ex.Interaction == 0 || ex.Final.Query == "" {
		return nil
	}
	final := *ex.Final
	final.Index, final.DB, final.Interaction = finalIndex(ex), ex.DB, ex.Interaction
	return &final
}

// joinTurns returns the examples whose gold SQL runs: single questions, and turns of interactions in
// which the gold SQL of every turn and of the final question runs. It joins the turns of each
// interaction. The list usable holds final questions too.
func (w *work) joinTurns(usable []*perturb.Example) (out []*perturb.Example) {
	runs := lists.Index(usable, func(e *perturb.Example) int { return e.Index })
	turns := map[int][]*dataset.Example{}
	for _, ex := range w.unit.Examples {
		if ex.Interaction > 0 {
			turns[ex.Interaction] = append(turns[ex.Interaction], ex)
		}
	}
	for _, interaction := range turns {
		slices.SortStableFunc(interaction, func(a, b *dataset.Example) int { return cmp.Compare(a.Turn, b.Turn) })
		w.joinInteraction(interaction, runs)
	}
	for _, ex := range w.unit.Examples {
		if _, rejected := w.unusable[ex.Index]; !rejected && runs[ex.Index] != nil {
			out = append(out, runs[ex.Index])
		}
	}
	return out
}

// joinInteraction joins the turns of an interaction, or rejects all of them. runs holds the examples
// whose gold SQL runs, by index.
func (w *work) joinInteraction(turns []*dataset.Example, runs map[int]*perturb.Example) {
	last := turns[len(turns)-1]
	reason := perturb.Reason("")
	if finalOf(last) != nil && runs[finalIndex(last)] == nil {
		reason = reasonUnusableTurn
	}
	var joined []*perturb.Example
	for i, ex := range turns {
		switch {
		case ex.Turn != i+1: // an earlier turn is missing
			reason = cmp.Or(reason, reasonMissingTurn)
		case runs[ex.Index] == nil:
			reason = cmp.Or(reason, reasonUnusableTurn)
		}
		joined = append(joined, runs[ex.Index])
	}
	if reason == "" {
		perturb.JoinTurns(joined, runs[finalIndex(last)])
		return
	}
	for _, ex := range turns {
		if _, rejected := w.unusable[ex.Index]; !rejected {
			w.cannotUse(ex, reason, nil)
		}
	}
}

// turn names an interaction under a sample.
type turn struct{ interaction, sample int }

// group is an interaction under a sample for which at least one of its turns has a
// variant: all turns get the schema of that variant.
type group struct {
	turn
	turns   []*perturb.Example // in order, without the final question
	schema  string             // id of the database after the edits
	first   int                // position of the first variant
	covered map[int]bool       // turns with a variant, by Example.Index
	reason  perturb.Reason     // why the interaction is rejected; empty where it is not
}

// groupTurns adds a group for each interaction and sample that variants cover. If the perturbation changes gold
// SQL, it rejects all turns but the last and takes them out of the variants: a later turn may build on their SQL. A group whose variants
// edit the schema in different ways gets a reason for rejection.
func (r *job) groupTurns(variants []perturb.Variant) error {
	for i, v := range variants {
		id, err := perturb.VariantID(r.unit.DB.ID, v.Edits)
		if err != nil {
			return err
		}
		var kept []*perturb.Example
		for _, ex := range v.Examples {
			if ex.Interaction == 0 {
				kept = append(kept, ex)
				continue
			}
			turns := lists.Filter(ex.Turns(), func(t *perturb.Example) bool { return t.Index >= 0 }) // without the final question
			if r.p.Relation == perturb.Retargeted && ex != turns[len(turns)-1] {
				r.reject(ex, v.Sample, &perturb.Refusal{Reason: reasonLaterTurn})
				continue
			}
			kept = append(kept, ex)
			t := turn{ex.Interaction, v.Sample}
			g := r.groupOf[t]
			if g == nil {
				g = &group{turn: t, turns: turns, schema: id, first: i, covered: map[int]bool{}}
				r.groups, r.groupOf[t] = append(r.groups, g), g
			}
			g.covered[ex.Index] = true
			if g.schema != id {
				g.reason = reasonSchemas
			}
		}
		variants[i].Examples = kept
	}
	return nil
}

// reject records why an example yields no record for a sample. For a turn of an interaction it records the first
// reason only.
func (r *job) reject(ex *perturb.Example, sample int, why *perturb.Refusal) {
	if at := [2]int{ex.Index, sample}; ex.Interaction > 0 {
		if r.rejected[at] {
			return
		}
		r.rejected[at] = true
	}
	r.shard.Rejected = append(r.shard.Rejected, Rejection{
		Example: ex.Index, Sample: sample, DB: ex.DB, Query: ex.Query, Reason: why.Reason, Detail: why.Detail,
	})
}

// fail rejects an example that a variant covers, and its interaction with it.
func (r *job) fail(ex *perturb.Example, sample int, why *perturb.Refusal) {
	r.reject(ex, sample, why)
	if g := r.groupOf[turn{ex.Interaction, sample}]; g != nil && g.reason == "" {
		g.reason = reasonTurn
	}
}

// coverTurns returns the variants with others added, for the turns of their interactions that none of them covers.
// An added variant has the schema edits of a variant of its interaction; it has none where that edits no schema,
// so that its turns stay unchanged.
func (r *job) coverTurns(variants []perturb.Variant) (out []perturb.Variant) {
	added := map[int][]*perturb.Example{}     // by variant
	unchanged := map[int][]*perturb.Example{} // by sample
	samples := 0
	for _, g := range r.groups {
		for _, ex := range g.turns {
			switch {
			case g.covered[ex.Index]: // it has a variant
			case g.schema == r.unit.DB.ID: // no variant of the interaction edits the schema
				unchanged[g.sample] = append(unchanged[g.sample], ex)
				samples = max(samples, g.sample+1)
			default:
				added[g.first] = append(added[g.first], ex)
				r.applicable[ex.Index] = true
			}
		}
	}
	for i, v := range variants {
		out = append(out, v)
		if len(added[i]) > 0 {
			out = append(out, perturb.Variant{Sample: v.Sample, Examples: added[i], Edits: perturb.SchemaEdits(v.Edits)})
		}
	}
	for sample := range samples {
		out = append(out, perturb.Variant{Sample: sample, Examples: unchanged[sample]})
	}
	return out
}

// settleTurns drops the records of each rejected interaction and rejects all its turns. It also removes the
// rejections of turns that have a record all the same, by a later variant.
func (r *job) settleTurns() {
	perturbed := map[[2]int]bool{} // by Example.Index and sample
	s := r.shard
	s.Records = slices.DeleteFunc(s.Records, func(rec shardRecord) bool {
		if g := r.groupOf[rec.turn()]; g != nil && g.reason != "" {
			return true
		}
		// An unchanged turn stays rejected.
		perturbed[[2]int{int(rec.Record.Example), int(rec.Record.Sample)}] = rec.Interaction > 0 && !rec.unchanged()
		return false
	})
	s.Rejected = slices.DeleteFunc(s.Rejected, func(rej Rejection) bool { return perturbed[[2]int{rej.Example, rej.Sample}] })
	for _, g := range r.groups {
		if g.reason == "" {
			continue
		}
		for _, ex := range g.turns {
			r.reject(ex, g.sample, &perturb.Refusal{Reason: g.reason})
		}
	}
}
