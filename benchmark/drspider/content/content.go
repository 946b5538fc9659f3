// Package content holds Dr.Spider's perturbation of database content: it replaces a
// column by one or several that hold the same in another form, and the gold SQL follows
// the map of values (Dr.Spider, section 3.1 and appendix B).
//
// The paper's substitutions come from task experts. Here rules for each of the five
// categories of table 11 propose them from the names and values of columns. A rule
// proposes only where all values fit it, so that the map is one to one. A map covers the
// values that the column holds: the edit does not apply to a database with others.
package content

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{Equivalence}

// Equivalence is DBcontent-equivalence.
//
// As in the paper a variant is a random subset of the substitutions, and only
// questions whose gold SQL mentions one of its columns are covered. The paper
// draws up to five subsets a database. Here all questions with the same possible
// substitutions share one draw among these: each edit of a variant then concerns all its
// questions, and questions about other columns get other databases.
var Equivalence = &perturb.Perturbation{
	Name:     "drspider/dbcontent-equivalence",
	Doc:      "Puts columns that hold the same in another form (first and last name, birth year, is female, …) in the place of some that the gold SQL mentions, and rewrites it.",
	Paper:    "Dr.Spider, section 3.1 and appendix B",
	Version:  1,
	Relation: perturb.Recoded,
	Files:    true,
	Group:    perturb.GroupDB,
	Run:      run,
}

// Why an example yields no variant.
const (
	noContent  = "no-rows"
	shown      = "recode-shown"
	disordered = "recode-order"
)

// group is the examples with the same substitutions, as positions in a list.
type group struct {
	substitutions []int
	examples      []*perturb.Example
}

// run reports one variant for each sample and each group of examples. Without content it rejects all examples.
func run(p *perturb.Pass) error {
	if p.Content == nil {
		p.RejectAll(p.Examples, 0, noContent)
		return p.Context.Err()
	}
	all, err := propose(p)
	if err != nil {
		return err
	}
	groups, err := groupExamples(p, all)
	if err != nil {
		return err
	}
	for _, g := range groups {
		for sample, edits := range g.draw(p, all) {
			p.Report(perturb.Variant{Sample: sample, Examples: g.examples, Edits: edits})
		}
	}
	return p.Context.Err()
}

// groupExamples groups examples by the substitutions under which their gold SQL can be
// rewritten. It skips examples that mention no substituted column, and rejects those that
// mention one but cannot be rewritten under any substitution.
func groupExamples(p *perturb.Pass, all []perturb.RecodeColumn) ([]*group, error) {
	after := make([]*dataset.Database, len(all)) // the schema after each substitution alone
	for i, e := range all {
		var err error
		if after[i], err = perturb.ApplySchema(p.DB, []perturb.Edit{e}); err != nil {
			return nil, err
		}
	}
	var groups []*group
	index := map[string]*group{}
	for _, ex := range p.Examples {
		var possible []int
		reason := perturb.Reason("")
		for i, e := range all {
			if !mentions(p.DB, ex, e) {
				continue
			}
			err := checkRewrite(ex, e, after[i])
			refusal, refused := errors.AsType[*perturb.Refusal](err)
			switch {
			case err == nil:
				possible = append(possible, i)
			case !refused:
				return nil, fmt.Errorf("%s:%d: %w", p.DB.ID, ex.Index, err)
			case reason == "": // the first refusal is the reported one
				reason = refusal.Reason
			}
		}
		if len(possible) == 0 {
			if reason != "" {
				p.Reject(ex, 0, reason)
			}
			continue
		}
		key := fmt.Sprint(possible)
		if index[key] == nil {
			index[key] = &group{substitutions: possible}
			groups = append(groups, index[key])
		}
		index[key].examples = append(index[key].examples, ex)
	}
	return groups, nil
}

// checkRewrite returns a [*perturb.Refusal] if the gold SQL of an example, or of a turn of its
// interaction, cannot be rewritten under a substitution, or then no longer answers the question:
// an average of birth years is no average age. The paper leaves that to its experts.
func checkRewrite(ex *perturb.Example, e perturb.RecodeColumn, after *dataset.Database) error {
	for _, turn := range ex.Turns() {
		if _, err := perturb.RewriteGold(turn, []perturb.Edit{e}, after); err != nil {
			return err
		}
		shows, err := e.Shows(turn)
		switch {
		case err != nil:
			return err
		case shows && !concatenatesToOld(e): // the question asks for an age and would get a birth year
			return &perturb.Refusal{Reason: shown}
		case ordersByColumn(turn, e) && hasDigits(e): // digits in text cells do not sort as numbers
			return &perturb.Refusal{Reason: disordered}
		}
	}
	return nil
}

