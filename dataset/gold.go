package dataset

import (
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
)

// ReadGold reads gold SQL: a split as [ReadExamples] does where the name says
// .json or .jsonl, else lines "SQL TAB db_id" as the official evaluators take
// them. Where blank lines stand between these, they part interactions, whose turns
// are numbered then; several in a row are as one, though the official evaluator would
// count an interaction more and call it right. It yields an example or an error a time;
// the examples of lines have no question.
func ReadGold(fsys fs.FS, name string) iter.Seq2[*Example, error] {
	if isJSON(name) {
		return ReadExamples(fsys, name)
	}
	return func(yield func(*Example, error) bool) {
		interactions := partsLines(fsys, name)
		index, interaction, turn, blank := 0, 0, 0, true
		for line, err := range readLines(fsys, name) {
			if err == nil && line.text == "" {
				blank = true
				continue
			}
			if turn++; blank {
				interaction, turn, blank = interaction+1, 1, false
			}
			var ex *Example
			if err == nil {
				if ex, err = goldLine(line.text); err != nil {
					err = &RecordError{File: name, Record: line.number, Err: err}
				} else if ex.Index = index; interactions {
					ex.Interaction, ex.Turn = interaction, turn
				}
			}
			index++
			if !yield(ex, err) {
				return
			}
		}
	}
}

// partsLines tells whether blank lines stand between the lines of a file. What is
// wrong with it is said where the file is read.
func partsLines(fsys fs.FS, name string) bool {
	full, blank := false, false
	for line, err := range readLines(fsys, name) {
		switch {
		case err == nil && line.text == "":
			blank = full
		case blank:
			return true
		default:
			full = true
		}
	}
	return false
}

// Schemas reads a tables.json at a path whole, by db_id. Errors about records,
// and where the file breaks off behind usable ones, go to report.
func Schemas(path string, report func(error)) (map[string]*Database, error) {
	dir, name := filepath.Split(path)
	all := map[string]*Database{}
	for db, err := range ReadTables(dirFS(dir), name) {
		err = brokenOff(err, len(all))
		record := (*RecordError)(nil)
		switch {
		case err == nil:
			all[db.ID] = db
		case errors.As(err, &record):
			record.File = path
			report(err)
		default:
			return nil, inDir(dir, err)
		}
	}
	return all, nil
}

func goldLine(text string) (*Example, error) {
	query, db, found := strings.Cut(text, "\t")
	query, db = strings.TrimSpace(query), strings.TrimSpace(db)
	if !found || query == "" || db == "" {
		return nil, errors.New("holds no tab between two texts, expected SQL, a tab and a db_id")
	}
	return &Example{DB: db, Query: query}, nil
}

func isJSON(name string) bool {
	name = strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl")
}

// line is a line of a text file without the blanks around it.
type line struct {
	number int // from 1
	text   string
}

// readLines reads the lines of a file, plain or gzip. One that is too large or
// not UTF-8 gives a [*RecordError]; the next ones follow.
func readLines(fsys fs.FS, name string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		r, closer, err := open(fsys, name)
		if err != nil {
			yield(line{}, err)
			return
		}
		defer closer.Close()
		more := true
		err = newScanner(r).allLines(func(i int, raw []byte, problem error) bool {
			if problem != nil {
				problem = &RecordError{File: name, Record: i, Err: problem}
				raw = nil
			}
			more = yield(line{i, strings.TrimSpace(string(raw))}, problem)
			return more
		})
		if err != nil && more {
			yield(line{}, broken(name, err))
		}
	}
}
