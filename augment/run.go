package augment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/nli"
)

// Config configures a run over a data set.
type Config struct {
	Seed        uint64
	Workers     int
	Out         string             // file to write; work in progress lies in OUT.partial
	ADVETA      [2]string          // if set, the REPLACE and ADD files to write in ADVETA's format instead of Out
	Explain     string             // if set, file of every rejected proposal with its reason, JSON lines
	Without     string             // parts left out, see [Augmenter.Without], separated by commas
	Fingerprint string             // of everything else that the result depends on
	Resume      bool               // continue an interrupted run
	Report      func(error)        // gets errors of content that cannot be read, and notes
	Step        func()             // called after each unit; may be nil
	Each        func(Column) error // gets each column in order; may be nil
}

// Summary counts what was found.
type Summary struct {
	Databases   int            `json:"databases"`
	Columns     int            `json:"columns"`
	WithReplace int            `json:"columns_with_replace"`
	WithAdd     int            `json:"columns_with_add"`
	Replace     int            `json:"replace"`
	Add         int            `json:"add"`
	Rejected    int            `json:"rejected"`
	BySource    map[string]int `json:"by_source"` // accepted names

	// Unanswered counts the tables about which a large model gave no usable answer.
	Unanswered int `json:"tables_without_answer,omitempty"`

	// Asked counts the questions to large models by their outcome; nil where there were none.
	Asked *chat.Counts `json:"asked,omitempty"`

	// Entities are those of tables without a name, and those that people wrote.
	Entities []nli.TableEntity `json:"-"`
}

// Run finds the buckets of all units and writes them.
func (a *Augmenter) Run(ctx context.Context, units []*dataset.Unit, c Config) (*Summary, error) {
	dir, err := outdir.OpenShards(c.Out+".partial", c.fingerprint(), c.Resume, func(err error) { c.Report(dataset.Note(err)) })
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	// An undivided run has all units.
	if err := a.units(ctx, dir, units, outdir.Share{}.Units(sizes(units)), c); err != nil {
		return nil, err
	}
	s, err := c.assemble(dir, len(units), dataset.Databases(units))
	if err != nil {
		return nil, err
	}
	if a.Known != nil {
		if err := a.Known.Write(s.Entities); err != nil {
			c.Report(dataset.Note(err))
		}
	}
	return s, dir.Remove()
}

// units writes the shards of the units at the given positions, except those that are complete.
func (a *Augmenter) units(ctx context.Context, dir *outdir.Shards, units []*dataset.Unit, positions []int, c Config) error {
	return outdir.Run(ctx, c.Workers, positions, func(ctx context.Context, _, i int) error {
		if !isComplete(dir, i) {
			if err := a.writeShard(ctx, dir, i, units[i]); err != nil {
				return fmt.Errorf("%s: %w", units[i].DB.ID, err)
			}
		}
		if c.Step != nil {
			c.Step()
		}
		return nil
	})
}

// fingerprint identifies everything that shards depend on.
func (c *Config) fingerprint() string {
	return fmt.Sprintf("shards %d\n%s", shardVersion, c.Fingerprint)
}

// shardVersion is the version of the form of shards. A run does not resume from another.
const shardVersion = 6

// shard holds what was found for a unit, with the messages about its content.
type shard struct {
	Problem  string            `json:",omitempty"` // why the content cannot be read
	Warnings []string          `json:",omitempty"`
	Entities []nli.TableEntity `json:",omitempty"`
	Columns  []Column

	Unanswered int      `json:",omitempty"` // tables about which a large model gave no answer
	Problems   []string `json:",omitempty"` // why it gave none
}

// isComplete reports whether unit i has a shard with the answers of all large models. A resumed
// run asks again for missing ones.
func isComplete(dir *outdir.Shards, i int) bool {
	if !dir.Has("columns", i) {
		return false
	}
	s, err := readShard(dir, i)
	return err == nil && s.Unanswered == 0
}

// shards reads the shards of a run or of its parts.
type shards interface {
	Read(part string, i int) ([]byte, error)
}

// readShard reads the shard of unit i.
func readShard(dir shards, i int) (*shard, error) {
	data, err := dir.Read("columns", i)
	if err != nil {
		return nil, err
	}
	var s shard
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("shard %d: %w", i, err)
	}
	return &s, nil
}

