package benchmark

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/english"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Why an example with evidence is rejected.
const (
	reasonEvidence         = "evidence-refuses-edits"
	reasonEvidenceGoes     = "evidence-names-lost-column"
	reasonEvidenceConstant = "evidence-names-constant"
	reasonEvidencePart     = "evidence-states-condition"
)

// carryEvidence makes the edits in the evidence. Names follow; what it says of values
// and formulas is of the original, so that an example whose gold SQL changes by more
// than names is rejected where the evidence may speak of that: of a column that gives
// way, of a constant that is no longer in the gold SQL, or, where none is gone and so
// an operator or an order has changed, of anything at all.
func (c *check) carryEvidence() {
	c.evidence = c.ex.Evidence
	if c.evidence == "" {
		return
	}
	if c.evidenceGoes() {
		c.fail(reasonEvidenceGoes, c.ex.Evidence)
		return
	}
	if c.p.Relation == perturb.Retargeted || c.p.Relation == perturb.Recoded {
		gone := c.goneConstants()
		switch {
		case slices.ContainsFunc(gone, func(text string) bool { return holdsRun(c.ex.Evidence, text) }):
			c.fail(reasonEvidenceConstant, c.ex.Evidence)
		case len(gone) == 0 && c.p.Relation == perturb.Retargeted:
			c.fail(reasonEvidencePart, c.ex.Evidence)
		}
		return
	}
	var err error
	if c.evidence, err = perturb.CarryEvidence(c.ex, c.edits, c.unit.DB, c.after.schema); err != nil {
		c.fail(reasonEvidence, err.Error())
	}
}

// evidenceGoes tells whether the evidence names a column that the edits drop or recode.
func (c *check) evidenceGoes() bool {
	var links []perturb.EvidenceLink
	for _, e := range c.edits {
		switch e.(type) {
		case perturb.DropColumn, perturb.RecodeColumn:
		default:
			continue
		}
		if links == nil {
			links = perturb.EvidenceLinks(c.ex, c.unit.DB)
		}
		table, column := perturb.Touches(e)
		if slices.ContainsFunc(links, func(l perturb.EvidenceLink) bool {
			return strings.EqualFold(l.Table, table) && strings.EqualFold(l.Column, column)
		}) {
			return true
		}
	}
	return false
}

// goneConstants returns the constants of the gold SQL that are not in it after the
// edits.
func (c *check) goneConstants() (gone []string) {
	ex := *c.ex.Example
	ex.Query = c.query
	now, err := perturb.NewExample(c.after.schema, &ex)
	if err != nil { // it ran
		return constants(c.ex)
	}
	kept := constants(now)
	for _, text := range constants(c.ex) {
		if !slices.Contains(kept, text) {
			gone = append(gone, text)
		}
	}
	return gone
}

// constants returns the numbers and texts of the gold SQL; those of patterns without
// wildcards at their ends.
func constants(ex *perturb.Example) (texts []string) {
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
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
		return true
	})
	return texts
}

// holdsRun tells whether a text holds the words of another one after the other,
// whatever their case.
func holdsRun(text, run string) bool {
	words := func(s string) string {
		var b strings.Builder
		for _, t := range english.Tokens(s) {
			b.WriteString(" " + strings.ToLower(s[t.Start:t.End]))
		}
		return b.String() + " "
	}
	return strings.Contains(words(text), words(run))
}
