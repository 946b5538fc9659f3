package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
)

// Stream passes values to each, one at a time; every call begins with the first value. It calls
// report for each record that cannot be used, mostly with a [*RecordError], and for each [Note],
// and continues.
//
// The error means that reading cannot continue, or it is the first error that each returned,
// which ends the stream. Readers with the parameters report and each are streams of their file.
type Stream[T any] func(report func(error), each func(T) error) error

// Filter returns the values of a stream that keep accepts.
func (s Stream[T]) Filter(keep func(T) bool) Stream[T] {
	return func(report func(error), each func(T) error) error {
		return s(report, func(v T) error {
			if !keep(v) {
				return nil
			}
			return each(v)
		})
	}
}

// Tap returns the stream with a call of f before each value is passed on.
func (s Stream[T]) Tap(f func(T)) Stream[T] {
	return s.Filter(func(v T) bool {
		f(v)
		return true
	})
}

// WriteEach calls write for each value. An error of write is reported as a [*RecordError] of file,
// with the number of the value from 1, and the next value follows. Only an error of the stream or of
// the context ends it.
func (s Stream[T]) WriteEach(ctx context.Context, file string, report func(error), write func(T) error) error {
	n := 0
	return s(report, func(v T) error {
		n++
		err := write(v)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report(&RecordError{File: file, Record: n, Err: err})
		}
		return nil
	})
}

// UpToBreak reads a stream. If a file breaks off after usable values, these are used and the error
// is reported.
func UpToBreak[T any](stream Stream[T], report func(error), each func(T) error) error {
	used := false
	var failed error // of each, which may be a [*FileError] too
	err := stream(report, func(v T) error {
		used = true
		failed = each(v)
		return failed
	})
	if file, broken := errors.AsType[*FileError](err); broken && used && failed == nil {
		report(&RecordError{File: file.File, Record: file.Record, Err: fmt.Errorf("%w; what stands before is used", file.Err)})
		return nil
	}
	return err
}

// WithUnusable returns the values of a stream, and the zero value for each record that cannot be used, after
// its error was reported. isRecord reports whether an error is about such a record.
func (s Stream[T]) WithUnusable(isRecord func(error) bool) Stream[T] {
	return func(report func(error), each func(T) error) error {
		var failed error // of each; the stream ends at its next value
		err := s(func(err error) {
			report(err)
			if failed == nil && isRecord(err) {
				var none T
				failed = each(none)
			}
		}, func(v T) error {
			if failed != nil {
				return failed
			}
			return each(v)
		})
		return cmp.Or(failed, err)
	}
}

// errStopStream ends a stream early.
var errStopStream = errors.New("stopped")

// Pull returns an iterator over the values of a stream, as [iter.Pull2] does. If the stream ends
// with an error, the error comes last. The caller must call stop.
func Pull[T any](stream Stream[T], report func(error)) (next func() (T, error, bool), stop func()) {
	return iter.Pull2(func(yield func(T, error) bool) {
		err := stream(report, func(v T) error {
			if !yield(v, nil) {
				return errStopStream
			}
			return nil
		})
		if err != nil && err != errStopStream {
			var none T
			yield(none, err)
		}
	})
}

// First returns the first value of a stream; ok is false if it has none.
func First[T any](stream Stream[T], report func(error)) (v T, ok bool, err error) {
	err = stream(report, func(first T) error {
		v, ok = first, true
		return errStopStream
	})
	if ok {
		err = nil // it is errStopStream
	}
	return v, ok, err
}

// Raw is an undecoded record of a JSON file.
type Raw struct {
	File   string
	Number int    // from 1: element of an array, line, or member of an object
	Key    string // of a member
	JSON   []byte // good until the next record
}

// Problem returns what is wrong with the record as a [*RecordError].
func (r *Raw) Problem(err error) error { return &RecordError{File: r.File, Record: r.Number, Err: err} }

// RawRecords passes the records of a JSON file, plain, gzip or bzip2, to each: the elements of
// an array or, if the name ends in .jsonl or the file begins with an object, the lines that are
// not blank.
func RawRecords(path string, report func(error), each func(Raw) error) error {
	return scanFile(path, func(s *scanner) error {
		walk := recordWalk(strings.TrimSuffix(path, ".bz2")) // recordWalk trims .gz itself
		if first, err := s.nextByte(); err == nil {
			if s.r.UnreadByte(); first == '{' {
				walk = (*scanner).nonBlankLines
			}
		}
		return s.rawRecords(walk, path, report, each)
	})
}

// ArrayOrLines passes the records of an input to each, as [RawRecords] does, but decides by its content instead of its
// name: an input that begins with "[" is an array of records, and isElement is set; any other has one record per line.
func ArrayOrLines(in Input, report func(error), each func(raw Raw, isElement bool) error) error {
	return scanFile(in.Path, func(s *scanner) error {
		walk := (*scanner).nonBlankLines
		head, _ := s.r.Peek(512)
		isArray := bytes.HasPrefix(bytes.TrimSpace(head), []byte("["))
		if isArray {
			walk = (*scanner).eachElement
		}
		return s.rawRecords(walk, in.Name, report, func(raw Raw) error { return each(raw, isArray) })
	})
}

