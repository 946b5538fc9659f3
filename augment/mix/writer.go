package mix

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Original is the [Row.Source] of the data set's own examples.
const Original = "original"

// Row is a row of the Parquet files: one example. Sample, Edits and Relation are null for
// originals. Edits is "[]" for unchanged turns of perturbed interactions. A test compares the
// features of the card with these fields.
type Row struct {
	ID       string  `parquet:"id"`                // "original/12", "adveta/replace/12/0": source, example, sample
	Source   string  `parquet:"source"`            // "original", or the perturbation
	DB       string  `parquet:"db_id"`             // of tables.json and database/
	Question string  `parquet:"question"`          //
	Query    string  `parquet:"query"`             // gold SQL
	Example  int32   `parquet:"example"`           // position of the original in its split, from 0
	Sample   *int32  `parquet:"sample,optional"`   // from 0
	Edits    *string `parquet:"edits,optional"`    // JSON array, as in records.parquet
	Relation *string `parquet:"relation,optional"` // the promise: "invariant", "renamed", …

	// Of a turn of an interaction, whose turns all follow each other; null otherwise.
	Interaction *int32 `parquet:"interaction,optional"` // from 1, another for each of its versions
	Turn        *int32 `parquet:"turn,optional"`        // from 1
}

// The rows of a Parquet file, and of a group of rows in it.
const (
	shardRows = 100_000
	groupRows = 8192
)

// shardName returns the name of a Parquet file, the first being 0.
func shardName(i int) string { return fmt.Sprintf("data/train-%05d.parquet", i) }

// rowWriter writes rows to Parquet files with zstd. Equal rows give equal bytes.
type rowWriter struct {
	dir    *outdir.Dir
	file   *os.File
	w      *parquet.GenericWriter[Row] // of the present file; nil if none is open
	total  int                         // rows so far
	shards int                         // files so far
}

// write writes a row, to the next file if the present one is full.
func (w *rowWriter) write(r Row) error {
	if w.total%shardRows == 0 {
		if err := w.next(); err != nil {
			return err
		}
	}
	if _, err := w.w.Write([]Row{r}); err != nil {
		return err
	}
	if w.total++; w.total%groupRows == 0 {
		return w.w.Flush()
	}
	return nil
}

// next closes the present Parquet file, if there is one, and creates the next.
func (w *rowWriter) next() error {
	if err := w.close(); err != nil {
		return err
	}
	path := w.dir.Path(filepath.FromSlash(shardName(w.shards)))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	var err error
	if w.file, err = os.Create(path); err != nil {
		return err
	}
	w.shards++
	w.w = parquet.NewGenericWriter[Row](w.file, parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("tabperturb", "1", ""))
	return nil
}

// close closes the present file, if there is one.
func (w *rowWriter) close() error {
	if w.w == nil {
		return nil
	}
	err := errors.Join(w.w.Close(), w.file.Close())
	w.w = nil
	return err
}

// writer writes examples in all forms, renumbers their interactions, and collects their
// databases.
type writer struct {
	files     [2]*os.File      // train.json, train_gold.sql
	buffers   [2]*bufio.Writer // of files
	train     *dataset.SplitWriter
	rows      rowWriter
	databases map[string]bool // needed by db_id
	step      func()

	interaction             int // of the last example, by its number in the source; 0 for a single one
	interactions, unchanged int // written: interactions, and turns that no edit changed
}

// newWriter creates the files of the examples. The caller must close the writer.
func newWriter(dir *outdir.Dir) (*writer, error) {
	w := &writer{rows: rowWriter{dir: dir}, databases: map[string]bool{}}
	for i, name := range []string{"train.json", "train_gold.sql"} {
		f, err := os.Create(dir.Path(name))
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.files[i], w.buffers[i] = f, bufio.NewWriterSize(f, 1<<16)
	}
	w.train = dataset.NewSplitWriter(w.buffers[0])
	return w, nil
}

// write writes an example to all files. r has its origin and edits; write fills in the rest, and numbers interactions anew. The
// caller writes the turns of an interaction one after the other.
func (w *writer) write(ex dataset.SpiderExample, r Row) error {
	r.DB, r.Question, r.Query = ex.DB, ex.Question, ex.Query
	w.databases[ex.DB] = true
	if r.Edits != nil && *r.Edits == dataset.NoEdits {
		w.unchanged++
	}
	if begins := ex.Turn <= 1 || ex.Interaction != w.interaction; begins {
		if err := w.endInteraction(); err != nil {
			return err
		}
		w.interactions += one(ex.Interaction > 0)
	}
	if w.interaction = ex.Interaction; ex.Interaction > 0 {
		ex.Interaction = w.interactions
		interaction, turn := int32(ex.Interaction), int32(ex.Turn)
		r.Interaction, r.Turn = &interaction, &turn
	}
	if err := errors.Join(w.train.Write(ex), dataset.WriteGold(w.buffers[1], ex.Query, ex.DB), w.rows.write(r)); err != nil {
		return fmt.Errorf("%s: %w", r.ID, err)
	}
	if w.step != nil {
		w.step()
	}
	return nil
}

// endInteraction writes the blank line that ends an interaction in train_gold.sql.
func (w *writer) endInteraction() error {
	if w.interaction == 0 {
		return nil
	}
	w.interaction = 0
	return w.buffers[1].WriteByte('\n') // files[1] is train_gold.sql
}

// close ends the last interaction and closes all files.
func (w *writer) close() error {
	err := w.rows.close()
	if w.train != nil {
		err = errors.Join(err, w.endInteraction(), w.train.Close())
	}
	for i, f := range w.files {
		if f != nil {
			err = errors.Join(err, w.buffers[i].Flush(), f.Close())
		}
	}
	return err
}
