package augment

import (
	"cmp"
	"context"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
)

// pair returns the NLI pair of a column and a candidate name for the column target, which may be the same
// column. A candidate without a type gets that of target.
func pair(entity string, column, target *dataset.Column, c *dataset.Candidate) nli.Pair {
	return nli.Pair{
		Entity: entity, Premise: column.Name, Hypothesis: c.Name,
		PremiseType: column.Type, HypothesisType: cmp.Or(c.Type, target.Type),
	}
}

// score sets the entailments of every name with its column, and decides by them.
func (a *Augmenter) score(ctx context.Context, entity string, t *dataset.Table, names []Judged) error {
	pairs := make([]nli.Pair, len(names))
	for i := range names {
		column := &t.Columns[names[i].Column]
		pairs[i] = pair(entity, column, column, &names[i].Candidate) // a name without a type gets that of the column
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	for i, judgment := range judgments {
		e := judgment.Entailments()
		names[i].Forward, names[i].Backward = e.Forward, e.Backward
		a.decide(&names[i])
	}
	return err
}

// decide decides on a name by the policy. A name that its source proposes for another bucket is
// rejected, unless the source knows the table: then the bucket of the source counts.
func (a *Augmenter) decide(j *Judged) {
	j.Decision = a.Policy.Decide(entailments(&j.Candidate))
	if j.Side == "" || j.Side == j.Decision.Side {
		return
	}
	if j.source.KnowsTable {
		j.Decision = nli.Decision{Side: j.Side, Reason: "by the " + j.source.Name}
		return
	}
	j.reject("is meant to %s, but %s", j.Side, j.Decision.Reason)
}

// rejectConflicts scores the ADD names against the other columns of the table, and rejects
// those that mean the same as one (ADVETA, footnote 5).
func (a *Augmenter) rejectConflicts(ctx context.Context, entity string, t *dataset.Table, names []Judged) error {
	type conflict struct {
		name   *Judged
		column *dataset.Column
	}
	var conflicts []conflict
	var pairs []nli.Pair
	for i := range names {
		name := &names[i]
		if name.Decision.Side != dataset.Add || name.source.Apart {
			continue
		}
		for k := range t.Columns {
			if k != name.Column {
				conflicts = append(conflicts, conflict{name, &t.Columns[k]})
				pairs = append(pairs, pair(entity, &t.Columns[k], &t.Columns[name.Column], &name.Candidate))
			}
		}
	}
	judgments, err := nli.Score(ctx, a.Classifier, pairs)
	for i, judgment := range judgments {
		c := conflicts[i]
		if c.name.Decision.Side != dataset.Add {
			continue // rejected for an earlier column
		}
		if reason := a.Policy.Conflict(c.column.Original, judgment.Entailments()); reason != "" {
			c.name.reject("%s", reason)
		}
	}
	return err
}

// rejectJoined rejects names for columns of table t that equal the name of a column of a joined table, which a foreign key
// links to t: SQL that joins the two would read both columns. A name for a column of the key itself may equal the name of the
// column at its other end.
func rejectJoined(db *dataset.Database, t int, names []Judged) {
	for _, key := range db.ForeignKeys {
		if key.Column.Table == t {
			rejectNamesOf(db, key.Target, key.Column, names)
		}
		if key.Target.Table == t {
			rejectNamesOf(db, key.Column, key.Target, names)
		}
	}
}

// rejectSecondNumbers rejects the REPLACE names that call a column a number or code where another column of the table is one:
// in a table with a "registration no", a "vehicle number" could be either.
func rejectSecondNumbers(t *dataset.Table, names []Judged) {
	isNumber := func(name string) bool {
		words := lexicon.Words(name)
		return len(words) > 1 && slices.Contains([]string{"number", "no", "num", "nr", "code"}, words[len(words)-1]) // with a word for the thing that is numbered
	}
	other := slices.IndexFunc(t.Columns, func(c dataset.Column) bool { return isNumber(c.Name) })
	if other < 0 {
		return
	}
	for i := range names {
		n := &names[i]
		if n.Decision.Side == dataset.Replace && isNumber(n.Name) && !isNumber(t.Columns[n.Column].Name) {
			n.reject("could be %s as well", t.Columns[other].Original)
		}
	}
}

// rejectNamesOf rejects the names that equal a column name of the table of far, in any order of words. far and near are the
// two columns of a foreign key, so a name for near may equal that of far.
func rejectNamesOf(db *dataset.Database, far, near dataset.ColumnRef, names []Judged) {
	joined := &db.Tables[far.Table]
	for c, column := range joined.Columns {
		for i := range names {
			isTied := names[i].Column == near.Column && c == far.Column
			if names[i].Decision.Side != "" && !isTied && lexicon.WordSet(column.Name) == lexicon.WordSet(names[i].Name) {
				names[i].reject("is a column of %s, which a key joins", joined.Original)
			}
		}
	}
}

// entailments returns the entailments of a scored candidate with its column.
func entailments(c *dataset.Candidate) nli.Entailments {
	return nli.Entailments{Forward: c.Forward, Backward: c.Backward}
}
