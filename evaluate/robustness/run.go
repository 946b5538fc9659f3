package robustness

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
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Config configures [Run]: which predictions are scored, and how.
type Config struct {
	Build     *sides.Build
	Pre, Post Predictions
	Whole     *Predictions // for the whole split before any perturbation; nil to count covered examples only
	Stdin     io.Reader    // for predictions at "-"
	Extract   func() *evaluate.Extraction
	Bootstrap stats.Bootstrap // of the intervals

	// GoldFault receives a line for each side whose gold SQL is not right as its own prediction;
	// nil to judge no gold.
	GoldFault func(line string) error
	Start     func() (step, done func()) // shows progress: a step is a record on a side
	Skip      func(error)                // receives answers that belong to no question
	Note      func(error)                // receives harmless remarks
	Report    func(error)                // receives schemas that cannot be used
}

// Predictions are the predictions on one side, and how they are judged.
type Predictions struct {
	Path    string
	Options evaluate.Options // content, gold and schemas are filled in for the sides of a build
}

// sideNames names the sides for people.
var sideNames = map[string]string{"pre": "before", "post": "after"}

// side holds the predictions before or after the perturbations, and how they are judged.
type side struct {
	*sides.Predictions
	options evaluate.Options
}

// open opens the predictions on a side: "pre" or "post".
func (c *Config) open(name string, p Predictions) (*side, error) {
	opened, err := c.Build.Open(name, p.Path, c.Stdin, c.Extract(), c.Skip)
	return &side{opened, p.Options}, err
}

// Run scores the predictions on both sides of each perturbation and returns a table for each
// metric.
func Run(ctx context.Context, c *Config) (tables []*Table, err error) {
	pre, err := c.open("pre", c.Pre)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pre.Close()) }()
	post, err := c.open("post", c.Post)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, post.Close()) }()
	if c.GoldFault != nil {
		if err := cmp.Or(c.checkGold(ctx, pre), c.checkGold(ctx, post)); err != nil {
			return nil, err
		}
	}
	tallies, err := c.tally(ctx, pre, post)
	if err != nil {
		return nil, err
	}
	for _, s := range []*side{pre, post} {
		gold := fmt.Sprintf("%s, %s the perturbations", c.Build.Dir, sideNames[s.Side])
		if err := cmp.Or(s.End(c.Note), s.Check(s.Name(), gold, "they are left out", c.Note)); err != nil {
			return nil, err
		}
	}
	o := c.Pre.Options
	o.Content = c.Build.Dir // How describes the databases by it
	for i, t := range tallies {
		table := t.Table(c.Bootstrap)
		table.How = o.Metrics[i].How(&o)
		tables = append(tables, table)
	}
	return tables, nil
}

// tally scores both sides of each perturbation, by each metric.
func (c *Config) tally(ctx context.Context, pre, post *side) ([]*Tally, error) {
	step, done := c.Start()
	defer done()
	tallies, err := c.newTallies(ctx)
	if err != nil {
		return nil, err
	}
	records := c.Build.OpenRecords()
	defer records.Stop()
	for _, p := range c.Build.Perturbations {
		positions, err := c.positions(records, p)
		if err != nil {
			return nil, err
		}
		before, err := c.judge(ctx, pre, p, step)
		if err != nil {
			return nil, err
		}
		after, err := c.judge(ctx, post, p, step)
		if err != nil {
			return nil, err
		}
		positions = padded(positions, len(before)) // zero positions if they are not needed
		for i, b := range before {
			for m, t := range tallies {
				t.Add(Record{Perturbation: p.Name, Group: p.Group, DB: b.db, Gold: b.gold, Position: positions[i], Pre: b.verdict(m), Post: after[i].verdict(m)})
			}
		}
	}
	return tallies, nil
}

