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

// evidenceAfter returns the evidence with the names after the edits; query is the gold SQL after them.
// Values and formulas of the evidence stay, so it refuses an example whose evidence may be wrong then:
//
//   - the evidence names a removed column;
//   - it names a constant that the gold SQL loses as it is rewritten or recoded;
//   - the gold SQL is rewritten but loses no constant: then an operator or an order changed, which any
//     evidence may describe.
func evidenceAfter(ex *perturb.Example, edits []perturb.Edit, query string, before, after *dataset.Database) (string, error) {
	if ex.Evidence == "" {
		return "", nil
	}
	if namesLostColumn(ex, edits, before) {
		return "", refusal("evidence-names-lost-column", ex.Evidence)
	}
	rewrites, recodes := hasKind[perturb.RewriteSQL](edits), hasKind[perturb.RecodeColumn](edits)
	if rewrites || recodes {
		lost := lostConstants(ex, query, after)
		switch {
		case slices.ContainsFunc(lost, func(text string) bool { return holdsRun(ex.Evidence, text) }):
			return "", refusal("evidence-names-constant", ex.Evidence)
		case rewrites && len(lost) == 0:
			return "", refusal("evidence-states-condition", ex.Evidence)
		}
	}
	text, err := evidence.Carry(ex, edits, before, after)
	if err != nil {
		return "", refusal("evidence-refuses-edits", err.Error())
	}
	return text, nil
}

// hasKind reports whether one of the edits is of the kind E.
func hasKind[E perturb.Edit](edits []perturb.Edit) bool {
	return slices.ContainsFunc(edits, func(e perturb.Edit) bool { _, is := e.(E); return is })
}

// namesLostColumn reports whether the evidence names a column that the edits remove.
func namesLostColumn(ex *perturb.Example, edits []perturb.Edit, db *dataset.Database) bool {
	lost := map[sqlast.BaseColumn]bool{}
	for _, e := range edits {
		if e.RemovesColumn() {
			table, column := e.Touches()
			lost[sqlast.BaseColumn{Table: table, Column: column}.Key()] = true
		}
	}
	return len(lost) > 0 && slices.ContainsFunc(evidence.Links(ex, db), func(l evidence.Link) bool {
		return lost[sqlast.BaseColumn{Table: l.Table, Column: l.Column}.Key()]
	})
}

// lostConstants returns the constants of the gold SQL that the query after the edits lacks.
func lostConstants(ex *perturb.Example, query string, after *dataset.Database) []string {
	post := *ex.Example
	post.Query = query
	var kept []string
	if now, err := perturb.NewExample(after, &post); err == nil { // else the check that runs the query rejects it
		kept = constants(now)
	}
	return slices.DeleteFunc(constants(ex), func(text string) bool { return slices.Contains(kept, text) })
}

// constants returns the numbers and texts of the gold SQL, without the wildcards at the ends of patterns.
// A name that SQLite reads as a text, as no column has it, is one of them.
func constants(ex *perturb.Example) (texts []string) {
	for n := range sqlast.All[sqlast.Expr](ex.Gold) {
		text := ""
		switch n := n.(type) {
		case *sqlast.Literal:
			if slices.Contains([]sqlast.LiteralKind{sqlast.StringLiteral, sqlast.NumberLiteral}, n.Kind) {
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

// holdsRun reports whether a text contains the words of run one after the other, in any case.
func holdsRun(text, run string) bool {
	words := func(s string) string { // with a blank before and after, so that parts of words do not match
		return strings.Join(slices.Concat([]string{""}, english.NewSentence(s).Words, []string{""}), " ")
	}
	return strings.Contains(words(text), words(run))
}
