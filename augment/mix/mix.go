// Package mix makes augmented training sets: the original examples of a data set, each once,
// and verified records of builds. It draws the records by the schemes of MT-TEQL (section 4)
// or takes all of them (ADVETA, section 5.3). An interaction is drawn as a whole, with its
// unchanged turns, and counts as one record.
//
//	OUT/train.json, train_gold.sql, tables.json, database/   a Spider data directory
//	OUT/data/train-00000.parquet …                           the same examples as rows, see [Row]
//	OUT/README.md                                            the card by which Hugging Face `datasets` loads the rows
//	OUT/manifest.json                                        what was drawn from what
//
// Builds are read as streams, twice: once to count their records, once to write those drawn.
// In memory are a few bytes for each record, never the records.
package mix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Config configures a mix.
type Config struct {
	Builds       []string           // folders that build wrote, of one data set
	Perturb      []string           // perturbations or families to draw from; all where empty
	Data         string             // data directory with all originals; where empty, those that a build has a record of
	Strategy     Strategy           //
	Size         int                // records to draw, the paper's n; 0 for as many as there are originals; interactions count as one
	Rates        map[string]float64 // error rate of each perturbation, 0..1, which [Adaptive] needs
	RatesFile    *Input             // where they come from, for the manifest; may be nil
	RatesModel   string             // the model whose rates they are, if the file has several; for the card
	Exclude      []string           // data directories whose databases must not occur
	ExcludeSplit string             // their split, whose databases are excluded
	Licence      string             // identifier on Hugging Face; where empty, "unknown"
	Command      string             // the command line, for the card
	Seed         uint64
	Workers      int
	Report       func(error) // gets an error for each original that cannot be used
	Step         func()      // called after each example is written; may be nil

	// Make writes the databases that builds were written without. Where it is nil, such
	// builds are rejected.
	Make func(context.Context, []Unwritten) error
}

// Unwritten is a database without a file: the build has its schema and its edits.
type Unwritten struct {
	Build string // its folder
	ID    string // of the database, an original's or a perturbed one's
	To    string // the file to write
}

// mixer is a mix in progress.
type mixer struct {
	Config
	dir       *outdir.Dir
	builds    []*build
	originals originals
	schemas   map[string]*dataset.Database // of the data directory
	banned    *banned
	manifest  Manifest
}

// Mix writes the training set to the folder out, whole or not at all.
func Mix(ctx context.Context, out string, c Config) (*Manifest, error) {
	m := &mixer{Config: c}
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	if err := m.draw(); err != nil {
		return nil, err
	}
	var err error
	if m.dir, err = outdir.NewDir(out, shardName(0)); err != nil { // only a folder with that file, or an empty one, is replaced
		return nil, err
	}
	// A mix is quick, so it never resumes an earlier run.
	if err := m.dir.Restart(); err != nil {
		return nil, err
	}
	if err := m.write(ctx); err != nil {
		return nil, errors.Join(err, m.dir.Abort())
	}
	return &m.manifest, m.dir.Commit()
}

// open opens the builds, surveys them and the originals, and returns an error if they have an excluded database or if two of
// them have one perturbation.
func (m *mixer) open(ctx context.Context) error {
	var err error
	if m.banned, err = m.readExcluded(); err != nil {
		return err
	}
	known := make([]bool, len(m.Perturb))
	seen := map[string]string{} // build by perturbation
	for _, dir := range m.Builds {
		b, err := openBuild(dir, m.Perturb, known)
		if err != nil {
			return err
		}
		for _, r := range b.relations {
			if other, twice := seen[r.name]; twice && r.used {
				return fmt.Errorf("%s: has %s, as %s has, expected each perturbation in one build", dir, r.name, other)
			}
			if r.used {
				seen[r.name] = dir
			}
		}
		m.builds = append(m.builds, b)
	}
	for i, ok := range known {
		if !ok {
			return fmt.Errorf("--perturb %q: expected a perturbation or family of the builds", m.Perturb[i])
		}
	}
	if len(seen) == 0 {
		return fmt.Errorf("%s: has no perturbation, expected one or more", strings.Join(m.Builds, ", "))
	}
	if err := m.survey(ctx); err != nil {
		return err
	}
	return m.checkLeaks(m.banned)
}

// survey reads the originals and all records once. It counts originals and distinct units, and records the questions that
// are compared with those of excluded databases.
func (m *mixer) survey(ctx context.Context) error {
	m.originals = originals{from: m.Data, fingerprints: map[int32]uint64{}}
	if m.Data != "" {
		if err := m.surveyData(); err != nil {
			return err
		}
	}
	for _, b := range m.builds {
		err := b.walk(ctx, "", func(r *relation, rec *dataset.Record, _ *elements) error {
			r.addToUnit(rec)
			m.banned.addQuestion(b.dir, rec.DBPre, rec.QuestionPre)
			return m.originals.add(b, rec, r.begins) // r.begins: the record begins a unit
		})
		if err != nil {
			return err
		}
		for _, r := range b.relations {
			r.endUnit()
		}
	}
	return nil
}

