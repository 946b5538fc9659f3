// Package evolve holds the ten ways in which schemas change by EvoSchema (Zhang et al., 2025): columns and tables that are added,
// removed, renamed, split and merged. EvoSchema has them as text; here they are edits, and gold SQL is executed on both sides.
//
// What the other families can do is theirs: renamings are those of Dr.Spider's schema-synonym, added columns those of MT-TEQL. A split
// or merge loses nothing: what is old can be computed from what is new, which is proved over the rows before anything is reported. Gold
// SQL joins a split column again, takes the parts out of merged ones, joins a split table by its key and reads of merged tables what
// tells them apart.
package evolve

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{
	evolution("add-columns", perturb.Invariant, "Adds a column that tables of the same kind have, or records of any kind, with values that fit any row.", run(columnAdditions)),
	evolution("remove-columns", perturb.Invariant, "Drops a column that the gold SQL does not use.", run(columnRemovals)),
	evolution("rename-columns", perturb.Renamed, "Renames a column to a synonym.", run(columnRenamings)),
	evolution("split-columns", perturb.Reshaped, "Splits a column, such as a name or a date, into its parts; gold SQL that uses it compares them, or joins them again.", run(columnSplits)),
	evolution("merge-columns", perturb.Reshaped, "Merges columns, such as first and last name, into one; gold SQL that uses them takes the parts out of it.", run(columnMerges)),
	evolution("add-tables", perturb.Invariant, "Adds a table that refers to one of the database, such as its photos or notes, with rows.", run(newTables)),
	evolution("remove-tables", perturb.Invariant, "Drops a table that the gold SQL does not read and no other table refers to.", run(tableRemovals)),
	evolution("rename-tables", perturb.Renamed, "Renames a table to a synonym.", run(tableRenamings)),
	evolution("split-tables", perturb.Reshaped, "Moves columns of a table to a new one with the same key; gold SQL that uses both joins them by it.", run(tableSplits)),
	evolution("merge-tables", perturb.Reshaped, "Merges a table into the one that refers to it, whose rows tell the gold SQL what was in which.", run(tableMerges)),
}

// evolution returns a perturbation of one sample.
func evolution(name string, relation perturb.Relation, doc string, run func(*perturb.Pass) error) *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "evolve/" + name, Doc: doc, Paper: "EvoSchema, section 3", Version: 1, Relation: relation, Files: true, Samples: 1, Run: run,
	}
}

// change is one change of a database.
type change struct {
	edits       []perturb.Edit
	concerns    []string // SQL names of tables: an example whose gold SQL reads none of them is left out; nil for no such bound
	mustNotRead string   // SQL name of a table that the gold SQL must not read; "" for none
	name        string   // natural name that the question must not mention; "" for none

	after   *dataset.Database // the schema after the edit
	refusal *perturb.Refusal  // why the database does not take the edit
}

// concernsExample reports whether a change may be made for an example: its gold SQL reads one of c.concerns, unless that is nil, and
// does not read c.mustNotRead.
func (c *change) concernsExample(ex *perturb.Example) bool {
	reads := func(table string) bool {
		return slices.ContainsFunc(ex.Binding.Tables(), func(t string) bool { return strings.EqualFold(t, table) })
	}
	isConcerned := c.concerns == nil || slices.ContainsFunc(c.concerns, reads)
	isHindered := c.mustNotRead != "" && reads(c.mustNotRead)
	return isConcerned && !isHindered
}

// follows reports whether the gold SQL of an example and of all turns of its interaction can follow a change, and whether it
// changes then. The error is a [*perturb.Refusal] if it cannot.
func (c *change) follows(ex *perturb.Example) (changes bool, err error) {
	if c.refusal != nil {
		return false, c.refusal
	}
	for _, turn := range ex.Turns() {
		if c.name != "" && perturb.HoldsWords(turn.Question, c.name) { // the question may mean the added item
			return false, &perturb.Refusal{Reason: "all-used"}
		}
		if merged, ok := c.edits[0].(perturb.MergeColumns); ok && asksForWhole(turn, merged) {
			return false, &perturb.Refusal{Reason: "asks-for-whole"}
		}
		query, err := perturb.RewriteGold(turn, c.edits, c.after)
		if err != nil {
			return false, err
		}
		if name := perturb.QuotedName(turn, query, c.after); name != "" {
			return false, &perturb.Refusal{Reason: "name-needs-quotes", Detail: name}
		}
		changes = changes || query != turn.Query
	}
	return changes, nil
}

