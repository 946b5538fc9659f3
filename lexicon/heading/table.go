package heading

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Of returns the column at a position of a table in the form that [Thesaurus.Names] takes. Its Table is the
// table's name, or the caption if the name is made up ([dataset.Named]).
func (t *Thesaurus) Of(table *dataset.Table, column int) Column {
	c := Column{Name: table.Columns[column].Name, Table: table.Caption, Cells: table.Columns[column].Samples}
	if dataset.Named(table.Name) {
		c.Table, c.Rows, c.Noun = table.Name, t.Rows(table.Name), t.Noun(table.Name)
	}
	for i := range table.Columns {
		if i != column {
			c.Other = append(c.Other, table.Columns[i].Name)
		}
	}
	return c
}

// Tables returns names that may replace a table's: "customers" → "clients". It replaces the longest term with alternatives
// ([Classes]) at the end of the name, or else the longest at its start. It returns nil if neither has any.
func (t *Thesaurus) Tables(name string) []string {
	words := lexicon.Words(name)
	for start := range words {
		if out := t.replaceTerm(words, start, len(words)); len(out) > 0 {
			return out
		}
	}
	for end := len(words) - 1; end > 0; end-- {
		if out := t.replaceTerm(words, 0, end); len(out) > 0 {
			return out
		}
	}
	return nil
}

// replaceTerm returns the names in which an alternative replaces the term words[start:end], in the same
// grammatical number.
func (t *Thesaurus) replaceTerm(words []string, start, end int) []string {
	term := strings.Join(words[start:end], " ")
	return lists.Map(t.classes.alternatives[lexicon.Normal(term)], func(a string) string {
		return strings.Join(slices.Concat(words[:start], []string{lexicon.InNumber(a, term)}, words[end:]), " ")
	})
}
