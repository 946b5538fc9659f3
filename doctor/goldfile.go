package doctor

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// maxLine bounds a line of a gold file, in bytes; sqlast takes no longer SQL.
const maxLine = 1 << 20

// readGold reads a file of lines "SQL TAB db_id", plain or gzip. Its examples
// have no question. Blank lines, which part the interactions of multi-turn data
// sets, count but hold none.
func readGold(path string) iter.Seq2[*dataset.Example, error] {
	return func(yield func(*dataset.Example, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		r, err := unpacked(f)
		if err != nil {
			yield(nil, &dataset.FileError{File: path, Err: err})
			return
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		i := 0
		for ; lines.Scan(); i++ {
			line := strings.TrimSpace(lines.Text())
			if line == "" {
				continue
			}
			ex, err := goldLine(line, i)
			if err != nil {
				err = &dataset.RecordError{File: path, Record: i + 1, Err: err}
			}
			if !yield(ex, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, &dataset.FileError{File: path, Record: i + 1, Err: err})
		}
	}
}

func goldLine(line string, i int) (*dataset.Example, error) {
	tab := strings.LastIndexByte(line, '\t')
	sql, db := strings.TrimSpace(line[:max(tab, 0)]), strings.TrimSpace(line[tab+1:])
	if sql == "" || db == "" {
		return nil, errors.New("line lacks SQL or db_id, expected both with a tab between them")
	}
	return &dataset.Example{Index: i, DB: db, Query: sql}, nil
}

// unpacked looks at the content rather than at the name.
func unpacked(f io.Reader) (io.Reader, error) {
	r := bufio.NewReader(f)
	if head, err := r.Peek(2); err != nil || head[0] != 0x1f || head[1] != 0x8b {
		return r, nil
	}
	return gzip.NewReader(r)
}
