package verify

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/evidence"
	"github.com/tabperturb/tabperturb/sqlast"
)

// evidenceAfter returns the evidence after the edits. Names follow; what it says of values
// and formulas is of the original, so that an example whose gold SQL changes by more
// than names is refused where the evidence may speak of that: of a column that gives
// way, of a constant that is no longer in the gold SQL, or, where none is gone and so
// an operator or an order has changed, of anything at all.
func evidenceAfter(ex *perturb.Example, edits []perturb.Edit, query string, before, after *dataset.Database) (string, error) {
	if ex.Evidence == "" {
		return "", nil
	}
	if namesLost(ex, edits, before) {
		return "", refusal("evidence-names-lost-column", ex.Evidence)
	}
	rewrites, recodes := has[perturb.RewriteSQL](edits), has[perturb.RecodeColumn](edits)
	if rewrites || recodes {
		gone := goneConstants(ex, query, after)
		switch {
		case slices.ContainsFunc(gone, func(text string) bool { return holdsRun(ex.Evidence, text) }):
			return "", refusal("evidence-names-constant", ex.Evidence)
		case rewrites && len(gone) == 0:
			return "", refusal("evidence-states-condition", ex.Evidence)
		}
	}
	text, err := evidence.Carry(ex, edits, before, after)
	if err != nil {
		return "", refusal("evidence-refuses-edits", err.Error())
	}
	return text, nil
}

// has tells whether one of the edits is of the kind E.
func has[E perturb.Edit](edits []perturb.Edit) bool {
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, is := e.(E); return is })
}

// namesLost tells whether the evidence names a column that the edits drop or recode.
func namesLost(ex *perturb.Example, edits []perturb.Edit, db *dataset.Database) bool {
	if !slices.ContainsFunc(edits, perturb.Edit.RemovesColumn) {
		return false
	}
	lost := map[sqlast.BaseColumn]bool{}
	for _, e := range edits {
		if e.RemovesColumn() {
			table, column := e.Touches()
			lost[sqlast.BaseColumn{Table: table, Column: column}.Key()] = true
		}
	}
	return slices.ContainsFunc(evidence.Links(ex, db), func(l evidence.Link) bool {
		return lost[sqlast.BaseColumn{Table: l.Table, Column: l.Column}.Key()]
	})
}

// goneConstants returns the constants of the gold SQL that are not in it after the
// edits.
func goneConstants(ex *perturb.Example, query string, after *dataset.Database) []string {
	post := *ex.Example
	post.Query = query
	var kept []string
	if now, err := perturb.NewExample(after, &post); err == nil { // else it is found out when it is run
		kept = constants(now)
	}
	return slices.DeleteFunc(constants(ex), func(text string) bool { return slices.Contains(kept, text) })
}

// constants returns the numbers and texts of the gold SQL; those of patterns without
// wildcards at their ends.
func constants(ex *perturb.Example) (texts []string) {
	for n := range sqlast.All[sqlast.Expr](ex.Gold) {
		text := ""
		switch n := n.(type) {
		case *sqlast.Literal:
			if n.Kind == sqlast.StringLiteral || n.Kind == sqlast.NumberLiteral {
				text = n.Text
			}
		case *sqlast.ColumnRef:
			if ex.Binding.Target(n).Kind == sqlast.String {
				text = n.Column.Name
			}
		}
		if text = strings.Trim(text, "%"); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// holdsRun tells whether a text holds the words of another one after the other,
// whatever their case.
func holdsRun(text, run string) bool {
	words := func(s string) string {
		return strings.Join(slices.Concat([]string{""}, english.NewSentence(s).Words, []string{""}), " ")
	}
	return strings.Contains(words(text), words(run))
}
