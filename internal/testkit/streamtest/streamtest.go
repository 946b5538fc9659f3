// Package streamtest lets tests range over streams: values with what is reported between them.
package streamtest

import (
	"errors"
	"iter"

	"github.com/tabperturb/tabperturb/dataset"
)

var errStopped = errors.New("stopped")

// All returns a sequence of the values of a stream and the errors that it reports, in their order, and last the error with
// which it ends, if any. A loop that breaks stops the stream at its next value.
func All[T any](stream func(report func(error), each func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		more := true // the loop goes on
		send := func(v T, err error) error {
			if more = more && yield(v, err); !more {
				return errStopped
			}
			return nil
		}
		var none T
		err := stream(func(err error) { _ = send(none, err) }, func(v T) error { return send(v, nil) })
		if err != nil && more {
			yield(none, err)
		}
	}
}

// AllOfFile yields the values and errors of read(path), as [All] does.
func AllOfFile[T any](read func(path string, report func(error), each func(T) error) error, path string) iter.Seq2[T, error] {
	return All(func(report func(error), each func(T) error) error { return read(path, report, each) })
}

// AllOfPlainFile yields the values and errors of read(path), as [All] does, for a read that takes no report.
func AllOfPlainFile[T any](read func(path string, each func(T) error) error, path string) iter.Seq2[T, error] {
	return All(func(_ func(error), each func(T) error) error { return read(path, each) })
}

// Of returns a stream of the values and errors of seq. It reports each *[dataset.RecordError] and ends with the first
// other error.
func Of[T any](seq iter.Seq2[T, error]) dataset.Stream[T] {
	return func(report func(error), each func(T) error) error {
		for v, err := range seq {
			if _, ok := errors.AsType[*dataset.RecordError](err); ok {
				report(err)
				continue
			}
			if err == nil {
				err = each(v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
