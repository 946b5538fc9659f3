package formats

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
)

const spiderName = "spider"

// Spider is the data directory: Spider's own files, in which what other data sets
// have beside it stands in further members, which Spider's programs read over.
var Spider = &dataset.Format{
	Name:    spiderName,
	Doc:     "Spider, and the data directory that all commands read; members beside Spider's keep what other formats have.",
	Files:   "tables.json, SPLIT.json (or .jsonl; .gz), SPLIT_gold.sql, database/DB/DB.sqlite",
	Keeps:   dataset.AllFeatures,
	Read:    readSpider,
	Write:   writeSpider,
	Refuses: refusesSpider,
}

// errGold is why an example has no line in SPLIT_gold.sql, which must have as many
// as SPLIT.json has examples.
var errGold = errors.New("gold SQL cannot stand on one line: a literal has a line break or tab, or SQL of several lines does not parse")

func refusesSpider(_ *dataset.Database, ex *dataset.Example) error {
	if _, err := dataset.GoldLine(ex.Query); err != nil {
		return errGold
	}
	if ex.Final != nil {
		return refusesSpider(nil, ex.Final)
	}
	return nil
}

func readSpider(_ context.Context, path, split string) (*dataset.Set, error) {
	files, err := dataset.InputFiles(path, split)
	if err != nil {
		return nil, err
	}
	databases := databasesOf(path, files[0])
	ids := sync.OnceValue(func() map[string]bool {
		known := map[string]bool{}
		for db, err := range databases {
			if err == nil {
				known[db.ID] = true
			}
		}
		return known
	})
	return &dataset.Set{Format: spiderName, Split: split, Databases: databases, Examples: examplesOf(path, files[1], ids)}, nil
}

func databasesOf(dir, name string) iter.Seq2[*dataset.Database, error] {
	return func(yield func(*dataset.Database, error) bool) {
		for db, err := range dataset.ReadTableRecords(os.DirFS(dir), name) {
			if err != nil {
				err = within(dir, err)
			} else {
				db.SQLite = dataset.FindSQLite(dir, db.ID)
			}
			if !yield(db, err) {
				return
			}
		}
	}
}

func examplesOf(dir, name string, ids func() map[string]bool) iter.Seq2[*dataset.Example, error] {
	return func(yield func(*dataset.Example, error) bool) {
		for ex, err := range dataset.ReadExampleRecords(os.DirFS(dir), name) {
			switch {
			case err != nil:
				err = within(dir, err)
			case !ids()[ex.DB]:
				err = &dataset.RecordError{
					File: filepath.Join(dir, name), Record: ex.Index + 1,
					Err: fmt.Errorf("db_id %q is unknown, expected one of tables.json", dataset.Clip(ex.DB)),
				}
				ex = nil
			}
			if !yield(ex, err) {
				return
			}
		}
	}
}

// within puts the folder before the file that an error names.
func within(dir string, err error) error {
	if r, ok := errors.AsType[*dataset.RecordError](err); ok {
		r.File = filepath.Join(dir, r.File)
		return r
	}
	if f, ok := errors.AsType[*dataset.FileError](err); ok {
		f.File = filepath.Join(dir, f.File)
		return f
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// spiderWriter writes a data directory.
type spiderWriter struct {
	set       *dataset.Set
	dir       string
	report    func(error)
	databases map[string]*dataset.Database
}

func writeSpider(ctx context.Context, set *dataset.Set, dir string, report func(error)) error {
	w := &spiderWriter{set: set, dir: dir, report: report, databases: map[string]*dataset.Database{}}
	if err := w.tables(ctx); err != nil {
		return err
	}
	return w.examples()
}

func (w *spiderWriter) tables(ctx context.Context) error {
	return dataset.CreateFile(filepath.Join(w.dir, "tables.json"), func(out *bufio.Writer) error {
		tables := dataset.NewTablesWriter(out)
		for db, err := range w.set.Databases {
			if err != nil {
				return err
			}
			if err := w.set.PlaceContent(ctx, db, dataset.SQLitePath(w.dir, db.ID), w.report); err != nil {
				return err
			}
			if err := w.writeTables(tables, db); err != nil {
				return err
			}
			kept := *db
			kept.Source, kept.Record = nil, nil
			w.databases[db.ID] = &kept
		}
		return tables.Close()
	})
}

// examples writes the split with its gold lines. Where an example has no gold SQL there
// are no lines: a file with fewer than there are examples would be joined wrongly.
func (w *spiderWriter) examples() error {
	gold, all := filepath.Join(w.dir, w.set.Split+"_gold.sql"), true
	err := dataset.CreateFile(filepath.Join(w.dir, w.set.Split+".json"), func(out *bufio.Writer) error {
		return dataset.CreateFile(gold, func(lines *bufio.Writer) error {
			split, last, n := dataset.NewSplitWriter(out), 0, 0
			for ex, err := range w.set.Examples {
				n++
				if err != nil {
					return err
				}
				db := w.databases[ex.DB]
				if db == nil {
					w.report(&dataset.RecordError{File: w.set.Split, Record: n, Err: fmt.Errorf("db_id %q is unknown, expected one of the set's", dataset.Clip(ex.DB))})
					continue
				}
				if err := w.writeExample(split, db, ex); err != nil {
					return err
				}
				if ex.Query == "" {
					all = false
					continue
				}
				if last > 0 && ex.Interaction != last {
					lines.WriteByte('\n')
				}
				last = ex.Interaction
				if err := dataset.WriteGold(lines, ex.Query, ex.DB); err != nil {
					return err
				}
			}
			return split.Close()
		})
	})
	if err == nil && !all {
		err = os.Remove(gold)
	}
	return err
}

// writeTables writes a schema: the record that it was read from, if that was such a file.
func (w *spiderWriter) writeTables(tables *dataset.TablesWriter, db *dataset.Database) error {
	if w.set.Format == spiderName && len(db.Record) > 0 {
		return tables.WriteRecord(db.Record)
	}
	return tables.Write(db)
}

// writeExample writes an example: the record that it was read from, if that was such a
// file and has all that trainers read. It may hold a parse that is not the one we would
// make.
func (w *spiderWriter) writeExample(split *dataset.SplitWriter, db *dataset.Database, ex *dataset.Example) error {
	if w.set.Format == spiderName && complete(ex.Record) {
		return split.WriteRecord(ex.Record)
	}
	return split.Write(dataset.NewSpiderExample(db, ex))
}

// complete tells whether a record has the members of Spider's examples.
func complete(record json.RawMessage) bool {
	members, err := dataset.Members(record)
	if err != nil {
		return false
	}
	for _, name := range []string{"db_id", "query", "query_toks", "query_toks_no_value", "question", "question_toks", "sql"} {
		if !slices.ContainsFunc(members, func(m dataset.Member) bool { return m.Key == name }) {
			return false
		}
	}
	return true
}
