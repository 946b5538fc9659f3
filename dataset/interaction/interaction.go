// Package interaction reads and writes SParC and CoSQL: questions that are asked one
// after the other, each understood by those before it. Their files are tables.json
// and database/ as Spider has them, and a SPLIT.json of interactions (see
// [dataset.DecodeInteraction]). Turns are examples; the rest of the file is in
// Example.Source, a [dataset.InteractionSource].
package interaction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// SParC is the format of SParC (Yu et al., 2019).
var SParC = format("sparc", "SParC: interactions of related questions, with the final question that each of them leads to.")

// CoSQL is the format of CoSQL's state tracking task (Yu et al., 2019). Its files
// are those of SParC, with query_toks_no_value in each turn.
var CoSQL = format("cosql", "CoSQL, SQL-grounded dialogue state tracking: questions of dialogues, in the files of SParC.")

// format returns the format of SParC or CoSQL.
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

// refuses returns why an example cannot be in this format, or nil.
func refuses(_ *dataset.Database, ex *dataset.Example) error {
	if ex.Query == "" {
		return errors.New("question without gold SQL")
	}
	return dataset.RefuseGold(ex.Query)
}

// read opens the data set of a format in a folder. A missing tables.json or file of the split is an error.
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
	set.Examples = func(report func(error), each func(*dataset.Example) error) error {
		return examples(interactions, dataset.DatabaseIDs(set.Databases), report, each)
	}
	return set, nil
}

// examples passes the turns of a file to each. It leaves out interactions that cannot be read,
// and those about an unknown database; known has the known db_ids.
func examples(path string, known map[string]bool, report func(error), each func(*dataset.Example) error) error {
	each = dataset.Numbered(each)
	interaction := 0
	return dataset.Records(path, report, func(raw dataset.Raw) ([]*dataset.Example, error) {
		turns, err := dataset.DecodeInteraction(raw.JSON)
		if err == nil && !known[turns[0].DB] {
			err = fmt.Errorf("database_id %q is unknown, expected one of tables.json", dataset.Clip(turns[0].DB))
		}
		return turns, err
	}, func(turns []*dataset.Example) error {
		interaction++
		for _, ex := range turns {
			ex.Interaction = interaction
			if err := each(ex); err != nil {
				return err
			}
		}
		return nil
	})
}

// databases returns the schemas of a tables.json, with their records as sources.
func databases(dir, path string) dataset.Stream[*dataset.Database] {
	return func(report func(error), each func(*dataset.Database) error) error {
		once := dataset.Once{}
		return dataset.Records(path, report, func(raw dataset.Raw) (*dataset.Database, error) {
			db, err := schema(raw.JSON, func(err error) { report(dataset.Note(raw.Problem(err))) })
			if err != nil {
				return nil, err
			}
			return db, once.Check(db.ID, fmt.Sprintf("db_id %q", db.ID))
		}, func(db *dataset.Database) error {
			db.SQLite = dataset.FindContent(dir, db.ID)
			return each(db)
		})
	}
}

// schema decodes an element of tables.json, and stores the element, on one line, as the source of the schema. It passes
// harmless problems to note.
func schema(raw []byte, note func(error)) (*dataset.Database, error) {
	var source bytes.Buffer
	if err := json.Compact(&source, raw); err != nil {
		return nil, err
	}
	db, err := dataset.DecodeDatabase(source.Bytes(), note)
	if err == nil {
		db.Source = source.Bytes()
	}
	return db, err
}
