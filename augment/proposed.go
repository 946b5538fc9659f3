package augment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
)

// The purposes for which a model is asked.
const (
	PurposePropose = "propose"
	PurposeJudge   = "judge"
)

// SourceModel is the source of the names that a large model proposes.
const SourceModel = "model"

// Proposed proposes what a large model answers that is shown the table: one request a
// table. What it answers is untrusted: of an answer of another form nothing is taken,
// and of names only those that are words of letters and digits.
type Proposed struct {
	Client     *chat.Client
	Attributes *lexicon.Attributes // give types and values of names to add
	Reranker   *rerank.Reranker
	Seed       uint64
}

// The bounds of what is taken of an answer.
const (
	mostProposed = 5  // names for a column and side
	longestName  = 60 // bytes of a name
)

// proposedTokens is about what an answer needs for a column.
const proposedTokens = 160

// Propose implements [Source]. The error may be an [*Unanswered].
func (p *Proposed) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	out := make([][]Proposal, len(t.Columns))
	s := sheetOf(u, table)
	s.Most = mostProposed
	err := ask(ctx, p.Client, u, table, PurposePropose, s, proposedTokens*len(t.Columns), func(answer string) error {
		columns, err := readProposed(answer, len(t.Columns))
		for _, c := range columns {
			out[c.Column-1] = p.proposals(u.DB.ID, t, c)
		}
		return err
	})
	return out, err
}

// proposedColumn is what an answer has of a column.
type proposedColumn struct {
	Column  int      `json:"column"`
	Replace []string `json:"replace"`
	Add     []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"add"`
}

// readProposed reads an answer about a table of n columns.
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

// proposals returns the names of an answer that are names, and that the table has not.
func (p *Proposed) proposals(db string, t *dataset.Table, c proposedColumn) []Proposal {
	column := &t.Columns[c.Column-1]
	taken := map[string]bool{}
	for _, own := range t.Columns {
		taken[lexicon.Normal(own.Name)], taken[lexicon.Normal(own.Original)] = true, true
	}
	var out []Proposal
	propose := func(side dataset.Side, rank int, said string, kind dataset.Type) {
		name, ok := cleaned(strings.ReplaceAll(said, "_", " "))
		if !ok || len(name) > longestName || taken[lexicon.Normal(name)] {
			return
		}
		taken[lexicon.Normal(name)] = true
		candidate := dataset.Candidate{
			Name: name, Source: SourceModel, Evidence: p.Client.Model, Type: kind,
			Similarity: p.Reranker.Similarity(column.Name, name),
		}
		if attribute, known := p.Attributes.Named(name); known && side == dataset.Add {
			candidate.Type, candidate.Cells = dataset.Type(attribute.Type), draw(p.Seed, db, t.Original, attribute)
		}
		out = append(out, Proposal{Candidate: candidate, Side: side, Rank: rank})
	}
	for rank, name := range c.Replace[:min(len(c.Replace), mostProposed)] {
		propose(dataset.Replace, rank, name, "")
	}
	for rank, added := range c.Add[:min(len(c.Add), mostProposed)] {
		propose(dataset.Add, rank, added.Name, typeSaid(added.Type))
	}
	return out
}

// typeSaid returns the type that an answer says; "" where it is none.
func typeSaid(said string) dataset.Type {
	t := dataset.Type(strings.ToLower(strings.TrimSpace(said)))
	if slices.Contains([]dataset.Type{dataset.Text, dataset.Number, dataset.Time, dataset.Boolean}, t) {
		return t
	}
	return ""
}
