package augment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

// The purposes for which a large model is asked, by which recorded answers are found.
const (
	PurposePropose = "propose"
	PurposeJudge   = "judge"
)

// ModelSource is the name of the source that asks a large model.
const ModelSource = "model"

// modelSource proposes what a large model answers that is shown the table, in one request
// a table. The answer is untrusted: one of another form is rejected, and of its names those
// that are no words of letters and digits.
var modelSource = Source{
	Name:      ModelSource,
	Doc:       "What a large model answers that is shown the table, where one is asked.",
	Propose:   proposeByModel,
	Untrained: true,
}

// The bounds of what is taken from an answer.
const (
	maxProposed   = 5  // names for a column and side
	maxNameLength = 60 // bytes of a name
)

// proposedTokens is about what an answer needs for a column.
const proposedTokens = 160

// proposeByModel asks the large model about a table and returns, for each column, the names that it answers, REPLACE names
// first. It returns none if there is no model.
func proposeByModel(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
	t := a.table()
	out := make([][]Proposal, len(t.Columns))
	if r.Proposer == nil {
		return out, nil
	}
	prompt := newPrompt(a.Unit, a.Table)
	prompt.Most = maxProposed
	err := ask(ctx, r.Proposer, a.Unit, a.Table, PurposePropose, prompt, proposedTokens*len(t.Columns), func(answer string) error {
		columns, err := readProposed(answer, len(t.Columns))
		for _, c := range columns {
			out[c.Column-1] = proposalsOf(r, a.Unit.DB.ID, t, c)
		}
		return err
	})
	return out, err
}

// proposedColumn is the part of an answer about one column, counted from 1.
type proposedColumn struct {
	Column  int      `json:"column"`
	Replace []string `json:"replace"`
	Add     []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"add"`
}

// readProposed parses an answer about a table of n columns. It rejects an answer that names a
// column twice or one that the table lacks.
func readProposed(answer string, n int) ([]proposedColumn, error) {
	var a struct {
		Columns []proposedColumn `json:"columns"`
	}
	if err := readAnswer(answer, &a); err != nil {
		return nil, err
	}
	if a.Columns == nil {
		return nil, fmt.Errorf("the answer has no columns, expected those of the table")
	}
	seen := map[int]bool{}
	for _, c := range a.Columns {
		if c.Column < 1 || c.Column > n || seen[c.Column] {
			return nil, fmt.Errorf("the answer has the column %d, expected each of 1 to %d at most once", c.Column, n)
		}
		seen[c.Column] = true
	}
	return a.Columns, nil
}

// proposalsOf returns the proposals that an answer has for a column of a table: those of its
// names that are clean and short enough, without repeats.
func proposalsOf(r *Resources, db string, t *dataset.Table, answer proposedColumn) []Proposal {
	column := t.Columns[answer.Column-1].Name
	seen := map[string]bool{} // by normal form
	var out []Proposal
	propose := func(side dataset.Side, rank int, answered string, kind dataset.Type) {
		name, ok := cleanHeader(strings.ReplaceAll(answered, "_", " "))
		if !ok || len(name) > maxNameLength || seen[lexicon.Normal(name)] {
			return
		}
		seen[lexicon.Normal(name)] = true
		c := dataset.Candidate{Name: name, Evidence: r.Proposer.Model, Type: kind, Similarity: r.Selector.Similarity(column, name)}
		if side == dataset.Add {
			r.drawCells(&c, db, t)
		}
		out = append(out, Proposal{Candidate: c, Side: side, Rank: rank})
	}
	for rank, name := range answer.Replace[:min(len(answer.Replace), maxProposed)] {
		propose(dataset.Replace, rank, name, "")
	}
	for rank, added := range answer.Add[:min(len(answer.Add), maxProposed)] {
		propose(dataset.Add, rank, added.Name, parseType(added.Type))
	}
	return out
}

// parseType returns the column type that an answer names, in any case; "" if it names none.
func parseType(answered string) dataset.Type {
	t := dataset.Type(strings.ToLower(strings.TrimSpace(answered)))
	if slices.Contains([]dataset.Type{dataset.Text, dataset.Number, dataset.Time, dataset.Boolean}, t) {
		return t
	}
	return ""
}