// concatenatesToOld reports whether the new cells of each row, joined from left to right, equal the old cell but for blanks
// and commas: first and last name give the name, but year, month and day do not give "2001-02-03".
func concatenatesToOld(e perturb.RecodeColumn) bool {
	bare := strings.NewReplacer(" ", "", ",", "").Replace
	return e.Map.Linear == nil && !slices.ContainsFunc(e.Map.Cells, func(c recode.Cell) bool {
		var now strings.Builder
		for _, v := range c.New {
			now.WriteString(bare(v.String()))
		}
		return now.String() != bare(c.Old.String())
	})
}

// ordersByColumn reports whether the gold SQL of an example orders by the replaced column.
func ordersByColumn(ex *perturb.Example, e perturb.RecodeColumn) bool {
	for term := range sqlast.All[*sqlast.OrderTerm](ex.Gold) {
		for ref := range sqlast.All[*sqlast.ColumnRef](term) {
			if c := ex.Binding.Column(ref); strings.EqualFold(c.Table, e.Table) && strings.EqualFold(c.Column, e.Column) {
				return true
			}
		}
	}
	return false
}

// hasDigits reports whether a new column has a cell of text that is a number. As texts "11784" sorts
// before "145", which nobody expects of house numbers.
func hasDigits(e perturb.RecodeColumn) bool {
	return slices.ContainsFunc(e.Map.Cells, func(c recode.Cell) bool {
		return slices.ContainsFunc(c.New, func(v sqldata.Value) bool { return v.Kind() == sqldata.Text && digitForm.MatchString(v.Bytes()) })
	})
}

// mentions reports whether the gold SQL of an example mentions the replaced column.
func mentions(db *dataset.Database, ex *perturb.Example, e perturb.RecodeColumn) bool {
	return slices.ContainsFunc(ex.Columns, func(c dataset.ColumnRef) bool {
		id := db.ColumnID(c)
		return strings.EqualFold(id.Table, e.Table) && strings.EqualFold(id.Column, e.Column)
	})
}

// share is the probability that a draw takes a column.
const share = 0.8

// attempts is how often a sample is drawn before it is given up, where the draws repeat
// an earlier sample.
const attempts = 16

// draw returns one random subset of the group's substitutions for each sample. It takes each column with the probability [share],
// by one of its substitutions. All subsets differ, so there may be fewer of them than samples.
func (g *group) draw(p *perturb.Pass, all []perturb.RecodeColumn) [][]perturb.Edit {
	columns := g.columns(all)
	var key []string // seeds the random numbers of the group
	for _, i := range g.substitutions {
		key = append(key, all[i].Table, all[i].Column, all[i].Into[0].Name)
	}
	var out [][]perturb.Edit
	seen := map[string]bool{}
	for sample := range p.Samples {
		rng := p.Rand(append(key, strconv.Itoa(sample))...)
		for range attempts {
			var edits []perturb.Edit
			var chosen []int
			for _, choices := range columns { // the substitutions of one column
				if i := rng.IntN(len(choices)); rng.Float64() < share {
					chosen = append(chosen, choices[i])
					edits = append(edits, all[choices[i]])
				}
			}
			if len(edits) == 0 || seen[fmt.Sprint(chosen)] {
				continue
			}
			seen[fmt.Sprint(chosen)] = true
			out = append(out, edits)
			break
		}
	}
	return out
}

// columns returns the group's substitutions, as positions in all, in one list for each column. In all, those of one column follow
// one another.
func (g *group) columns(all []perturb.RecodeColumn) [][]int {
	var out [][]int
	var last dataset.ColumnID
	for _, i := range g.substitutions {
		column := dataset.ColumnID{Table: all[i].Table, Column: all[i].Column}
		if column != last {
			out = append(out, nil)
			last = column
		}
		out[len(out)-1] = append(out[len(out)-1], i)
	}
	return out
}
