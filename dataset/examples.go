package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"
)

// exampleRecord is one element of a split. Fields not named here are read over.
type exampleRecord struct {
	DB       *string  `json:"db_id"`
	Question *string  `json:"question"`
	Query    *string  `json:"query"`
	Tokens   []string `json:"question_toks"`
}

// ReadExamples reads a split: an array as in Spider's dev.json, or one object a
// line where the name ends in .jsonl; plain or gzip. It yields an example or an
// error a time, as [ReadTables] does. A record that is left out keeps its index.
func ReadExamples(fsys fs.FS, name string) iter.Seq2[*Example, error] {
	return func(yield func(*Example, error) bool) {
		r, closer, err := open(fsys, name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer closer.Close()
		DecodeExamples(r, name)(yield)
	}
}

// DecodeExamples is [ReadExamples] on a reader; whether it holds an array or
// lines is told by the name, which is also for messages.
func DecodeExamples(r io.Reader, name string) iter.Seq2[*Example, error] {
	return func(yield func(*Example, error) bool) {
		s := newScanner(r)
		stopped := false
		err := eachRecord(s, name)(func(i int, raw []byte, problem error) bool {
			ex, err := decodeExample(raw, problem)
			if err != nil {
				stopped = !yield(nil, &RecordError{File: name, Record: i, Err: err})
			} else {
				ex.Index = i - 1
				stopped = !yield(ex, nil)
			}
			return !stopped
		})
		if err == nil && !stopped {
			err = s.end()
		}
		if err != nil && !stopped {
			yield(nil, broken(name, err))
		}
	}
}

// eachRecord returns how to go over the records of a file of this name: the elements
// of an array or lines.
func eachRecord(s *scanner, name string) func(func(i int, raw []byte, problem error) bool) error {
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") {
		return s.lines
	}
	return s.array
}

func decodeExample(raw []byte, problem error) (*Example, error) {
	if problem != nil {
		return nil, problem
	}
	var rec exampleRecord
	if err := decode(members(raw, "db_id", "question", "query", "question_toks"), &rec); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name  string
		value *string
	}{{"db_id", rec.DB}, {"question", rec.Question}, {"query", rec.Query}} {
		if f.value == nil {
			return nil, missing(f.name)
		}
		if strings.TrimSpace(*f.value) == "" {
			return nil, fmt.Errorf("%q is empty, expected text", f.name)
		}
	}
	return &Example{DB: *rec.DB, Question: *rec.Question, Query: *rec.Query, Tokens: rec.Tokens}, nil
}

// lines calls f with each line that is not blank; i counts all lines.
func (s *scanner) lines(f func(i int, raw []byte, problem error) bool) error {
	return s.allLines(func(i int, raw []byte, problem error) bool {
		return !s.large && len(bytes.TrimSpace(raw)) == 0 || f(i, raw, problem)
	})
}

// allLines calls f with each line, until f returns false; i counts from 1.
func (s *scanner) allLines(f func(i int, raw []byte, problem error) bool) error {
	for i := 1; ; i++ {
		s.buf, s.large = s.buf[:0], false
		var err error
		for {
			var part []byte
			part, err = s.r.ReadSlice('\n')
			if len(s.buf)+len(part) <= s.max {
				s.buf = append(s.buf, part...)
			} else {
				s.large = true
			}
			if err != bufio.ErrBufferFull {
				break
			}
		}
		if err != nil && err != io.EOF {
			return &elementError{i, err}
		}
		var problem error
		switch {
		case s.large:
			problem = errTooLarge
		case !utf8.Valid(s.buf):
			problem = errNotUTF8
		}
		last := err == io.EOF
		if last && len(s.buf) == 0 && !s.large || !f(i, s.buf, problem) || last {
			return nil
		}
	}
}
