package interaction

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
)

// writer writes a set as interactions.
type writer struct {
	set     *dataset.Set
	dir     string
	report  func(error)
	schemas map[string]*schemaVersions
}

// schemaVersions has the current schema of a database and, if that differs from the schema in its source, the latter;
// else source is nil. Members of turns that depend on the schema are written anew if source is set.
type schemaVersions struct{ current, source *dataset.Database }

// write writes tables.json, the databases, SPLIT.json and SPLIT_gold.txt. Single questions
// become interactions of one turn.
func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &writer{set: set, dir: dir, report: report, schemas: map[string]*schemaVersions{}}
	const indent = "    "
	err := dataset.CreateArray(filepath.Join(dir, "tables.json"), indent, func(list *dataset.ArrayWriter) error { return w.writeTables(ctx, list) })
	if err != nil {
		return err
	}
	return dataset.CreateArray(filepath.Join(dir, set.Split+".json"), indent, func(split *dataset.ArrayWriter) error {
		return dataset.CreateFile(filepath.Join(dir, set.Split+"_gold.txt"), func(gold *bufio.Writer) error {
			return w.writeInteractions(ctx, split, gold)
		})
	})
}

// writeTables writes the schemas and their content, and stores the schemas for the turns.
func (w *writer) writeTables(ctx context.Context, list *dataset.ArrayWriter) error {
	return w.set.Databases(w.report, func(db *dataset.Database) error {
		raw, changed, err := schemaRecord(db)
		if err != nil {
			return fmt.Errorf("schema of %q: %w", dataset.Clip(db.ID), err)
		}
		s := &schemaVersions{current: db}
		if changed {
			s.source = sourceSchema(db)
		}
		if err := w.set.PlaceContent(ctx, db, dataset.ContentPath(w.dir, db.ID, db.SQLite), w.report); err != nil {
			return err
		}
		w.schemas[db.ID] = s
		return list.Add(raw)
	})
}

// writeInteractions writes the examples, those of one interaction together.
func (w *writer) writeInteractions(ctx context.Context, split *dataset.ArrayWriter, gold io.Writer) error {
	var turns []*dataset.Example
	err := w.set.Examples(w.report, func(ex *dataset.Example) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(turns) > 0 && !sameInteraction(turns[0], ex) { // the interaction before is complete
			if err := w.writeInteraction(turns, split, gold); err != nil {
				return err
			}
			turns = turns[:0]
		}
		turns = append(turns, ex)
		return nil
	})
	if err != nil {
		return err
	}
	return w.writeInteraction(turns, split, gold)
}

// writeInteraction writes the turns of an interaction, or reports why one of them cannot be written and leaves out all,
// because turns depend on those before. Each turn has a line of gold SQL. A blank line follows, because the official
// script only counts interactions before one.
func (w *writer) writeInteraction(turns []*dataset.Example, split *dataset.ArrayWriter, gold io.Writer) error {
	if len(turns) == 0 {
		return nil
	}
	raw, err := w.interactionRecord(turns)
	if err != nil {
		w.report(&dataset.RecordError{File: w.set.Split, Record: turns[0].Index + 1, Err: err})
		return nil
	}
	if err := split.Add(raw); err != nil {
		return err
	}
	for _, ex := range turns {
		if err := dataset.WriteGold(gold, ex.Query, ex.DB); err != nil {
			return err
		}
	}
	_, err = io.WriteString(gold, "\n")
	return err
}

// refuses returns the reason why an example is left out, or nil.
func (w *writer) refuses(ex *dataset.Example) error {
	if w.schemas[ex.DB] == nil {
		return fmt.Errorf("db_id %q is unknown, expected one of the set's", dataset.Clip(ex.DB))
	}
	return refuses(nil, ex)
}

// sameInteraction reports whether two examples belong to one interaction about one database.
func sameInteraction(a, b *dataset.Example) bool {
	return a.Interaction > 0 && a.Interaction == b.Interaction && a.DB == b.DB
}
