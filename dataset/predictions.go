package dataset

import (
	"fmt"
	"maps"
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
// The prediction for a record of the gold that cannot be used is passed over. Files that
// do not fit together are an error, at the latest behind the last pair.
func Pairs(gold, predictions string) Stream[*Pair] {
	return func(report func(error), each func(*Pair) error) error {
		if joined, _ := IsAnswers(predictions); joined {
			return answered(gold, predictions, report, each)
		}
		next, end, stop, err := matcher(gold, predictions)
		if err != nil {
			return err
		}
		defer stop()
		leftOut := func(err error) {
			for range turnsLost(err) {
				next(-1)
			}
			report(err)
		}
		err = ReadGold(gold, leftOut, func(ex *Example) error {
			p, err := next(ex.Index)
			if err != nil {
				return err
			}
			return each(&Pair{ex, p.text, p.problem})
		})
		if err != nil {
			return err
		}
		return end()
	}
}

// prediction is one record of a file of predictions.
type prediction struct {
	text    string
	problem error
}

// matcher opens a file of predictions. The function next returns the prediction
// for the gold record of an index; -1 passes one record over. The function end says
// whether there are more predictions than records.
func matcher(gold, predictions string) (next func(index int) (prediction, error), end func() error, stop func(), err error) {
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
		return next, func() error { return nil }, func() {}, err
	}
	skipBlank, err := fit(gold, predictions)
	if err != nil {
		return nil, nil, nil, err
	}
	pull, stop := predictionLines(predictions, skipBlank)
	next = func(int) (prediction, error) {
		p, err, ok := pull()
		if !ok {
			err = misfit(gold, predictions)
		}
		return p, err
	}
	end = func() error {
		if _, _, more := pull(); more {
			return misfit(gold, predictions)
		}
		return nil
	}
	return next, end, stop, nil
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

// shape counts the lines of a text: all of them, and those that are not blank.
type shape struct{ lines, full int }

func shapeOf(path string) (s shape, err error) {
	err = eachLine(path, func(l line) error {
		s.lines++
		if !l.blank() {
			s.full++
		}
		return nil
	})
	return s, err
}

// fit tells how the lines of predictions belong to the records of gold: one
// each, or one each but for the blank ones. Where no line is blank the records need
// not be counted beforehand.
func fit(gold, predictions string) (skipBlank bool, err error) {
	pred, err := shapeOf(predictions)
	if err != nil || pred.lines == pred.full {
		return false, err
	}
	want, err := goldCount(gold)
	switch {
	case err != nil:
		return false, err
	case pred.lines == want:
		return false, nil
	case pred.full == want:
		return true, nil
	}
	return false, misfit(gold, predictions)
}

// misfit is the error of files with other numbers of records.
func misfit(gold, predictions string) error {
	pred, err := shapeOf(predictions)
	if err != nil {
		return err
	}
	want, err := goldCount(gold)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: has %d lines (%d of them blank), expected the %d of %s", predictions, pred.lines, pred.lines-pred.full, want, gold)
}

// goldCount counts the questions of a file of gold SQL, good and bad.
func goldCount(path string) (n int, err error) {
	if !isJSON(path) {
		s, err := shapeOf(path)
		return s.full, err
	}
	err = readFile(path, func(s *scanner) error {
		return s.over(recordsOf(path), path, func(_ int, raw []byte, problem error) error {
			if problem != nil {
				n++
			} else {
				n += questions(raw)
			}
			return nil
		})
	})
	return n, err
}

// predictionLines returns the lines of a text in turn.
func predictionLines(path string, skipBlank bool) (next func() (prediction, error, bool), stop func()) {
	return Pull(func(_ func(error), each func(prediction) error) error {
		return eachLine(path, func(l line) error {
			if skipBlank && l.blank() {
				return nil
			}
			text, _, _ := strings.Cut(l.text, "\t")
			return each(prediction{text, l.problem})
		})
	}, nil)
}

// birdMark stands in BIRD's predictions between the SQL and the db_id.
const birdMark = "\t----- bird -----\t"

// readBIRD reads a JSON object of predictions by their keys.
func readBIRD(path string) (map[int]prediction, error) {
	all := map[int]prediction{}
	err := readFile(path, func(s *scanner) error {
		return s.ended(path, nil, s.object(func(_ int, key string) (bool, error) {
			raw, problem, err := s.value()
			if err != nil {
				return false, err
			}
			index, err := strconv.Atoi(key)
			if err != nil || index < 0 {
				return false, fmt.Errorf("key %q, expected the index of a question", Clip(key))
			}
			if _, twice := all[index]; twice {
				return false, fmt.Errorf("key %q stands twice, expected it once", key)
			}
			var text string
			if problem == nil {
				problem = Decode(raw, &text)
			}
			sql, _, _ := strings.Cut(text, birdMark)
			all[index] = prediction{strings.TrimSpace(sql), problem}
			return true, nil
		}))
	})
	return all, err
}
