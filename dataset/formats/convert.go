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

// The errors of a set without a usable example, and of one without a usable database.
var (
	ErrNoExamples  = errors.New("holds no example that can be used, expected at least one")
	ErrNoDatabases = errors.New("holds no database that can be used, expected at least one")
)

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

// Convert writes a set to the folder out in a format, completely or not at all. It reads the set
// twice: the first time to find what the format cannot hold. The summary is also returned with a
// [*LossError].
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
	used.Databases = untilHopeless(ctx, set.Databases)
	used.Examples = untilHopeless(ctx, set.Examples).Tap(func(*dataset.Example) { opts.Step() })
	c := &conversion{set: &used, to: to, Options: opts}
	if err := dir.Restart(); err != nil {
		return nil, err
	}
	if err := c.run(ctx, dir); err != nil {
		return c.summary, errors.Join(err, dir.Abort())
	}
	return c.summary, dir.Commit()
}

// CheckSplit returns an error unless the name of a split can be the name of a file.
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
	case len(c.summary.Lost)+len(c.summary.LeftOut) > 0 && !c.Lossy, c.summary.Examples == 0: // with Lossy, all would be left out
		return &LossError{c.summary}
	}
	if err := c.to.Write(ctx, c.writableSet(s), dir.Path(), c.reportSkipped); err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(c.summary, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(dir.Path(ManifestFile), append(manifest, '\n'), 0o666)
}

// reportSkipped reports a problem and, unless it is a note, counts its record as skipped.
func (c *conversion) reportSkipped(err error) {
	if _, ok := errors.AsType[*dataset.RecordError](err); ok && !dataset.IsNote(err) {
		c.summary.Skipped++
	}
	c.Report(err)
}

// survey reads the set and counts what the target format cannot hold.
func (c *conversion) survey(ctx context.Context) (*survey, error) {
	c.summary = &Summary{From: c.set.Format, To: c.to.Name, Split: c.set.Split}
	s := &survey{
		to: c.to, summary: c.summary, skip: c.reportSkipped, databases: map[string]*dataset.Database{}, severalTables: map[string]bool{},
		leftOut: map[int]bool{}, lost: map[dataset.Feature]*Loss{}, reasons: map[string]int{}, unknown: map[string][]int{},
	}
	if err := s.surveyDatabases(ctx, c.set); err != nil {
		return nil, err
	}
	if len(s.databases)+len(s.severalTables) == 0 {
		return nil, ErrNoDatabases
	}
	if err := s.surveyExamples(c.set); err != nil {
		return nil, err
	}
	s.summarize()
	s.databases = nil // a writer holds schemas of its own
	return s, nil
}

// writableSet returns the set without what the target cannot hold. It ignores unusable records,
// because the survey has reported them.
func (c *conversion) writableSet(s *survey) *dataset.Set {
	set, quiet := *c.set, func(error) {}
	convertSource := sourceConversion(c.set.Format, c.to.Name)
	set.Databases = func(_ func(error), each func(*dataset.Database) error) error {
		return c.set.Databases(quiet, func(db *dataset.Database) (err error) {
			if s.severalTables[db.ID] || !dataset.ValidID(db.ID) {
				return nil
			}
			converted := *db
			if converted.Source, err = convertSource(db.Source); err != nil {
				return err
			}
			return each(&converted)
		})
	}
	set.Examples = func(_ func(error), each func(*dataset.Example) error) error {
		n := -1 // the index among the usable examples, as in leftOut
		return c.set.Examples(quiet, func(ex *dataset.Example) (err error) {
			if n++; s.leftOut[n] {
				return nil
			}
			converted := *ex
			if converted.Source, err = convertSource(ex.Source); err != nil {
				return err
			}
			return each(&converted)
		})
	}
	return &set
}

// maxBad bounds the bad records before the first good one: a folder of another format has no good
// ones.
const maxBad = 50

// untilHopeless returns a stream that fails after maxBad bad records without a good one. If a
// file breaks off after good records, the stream ends there with a report.
func untilHopeless[T any](ctx context.Context, stream dataset.Stream[T]) dataset.Stream[T] {
	return func(report func(error), each func(T) error) error {
		used, bad := 0, 0
		var hopeless error // ends the stream at its next value or, if there is none, when it has been read
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