// rawRecords passes the records of the named file to each, and reports those that cannot be read.
func (s *scanner) rawRecords(walk recordWalkFunc, name string, report func(error), each func(Raw) error) error {
	return s.walkRecords(walk, name, func(i int, raw []byte, problem error) error {
		rec := Raw{File: name, Number: i, JSON: raw}
		if problem != nil {
			report(rec.Problem(problem))
			return nil
		}
		return each(rec)
	})
}

// Records parses every record of path and passes it to each. A record that parse rejects is
// reported and skipped.
func Records[T any](path string, report func(error), parse func(Raw) (T, error), each func(T) error) error {
	return RawRecords(path, report, func(raw Raw) error {
		v, err := parse(raw)
		if err != nil {
			report(raw.Problem(err))
			return nil
		}
		return each(v)
	})
}

// ExampleRecords parses the records of a file into examples and passes these to each, as [Records] does. It sets
// [Example.Index] to the position of the record.
func ExampleRecords(path string, report func(error), parse func(Raw) (*Example, error), each func(*Example) error) error {
	index := 0
	skip := func(err error) {
		index++ // of the record that is left out
		report(err)
	}
	return Records(path, skip, parse, func(ex *Example) error {
		ex.Index = index
		index++
		return each(ex)
	})
}

// Numbered returns a function that sets [Example.Index], counted from 0, before it calls each.
func Numbered(each func(*Example) error) func(*Example) error {
	index := -1
	return func(ex *Example) error {
		index++
		ex.Index = index
		return each(ex)
	}
}

// RawMembers passes the members of the JSON object in a file to each.
func RawMembers(path string, report func(error), each func(Raw) error) error {
	return scanFile(path, func(s *scanner) error {
		var failed error
		seen := map[string]bool{}
		err := s.eachMember(func(i int, key string) (bool, error) {
			raw, problem, err := s.nextValue()
			if err != nil {
				return false, err
			}
			if problem == nil && seen[key] {
				problem = errors.New("key stands twice, expected it once; this one is left out")
			}
			seen[key] = true
			rec := Raw{path, i, key, raw}
			if problem != nil {
				report(rec.Problem(problem))
				return true, nil
			}
			failed = each(rec)
			return failed == nil, nil
		})
		return s.endError(path, failed, err)
	})
}

// FirstMember returns the first usable member of the JSON object in a file; ok is false if it
// has none.
func FirstMember(path string) (Raw, bool, error) {
	members := func(report func(error), each func(Raw) error) error { return RawMembers(path, report, each) }
	return First(members, func(error) {}) // unusable members before it are skipped
}

// TextLines passes the lines of a text file, plain, gzip or bzip2, to each, without their line
// ends.
func TextLines(path string, report func(error), each func(TextLine) error) error {
	return scanFile(path, func(s *scanner) error {
		return s.walkRecords((*scanner).allLines, path, func(i int, raw []byte, problem error) error {
			if problem != nil {
				report(&RecordError{File: path, Record: i, Err: problem})
				return nil
			}
			return each(TextLine{i, strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")})
		})
	})
}

// scanFile opens a file and calls read with its scanner.
func scanFile(path string, read func(*scanner) error) error {
	r, closer, err := OpenText(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	return read(newScanner(r))
}

// recordWalkFunc passes the records of a file to f, until f returns false.
type recordWalkFunc = func(s *scanner, f func(i int, raw []byte, problem error) bool) error

// walkRecords passes all records to each, until each returns an error, which it returns
// unchanged. Any other error is a [FileError].
func (s *scanner) walkRecords(records recordWalkFunc, name string, each func(i int, raw []byte, problem error) error) error {
	var failed error
	err := records(s, func(i int, raw []byte, problem error) bool {
		failed = each(i, raw, problem)
		return failed == nil
	})
	return s.endError(name, failed, err)
}

// endError returns the error of reading a file: the caller's error failed, or else err, the
// error of the file. Without either, nothing may follow in the file.
func (s *scanner) endError(name string, failed, err error) error {
	if failed != nil {
		return failed
	}
	if err == nil {
		err = s.expectEnd()
	}
	if err != nil {
		return fileError(name, err)
	}
	return nil
}

// TextLine is a line of a text file.
type TextLine struct {
	Number int // from 1
	Text   string
}

// FirstFile returns the path of the first of the names that is a file of a folder; each is also
// tried with .gz and .bz2.
func FirstFile(dir string, names ...string) (string, error) {
	var all []string
	for _, n := range names {
		all = append(all, n, n+".gz", n+".bz2")
	}
	name, err := findFile(dir, all...)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}

// Once is a set of ids of records, each of which may occur only once.
type Once map[string]bool

// Check adds an id to the set, and returns an error if the set has it already; an empty id may be repeated. name
// is what the error calls the id, such as `db_id "concerts"`.
func (o Once) Check(id, name string) error {
	if id != "" && o[id] {
		return fmt.Errorf("%s is there already, expected each once; this one is left out", name)
	}
	o[id] = true
	return nil
}