// relations returns the perturbations to draw from, in the order of the builds.
func (m *mixer) relations() []*relation {
	return lists.FlatMap(m.builds, func(b *build) []*relation {
		return lists.Filter(b.relations, func(r *relation) bool { return r.used })
	})
}

// draw marks the units to take by the strategy and fills the manifest. It returns an error if the builds have fewer than
// the size asked for.
func (m *mixer) draw() error {
	if len(m.originals.fingerprints) == 0 {
		return fmt.Errorf("%s: has no records, expected some to mix", strings.Join(m.Builds, ", "))
	}
	all := m.relations()
	counts := make([]int, len(all))
	rates := make([]float64, len(all))
	available := 0 // distinct records
	for i, r := range all {
		counts[i] = r.distinct
		available += r.distinct
		if m.Strategy == Adaptive {
			rate, ok := m.Rates[r.name]
			if !ok {
				return fmt.Errorf("the error rates lack %s, expected one of each perturbation of the builds", r.name)
			}
			rates[i] = rate
		}
	}
	size, origin := m.Size, fmt.Sprintf("--size %d", m.Size) // origin: for the message
	if size == 0 {
		size, origin = m.originals.units, fmt.Sprintf("--size %d, the number of originals", m.originals.units)
	}
	if m.Strategy == All {
		size = available
	}
	if size > available {
		return fmt.Errorf("%s: the builds have %d distinct records, expected at most as many", origin, available)
	}
	first, err := quotas(m.Strategy, size, counts, rates)
	if err != nil {
		return err
	}
	drawRecords(m.Seed, all, first, size)
	return m.fillManifest(all, first)
}

// write writes all files of the mix to its temporary folder and completes the manifest.
func (m *mixer) write(ctx context.Context) error {
	w, err := newWriter(m.dir)
	if err != nil {
		return err
	}
	w.step = m.Step
	err = errors.Join(m.writeExamples(ctx, w), w.close())
	if err != nil {
		return err
	}
	man := &m.manifest
	man.Rows, man.Shards, man.Interactions, man.Unchanged = w.rows.total, w.rows.shards, w.interactions, w.unchanged
	man.Drawn = man.Rows - man.Originals - man.Unchanged
	if man.Databases, err = m.writeDatabases(ctx, w.databases); err != nil {
		return err
	}
	err = outdir.WriteFile(m.dir.Path("README.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, m.card())
		return err
	})
	if err != nil {
		return err
	}
	return outdir.WriteFile(m.dir.Path(manifestFile), func(w io.Writer) error { return table.JSON(w, man) })
}

// writeExamples writes the originals, then the drawn records, both in the order of their files.
func (m *mixer) writeExamples(ctx context.Context, w *writer) error {
	if m.Data != "" {
		if err := m.writeData(ctx, w); err != nil {
			return err
		}
	} else if err := m.writePre(ctx, w); err != nil {
		return err
	}
	for _, b := range m.builds {
		err := b.walk(ctx, "post", func(r *relation, rec *dataset.Record, post *elements) error {
			if r.unit >= len(r.taken) {
				return fmt.Errorf("%s: was changed while it was read", post.path)
			}
			if !r.taken[r.unit] {
				return nil
			}
			ex, err := post.example(rec.DBPost, rec.QuestionPost, rec.QueryPost)
			if err != nil {
				return err
			}
			return w.write(ex, Row{
				ID: fmt.Sprintf("%s/%d/%d", r.name, rec.Example, rec.Sample), Source: r.name, Example: rec.Example,
				Sample: &rec.Sample, Edits: &rec.Edits, Relation: &rec.Relation,
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writePre writes the originals from the builds: each once, at the first record that was made from it.
func (m *mixer) writePre(ctx context.Context, w *writer) error {
	done := make(map[int32]bool, len(m.originals.fingerprints))
	for _, b := range m.builds {
		err := b.walk(ctx, "pre", func(r *relation, rec *dataset.Record, pre *elements) error {
			if done[rec.Example] {
				return nil
			}
			done[rec.Example] = true
			ex, err := pre.example(rec.DBPre, rec.QuestionPre, rec.QueryPre)
			if err != nil {
				return err
			}
			return w.write(ex, originalRow(rec.Example))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// originalRow returns the row of an original without the example itself.
func originalRow(example int32) Row {
	return Row{ID: fmt.Sprintf("%s/%d", Original, example), Source: Original, Example: example}
}

// baseName returns the name of a folder or file without its path, for files to publish.
func baseName(path string) string { return filepath.Base(filepath.Clean(path)) }
