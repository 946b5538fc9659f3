package dataset

import (
	"errors"
	"iter"
	"path/filepath"
	"strings"
)

// Raw is a record of a JSON file as it stands there.
type Raw struct {
	Number int    // from 1: element of an array, line, or member of an object
	Key    string // of a member
	JSON   []byte // good until the next record
}

// RawRecords yields the records of a JSON file: the elements of an array, or the
// lines that are not blank where the name ends in .jsonl or the file begins with an
// object; plain, gzip or bzip2.
// Errors are as in [ReadTables], with the whole path: the record of a [*RecordError]
// cannot be read, any other error is the last.
func RawRecords(path string) iter.Seq2[Raw, error] {
	return stream(path, func(s *scanner, yield func(Raw, error) bool) error {
		each := eachRecord(s, strings.TrimSuffix(path, ".bz2"))
		if first, err := s.token(); err == nil {
			if s.r.UnreadByte(); first == '{' {
				each = s.lines
			}
		}
		err := each(func(i int, raw []byte, problem error) bool {
			if problem != nil {
				return yield(Raw{Number: i}, &RecordError{File: path, Record: i, Err: problem})
			}
			return yield(Raw{Number: i, JSON: raw}, nil)
		})
		if err == nil {
			err = s.end()
		}
		return err
	})
}

// RawMembers yields the members of the JSON object that a file holds.
func RawMembers(path string) iter.Seq2[Raw, error] {
	return stream(path, func(s *scanner, yield func(Raw, error) bool) error {
		seen := map[string]bool{}
		err := s.object(func(i int, key string) (bool, error) {
			raw, problem, err := s.value()
			if err != nil {
				return false, err
			}
			if problem == nil && seen[key] {
				problem = errors.New("key stands twice, expected it once; this one is left out")
			}
			seen[key] = true
			if problem != nil {
				return yield(Raw{Number: i, Key: key}, &RecordError{File: path, Record: i, Err: problem}), nil
			}
			return yield(Raw{i, key, raw}, nil), nil
		})
		if err == nil {
			err = s.end()
		}
		return err
	})
}

// TextLines yields the lines of a text file, plain, gzip or bzip2, without the
// line ends; errors are as in [RawRecords].
func TextLines(path string) iter.Seq2[TextLine, error] {
	return stream(path, func(s *scanner, yield func(TextLine, error) bool) error {
		return s.allLines(func(i int, raw []byte, problem error) bool {
			if problem != nil {
				return yield(TextLine{Number: i}, &RecordError{File: path, Record: i, Err: problem})
			}
			return yield(TextLine{i, trimLineEnd(string(raw))}, nil)
		})
	})
}

// stream yields what run finds in a file. An error of run is about the file as it goes
// on, and is yielded last.
func stream[T any](path string, run func(s *scanner, yield func(T, error) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		r, closer, err := OpenText(path)
		if err != nil {
			yield(none, err)
			return
		}
		defer closer.Close()
		more := true
		err = run(newScanner(r), func(v T, err error) bool {
			more = yield(v, err)
			return more
		})
		if err != nil && more {
			yield(none, broken(path, err))
		}
	}
}

// TextLine is a line of a text file.
type TextLine struct {
	Number int // from 1
	Text   string
}

func trimLineEnd(s string) string {
	if n := len(s); n > 0 && s[n-1] == '\n' {
		s = s[:n-1]
	}
	if n := len(s); n > 0 && s[n-1] == '\r' {
		s = s[:n-1]
	}
	return s
}

// Decode reads a JSON record into v; the error says in a reader's words what is
// wrong with it.
func Decode(raw []byte, v any) error { return decode(raw, v) }

// Missing is the error of a record without a key that must be there.
func Missing(key string) error { return missing(key) }

// Clip shortens text from a file for a message.
func Clip(s string) string { return clip(s) }

// FirstFile returns the path of the first of some names that is a file of a folder,
// each tried plain, .gz and .bz2; the error names them.
func FirstFile(dir string, names ...string) (string, error) {
	var all []string
	for _, n := range names {
		all = append(all, n, n+".gz", n+".bz2")
	}
	name, err := find(dirFS(dir), all...)
	if err != nil {
		return "", inDir(dir, err)
	}
	return filepath.Join(dir, name), nil
}
