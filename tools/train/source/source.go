// Package source reads the files that models and vectors are made from.
package source

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
)

// MaxLine bounds a line, in bytes.
const MaxLine = 8 << 20

// Open opens a file, which may be gzip.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := packed.Plain(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}

// Lines calls do with each line of a file, numbered from 1, until it fails.
func Lines(ctx context.Context, path string, do func(n int, line string) error) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	s := bufio.NewScanner(r)
	s.Buffer(nil, MaxLine)
	n := 0
	for s.Scan() {
		n++
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(n, s.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	return nil
}
