package benchmark

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/perturb"
)

// RecordsFile is the name of the table of records in a build.
const RecordsFile = "records.parquet"

// indexFile is the name of the file in a perturbation's folder that has a line a record.
const indexFile = "index.jsonl"

// expected returns the manifest of a build before its shards are assembled: all counts are 0.
func (b *builder) expected() *Manifest {
	m := newManifest(b.Config)
	m.Skipped = b.Skipped
	for _, p := range b.Perturbations {
		r := Result{Name: p.Name, Version: p.Version, Relation: p.Relation, Group: p.Group, EveryColumn: p.EveryColumn, Samples: b.samples(p), Rejected: map[perturb.Reason]int{}}
		if catalogued(p.Name) == nil { // it is defined by a file
			r.Doc = p.Doc
		}
		m.Perturbations = append(m.Perturbations, r)
	}
	return m
}

// assemble writes the files of all perturbations from the shards of n units, and adds their counts to the
// manifest. If from is not nil, it takes the files of that build's perturbations from there.
func (b *builder) assemble(ctx context.Context, m *Manifest, n int, from *earlier) error {
	reported := map[int]bool{} // units whose problems were reported
	err := outdir.WriteFile(b.dir.Path(RecordsFile), func(w io.Writer) error {
		records := recordfile.NewWriter(w)
		for i := range m.Perturbations {
			r := &m.Perturbations[i]
			var err error
			if from != nil && from.Has(r.Name) {
				err = b.adopt(from, r, records)
				m.Strength = append(m.Strength, lists.Filter(from.Strength, func(s Strength) bool { return s.Perturbation == r.Name })...)
			} else {
				err = b.assembleOne(ctx, m, i, n, records, reported)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
		}
		return records.Close()
	})
	m.Skipped = b.Skipped
	return err
}

// finish writes the manifest, removes the shards and puts the folder in place. If the inputs changed meanwhile, it removes the folder
// and returns an error.
func (b *builder) finish(m *Manifest) error {
	if b.Unchanged != nil {
		if err := b.Unchanged(); err != nil {
			return errors.Join(err, b.dir.Abort())
		}
	}
	if err := m.write(b.dir.Path(manifestFile)); err != nil {
		return err
	}
	if err := b.shards.Remove(); err != nil {
		return err
	}
	return b.dir.Commit()
}

// reportUnit reports the problems of the unit of a shard, and adds the counts of its columns that cannot be renamed to the manifest.
func (b *builder) reportUnit(m *Manifest, s *shard) {
	for _, problem := range s.Problems {
		b.skip(errors.New(problem))
	}
	for reason, n := range s.Kept {
		if m.KeptColumns == nil {
			m.KeptColumns = map[string]int{}
		}
		m.KeptColumns[reason] += n
	}
}

// assembleOne writes the files of perturbation p of the manifest from its shards of all units, and counts their
// records there. Every perturbation has a shard of every unit, so it calls reportUnit only for units that reported lacks.
func (b *builder) assembleOne(ctx context.Context, m *Manifest, p, units int, records *recordfile.Writer, reported map[int]bool) (err error) {
	result := &m.Perturbations[p]
	out, err := newOutputs(b.dir.Path(result.Name), b.Split, records)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	sample := &strengthSample{seed: m.Seed}
	for i := range units {
		data, err := b.shards.Read(result.Name, i)
		if err != nil {
			return err
		}
		s, err := decodeShard(data)
		if err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		if !reported[i] {
			b.reportUnit(m, s)
		}
		reported[i] = true
		if err := s.write(out); err != nil {
			return err
		}
		result.add(s)
		sample.add(s)
	}
	result.Interactions = out.interactions
	return b.measure(ctx, m, result.Name, sample)
}

// measure adds the strength of a perturbation to the manifest, if there are linkers and enough records to measure it.
func (b *builder) measure(ctx context.Context, m *Manifest, name string, sample *strengthSample) error {
	if b.Linkers == nil || len(sample.records) < leastQuestions {
		return nil
	}
	pre, post := sample.units(b.dir.Path(name))
	strength, err := b.Linkers(ctx, name, pre, post)
	m.Strength = append(m.Strength, strength...)
	return err
}

// outputs are the files that the shards of one perturbation go to.
type outputs struct {
	pre, post       *side
	records         *recordfile.Writer
	rejected, index *json.Encoder
	interactions    int     // written so far
	files           []*file // of all but records
}

// newOutputs creates the files of a perturbation in its folder. Records go to the writer that all
// perturbations share.
func newOutputs(dir, split string, records *recordfile.Writer) (*outputs, error) {
	out := &outputs{records: records}
	examples, gold := split+".json", split+"_gold.sql"
	for _, path := range []string{
		"pre/tables.json", "pre/" + examples, "pre/" + gold,
		"post/tables.json", "post/" + examples, "post/" + gold, "rejected.jsonl", indexFile,
	} {
		f, err := newFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			return nil, errors.Join(err, out.closeFiles())
		}
		out.files = append(out.files, f)
	}
	f := out.files
	out.pre, out.post = newSide(f[0], f[1], f[2]), newSide(f[3], f[4], f[5])
	out.rejected, out.index = jsonLines(f[6]), jsonLines(f[7])
	return out, nil
}

