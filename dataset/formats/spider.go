package formats

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// spiderName is the name of the format.
const spiderName = "spider"

// Spider is the data directory: Spider's own files. What other data sets have in addition to
// Spider is in further members, which Spider's programs ignore.
var Spider = &dataset.Format{
	Name:    spiderName,
	Doc:     "Spider, and the data directory that all commands read; members beside Spider's keep what other formats have.",
	Files:   "tables.json, SPLIT.json (or .jsonl; .gz), SPLIT_gold.sql, database/DB/DB.sqlite",
	Keeps:   dataset.AllFeatures,
	Read:    readSpider,
	Write:   writeSpider,
	Refuses: refusesSpider,
}

// refusesSpider returns why an example cannot be in a data directory, or nil. SPLIT_gold.sql must
// have a line for every example of SPLIT.json.
func refusesSpider(_ *dataset.Database, ex *dataset.Example) error {
	err := dataset.RefuseGold(ex.Query)
	if err == nil && ex.Final != nil {
		err = dataset.RefuseGold(ex.Final.Query)
	}
	return err
}

// readSpider opens a data directory. Examples on an unknown database are reported when they are read.
func readSpider(_ context.Context, path, split string) (*dataset.Set, error) {
	files, err := dataset.InputFiles(path, split) // of the schemas, of the examples
	if err != nil {
		return nil, err
	}
	databases := databasesOf(path, files[0])
	ids := sync.OnceValue(func() map[string]bool { return dataset.DatabaseIDs(databases) }) // read when the first example is
	examples := dataset.OfKnown(filepath.Join(path, files[1]), dataset.ReadExampleRecords, func(id string) bool { return ids()[id] })
	return &dataset.Set{Format: spiderName, Split: split, Databases: databases, Examples: examples}, nil
}

// databasesOf returns the schemas in a file of a data directory, with the paths of their SQLite
// files.
func databasesOf(dir, name string) dataset.Stream[*dataset.Database] {
	return func(report func(error), each func(*dataset.Database) error) error {
		return dataset.ReadTableRecords(filepath.Join(dir, name), report, func(db *dataset.Database) error {
			db.SQLite = dataset.FindContent(dir, db.ID)
			return each(db)
		})
	}
}

// spiderWriter writes a data directory.
type spiderWriter struct {
	set       *dataset.Set
	dir       string
	report    func(error)
	databases map[string]*dataset.Database

	interaction int // of the last line of gold SQL; 0 at the beginning
}

// writeSpider writes a data directory: the schemas with their content, then the split and its gold SQL.
func writeSpider(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &spiderWriter{set: set, dir: dir, report: report, databases: map[string]*dataset.Database{}}
	if err := w.writeDatabases(ctx); err != nil {
		return err
	}
	return w.writeExamples()
}

// writeDatabases writes the schemas and their content, and stores the schemas for the examples.
func (w *spiderWriter) writeDatabases(ctx context.Context) error {
	return dataset.CreateTables(filepath.Join(w.dir, "tables.json"), func(tables *dataset.TablesWriter) error {
		return w.set.Databases(w.report, func(db *dataset.Database) error {
			if err := w.set.PlaceContent(ctx, db, dataset.ContentPath(w.dir, db.ID, db.SQLite), w.report); err != nil {
				return err
			}
			stored := *db // without the texts that the examples do not need
			stored.Source, stored.Record = nil, nil
			w.databases[db.ID] = &stored
			return w.writeDatabase(tables, db)
		})
	})
}

// writeExamples writes the split and its lines of gold SQL. If an example has no gold SQL, the
// file of gold SQL is removed: with fewer lines than examples, lines would be joined with the
// wrong examples.
func (w *spiderWriter) writeExamples() error {
	gold, hasAll := filepath.Join(w.dir, w.set.Split+"_gold.sql"), true
	err := dataset.CreateFile(filepath.Join(w.dir, w.set.Split+".json"), func(out *bufio.Writer) error {
		return dataset.CreateFile(gold, func(lines *bufio.Writer) error {
			split, n := dataset.NewSplitWriter(out), 0
			err := w.set.Examples(w.report, func(ex *dataset.Example) error {
				n++
				db := w.databases[ex.DB]
				if db == nil {
					w.report(&dataset.RecordError{File: w.set.Split, Record: n, Err: fmt.Errorf("db_id %q is unknown, expected one of the set's", dataset.Clip(ex.DB))})
					return nil
				}
				hasAll = hasAll && ex.Query != ""
				if err := w.writeExample(split, db, ex); err != nil {
					return err
				}
				return w.writeGold(lines, ex)
			})
			if err != nil {
				return err
			}
			return split.Close()
		})
	})
	if err == nil && !hasAll {
		err = os.Remove(gold)
	}
	return err
}

// writeGold writes the gold SQL of an example, if it has any. An empty line separates an interaction from what follows.
func (w *spiderWriter) writeGold(lines *bufio.Writer, ex *dataset.Example) error {
	if ex.Query == "" {
		return nil
	}
	if w.interaction > 0 && ex.Interaction != w.interaction {
		lines.WriteByte('\n')
	}
	w.interaction = ex.Interaction
	return dataset.WriteGold(lines, ex.Query, ex.DB)
}

// writeDatabase writes a schema, as the record that it was read from if the set is a data
// directory too.
func (w *spiderWriter) writeDatabase(tables *dataset.TablesWriter, db *dataset.Database) error {
	if w.set.Format == spiderName && len(db.Record) > 0 {
		return tables.WriteRecord(db.Record)
	}
	return tables.Write(db)
}

// writeExample writes an example, as the record that it was read from if the set is a data
// directory and the record has all members that trainers read. Its parse of the SQL may differ
// from ours.
func (w *spiderWriter) writeExample(split *dataset.SplitWriter, db *dataset.Database, ex *dataset.Example) error {
	if w.set.Format == spiderName && hasSpiderMembers(ex.Record) {
		return split.WriteRecord(ex.Record)
	}
	return split.Write(dataset.NewSpiderExample(db, ex))
}

// hasSpiderMembers reports whether a record has all members of Spider's examples.
func hasSpiderMembers(record json.RawMessage) bool {
	members, err := dataset.Members(record)
	if err != nil {
		return false
	}
	has := lists.Set(members, func(m dataset.Member) string { return m.Key })
	required := []string{"db_id", "query", "query_toks", "query_toks_no_value", "question", "question_toks", "sql"}
	return !slices.ContainsFunc(required, func(key string) bool { return !has[key] })
}
