package verdict

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// Levels returns Spider's levels of hardness, from the easiest.
func Levels() []string { return []string{"easy", "medium", "hard", "extra"} }

// File is a file of verdicts: one model's predictions under some metrics.
type File struct {
	Name    string   // the file, for messages
	Metrics []string // in the order of the columns
	Rows    []Row
	Records int // rows in the file, with those left out
}

// Row holds the verdicts on one prediction.
type Row struct {
	Index    int    // of the example, from 0
	DB       string // db_id
	Hardness string // one of [Levels], or "-" if it is not known
	Verdicts []Verdict
}

// maxLine bounds a line of a verdict file: its reason may quote an engine.
const maxLine = 1 << 20

// Read reads a file of `tabperturb eval --verdicts`: tab-separated, with
// a header "index", "db_id", "hardness", one column per metric, "reason". A row that
// cannot be used is reported and left out. The name is for messages.
func Read(r io.Reader, name string, report func(error)) (v *File, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	v = &File{Name: name}
	if !s.Scan() {
		if err := s.Err(); err != nil {
			return nil, fmt.Errorf("%s:1: %w", name, err)
		}
		return nil, fmt.Errorf("%s: is empty, expected a header of index, db_id, hardness, metrics and reason", name)
	}
	if v.Metrics, err = parseHeader(s.Text()); err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	seen := map[int]bool{}
	line := 1
	for s.Scan() {
		line++
		v.Records++
		row, err := v.parseRow(s.Text())
		if err == nil && seen[row.Index] {
			err = fmt.Errorf("index %d occurs twice, expected once", row.Index)
		}
		if err != nil {
			report(&dataset.RecordError{File: name, Record: line, Err: err})
			continue
		}
		seen[row.Index] = true
		v.Rows = append(v.Rows, row)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return v, nil
}

// leadingColumns are the columns before those of the metrics.
var leadingColumns = []string{"index", "db_id", "hardness"}

// parseHeader returns the metrics that the header of a file names.
func parseHeader(line string) ([]string, error) {
	columns := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
	n := len(columns) - 1
	if n <= len(leadingColumns) || !slices.Equal(columns[:len(leadingColumns)], leadingColumns) || columns[n] != "reason" {
		return nil, fmt.Errorf("header %.80q, expected index, db_id, hardness, one metric or more, reason", line)
	}
	metrics := columns[len(leadingColumns):n]
	for i, m := range metrics {
		if m == "" || slices.Contains(metrics[:i], m) {
			return nil, fmt.Errorf("metric %.80q, expected different names that are not empty", m)
		}
	}
	return metrics, nil
}

// parseRow parses a line after the header. It does not keep the reason, the last column.
func (v *File) parseRow(line string) (row Row, err error) {
	fields := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
	if want := len(leadingColumns) + len(v.Metrics) + 1; len(fields) != want {
		return row, fmt.Errorf("%d columns, expected %d", len(fields), want)
	}
	row.DB, row.Hardness = fields[1], fields[2]
	if row.Index, err = strconv.Atoi(fields[0]); err != nil || row.Index < 0 {
		return row, fmt.Errorf("index %.80q, expected a number from 0", fields[0])
	}
	if row.Hardness != "-" && !slices.Contains(Levels(), row.Hardness) {
		return row, fmt.Errorf("hardness %.80q, expected one of %s or -", row.Hardness, strings.Join(Levels(), ", "))
	}
	row.Verdicts = make([]Verdict, len(v.Metrics))
	for i, f := range fields[len(leadingColumns) : len(fields)-1] {
		var ok bool
		if row.Verdicts[i], ok = FromMark(f); !ok {
			return row, fmt.Errorf("%s %.80q, expected 1, 0 or -", v.Metrics[i], f)
		}
	}
	return row, nil
}
