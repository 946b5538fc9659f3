package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Pair is an example with what a model answered to it.
type Pair struct {
	*Example
	Prediction string // SQL; any bytes of UTF-8, since models write anything
	Problem    error  // why the prediction's record cannot be read; nil mostly
}

// Pairs reads gold SQL, as [ReadGold] does, together with a model's predictions.
// They are one SQL a line, of which only what stands before a tab counts, or the
// JSON object of BIRD, {"INDEX": "SQL\t----- bird -----\tdb_id"}, which is joined
// by its keys, or the array of [ReadAnswers], which is joined by the questions. The
// lines of a text belong to the gold's questions in order, which in a file of
// interactions are their turns; blank lines between interactions may be there or
// not. An empty line is an empty prediction elsewhere.
//
// A [*RecordError] is about one record of the gold, whose prediction is passed
// over; other errors come last. Files that do not fit together are an error, at the
// latest behind the last pair.
func Pairs(gold, predictions string) iter.Seq2[*Pair, error] {
	return func(yield func(*Pair, error) bool) {
		if joined, _ := IsAnswers(predictions); joined {
			answered(gold, predictions, yield)
			return
		}
		next, end, err := matcher(gold, predictions)
		if err != nil {
			yield(nil, err)
			return
		}
		dir, name := filepath.Split(gold)
		for ex, err := range ReadGold(dirFS(dir), name) {
			if record, ok := errors.AsType[*RecordError](err); ok {
				record.File = gold
				for range turnsLost(err) {
					next(-1)
				}
				if !yield(nil, err) {
					return
				}
				continue
			}
			if err != nil {
				yield(nil, inDir(dir, err))
				return
			}
			p, err := next(ex.Index)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Pair{ex, p.text, p.problem}, nil) {
				return
			}
		}
		if err := end(); err != nil {
			yield(nil, err)
		}
	}
}

// dirFS is the folder of a path as filepath.Split gives it.
func dirFS(dir string) fs.FS {
	if dir == "" {
		dir = "."
	}
	return os.DirFS(dir)
}

// prediction is one record of a file of predictions.
type prediction struct {
	text    string
	problem error
	blank   bool // there is no text at all, not even a tab
}

// matcher opens a file of predictions. The function next returns the prediction
// for the gold record of an index; -1 passes one record over. The function end says
// whether there are more predictions than records.
func matcher(gold, predictions string) (next func(index int) (prediction, error), end func() error, err error) {
	if isJSON(predictions) {
		all, err := readBIRD(predictions)
		if err == nil {
			err = within(all, gold, predictions)
		}
		next = func(index int) (prediction, error) {
			if index < 0 {
				return prediction{}, nil
			}
			p, ok := all[index]
			if !ok {
				return prediction{}, fmt.Errorf("%s: has no key %q, expected one for each record of %s", predictions, strconv.Itoa(index), gold)
			}
			return p, nil
		}
		return next, func() error { return nil }, err
	}
	lines, err := readPredictions(gold, predictions)
	if err != nil {
		return nil, nil, err
	}
	at := 0
	next = func(int) (prediction, error) {
		if at == len(lines) {
			return prediction{}, misfit(gold, predictions, lines)
		}
		at++
		return lines[at-1], nil
	}
	end = func() error {
		if at < len(lines) {
			return misfit(gold, predictions, lines)
		}
		return nil
	}
	return next, end, nil
}

// within checks that no key of predictions lies beyond the gold: they would be of
// another split.
func within(all map[int]prediction, gold, predictions string) error {
	want, err := goldCount(gold)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if key >= want {
			return fmt.Errorf("%s: has the key %q, expected none beyond the %d records of %s", predictions, strconv.Itoa(key), want, gold)
		}
	}
	return nil
}

// readPredictions reads the lines of a text of predictions: one for each record of
// gold, or one each but for the blank ones. Where no line is blank the records need
// not be counted beforehand.
func readPredictions(gold, path string) ([]prediction, error) {
	var lines []prediction
	dir, name := filepath.Split(path)
	for line, err := range readLines(dirFS(dir), name) {
		p := prediction{}
		if record, ok := errors.AsType[*RecordError](err); ok {
			p.problem, err = record.Err, nil
		}
		if err != nil {
			return nil, inDir(dir, err)
		}
		p.text, _, _ = strings.Cut(line.text, "\t")
		p.blank = line.text == "" && p.problem == nil
		lines = append(lines, p)
	}
	full := withoutBlank(lines)
	if len(full) == len(lines) {
		return lines, nil
	}
	want, err := goldCount(gold)
	switch {
	case err != nil:
		return nil, err
	case len(lines) == want:
		return lines, nil
	case len(full) == want:
		return full, nil
	}
	return nil, misfit(gold, path, lines)
}

func withoutBlank(lines []prediction) []prediction {
	return slices.DeleteFunc(slices.Clone(lines), func(p prediction) bool { return p.blank })
}

// misfit is the error of files with other numbers of records.
func misfit(gold, predictions string, lines []prediction) error {
	want, err := goldCount(gold)
	if err != nil {
		return err
	}
	blank := len(lines) - len(withoutBlank(lines))
	return fmt.Errorf("%s: has %d lines (%d of them blank), expected the %d of %s", predictions, len(lines), blank, want, gold)
}

// goldCount counts the questions of a file of gold SQL, good and bad.
func goldCount(path string) (n int, err error) {
	dir, name := filepath.Split(path)
	if !isJSON(path) {
		for line, err := range readLines(dirFS(dir), name) {
			if _, record := errors.AsType[*RecordError](err); err != nil && !record {
				return n, inDir(dir, err)
			}
			if line.text != "" || err != nil {
				n++
			}
		}
		return n, nil
	}
	r, closer, err := open(dirFS(dir), name)
	if err != nil {
		return 0, inDir(dir, err)
	}
	defer closer.Close()
	s := newScanner(r)
	err = eachRecord(s, name)(func(_ int, raw []byte, problem error) bool {
		if problem != nil {
			n++
		} else {
			n += questions(raw)
		}
		return true
	})
	if err != nil {
		return n, inDir(dir, broken(name, err))
	}
	return n, nil
}

// birdMark stands in BIRD's predictions between the SQL and the db_id.
const birdMark = "\t----- bird -----\t"

// readBIRD reads a JSON object of predictions by their keys.
func readBIRD(path string) (map[int]prediction, error) {
	dir, name := filepath.Split(path)
	r, closer, err := open(dirFS(dir), name)
	if err != nil {
		return nil, inDir(dir, err)
	}
	defer closer.Close()
	s := newScanner(r)
	all := map[int]prediction{}
	err = s.object(func(_ int, key string) (bool, error) {
		raw, problem, err := s.value()
		if err != nil {
			return false, err
		}
		index, err := strconv.Atoi(key)
		if err != nil || index < 0 {
			return false, fmt.Errorf("key %q, expected the index of a question", clip(key))
		}
		if _, twice := all[index]; twice {
			return false, fmt.Errorf("key %q stands twice, expected it once", key)
		}
		var text string
		if problem == nil {
			problem = decode(raw, &text)
		}
		sql, _, _ := strings.Cut(text, birdMark)
		all[index] = prediction{text: strings.TrimSpace(sql), problem: problem}
		return true, nil
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, broken(path, err)
	}
	return all, nil
}