// close ends both data directories and closes all files. It removes a file of gold SQL that lacks examples: its lines
// would be joined with the wrong ones.
func (o *outputs) close() error {
	err := errors.Join(o.pre.end(), o.post.end(), o.closeFiles())
	if o.post.lacksGold {
		err = errors.Join(err, os.Remove(o.post.gold.f.Name()))
	}
	return err
}

// closeFiles closes all files that were created.
func (o *outputs) closeFiles() (err error) {
	for _, f := range o.files {
		err = errors.Join(err, f.close())
	}
	return err
}

// jsonLines returns an encoder that writes a value a line, without escapes for HTML.
func jsonLines(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// position is a line of index.jsonl: which example and sample the record at the
// same place of pre and post is.
type position struct {
	Example    int32 `json:"example"`
	Sample     int32 `json:"sample"`
	Mentioned  int32 `json:"mentioned"`
	Perturbed  int32 `json:"perturbed"`
	Conclusive bool  `json:"conclusive"`
	Unchanged  bool  `json:"unchanged,omitempty"` // an unchanged turn of an interaction with perturbed ones
}

// write adds the schemas, records and rejected examples of the shard to the outputs. It numbers
// interactions anew: each sample of an interaction is one of its own there.
func (s *shard) write(out *outputs) error {
	if s.Before != nil {
		if err := out.pre.tables.Write(s.Before); err != nil {
			return err
		}
	}
	if err := lists.Each(s.After, out.post.tables.Write); err != nil {
		return err
	}
	var last turn
	for _, r := range s.Records {
		at := position{r.Record.Example, r.Record.Sample, r.Record.Mentioned, r.Record.Perturbed, r.Record.Conclusive, r.unchanged()}
		if r.Interaction > 0 {
			if r.turn() != last {
				out.interactions++
			}
			r.Pre.Interaction, r.Post.Interaction = out.interactions, out.interactions
		}
		last = r.turn()
		if err := errors.Join(out.pre.write(r.Pre), out.post.write(r.Post), out.records.Write(r.Record), out.index.Encode(at)); err != nil {
			return err
		}
	}
	return lists.Each(s.Rejected, func(r Rejection) error { return out.rejected.Encode(r) })
}

// side is one of the two data directories of a perturbation.
type side struct {
	tables   *dataset.TablesWriter
	examples *dataset.SplitWriter
	gold     *file

	interaction int  // of the last example
	lacksGold   bool // an example has no gold SQL
}

// newSide returns a data directory that is written to its three files.
func newSide(tables, examples, gold *file) *side {
	return &side{tables: dataset.NewTablesWriter(tables), examples: dataset.NewSplitWriter(examples), gold: gold}
}

// write adds an example. In the file of gold SQL a blank line ends an interaction, as
// in SParC's.
func (s *side) write(ex dataset.SpiderExample) error {
	if s.interaction > 0 && ex.Interaction != s.interaction {
		if err := s.gold.WriteByte('\n'); err != nil {
			return err
		}
	}
	s.interaction = ex.Interaction
	if ex.Unanswerable {
		s.lacksGold = true
		return s.examples.Write(ex)
	}
	return errors.Join(s.examples.Write(ex), dataset.WriteGold(s.gold, ex.Query, ex.DB))
}

// end ends the files of schemas and examples, and a last interaction in the file of gold SQL.
func (s *side) end() error {
	err := errors.Join(s.tables.Close(), s.examples.Close())
	if s.interaction > 0 {
		err = errors.Join(err, s.gold.WriteByte('\n'))
	}
	return err
}

// file is a buffered file.
type file struct {
	*bufio.Writer
	f *os.File
}

// newFile creates a file and its folder.
func newFile(path string) (*file, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &file{bufio.NewWriterSize(f, 1<<16), f}, nil
}

// close writes what is buffered and closes the file.
func (f *file) close() error { return errors.Join(f.Flush(), f.f.Close()) }
