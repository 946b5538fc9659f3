// Package linking measures schema linking: which tokens of a question refer to
// which tables and columns.
//
// [Split] holds the questions of a data set. [ReadGold] reads what people
// annotated, from SLSQL's release or from our own JSON lines, [ReadPredictions]
// what a linker or parser found. A [Tally] compares the two as ADVETA's appendix
// C.4 does (after Liu et al., 2021). [Set.Carry] takes gold links through the
// edits of a benchmark, so that the questions of a perturbed data set need no
// annotation of their own, and [Measure] runs a linker before and after.
//
// A link names tables and columns by their SQL names, not by positions: columns
// that a perturbation adds shift nothing. Tokens of values are no
// links, as in the paper; see [Options] for the other reading.
package linking

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Link is a token of a question that refers to a table or a column.
type Link struct {
	Token  int    `json:"token"`            // position in question_toks, from 0
	Table  string `json:"table"`            // SQL name
	Column string `json:"column,omitempty"` // SQL name; empty if the table itself is meant
}

// key returns the link with its names folded, as SQL compares them.
func (l Link) key() Link {
	return Link{l.Token, strings.ToLower(l.Table), strings.ToLower(l.Column)}
}

// Example holds the links of one question.
type Example struct {
	Index int    `json:"index"` // position in the split, from 0
	DB    string `json:"db_id"`
	Links []Link `json:"links"`
}

// Split holds the questions of a data set.
type Split struct {
	Units     []*dataset.Unit
	questions map[int]question // by index
}

// question is a question of a split.
type question struct {
	db     *dataset.Database
	tokens []string
}

// NewSplit indexes the examples of units. A question that brings no tokens is
// split as Spider splits its questions.
func NewSplit(units []*dataset.Unit) *Split {
	s := &Split{Units: units, questions: map[int]question{}}
	for _, u := range units {
		for _, ex := range u.Examples {
			s.questions[ex.Index] = question{u.DB, tokensOf(ex)}
		}
	}
	return s
}

// tokensOf returns the tokens of a question.
func tokensOf(ex *dataset.Example) []string {
	if ex.Tokens != nil {
		return ex.Tokens
	}
	return dataset.QuestionTokens(ex.Question)
}

// Len counts the questions.
func (s *Split) Len() int { return len(s.questions) }

// check returns an error unless an example is about a question of the split. If gold is set, its
// names must be in the schema too; a predicted link to an unknown column is wrong, but no error.
func (s *Split) check(ex *Example, gold bool) error {
	q, ok := s.questions[ex.Index]
	switch {
	case !ok:
		return fmt.Errorf("index %d is not an example that can be used, expected one of the split's %d", ex.Index, len(s.questions))
	case ex.DB != q.db.ID:
		return fmt.Errorf("db_id %q, expected %q, which example %d asks about", dataset.Clip(ex.DB), q.db.ID, ex.Index)
	}
	for _, l := range ex.Links {
		switch {
		case l.Token < 0, l.Token >= len(q.tokens):
			return fmt.Errorf("token %d, expected 0 to %d: the question has %d tokens", l.Token, len(q.tokens)-1, len(q.tokens))
		case gold && !hasItem(q.db, l):
			return fmt.Errorf("link to %s, expected a table or column of %s", dataset.Clip(l.name()), q.db.ID)
		}
	}
	return nil
}

// hasItem reports whether the schema has the table or column of a link.
func hasItem(db *dataset.Database, l Link) bool {
	if l.Column == "" {
		return db.Table(l.Table) >= 0
	}
	_, ok := db.Lookup(l.Table, l.Column)
	return ok
}

// name returns TABLE or TABLE.COLUMN.
func (l Link) name() string {
	if l.Column == "" {
		return l.Table
	}
	return l.Table + "." + l.Column
}

// sortLinks puts links in the order in which they are written: by token, tables
// before their columns.
func sortLinks(links []Link) {
	slices.SortFunc(links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Token, b.Token), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
}
