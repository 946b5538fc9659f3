package verify

import (
	"errors"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/evidence"
)

// Follow returns the edits with those of derived columns added. A [*perturb.Refusal] is for a
// derived column whose new name is taken.
func Follow(db *dataset.Database, edits []perturb.Edit) ([]perturb.Edit, *perturb.Refusal) {
	all := perturb.FollowDerived(db, edits)
	if len(all) > len(edits) { // without added edits an error is not about a derived column
		if _, err := perturb.ApplySchema(db, all); err != nil {
			return nil, refusal("derived-column", err.Error())
		}
	}
	return all, nil
}

// Schema returns the schema after the edits, with names replaced in the descriptions of columns.
// If a description cannot follow, the error is a [*perturb.Refusal] and the schema is returned all
// the same. Any other error means that the edits do not fit the schema.
func Schema(db *dataset.Database, edits []perturb.Edit) (*dataset.Database, error) {
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		return nil, err
	}
	if err := evidence.CarryDescriptions(db, after, edits); err != nil {
		return after, refusal("database-refuses-edits", err.Error())
	}
	return after, nil
}

// Apply returns the example after the edits: its question, gold SQL and evidence. After is the
// schema that [Schema] returned for them. The error is a [*perturb.Refusal].
func Apply(ex *perturb.Example, edits []perturb.Edit, before, after *dataset.Database) (*dataset.Example, error) {
	post := *ex.Example
	post.DB = after.ID
	var err error
	if post.Question, err = perturb.ApplyQuestion(ex.Question, edits); err != nil {
		return nil, refusal("question-refuses-edits", err.Error())
	}
	if post.Question != ex.Question {
		post.Tokens = nil
	}
	if post.Query, err = perturb.RewriteGold(ex, edits, after); err != nil {
		if _, refused := errors.AsType[*perturb.Refusal](err); refused {
			return nil, err
		}
		return nil, refusal("gold-not-rewritten", err.Error())
	}
	if post.Evidence, err = evidenceAfter(ex, edits, post.Query, before, after); err != nil {
		return nil, err
	}
	return &post, nil
}
