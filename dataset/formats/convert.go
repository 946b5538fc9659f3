package formats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// ManifestFile is the name of the file, in a folder that [Convert] wrote, that has the
// [Summary]. It is by this file that a folder is known to be one that may be replaced.
const ManifestFile = "convert.json"

// ErrNoExamples is the error of a set without a usable example.
var ErrNoExamples = errors.New("holds no example that can be used, expected at least one")

// Options are how to convert.
type Options struct {
	// Lossy leaves out what the target has no place for; else there is a [*LossError].
	Lossy bool
	// Report is called for each record that cannot be used, and for warnings; may be nil.
	Report func(error)
	// Step is called for each example twice: when it is surveyed, and when it is written; may be
	// nil.
	Step func()
}

// Convert writes a set in another format, or its own, to the folder out, whole or not
// at all. The set is read twice: first to see what the target has no place for.
// The summary is there with a [*LossError] too.
func Convert(ctx context.Context, set *dataset.Set, to *dataset.Format, out string, opts Options) (*Summary, error) {
	if opts.Report == nil {
		opts.Report = func(error) {}
	}
	if opts.Step == nil {
		opts.Step = func() {}
	}
	if err := CheckSplit(set.Split); err != nil {
		return nil, err
	}
	// An output that cannot be written is reported before the work is done.
	dir, err := outdir.NewDir(out, ManifestFile)
	if err != nil {
		return nil, err
	}
	used := *set
	used.Databases = usable(ctx, set.Databases)
	used.Examples = usable(ctx, set.Examples).Tap(func(*dataset.Example) { opts.Step() })
	c := &conversion{set: &used, to: to, Options: opts}
	if err := dir.Restart(); err != nil {
		return nil, err
	}
	if err := c.run(ctx, dir); err != nil {
		return c.summary, errors.Join(err, dir.Abort())
	}
	return c.summary, dir.Commit()
}

// CheckSplit returns an error unless the name of a split can be that of a file.
func CheckSplit(split string) error {
	if !filepath.IsLocal(split) || split == "." || strings.ContainsAny(split, "/\\\x00") {
		return fmt.Errorf("split %q: expected the name of one, such as dev", dataset.Clip(split))
	}
	return nil
}

// conversion is a conversion in progress.
type conversion struct {
	Options
	set     *dataset.Set
	to      *dataset.Format
	summary *Summary
}

// run surveys the set and writes it, unless something would be lost or nothing is left.
func (c *conversion) run(ctx context.Context, dir *outdir.Dir) error {
	s, err := c.survey(ctx)
	if err != nil {
		return err
	}
	switch {
	case c.summary.Examples == 0 && len(c.summary.LeftOut) == 0:
		return ErrNoExamples
	case len(c.summary.Lost)+len(c.summary.LeftOut) > 0 && !c.Lossy, c.summary.Examples == 0:
		return &LossError{c.summary}
	}
	err = c.to.Write(ctx, c.fitting(s), dir.Path(), c.skip)
	if err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(c.summary, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(dir.Path(ManifestFile), append(manifest, '\n'), 0o666)
}

// skip reports a record, and counts it unless it is used in spite of the problem.
func (c *conversion) skip(err error) {
	if _, ok := errors.AsType[*dataset.RecordError](err); ok && !dataset.IsNote(err) {
		c.summary.Skipped++
	}
	c.Report(err)
}

// survey reads the set once and counts what the target has no place for.
func (c *conversion) survey(ctx context.Context) (*survey, error) {
	c.summary = &Summary{From: c.set.Format, To: c.to.Name, Split: c.set.Split}
	s := &survey{
		to: c.to, summary: c.summary, skip: c.skip, databases: map[string]*dataset.Database{}, several: map[string]bool{},
		leftOut: map[int]bool{}, lost: map[dataset.Feature]*Loss{}, reasons: map[string]int{},
	}
	if err := s.schemas(ctx, c.set); err != nil {
		return nil, err
	}
	if err := s.examples(c.set); err != nil {
		return nil, err
	}
	s.list()
	s.databases = nil // a writer holds schemas of its own
	return s, nil
}

// fitting returns the set without what cannot be read, which the survey has
// reported, and without what cannot stand in the target.
func (c *conversion) fitting(s *survey) *dataset.Set {
	set, quiet := *c.set, func(error) {}
	carry := carrier(c.set.Format, c.to.Name)
	set.Databases = func(_ func(error), each func(*dataset.Database) error) error {
		return c.set.Databases(quiet, func(db *dataset.Database) (err error) {
			if s.several[db.ID] || !dataset.ValidID(db.ID) {
				return nil
			}
			carried := *db
			if carried.Source, err = carry(db.Source); err != nil {
				return err
			}
			return each(&carried)
		})
	}
	set.Examples = func(_ func(error), each func(*dataset.Example) error) error {
		n := -1
		return c.set.Examples(quiet, func(ex *dataset.Example) (err error) {
			if n++; s.leftOut[n] {
				return nil
			}
			carried := *ex
			if carried.Source, err = carry(ex.Source); err != nil {
				return err
			}
			return each(&carried)
		})
	}
	return &set
}

// maxBad bounds the bad records before the first good one: a folder of another format has no good
// ones.
const maxBad = 50

// usable returns a stream that ends, with a report, where a file breaks off after usable records,
// and that fails after maxBad bad records without a good one.
func usable[T any](ctx context.Context, stream dataset.Stream[T]) dataset.Stream[T] {
	return func(report func(error), each func(T) error) error {
		used, bad := 0, 0
		var hopeless error
		err := dataset.UpToBreak(stream, func(err error) {
			if hopeless != nil {
				return
			}
			report(err)
			r, ok := errors.AsType[*dataset.RecordError](err)
			if !ok || dataset.IsNote(err) {
				return
			}
			if bad++; used == 0 && bad == maxBad {
				hopeless = fmt.Errorf("%s: none of the first %d records can be used, expected another format perhaps", r.File, bad)
			}
		}, func(v T) error {
			if err := cmp.Or(hopeless, ctx.Err()); err != nil {
				return err
			}
			used++
			return each(v)
		})
		return cmp.Or(hopeless, err)
	}
}
