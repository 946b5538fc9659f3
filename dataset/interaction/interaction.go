// Package interaction reads and writes SParC and CoSQL: questions that are asked one
// after the other, each understood by those before it. Their files are tables.json
// and database/ as Spider has them, and a SPLIT.json of interactions (see
// [dataset.DecodeInteraction]). Turns are examples; what the file has beside them
// rides in Example.Source, a [dataset.InteractionSource].
package interaction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/tabperturb/tabperturb/dataset"
)

// SParC is the format of SParC (Yu et al., 2019).
var SParC = format("sparc", "SParC: interactions of related questions, with the final question that each of them leads to.")

// CoSQL is the format of CoSQL's state tracking task (Yu et al., 2019). Its files
// are those of SParC, with query_toks_no_value beside each turn.
var CoSQL = format("cosql", "CoSQL, SQL-grounded dialogue state tracking: questions of dialogues, in the files of SParC.")

func format(name, doc string) *dataset.Format {
	return &dataset.Format{
		Name:  name,
		Doc:   doc,
		Files: "tables.json, SPLIT.json (or .jsonl; .gz, .bz2), SPLIT_gold.txt, database/DB/DB.sqlite",
		Keeps: []dataset.Feature{
			dataset.SeveralTables, dataset.Keys, dataset.TableNames, dataset.Rows, dataset.GoldSQL, dataset.Interactions, dataset.Finals,
		},
		Read: func(_ context.Context, path, split string) (*dataset.Set, error) {
			return read(name, path, split)
		},
		Write:   write,
		Refuses: refuses,
	}
}

// The reasons why a question cannot stand in these formats.
var (
	errNoGold   = errors.New("question without gold SQL")
	errGoldLine = errors.New("gold SQL cannot stand on one line: a literal has a line break or tab, or SQL of several lines does not parse")
)

func refuses(_ *dataset.Database, ex *dataset.Example) error {
	if ex.Query == "" {
		return errNoGold
	}
	if _, err := dataset.GoldLine(ex.Query); err != nil {
		return errGoldLine
	}
	return nil
}

func read(name, dir, split string) (*dataset.Set, error) {
	tables, err := dataset.FirstFile(dir, "tables.json")
	if err != nil {
		return nil, err
	}
	interactions, err := dataset.FirstFile(dir, split+".json", split+".jsonl")
	if err != nil {
		return nil, err
	}
	set := &dataset.Set{Format: name, Split: split, Databases: databases(dir, tables)}
	set.Examples = func(yield func(*dataset.Example, error) bool) {
		known := map[string]bool{}
		for db, err := range set.Databases {
			if err == nil {
				known[db.ID] = true
			}
		}
		examples(interactions, known)(yield)
	}
	return set, nil
}

// examples yields the turns of a file; an interaction that cannot be read, or is
// about no database that is known, is left out.
func examples(path string, known map[string]bool) iter.Seq2[*dataset.Example, error] {
	return func(yield func(*dataset.Example, error) bool) {
		index, interaction := 0, 0
		for raw, err := range dataset.RawRecords(path) {
			var turns []*dataset.Example
			if err == nil {
				turns, err = dataset.DecodeInteraction(raw.JSON)
				if err == nil && !known[turns[0].DB] {
					err = fmt.Errorf("database_id %q is unknown, expected one of tables.json", dataset.Clip(turns[0].DB))
				}
				if err != nil {
					err = &dataset.RecordError{File: path, Record: raw.Number, Err: err}
				}
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			interaction++
			for _, ex := range turns {
				ex.Index, ex.Interaction = index, interaction
				index++
				if !yield(ex, nil) {
					return
				}
			}
		}
	}
}

// databases yields the schemas of a tables.json, with their records as Source.
func databases(dir, path string) iter.Seq2[*dataset.Database, error] {
	return func(yield func(*dataset.Database, error) bool) {
		seen := map[string]bool{}
		for raw, err := range dataset.RawRecords(path) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for db, err := range schema(raw.JSON) {
				if err == nil && seen[db.ID] {
					db, err = nil, fmt.Errorf("db_id %q is there already, expected each once; this one is left out", db.ID)
				}
				if err != nil {
					err = placed(err, path, raw.Number)
				} else {
					seen[db.ID] = true
					db.SQLite = dataset.FindSQLite(dir, db.ID)
				}
				if !yield(db, err) {
					return
				}
			}
		}
	}
}

// schema decodes an element of tables.json; warnings come first.
func schema(raw []byte) iter.Seq2[*dataset.Database, error] {
	return func(yield func(*dataset.Database, error) bool) {
		var source bytes.Buffer
		if err := json.Compact(&source, raw); err != nil {
			yield(nil, err)
			return
		}
		element := bytes.Join([][]byte{{'['}, {']'}}, source.Bytes())
		for db, err := range dataset.DecodeTables(bytes.NewReader(element), "tables.json") {
			if err == nil {
				db.Source = source.Bytes()
			}
			if !yield(db, err) {
				return
			}
		}
	}
}

// placed makes an error one of a record of a file.
func placed(err error, path string, record int) error {
	if e, ok := errors.AsType[*dataset.RecordError](err); ok {
		placed := &dataset.RecordError{File: path, Record: record, Err: e.Err}
		if dataset.IsNote(err) {
			return dataset.Note(placed)
		}
		return placed
	}
	return &dataset.RecordError{File: path, Record: record, Err: err}
}
