package attack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/learn/linker"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// Open makes the victim for the questions of a unit.
type Open func(ctx context.Context, u *dataset.Unit) (Victim, error)

// OpenLinker returns an [Open] for a linker, which gets the schema and the cells of each database.
func OpenLinker(m *linker.Model, l linker.Lexicon) Open {
	return func(ctx context.Context, u *dataset.Unit) (Victim, error) {
		cells, err := linker.ReadCells(ctx, u.DB)
		if err != nil {
			return nil, err
		}
		return &Linker{Model: m, Schema: linker.NewSchema(u.DB, cells, l)}, nil
	}
}

// OpenWriter returns an [Open] for a model that writes SQL. Its victims make perturbed databases in the folder
// scratch.
func OpenWriter(asking *victim.Asking, t *template.Template, scratch string) Open {
	return func(_ context.Context, u *dataset.Unit) (Victim, error) {
		return &Writer{Asking: asking, Template: t, DB: u.DB, Scratch: scratch}, nil
	}
}

// Likeness returns a function for [Config.Likeness]: the highest of 1 for words of one lemma, 0.9 for one stem, 0.8 for
// synonyms, and the cosine of the words' vectors.
func Likeness(l linker.Lexicon) func(question, name string) float64 {
	return func(question, name string) float64 {
		x := l.Likeness(question, name)
		return float64(max(x.Lemma, .9*x.Stem, .8*x.Synonym, x.Cosine))
	}
}

// Campaign is an attack on all questions of units.
type Campaign struct {
	Config
	Units   []*dataset.Unit
	Victim  Open
	Others  []Open // also asked about what the victim fell for
	Workers int
	Step    func() // called after each question; may be called concurrently
}

// UnitResult holds the results of the questions of a unit and, for each of [Campaign.Others], how
// many of them it was asked about and fell for.
type UnitResult struct {
	Results   []*Result
	Transfers []Transfer
}

// Run attacks all questions and returns a result for each unit.
func (c *Campaign) Run(ctx context.Context) ([]*UnitResult, error) {
	found := make([]*UnitResult, len(c.Units))
	err := outdir.Run(ctx, c.Workers, c.Units, func(ctx context.Context, i int, u *dataset.Unit) (err error) {
		found[i], err = c.unit(ctx, u)
		return err
	})
	return found, err
}

// unit attacks the questions of a unit, and asks each other victim about the perturbations that fooled the first.
func (c *Campaign) unit(ctx context.Context, u *dataset.Unit) (_ *UnitResult, err error) {
	v, err := c.Victim(ctx, u)
	if err != nil {
		return nil, err
	}
	found := &UnitResult{Transfers: make([]Transfer, len(c.Others))}
	attacker := &Attacker{Config: c.Config, DB: u.DB, Victim: v}
	closer, err := attacker.openWords(ctx, u)
	defer func() { err = errors.Join(err, closer()) }()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.DB.ID, err)
	}
	for _, ex := range u.Examples {
		r, err := attacker.Attack(ctx, ex)
		if err != nil {
			return nil, fmt.Errorf("example %d of %s: %w", ex.Index+1, u.DB.ID, err)
		}
		found.Results = append(found.Results, r)
		c.Step()
	}
	for i, open := range c.Others {
		other, err := open(ctx, u)
		if err != nil {
			return nil, err
		}
		if err := transfer(ctx, u.DB, found.Results, other, &found.Transfers[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// transfer asks another victim about the perturbations that fooled the first, and counts in t those whose original it answers
// right (Asked) and those that then fool it too (Fooled). A question to which it gives no answer does not count.
func transfer(ctx context.Context, db *dataset.Database, results []*Result, v Victim, t *Transfer) error {
	for _, r := range results {
		if !r.Fooled {
			continue
		}
		right, fooled, err := fools(ctx, v, db, r)
		if _, none := errors.AsType[*NoAnswer](err); none {
			continue
		}
		if err != nil {
			return err
		}
		if right {
			t.Asked++
		}
		if fooled {
			t.Fooled++
		}
	}
	return nil
}

// fools reports whether a victim is right on the original question of a result and, if so, whether the edits of
// the result make it wrong.
func fools(ctx context.Context, v Victim, db *dataset.Database, r *Result) (right, fooled bool, err error) {
	ex, err := perturb.NewExample(db, r.Example)
	if err != nil {
		return false, false, err
	}
	before, err := v.Ask(ctx, &verify.Draft{Before: ex, Schema: db, After: r.Example})
	if err != nil || !before.Right {
		return false, false, err
	}
	d, err := verify.Prove(ex, db, r.Edits)
	if err != nil {
		return false, false, err
	}
	after, err := v.Ask(ctx, d)
	return true, !after.Right, err
}

// AddUnits counts the results of all units and computes the figures. It passes an error for each question that was
// not attacked to skip, as a record of path.
func (s *Summary) AddUnits(found []*UnitResult, path string, skip func(error)) {
	for _, u := range found {
		for _, r := range u.Results {
			s.Add(r)
			if r.Failed != nil {
				skip(&dataset.RecordError{File: path, Record: r.Example.Index + 1, Err: fmt.Errorf("%w; it is not attacked", r.Failed)})
			}
		}
		for i := range s.Transfers { // the other victims
			s.Transfers[i].Asked += u.Transfers[i].Asked
			s.Transfers[i].Fooled += u.Transfers[i].Fooled
		}
	}
	s.Close()
}

// WriteReplay writes the edits of all results as a file of recorded edits, the perturbation
// attack/SEARCH, and returns the number of results that have edits.
func WriteReplay(w io.Writer, search string, found []*UnitResult) (n int, err error) {
	enc := json.NewEncoder(w)
	head := perturb.ReplayHead{
		Name: "attack/" + search, Doc: "What a " + search + " attack found that the victim falls for.",
		Paper: "TextAttack (Morris et al., 2020)", Relation: perturb.Renamed,
	}
	for _, u := range found {
		if slices.ContainsFunc(u.Results, func(r *Result) bool { return head.Relation.Allows(r.Edits) != nil }) {
			head.Relation = perturb.Invariant // some edits change words of a question
			break
		}
	}
	if err := enc.Encode(head); err != nil {
		return 0, err
	}
	for _, u := range found {
		for _, r := range u.Results {
			if len(r.Edits) == 0 {
				continue
			}
			n++
			if err := encodeReplay(enc, r); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// encodeReplay writes the edits of a result as a line of recorded edits.
func encodeReplay(enc *json.Encoder, r *Result) error {
	edits, err := perturb.MarshalEdits(r.Edits)
	if err != nil {
		return err
	}
	return enc.Encode(struct {
		DB       string          `json:"db_id"`
		Example  int             `json:"example"`
		Question string          `json:"question"`
		Query    string          `json:"query"`
		Sample   int             `json:"sample"`
		Edits    json.RawMessage `json:"edits"`
	}{r.Example.DB, r.Example.Index, r.Example.Question, r.Example.Query, 0, edits})
}
