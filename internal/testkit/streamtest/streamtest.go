// Package streamtest lets tests range over streams: values with what is reported between them.
package streamtest

import (
	"errors"
	"iter"

	"github.com/tabperturb/tabperturb/dataset"
)

var errStopped = errors.New("stopped")

// All yields the values of a stream, what it reports, and last the error with which it ends.
func All[T any](stream func(report func(error), each func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		more := true
		give := func(v T, err error) error {
			if more = more && yield(v, err); !more {
				return errStopped
			}
			return nil
		}
		var none T
		err := stream(func(err error) { _ = give(none, err) }, func(v T) error { return give(v, nil) })
		if err != nil && more {
			yield(none, err)
		}
	}
}

// File is [All] of a file.
func File[T any](read func(path string, report func(error), each func(T) error) error, path string) iter.Seq2[T, error] {
	return All(func(report func(error), each func(T) error) error { return read(path, report, each) })
}

// Plain is [File] of a reader that has nothing to report.
func Plain[T any](read func(path string, each func(T) error) error, path string) iter.Seq2[T, error] {
	return All(func(_ func(error), each func(T) error) error { return read(path, each) })
}

// Of returns the stream of some values and errors: those of records are reported, any other
// ends it.
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
