package augment

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

// pair asks about a column and a candidate for target, whose type a candidate
// has that brings none.
func pair(entity string, column, target *dataset.Column, c *dataset.Candidate) nli.Pair {
	return nli.Pair{
		Entity: entity, Premise: column.Name, Hypothesis: c.Name,
		PremiseType: column.Type, HypothesisType: cmp.Or(c.Type, target.Type),
	}
}

// score sets both entailments of every proposal against its column, and returns
// what the policy makes of them.
func (a *Augmenter) score(ctx context.Context, entity string, t *dataset.Table, proposals [][]Proposal) ([][]nli.Decision, error) {
	var pairs []nli.Pair
	for i, list := range proposals {
		for j := range list {
			pairs = append(pairs, pair(entity, &t.Columns[i], &t.Columns[i], &list[j].Candidate))
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	if err != nil {
		return nil, err
	}
	decisions := make([][]nli.Decision, len(proposals))
	for i, list := range proposals {
		for j := range list {
			e := judgments[0].Entailments()
			judgments = judgments[1:]
			list[j].Forward, list[j].Backward = e.Forward, e.Backward
			decisions[i] = append(decisions[i], a.decide(&list[j], e))
		}
	}
	return decisions, nil
}

// decide puts a proposal into a bucket: into the one that its source means it for,
// where validity is predicted, else by its entailments.
func (a *Augmenter) decide(p *Proposal, e nli.Entailments) nli.Decision {
	d := a.Policy.Decide(e)
	if a.Validity == nil || p.Side == "" || p.Side == d.Side {
		return d
	}
	if p.Source == "thesaurus" {
		return nli.Decision{Side: p.Side, Reason: "by the thesaurus"}
	}
	return nli.Decision{Reason: "is meant to " + string(p.Side) + ", but " + d.Reason}
}

// rejectConflicts scores the additions against the other columns of their table
// (footnote 5) and rejects those that mean the same as one.
func (a *Augmenter) rejectConflicts(ctx context.Context, entity string, t *dataset.Table, proposals [][]Proposal, decisions [][]nli.Decision) error {
	var pairs []nli.Pair
	var asked []*nli.Decision
	var columns []string
	for i, list := range proposals {
		for j := range list {
			if decisions[i][j].Side != dataset.Add || a.Validity != nil && list[j].Source == "thesaurus" {
				continue // a thesaurus knows which names stand for the other columns
			}
			for k := range t.Columns {
				if k != i {
					pairs = append(pairs, pair(entity, &t.Columns[k], &t.Columns[i], &list[j].Candidate))
					asked, columns = append(asked, &decisions[i][j]), append(columns, t.Columns[k].Original)
				}
			}
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	if err != nil {
		return err
	}
	for n, j := range judgments {
		if asked[n].Side != dataset.Add {
			continue // rejected for an earlier column
		}
		if reason := a.Policy.Conflict(columns[n], j.Entailments()); reason != "" {
			*asked[n] = nli.Decision{Reason: reason}
		}
	}
	return nil
}

func entailments(c *dataset.Candidate) nli.Entailments {
	return nli.Entailments{Forward: c.Forward, Backward: c.Backward}
}

// sort sorts the proposals of one column as was decided. Of more than the policy's
// limit those most likely valid stay; where validity is not predicted, the most
// equivalent replace and the most associated are added.
func (a *Augmenter) sort(id dataset.ColumnID, proposals []Proposal, decisions []nli.Decision) Column {
	out := Column{ID: id}
	for j, p := range proposals {
		c := p.Candidate
		switch d := decisions[j]; d.Side {
		case dataset.Replace:
			out.Bucket.Replace = append(out.Bucket.Replace, c)
		case dataset.Add:
			out.Bucket.Add = append(out.Bucket.Add, c)
		default:
			out.Rejected = append(out.Rejected, Rejected{c, d.Reason})
		}
	}
	slices.SortStableFunc(out.Bucket.Replace, func(x, y dataset.Candidate) int {
		return cmp.Or(cmp.Compare(y.Validity, x.Validity), cmp.Compare(min(y.Forward, y.Backward), min(x.Forward, x.Backward)), cmp.Compare(x.Name, y.Name))
	})
	slices.SortStableFunc(out.Bucket.Add, func(x, y dataset.Candidate) int {
		return cmp.Or(cmp.Compare(y.Validity, x.Validity), cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(x.Name, y.Name))
	})
	dropReworded(&out)
	if a.Validity != nil {
		out.Bucket.Add = fillUp(&out, out.Bucket.Add, "attributes", addFilled)
		out.Bucket.Replace = fillUp(&out, out.Bucket.Replace, "dictionary", replaceFilled)
	}
	out.Bucket.Replace = a.limit(&out, out.Bucket.Replace)
	out.Bucket.Add = a.limit(&out, out.Bucket.Add)
	return out
}

// The numbers of names up to which the weakest source of a bucket is heard: an attribute
// is any other property of the entity, seldom one that could be taken for the column,
// and what a dictionary makes of single words is seldom what people say.
const (
	addFilled     = 3
	replaceFilled = 2
)

// fillUp rejects names of a source where a bucket has enough without.
func fillUp(out *Column, bucket []dataset.Candidate, source string, enough int) []dataset.Candidate {
	others, own := 0, 0
	for _, c := range bucket {
		if c.Source != source {
			others++
		}
	}
	return slices.DeleteFunc(bucket, func(c dataset.Candidate) bool {
		if c.Source != source {
			return false
		}
		own++
		if others+own <= enough {
			return false
		}
		out.Rejected = append(out.Rejected, Rejected{c, fmt.Sprintf("there are %d surer names", others+own-1)})
		return true
	})
}

// dropReworded rejects ADD names that have the words of a REPLACE name in another
// order: "birth date" beside "date of birth" would be the column once more.
func dropReworded(out *Column) {
	replace := map[string]string{}
	for _, c := range out.Bucket.Replace {
		replace[lexicon.WordSet(c.Name)] = c.Name
	}
	out.Bucket.Add = slices.DeleteFunc(out.Bucket.Add, func(c dataset.Candidate) bool {
		same, found := replace[lexicon.WordSet(c.Name)]
		if found {
			out.Rejected = append(out.Rejected, Rejected{c, fmt.Sprintf("has the words of the REPLACE name %s", same)})
		}
		return found
	})
}

func (a *Augmenter) limit(out *Column, bucket []dataset.Candidate) []dataset.Candidate {
	if a.Policy.Limit <= 0 || len(bucket) <= a.Policy.Limit {
		return bucket
	}
	for _, c := range bucket[a.Policy.Limit:] {
		out.Rejected = append(out.Rejected, Rejected{c, fmt.Sprintf("the bucket holds %d better ones", a.Policy.Limit)})
	}
	return bucket[:a.Policy.Limit]
}
