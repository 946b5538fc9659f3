package dataset

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// ReadGold reads gold SQL: a split as [ReadExamples] does if the name ends in .json or .jsonl,
// else lines "SQL TAB db_id" as the official evaluators read them. The examples of lines have no
// question. Blank lines separate interactions, whose turns are then numbered.
//
// Several blank lines count as one; the official evaluator would count an additional interaction
// and judge it right.
func ReadGold(path string, report func(error), each func(*Example) error) error {
	if isJSONFile(path) {
		return ReadExamples(path, report, each)
	}
	interactions, err := hasBlankSeparators(path)
	if err != nil {
		return err
	}
	index, interaction, turn, blank := 0, 0, 0, true // blank: the line before is blank, or there is none
	return readLines(path, func(l line) error {
		if l.blank() {
			blank = true
			return nil
		}
		if turn++; blank { // the first line of an interaction
			interaction, turn, blank = interaction+1, 1, false
		}
		index++
		ex, err := l.gold()
		if err != nil {
			report(&RecordError{File: path, Record: l.number, Err: err})
			return nil
		}
		if ex.Index = index - 1; interactions {
			ex.Interaction, ex.Turn = interaction, turn
		}
		return each(ex)
	})
}

// hasBlankSeparators reports whether a file has a blank line between two other lines.
func hasBlankSeparators(path string) (separated bool, err error) {
	hasText, isGap := false, false // a line with text was read; the last line is a blank one after such a line
	err = readLines(path, func(l line) error {
		separated = separated || isGap && !l.blank()
		isGap = hasText && l.blank()
		hasText = hasText || !l.blank()
		return nil
	})
	return separated, err
}

// gold returns the example of a line "SQL TAB db_id", without a question.
func (l *line) gold() (*Example, error) {
	if l.problem != nil {
		return nil, l.problem
	}
	query, db, found := strings.Cut(l.text, "\t")
	query, db = strings.TrimSpace(query), strings.TrimSpace(db)
	if !found || query == "" || db == "" {
		return nil, errors.New("holds no tab between two texts, expected SQL, a tab and a db_id")
	}
	return &Example{DB: db, Query: query}, nil
}

// isJSONFile reports whether a file is JSON by its name, which may end in .gz.
func isJSONFile(name string) bool {
	return slices.Contains([]string{".json", ".jsonl"}, filepath.Ext(strings.TrimSuffix(name, ".gz")))
}

// line is a line of a text file without the blanks around it.
type line struct {
	number  int // from 1
	text    string
	problem error // it is too large or not UTF-8
}

// blank reports whether a line is empty but for blanks.
func (l *line) blank() bool { return l.text == "" && l.problem == nil }

// readLines passes the lines of a text file, plain or gzip, to each. A line that cannot be read has a problem and no text.
func readLines(path string, each func(line) error) error {
	return scanFile(path, func(s *scanner) error {
		return s.walkRecords((*scanner).allLines, path, func(i int, raw []byte, problem error) error {
			if problem != nil {
				raw = nil
			}
			return each(line{i, strings.TrimSpace(string(raw)), problem})
		})
	})
}
