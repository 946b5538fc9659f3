// Package tsv reads lines of fields that tabs separate, without quotes or a header.
package tsv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line, in bytes.
const maxLine = 1 << 20

// Each passes the fields of every line to f, with the number of the line from 1. It stops at the first error
// of f, at a line that is not UTF-8, and at one that is too long; name is for messages.
func Each(name string, r io.Reader, f func(row int, fields []string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	row := 0
	for s.Scan() {
		row++
		if !utf8.Valid(s.Bytes()) {
			return fmt.Errorf("%s:%d: text is not UTF-8, expected UTF-8", name, row)
		}
		if err := f(row, strings.Split(strings.TrimSuffix(s.Text(), "\r"), "\t")); err != nil {
			return err
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: line is longer than %d MiB, expected less", name, row+1, maxLine>>20)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", name, row+1, err)
	}
	return nil
}
