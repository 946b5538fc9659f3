package augment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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

// score sets both entailments of every proposal against its column.
func (a *Augmenter) score(ctx context.Context, entity string, t *dataset.Table, proposals [][]dataset.Candidate) error {
	var pairs []nli.Pair
	for i, list := range proposals {
		for j := range list {
			pairs = append(pairs, pair(entity, &t.Columns[i], &t.Columns[i], &list[j]))
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	if err != nil {
		return err
	}
	n := 0
	for i := range proposals {
		for j := range proposals[i] {
			e := judgments[n].Entailments()
			proposals[i][j].Forward, proposals[i][j].Backward = e.Forward, e.Backward
			n++
		}
	}
	return nil
}

// conflicts scores the proposals that may become additions against the other
// columns of their table (footnote 5); the rest have none.
func (a *Augmenter) conflicts(ctx context.Context, entity string, t *dataset.Table, proposals [][]dataset.Candidate) ([][][]nli.Other, error) {
	var pairs []nli.Pair
	others := make([][][]nli.Other, len(proposals))
	var slots []*nli.Other
	for i, list := range proposals {
		others[i] = make([][]nli.Other, len(list))
		for j := range list {
			if a.Policy.Decide(entailments(&list[j]), nil).Bucket != nli.Add {
				continue
			}
			others[i][j] = make([]nli.Other, 0, len(t.Columns)-1)
			for k := range t.Columns {
				if k == i {
					continue
				}
				others[i][j] = append(others[i][j], nli.Other{Column: t.Columns[k].Original})
				slots = append(slots, &others[i][j][len(others[i][j])-1])
				pairs = append(pairs, pair(entity, &t.Columns[k], &t.Columns[i], &list[j]))
			}
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	if err != nil {
		return nil, err
	}
	for n, slot := range slots {
		slot.Entailments = judgments[n].Entailments()
	}
	return others, nil
}

func entailments(c *dataset.Candidate) nli.Entailments {
	return nli.Entailments{Forward: c.Forward, Backward: c.Backward}
}

// decide sorts the proposals of one column; those in doubt (see doubts) are rejected.
// Of more than the policy's limit the most equivalent replace, and the most associated
// are added.
func (a *Augmenter) decide(id dataset.ColumnID, proposals []dataset.Candidate, others [][]nli.Other, doubts []string) Column {
	out := Column{ID: id}
	for j, c := range proposals {
		if doubts[j] != "" {
			out.Rejected = append(out.Rejected, Rejected{c, doubts[j]})
			continue
		}
		switch d := a.Policy.Decide(entailments(&c), others[j]); d.Bucket {
		case nli.Replace:
			out.Bucket.Replace = append(out.Bucket.Replace, c)
		case nli.Add:
			out.Bucket.Add = append(out.Bucket.Add, c)
		default:
			out.Rejected = append(out.Rejected, Rejected{c, d.Reason})
		}
	}
	slices.SortStableFunc(out.Bucket.Replace, func(x, y dataset.Candidate) int {
		return cmp.Or(cmp.Compare(min(y.Forward, y.Backward), min(x.Forward, x.Backward)), cmp.Compare(x.Name, y.Name))
	})
	slices.SortStableFunc(out.Bucket.Add, func(x, y dataset.Candidate) int {
		return cmp.Or(cmp.Compare(y.Similarity, x.Similarity), cmp.Compare(x.Name, y.Name))
	})
	dropReworded(&out)
	out.Bucket.Replace = a.limit(&out, out.Bucket.Replace)
	out.Bucket.Add = a.limit(&out, out.Bucket.Add)
	return out
}

// dropReworded rejects ADD names that have the words of a REPLACE name in another
// order: "birth date" beside "date of birth" would be the column once more.
func dropReworded(out *Column) {
	replace := map[string]string{}
	for _, c := range out.Bucket.Replace {
		replace[wordSet(c.Name)] = c.Name
	}
	out.Bucket.Add = slices.DeleteFunc(out.Bucket.Add, func(c dataset.Candidate) bool {
		same, found := replace[wordSet(c.Name)]
		if found {
			out.Rejected = append(out.Rejected, Rejected{c, fmt.Sprintf("has the words of the REPLACE name %s", same)})
		}
		return found
	})
}

// wordSet returns a name's words in their singular, sorted, without "of".
func wordSet(name string) string {
	words := slices.DeleteFunc(strings.Fields(lexicon.Normal(name)), func(w string) bool { return w == "of" })
	slices.Sort(words)
	return strings.Join(words, " ")
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
