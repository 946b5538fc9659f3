package mix

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
)

// originals are the examples of the data set that builds were made from: a fingerprint of
// each, by its position in the split.
type originals struct {
	from         string           // the file or build that had the first of them
	fingerprints map[int32]uint64 // by position in the split
	units        int              // single examples, and interactions
	full         bool             // fingerprints has all originals, so a build with another one is rejected
}

// fingerprint returns a hash of an example.
func fingerprint(db, question, query string) uint64 {
	h := fnv.New64a()
	for _, s := range []string{db, question, query} {
		_, _ = io.WriteString(h, s+"\x00") // a hash takes everything
	}
	return h.Sum64()
}

// add adds the original of a record unless it is known. It returns an error if the original at that position is
// another one, or if all originals are known and it is none of them. begins is set for a single original or the
// first turn of an interaction, which counts as a unit.
func (o *originals) add(b *build, rec *dataset.Record, begins bool) error {
	key := fingerprint(rec.DBPre, rec.QuestionPre, rec.QueryPre)
	known, ok := o.fingerprints[rec.Example]
	switch {
	case ok && known != key, !ok && o.full:
		return fmt.Errorf("%s: example %d of %s is another one than in %s, expected builds of one data set", filepath.Join(b.dir, recordsFile), rec.Example, rec.DBPre, o.from)
	case !ok:
		o.fingerprints[rec.Example] = key
		o.units += one(begins)
		if o.from == "" {
			o.from = filepath.Join(b.dir, recordsFile)
		}
	}
	return nil
}

// one returns 1 for true and 0 for false.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// surveyData reads the originals of the data directory. As build does, it leaves out an
// original whose gold SQL does not fit on one line of train_gold.sql, with its interaction.
func (m *mixer) surveyData() error {
	split := m.builds[0].split
	files, err := dataset.InputFiles(m.Data, split)
	if err != nil {
		return err
	}
	m.manifest.Data = &Source{Name: baseName(m.Data), Split: split}
	for _, name := range files {
		in, err := HashInput(filepath.Join(m.Data, name))
		if err != nil {
			return err
		}
		m.manifest.Data.Inputs = append(m.manifest.Data.Inputs, in)
	}
	m.originals.from, m.originals.full = filepath.Join(m.Data, files[1]), true
	if m.schemas, err = dataset.Schemas(m.tables(), m.report); err != nil {
		return err
	}
	var turns interactions
	err = m.eachData(func(ex *dataset.Example) error {
		_, err := dataset.GoldLine(ex.Query)
		if m.schemas[ex.DB] == nil {
			err = fmt.Errorf("db_id %q is unknown, expected one of tables.json", ex.DB)
		}
		turns.add(ex, err == nil)
		if err != nil {
			m.report(&dataset.RecordError{File: m.originals.from, Record: ex.Index + 1, Err: err})
			return nil
		}
		m.banned.addQuestion(m.Data, ex.DB, ex.Question)
		m.originals.fingerprints[int32(ex.Index)] = fingerprint(ex.DB, ex.Question, ex.Query)
		m.originals.units += one(ex.Interaction == 0 || ex.Turn == 1)
		return nil
	}, m.report)
	turns.dropTorn(&m.originals, m.report)
	return err
}

// report passes an error to Report, and counts it unless it is a note.
func (m *mixer) report(err error) {
	if !dataset.IsNote(err) {
		m.manifest.Skipped++
	}
	m.Report(err)
}

// eachData calls f with each example of the data directory.
func (m *mixer) eachData(f func(*dataset.Example) error, report func(error)) error {
	return dataset.ReadExamples(m.originals.from, report, f)
}

// writeData writes the originals of the data directory, in its order, without those that the survey left out.
func (m *mixer) writeData(ctx context.Context, w *writer) error {
	return m.eachData(func(ex *dataset.Example) error {
		if _, ok := m.originals.fingerprints[int32(ex.Index)]; !ok || ctx.Err() != nil {
			return ctx.Err()
		}
		return w.write(dataset.NewSpiderExample(m.schemas[ex.DB], ex), originalRow(int32(ex.Index)))
	}, func(error) {})
}

// tables returns the path of the data directory's schemas.
func (m *mixer) tables() string { return filepath.Join(m.Data, m.manifest.Data.Inputs[0].Name) }
