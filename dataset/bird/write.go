package bird

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
)

// Write writes a data set: SPLIT.json, SPLIT_tables.json, the gold SQL as BIRD's
// evaluator reads it (SPLIT.sql), SPLIT_databases and the descriptions, CSV where they
// were CSV, else JSON.
func Write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &writer{ctx: ctx, set: set, dir: dir, report: report}
	if err := w.array(set.Split+"_tables.json", w.schemas); err != nil {
		return err
	}
	return dataset.CreateFile(filepath.Join(dir, set.Split+".sql"), func(gold *bufio.Writer) error {
		return w.array(set.Split+".json", func(add func(json.RawMessage) error) error { return w.examples(gold, add) })
	})
}

// writer writes a data set in the form of BIRD.
type writer struct {
	ctx    context.Context
	set    *dataset.Set
	dir    string
	report func(error)
}

// array writes a JSON array to a file of the output; write passes its elements to add.
func (w *writer) array(name string, write func(add func(json.RawMessage) error) error) error {
	return dataset.CreateArray(filepath.Join(w.dir, name), "  ", func(list *dataset.ArrayWriter) error { return write(list.Add) })
}

// schemas passes the records of the schemas to add, and writes their content and descriptions.
func (w *writer) schemas(add func(json.RawMessage) error) error {
	return w.set.Databases(w.report, func(db *dataset.Database) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		src := sourceOf(db)
		raw, err := encodeTables(db, src)
		if err == nil {
			err = add(raw)
		}
		if err == nil {
			err = w.set.PlaceContent(w.ctx, db, filepath.Join(w.dir, w.set.Split+"_databases", db.ID, db.ID+engine.Ext(db.SQLite)), w.report)
		}
		if err == nil {
			err = w.descriptions(db, src)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", db.ID, err)
		}
		return nil
	})
}

// examples passes the records of the examples to add, and writes their gold SQL to gold.
func (w *writer) examples(gold io.Writer, add func(json.RawMessage) error) error {
	return w.set.Examples(w.report, func(ex *dataset.Example) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		return w.example(ex, gold, add)
	})
}

// example writes the record and the gold SQL of an example, or reports why the example is left
// out.
func (w *writer) example(ex *dataset.Example, gold io.Writer, add func(json.RawMessage) error) error {
	raw, line, err := encode(ex)
	if err != nil {
		w.report(&dataset.RecordError{File: w.set.Split + ".json", Record: ex.Index + 1, Err: fmt.Errorf("left out: %w", err)})
		return nil
	}
	if err := add(raw); err != nil {
		return err
	}
	_, err = fmt.Fprintf(gold, "%s\t%s\n", line, ex.DB)
	return err
}

// encode returns the record of an example and its gold SQL on one line. The error is the reason why one of them is impossible.
func encode(ex *dataset.Example) (raw json.RawMessage, line string, err error) {
	if err := refuses(nil, ex); err != nil { // it looks at no database
		return nil, "", err
	}
	if line, err = dataset.GoldLine(ex.Query); err != nil {
		return nil, "", err
	}
	raw, err = encodeExample(ex)
	return raw, line, err
}
