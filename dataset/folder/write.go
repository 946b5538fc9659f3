package folder

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
)

// databasesDir is where the writer puts the SQLite files.
const databasesDir = "databases"

// write writes SPLIT.jsonl, the SQLite files and tables.json, which holds natural names, keys and
// whatever else no SQLite file can hold.
func write(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	databases := map[string]bool{}
	err := dataset.CreateTables(filepath.Join(dir, "tables.json"), func(tables *dataset.TablesWriter) error {
		return set.Databases(report, func(db *dataset.Database) error {
			if err := set.PlaceContent(ctx, db, filepath.Join(dir, databasesDir, db.ID+engine.Ext(db.SQLite)), report); err != nil {
				return err
			}
			databases[db.ID] = true
			return tables.Write(db)
		})
	})
	if err != nil {
		return err
	}
	file := set.Split + ".jsonl"
	return dataset.CreateFile(filepath.Join(dir, file), func(w *bufio.Writer) error {
		return set.Examples.WriteEach(ctx, file, report, func(ex *dataset.Example) error {
			switch {
			case !databases[ex.DB]:
				return fmt.Errorf("db_id %q is unknown, expected one of the set's", dataset.Clip(ex.DB))
			case strings.TrimSpace(ex.Query) == "":
				return errNoGold
			}
			raw, err := exampleLine(ex)
			if err != nil {
				return err
			}
			w.Write(raw) // a bufio.Writer keeps its error for Flush
			w.WriteByte('\n')
			return nil
		})
	})
}

// exampleLine returns the line of an example: its source with what changed, or a new record.
func exampleLine(ex *dataset.Example) (json.RawMessage, error) {
	old, keys := &dataset.Example{}, goldKeys[:1] // keys of the members that hold the gold SQL: "sql" in a new record
	if len(ex.Source) > 0 {
		r, err := newRecord(ex.Source)
		if err != nil {
			return nil, err
		}
		if old, err = r.example(); err != nil {
			return nil, err
		}
		keys = r.goldMembers(old.Query)
	}
	var changes dataset.Changes
	changes.AddIf(old.ID != ex.ID, "id", orNil(ex.ID))
	changes.AddIf(old.DB != ex.DB, "db_id", ex.DB)
	changes.AddIf(old.Question != ex.Question, "question", ex.Question)
	for _, key := range keys {
		changes.AddIf(old.Query != ex.Query, key, ex.Query)
	}
	changes.AddIf(old.Evidence != ex.Evidence, "evidence", orNil(ex.Evidence))
	changes.AddIf(old.Difficulty != ex.Difficulty, "difficulty", orNil(ex.Difficulty))
	changes.AddIf(!slices.Equal(old.Answer, ex.Answer), "answer", orNil(ex.Answer))
	changes.AddIf(old.Interaction != ex.Interaction, "interaction", orNil(ex.Interaction))
	changes.AddIf(old.Turn != ex.Turn, "turn", orNil(ex.Turn))
	changes.AddIf(finalOf(old) != finalOf(ex), "final", orNil(finalOf(ex)))
	for _, m := range ex.Further { // members that another format read; the members of this format's records stay in the source
		changes.AddIf(true, m.Key, m.Value)
	}
	return dataset.Patch(ex.Source, changes...)
}

// finalOf returns the final question of an example as a record; empty without one.
func finalOf(ex *dataset.Example) finalQuestion {
	if ex.Final == nil {
		return finalQuestion{}
	}
	return finalQuestion{ex.Final.Question, ex.Final.Query}
}

// orNil returns v, or nil if v is zero: [dataset.Patch] removes such a member.
func orNil(v any) any {
	if reflect.ValueOf(v).IsZero() {
		return nil
	}
	return v
}
