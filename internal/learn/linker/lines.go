package linker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tabperturb/tabperturb/dataset"
)

// maxLine bounds a line of a file of items, in bytes.
const maxLine = 4 << 20

// ReadLines reads a file that [Writer] wrote, or a file of links, whose items get probability 1. It returns
// the lines by the index of their question, and reports lines that are neither.
func ReadLines(in dataset.Input, report func(error)) (map[int]Line, error) {
	f, err := os.Open(in.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := map[int]Line{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxLine)
	n := 0
	for s.Scan() {
		n++
		line, err := readLine(s.Bytes())
		if _, twice := lines[line.Index]; err == nil && twice {
			err = fmt.Errorf("index %d is there already, expected each once; this one is left out", line.Index)
		}
		if err != nil {
			report(&dataset.RecordError{File: in.Name, Record: n, Err: err})
			continue
		}
		lines[line.Index] = line
	}
	if err := s.Err(); err != nil {
		return nil, &dataset.FileError{File: in.Name, Record: n + 1, Err: err}
	}
	return lines, nil
}

// readLine parses a line of items, or of links, whose items get probability 1.
func readLine(text []byte) (Line, error) {
	const expected = `expected an object with "index", "db_id" and "items" or "links"`
	var rec struct {
		Index *int
		DB    *string `json:"db_id"`
		Items []Item
		Links []Item
	}
	if err := json.Unmarshal(text, &rec); err != nil {
		return Line{}, fmt.Errorf("%w, %s", err, expected)
	}
	if rec.Index == nil || rec.DB == nil || rec.Items == nil && rec.Links == nil {
		return Line{}, errors.New("lacks a key, " + expected)
	}
	for _, l := range rec.Links {
		rec.Items = append(rec.Items, Item{Table: l.Table, Column: l.Column, P: 1})
	}
	for i, it := range rec.Items {
		if it.Table == "" || !(it.P >= 0 && it.P <= 1) {
			return Line{}, fmt.Errorf(`item %d: expected a "table" and a "p" of 0 to 1`, i+1)
		}
	}
	return Line{*rec.Index, *rec.DB, rec.Items}, nil
}