// writeShard finds the names for unit i and writes its shard. If the content of the unit cannot be read, the
// names are found without samples of it, and the shard stores the problem.
func (a *Augmenter) writeShard(ctx context.Context, dir *outdir.Shards, i int, u *dataset.Unit) error {
	var s shard
	err := dataset.AddSamples(ctx, u.DB, func(err error) { s.Warnings = append(s.Warnings, err.Error()) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Problem = err.Error()
	}
	if err := a.unit(ctx, u, &s); err != nil {
		return err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return dir.Write("columns", i, data)
}

// assemble writes the outputs from the shards of n units. ADVETA's format also needs their
// databases.
func (c Config) assemble(dir shards, n int, dbs []*dataset.Database) (*Summary, error) {
	s := &Summary{Databases: n, BySource: map[string]int{}}
	if c.ADVETA[0] != "" {
		return s, c.writeADVETA(dir, dbs, s)
	}
	return s, outdir.WriteFile(c.Out, func(w io.Writer) error {
		buckets := dataset.NewBucketsWriter(w, c.Seed)
		buckets.Without = c.Without
		err := c.columns(dir, n, s, func(col Column) error {
			return buckets.Write(dataset.BucketColumn{
				DB: col.ID.DB, Table: col.ID.Table, Column: col.ID.Column, Replace: col.Bucket.Replace, Add: col.Bucket.Add,
			})
		})
		return errors.Join(err, buckets.Close())
	})
}

// writeADVETA writes the outputs in ADVETA's format.
func (c Config) writeADVETA(dir shards, dbs []*dataset.Database, s *Summary) error {
	buckets := dataset.Buckets{}
	err := c.columns(dir, len(dbs), s, func(col Column) error {
		buckets[col.ID.Key()] = col.Bucket
		return nil
	})
	if err != nil {
		return err
	}
	for i, side := range dataset.Sides() { // a file for each
		if err := outdir.WriteFile(c.ADVETA[i], func(w io.Writer) error { return dataset.WriteADVETA(w, side, dbs, buckets) }); err != nil {
			return err
		}
	}
	return nil
}

// columns calls write with each column of the shards of n units, in order. It counts them in s
// and writes the rejected names to c.Explain.
func (c Config) columns(dir shards, n int, s *Summary, write func(Column) error) error {
	if c.Explain == "" {
		return c.eachColumn(dir, n, s, io.Discard, write)
	}
	return outdir.WriteFile(c.Explain, func(w io.Writer) error { return c.eachColumn(dir, n, s, w, write) })
}

// eachColumn calls write and c.Each with each column of the shards of n units, in order. It counts the columns in s,
// reports the units' problems, and writes the rejected names to rejected as JSON lines.
func (c Config) eachColumn(dir shards, n int, s *Summary, rejected io.Writer, write func(Column) error) error {
	enc := json.NewEncoder(rejected)
	enc.SetEscapeHTML(false)
	for i := range n {
		unit, err := readShard(dir, i)
		if err != nil {
			return err
		}
		s.Unanswered += unit.Unanswered
		s.Entities = append(s.Entities, unit.Entities...)
		for _, w := range unit.Warnings {
			c.Report(dataset.Note(errors.New(w)))
		}
		if unit.Problem != "" {
			unit.Problems = append(unit.Problems, unit.Problem)
		}
		for _, problem := range unit.Problems {
			c.Report(errors.New(problem))
		}
		for _, col := range unit.Columns {
			s.add(col)
			if err := explain(enc, col); err != nil {
				return err
			}
			if err := write(col); err != nil {
				return err
			}
			if c.Each == nil {
				continue
			}
			if err := c.Each(col); err != nil {
				return err
			}
		}
	}
	return nil
}

// explain writes a line for each rejected name of a column.
func explain(enc *json.Encoder, col Column) error {
	for _, r := range col.Rejected {
		if err := enc.Encode(explanation{col.ID.DB, col.ID.Table, col.ID.Column, r}); err != nil {
			return err
		}
	}
	return nil
}

// explanation is a line of the file of rejected proposals.
type explanation struct {
	DB     string `json:"db_id"`
	Table  string `json:"table"`
	Column string `json:"column"`
	Rejected
}

// add adds a column to the counts.
func (s *Summary) add(c Column) {
	s.Columns++
	if len(c.Bucket.Replace) > 0 {
		s.WithReplace++
	}
	if len(c.Bucket.Add) > 0 {
		s.WithAdd++
	}
	s.Replace += len(c.Bucket.Replace)
	s.Add += len(c.Bucket.Add)
	s.Rejected += len(c.Rejected)
	for _, list := range [][]dataset.Candidate{c.Bucket.Replace, c.Bucket.Add} {
		for _, candidate := range list {
			s.BySource[candidate.Source]++
		}
	}
}
