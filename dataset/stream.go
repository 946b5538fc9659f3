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
	return func(yield func(Raw, error) bool) {
		r, closer, err := OpenText(path)
		if err != nil {
			yield(Raw{}, err)
			return
		}
		defer closer.Close()
		s, stopped := newScanner(r), false
		each := eachRecord(s, strings.TrimSuffix(path, ".bz2"))
		if first, err := s.token(); err == nil {
			if s.r.UnreadByte(); first == '{' {
				each = s.lines
			}
		}
		err = each(func(i int, raw []byte, problem error) bool {
			if problem != nil {
				stopped = !yield(Raw{Number: i}, &RecordError{File: path, Record: i, Err: problem})
			} else {
				stopped = !yield(Raw{Number: i, JSON: raw}, nil)
			}
			return !stopped
		})
		if err == nil && !stopped {
			err = s.end()
		}
		if err != nil && !stopped {
			yield(Raw{}, broken(path, err))
		}
	}
}

// RawMembers yields the members of the JSON object that a file holds.
func RawMembers(path string) iter.Seq2[Raw, error] {
	return func(yield func(Raw, error) bool) {
		r, closer, err := OpenText(path)
		if err != nil {
			yield(Raw{}, err)
			return
		}
		defer closer.Close()
		s, stopped := newScanner(r), false
		seen := map[string]bool{}
		err = s.object(func(i int, key string) (bool, error) {
			raw, problem, err := s.value()
			if err != nil {
				return false, err
			}
			if problem == nil && seen[key] {
				problem = errors.New("key stands twice, expected it once; this one is left out")
			}
			seen[key] = true
			if problem != nil {
				stopped = !yield(Raw{Number: i, Key: key}, &RecordError{File: path, Record: i, Err: problem})
			} else {
				stopped = !yield(Raw{i, key, raw}, nil)
			}
			return !stopped, nil
		})
		if err == nil && !stopped {
			err = s.end()
		}
		if err != nil && !stopped {
			yield(Raw{}, broken(path, err))
		}
	}
}

// TextLines yields the lines of a text file, plain, gzip or bzip2, without the
// line ends; errors are as in [RawRecords].
func TextLines(path string) iter.Seq2[TextLine, error] {
	return func(yield func(TextLine, error) bool) {
		r, closer, err := OpenText(path)
		if err != nil {
			yield(TextLine{}, err)
			return
		}
		defer closer.Close()
		more := true
		err = newScanner(r).allLines(func(i int, raw []byte, problem error) bool {
			if problem != nil {
				more = yield(TextLine{Number: i}, &RecordError{File: path, Record: i, Err: problem})
			} else {
				more = yield(TextLine{i, trimLineEnd(string(raw))}, nil)
			}
			return more
		})
		if err != nil && more {
			yield(TextLine{}, broken(path, err))
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