// newTallies returns an empty tally for each metric. If there are predictions for the whole split before any perturbation,
// it judges them, and each tally gets their verdicts.
func (c *Config) newTallies(ctx context.Context) ([]*Tally, error) {
	var all []judged
	if w := c.Whole; w != nil {
		in, err := dataset.OpenInput(w.Path, c.Stdin)
		if err != nil {
			return nil, err
		}
		all, err = c.judgePairs(ctx, c.Extract().Of(dataset.PairsOf(w.Options.Gold, in)), w.Options, func() {}) // without progress
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
	}
	var tallies []*Tally
	for i, m := range c.Pre.Options.Metrics {
		whole := lists.Map(all, func(j judged) verdict.Verdict { return j.verdict(i) })
		tallies = append(tallies, NewTally(m.Name, whole))
	}
	return tallies, nil
}

// positions returns the example and the sample of each record of a perturbation, or nil if they are not needed, because
// each example has one record and only records count.
func (c *Config) positions(records *sides.Records, p sides.Perturbation) ([]sides.Position, error) {
	if p.Samples > 1 || p.Unchanged > 0 || c.Whole != nil {
		return records.Positions(p)
	}
	return nil, nil
}

// optionsFor returns how the predictions for a perturbation are judged on a side.
func (c *Config) optionsFor(s *side, p sides.Perturbation) (o evaluate.Options, err error) {
	o = s.options
	o.Content, o.Gold = c.Build.Path(p.Name, s.Side, "database"), c.Build.Gold(p.Name, s.Side)
	o.Databases, err = c.Build.Schemas(p.Name, s.Side, c.Report)
	return o, err
}

// checkGold judges the gold SQL of a side as its own prediction, and passes a line to [Config.GoldFault] unless all is right.
func (c *Config) checkGold(ctx context.Context, s *side) error {
	check := &evaluate.GoldCheck{}
	for _, p := range c.Build.Perturbations {
		o, err := c.optionsFor(s, p)
		if err != nil {
			return err
		}
		if err := check.Add(ctx, (&evaluate.WithGold{}).Only(dataset.Golds(o.Gold)), o); err != nil {
			return err
		}
	}
	if check.Right() {
		return nil
	}
	return c.GoldFault(fmt.Sprintf("%s the perturbations: %s", sideNames[s.Side], check))
}

// judged holds the verdicts on a prediction, one for each metric, and its record's db_id and gold SQL. The zero value is for a
// record that cannot be judged.
type judged struct {
	db, gold string
	verdicts []verdict.Verdict
}

// verdict returns the verdict by a metric, given by its position in the options; Unjudged for a record that cannot be judged.
func (j judged) verdict(metric int) verdict.Verdict {
	if j.verdicts == nil {
		return verdict.Unjudged
	}
	return j.verdicts[metric]
}

// judge scores the predictions on one side of a perturbation. It returns the verdicts by position of the
// record and calls step after each.
func (c *Config) judge(ctx context.Context, s *side, p sides.Perturbation, step func()) ([]judged, error) {
	o, err := c.optionsFor(s, p)
	if err != nil {
		return nil, err
	}
	all, err := c.judgePairs(ctx, s.Pairs(p), o, step)
	if err != nil {
		return nil, err
	}
	return padded(all, p.Records), nil // records that gave no pair count as not judged
}

// judgePairs scores predictions and returns the verdicts by position of the gold, up to the last record that can be judged;
// those between that cannot be judged are zero. Questions without an answer, and unanswerable ones, are not judged.
func (c *Config) judgePairs(ctx context.Context, pairs dataset.Stream[*dataset.Pair], o evaluate.Options, step func()) ([]judged, error) {
	var all []judged // grows with the records: the manifest may claim any number of them
	judgeable := pairs.Filter(func(p *dataset.Pair) bool { return p.Problem != dataset.ErrNotAsked && !p.Unanswerable })
	err := evaluate.Run(ctx, judgeable, o, func(rec *evaluate.Record) error {
		step()
		j := judged{rec.DB, rec.Query, lists.Map(rec.Scores, func(s evaluate.Score) verdict.Verdict { return s.Verdict })}
		all = append(padded(all, rec.Index), j) // at rec.Index
		return nil
	})
	return all, err
}

// padded appends zeros until the list has n elements.
func padded[T any](list []T, n int) []T {
	return append(list, make([]T, max(0, n-len(list)))...)
}
