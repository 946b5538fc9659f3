// Package baseline holds the attackers that ADVETA compares its own table
// augmentation with (ADVETA, sections 4.4 and 5.2, appendix D): W2V, TextFooler
// (Jin et al., 2020) and BERT-Attack (Li et al., 2020), each reduced to the part
// that finds words to put into the name of a column.
//
// An attacker ranks names for a column. REPLACE names are drawn from the first
// 15 of them, ADD names from those that follow up to the 50th. [Buckets] gives
// these names for use with adveta/replace and adveta/add; a perturbation of this
// package runs the two over them in one go.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// The hyper-parameters of appendix D, which all three attackers share.
const (
	bucketSize = 5  // names of each kind for a column
	replaceEnd = 15 // REPLACE names are drawn from the ranks up to this one
	addEnd     = 50 // ADD names from the ranks behind, up to this one
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{W2V, TextFooler, BERTAttack}

// The three attackers as perturbations. With n samples, the samples 0 to n-1 are
// REPLACE and n to 2n-1 ADD. Both keep the relation "renamed".
var (
	W2V        = w2v.perturbation()
	TextFooler = textFooler.perturbation()
	BERTAttack = bertAttack.perturbation()
)

// Attacker is a method that finds names for columns.
type Attacker struct {
	Name  string // without its family
	Doc   string // one sentence
	Paper string
	Needs string // as of [perturb.Perturbation]

	// open returns a function that ranks names for a column of the pass's
	// database, the best first and up to addEnd of them, or the reason why there
	// is none.
	open func(*perturb.Pass) (rank ranking, lacks perturb.Reason)
}

// ranking returns candidates for a column, the best first.
type ranking func(dataset.ColumnRef) ([]dataset.Candidate, error)

// Attackers returns all of them.
func Attackers() []*Attacker { return []*Attacker{&w2v, &textFooler, &bertAttack} }

// perturbation returns the attacker as a perturbation of mentioned columns.
func (a *Attacker) perturbation() *perturb.Perturbation {
	return &perturb.Perturbation{
		Name: "baseline/" + a.Name, Doc: a.Doc, Paper: a.Paper, Version: 1, Needs: a.Needs,
		Relation: perturb.Renamed, EveryColumn: true, Files: true, Run: a.run,
	}
}

// run runs adveta/replace and then adveta/add over the attacker's names for the mentioned columns. The
// samples of adveta/add follow those of adveta/replace.
func (a *Attacker) run(p *perturb.Pass) error {
	rank, lacks := a.open(p)
	if lacks != "" {
		for _, ex := range p.Examples {
			for sample := range 2 * p.Samples {
				p.Reject(ex, sample, lacks)
			}
		}
		return p.Context.Err()
	}
	buckets := dataset.Buckets{}
	for _, ex := range p.Examples {
		for _, ref := range ex.Columns {
			if _, done := buckets[p.DB.ColumnID(ref).Key()]; done {
				continue
			}
			if err := addBucket(p, buckets, ref, rank); err != nil {
				return err
			}
		}
	}
	q := *p
	q.Buckets = buckets
	if err := adveta.Replace.Run(&q); err != nil {
		return err
	}
	q.Report = func(v perturb.Variant) {
		v.Sample += p.Samples
		p.Report(v)
	}
	q.Reject = func(ex *perturb.Example, sample int, reason perturb.Reason, detail ...string) {
		p.Reject(ex, sample+p.Samples, reason, detail...)
	}
	return adveta.Add.Run(&q)
}

// pool returns the names that REPLACE and ADD names of a column are drawn from: the first replaceEnd ranked
// ones, and those that follow up to addEnd.
func pool(p *perturb.Pass, ref dataset.ColumnRef, rank ranking) (dataset.Bucket, error) {
	if err := p.Context.Err(); err != nil {
		return dataset.Bucket{}, err
	}
	ranked, err := rank(ref)
	if err != nil {
		return dataset.Bucket{}, fmt.Errorf("%s: %w", p.DB.ColumnID(ref), err)
	}
	near, far := min(replaceEnd, len(ranked)), min(addEnd, len(ranked))
	return dataset.Bucket{Replace: ranked[:near], Add: ranked[near:far]}, nil
}

// addBucket ranks names for a column and stores a random choice of them in buckets: up to bucketSize of the REPLACE names in its
// [pool] and as many of the ADD names, both in the order of their ranks.
func addBucket(p *perturb.Pass, buckets dataset.Buckets, ref dataset.ColumnRef, rank ranking) error {
	names, err := pool(p, ref, rank)
	if err != nil {
		return err
	}
	id := p.DB.ColumnID(ref)
	draw := func(side string, from []dataset.Candidate) []dataset.Candidate {
		ranks := p.Rand("names", side, id.Table, id.Column).Perm(len(from))
		ranks = ranks[:min(bucketSize, len(ranks))]
		slices.Sort(ranks)
		return lists.Map(ranks, func(i int) dataset.Candidate { return from[i] })
	}
	buckets[id.Key()] = dataset.Bucket{Replace: draw("replace", names.Replace), Add: draw("add", names.Add)}
	return nil
}

// Buckets returns an attacker's names for every column of units: those that its
// perturbation draws from with the same seed. Where a database has content, its
// cells are looked at. The error is for a resource that the attacker lacks, for
// a database that cannot be opened and for a cancelled context.
func Buckets(ctx context.Context, a *Attacker, units []*dataset.Unit, res perturb.Resources, seed uint64) (dataset.Buckets, error) {
	buckets := dataset.Buckets{}
	for _, u := range units {
		p := &perturb.Pass{Resources: res, Context: ctx, DB: u.DB}
		p.Seed(seed, a.perturbation())
		if err := a.unit(p, buckets); err != nil {
			return nil, fmt.Errorf("baseline/%s: %w", a.Name, err)
		}
	}
	return buckets, nil
}

// unit adds the buckets of all columns of the pass's database that can have a name.
func (a *Attacker) unit(p *perturb.Pass, buckets dataset.Buckets) (err error) {
	if p.DB.SQLite != "" {
		if p.Content, err = perturb.OpenContent(p.Context, p.DB, p.DB.SQLite); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Content.Close()) }()
	}
	rank, lacks := a.open(p)
	if lacks != "" {
		return errors.New(lacks.Text())
	}
	for ref := range p.DB.AllColumns() {
		if !p.DB.Column(ref).Nameable() {
			continue
		}
		if err := addBucket(p, buckets, ref, rank); err != nil {
			return err
		}
	}
	return nil
}

// free returns the first addEnd candidates whose names the table of ref does not have, whatever their case and
// separators.
func free(db *dataset.Database, ref dataset.ColumnRef, candidates []dataset.Candidate) []dataset.Candidate {
	names := perturb.NewFreeNames(db)
	var out []dataset.Candidate
	for _, c := range candidates {
		if len(out) == addEnd {
			break
		}
		if _, ok := names.Take(ref.Table, c.Name); ok {
			out = append(out, c)
		}
	}
	return out
}
