package consistency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/perturb"
)

// Outputs names a model and the paths of its outputs before and after the perturbations.
type Outputs struct{ Name, Pre, Post string }

// Config configures [Compare]: which outputs are compared, and how.
type Config struct {
	Build     *sides.Build
	Models    []Outputs
	Options   evaluate.Options // with one metric; content, gold and schemas are filled in
	Stdin     io.Reader        // for outputs at "-"
	Extract   func() *evaluate.Extraction
	Bootstrap stats.Bootstrap // of the intervals

	Step   func()      // called after each pair
	Skip   func(error) // receives outputs that belong to no question
	Note   func(error) // receives harmless remarks
	Report func(error) // receives schemas that cannot be used
}

// Compare compares the outputs of each model on all perturbations by the first metric of the options: a report has one.
func Compare(ctx context.Context, c *Config) (*Report, error) {
	var tallies []*Tally
	for _, m := range c.Models {
		tally, err := c.tally(ctx, m)
		if err != nil {
			return nil, err
		}
		tallies = append(tallies, tally)
	}
	metric := c.Options.Metrics[0]
	r := NewReport(metric.Name, tallies, c.Bootstrap)
	o := c.Options
	o.Content = c.Build.Dir // How only describes what databases the outputs were compared on
	r.How = metric.How(&o)
	return r, nil
}

// open opens the outputs on a side: "pre" or "post".
func (c *Config) open(side, path string) (*sides.Predictions, error) {
	return c.Build.Open(side, path, c.Stdin, c.Extract(), c.Skip)
}

// tally compares a model's outputs on all perturbations and counts the outcomes by perturbation. Databases and gold SQL are those
// after the edits.
func (c *Config) tally(ctx context.Context, m Outputs) (tally *Tally, err error) {
	pre, err := c.open("pre", m.Pre)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pre.Close()) }()
	post, err := c.open("post", m.Post)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, post.Close()) }()
	records := c.Build.OpenRecords()
	defer records.Stop()
	tally = NewTally(m.Name)
	for _, p := range c.Build.Perturbations {
		j := &joiner{perturbation: p, records: records, sides: map[*dataset.Database]*Side{}}
		if j.before, err = c.Build.Schemas(p.Name, "pre", c.Report); err != nil {
			return nil, err
		}
		if j.after, err = c.Build.Schemas(p.Name, "post", c.Report); err != nil {
			return nil, err
		}
		o := c.Options
		o.Gold, o.Content, o.Databases = c.Build.Gold(p.Name, "post"), c.Build.Path(p.Name, "post", "database"), j.after
		err := Run(ctx, j.pairs(pre, post), o, func(pair *Pair, out Outcome) error {
			c.Step()
			tally.Add(p.Name, pair.DB, out)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return tally, cmp.Or(pre.End(c.Note), post.End(c.Note)) // an error if there are more predictions than records
}

// joiner joins the outputs before and after one perturbation with its records.
type joiner struct {
	perturbation  sides.Perturbation
	records       *sides.Records
	before, after map[string]*dataset.Database // schemas by db_id
	sides         map[*dataset.Database]*Side
}

// side returns the side of a schema, nil for no schema.
func (j *joiner) side(db *dataset.Database) *Side {
	if db == nil {
		return nil
	}
	if j.sides[db] == nil {
		j.sides[db] = NewSide(db)
	}
	return j.sides[db]
}

// pairs returns the outputs on each record. A record that cannot be read on a side is reported
// and has no schema there.
func (j *joiner) pairs(pre, post *sides.Predictions) dataset.Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		before, stopBefore := pre.Positions(j.perturbation, report)
		defer stopBefore()
		after, stopAfter := post.Positions(j.perturbation, report)
		defer stopAfter()
		for i := 0; ; i++ {
			b, errBefore, more := before()
			a, errAfter, moreAfter := after()
			if !more && !moreAfter {
				return nil
			}
			if err := cmp.Or(errBefore, errAfter); err != nil {
				return err
			}
			p, err := j.pair(i, b, a)
			if err != nil {
				return err
			}
			if err := each(p); err != nil {
				return err
			}
		}
	}
}

// pair joins the outputs on the record at position i; either is nil if it cannot be read. The error is that of the record of the
// variant, or that the outputs are on other databases than it.
func (j *joiner) pair(i int, before, after *dataset.Pair) (*Pair, error) {
	r, err := j.records.Next(j.perturbation)
	if err != nil {
		return nil, err
	}
	p := &Pair{Index: i, DB: r.DBPre, Relation: perturb.Relation(r.Relation), Unchanged: r.Unchanged()}
	if p.Edits, err = perturb.UnmarshalEdits([]byte(r.Edits)); err != nil {
		return nil, fmt.Errorf("%s: record %d of %s: edits: %w", j.records.Path, i+1, r.Perturbation, err)
	}
	if before != nil {
		p.Before, p.Pre = j.side(j.before[before.DB]), Output{SQL: before.Prediction, Problem: before.Problem}
	}
	if after != nil {
		p.After, p.Post = j.side(j.after[after.DB]), Output{SQL: after.Prediction, Problem: after.Problem}
	}
	isOnOther := func(p *dataset.Pair, db string) bool { return p != nil && p.DB != db }
	if isOnOther(before, r.DBPre) || isOnOther(after, r.DBPost) {
		return nil, fmt.Errorf("%s: record %d of %s is about %s and %s, which those of pre and post are not", j.records.Path, i+1, r.Perturbation, r.DBPre, r.DBPost)
	}
	return p, nil
}