// run returns the Run of a perturbation that makes the changes that propose returns. An example takes up to p.Samples of them at random,
// those that change its gold SQL before others.
func run(propose func(*perturb.Pass) ([]*change, error)) func(*perturb.Pass) error {
	return func(p *perturb.Pass) error {
		if p.Content == nil {
			p.RejectAll(p.Examples, 0, "no-rows")
			return p.Context.Err()
		}
		changes, err := propose(p)
		if refusal, refused := errors.AsType[*perturb.Refusal](err); refused {
			p.RejectAll(p.Examples, 0, refusal.Reason)
			return p.Context.Err()
		}
		if err != nil {
			return err
		}
		if changes, err = possible(p, changes); err != nil {
			return err
		}
		covered := map[*change][][]*perturb.Example{} // by sample
		for _, ex := range p.Examples {
			drawn, err := draw(p, ex, changes)
			if err != nil {
				return err
			}
			for sample, c := range drawn {
				if covered[c] == nil {
					covered[c] = make([][]*perturb.Example, p.Samples)
				}
				covered[c][sample] = append(covered[c][sample], ex)
			}
		}
		for _, c := range changes {
			for sample, examples := range covered[c] {
				if len(examples) > 0 {
					p.Report(perturb.Variant{Sample: sample, Examples: examples, Edits: c.edits})
				}
			}
		}
		return p.Context.Err()
	}
}

// possible returns the changes that fit the schema, and sets their schema after the edits. A split or merge that would lose cells or rows
// gets a refusal.
func possible(p *perturb.Pass, changes []*change) (out []*change, err error) {
	for _, c := range changes {
		if c.refusal != nil { // proposed only to reject its examples with that reason
			out = append(out, c)
			continue
		}
		if c.after, err = perturb.ApplySchema(p.DB, c.edits); err != nil { // the schema may be damaged
			continue
		}
		if err = c.prove(p); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// prove makes a split or merge in a draft of the content. If that fails, cells or rows would be lost, and the change gets a refusal.
func (c *change) prove(p *perturb.Pass) error {
	if perturb.Reshaped.Allows(c.edits) != nil { // no split or merge
		return nil
	}
	draft, err := perturb.DraftContent(p.Context, p.DB.SQLite, c.edits)
	switch {
	case p.Context.Err() != nil:
		return p.Context.Err()
	case err == nil:
		return draft.Close()
	case errors.Is(err, sqldata.ErrNoServer):
		return err
	case !errors.Is(err, sqldata.ErrTooLarge): // what is too large for a draft is proved by the build
		_, why, _ := strings.Cut(err.Error(), ": ")
		c.refusal = &perturb.Refusal{Reason: "reshape-loses", Detail: why}
	}
	return nil
}

// draw returns the changes that an example takes, one for each sample: at random, those that change its gold SQL before others. It
// rejects an example if some changes may be made for it and its gold SQL can follow none of them.
func draw(p *perturb.Pass, ex *perturb.Example, changes []*change) ([]*change, error) {
	var changing, others []*change
	var refusal *perturb.Refusal
	for _, c := range changes {
		if slices.ContainsFunc(ex.Turns(), func(turn *perturb.Example) bool { return !c.concernsExample(turn) }) {
			continue
		}
		changesGold, err := c.follows(ex)
		r, refused := errors.AsType[*perturb.Refusal](err)
		switch {
		case refused:
			refusal = r
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", p.DB.ID, ex.Index, err)
		case changesGold:
			changing = append(changing, c)
		default:
			others = append(others, c)
		}
	}
	if refusal != nil && len(changing)+len(others) == 0 {
		p.Reject(ex, 0, refusal.Reason, refusal.Detail)
	}
	first := ex.Turns()[0] // the turns of an interaction draw alike
	rng := p.Rand("draw", first.Question, first.Query)
	for _, list := range [][]*change{changing, others} {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	drawn := slices.Concat(changing, others)
	return drawn[:min(len(drawn), p.Samples)], nil
}

// alterable reports whether a table is the database's own and takes changes.
func alterable(t dataset.Table) bool { return !t.Kept && !perturb.IsReserved(t.Original) }

// alterableTables returns the positions of the tables that take changes.
func alterableTables(db *dataset.Database) []int {
	return lists.Filter(lists.Numbers(len(db.Tables)), func(t int) bool { return alterable(db.Tables[t]) })
}
