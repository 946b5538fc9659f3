package retriever

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// readTabFact reads a file of one table: fields separated by # without quotes, header first.
// The table's id is the file's name, as in TabFact's split files.
func readTabFact(in *input) error {
	id := path.Base(in.name)
	t := raw{id: id, caption: in.captions[id]}
	r := bufio.NewReader(in.r)
	if err := checkText(r); err != nil {
		return in.reportBad(0, err)
	}
	var lines []string
	size := 0
	err := in.eachLine(r, func(n int, line []byte) error {
		size += len(line)
		if lines = append(lines, string(line)); len(lines) > in.lim.Rows {
			return errEnough
		}
		return nil
	})
	switch {
	case err != nil && err != errEnough:
		return err
	case len(lines) == 0:
		return in.reportBad(0, fmt.Errorf("file is empty: %w", ErrNoHeader))
	}
	columns := in.lim.Columns
	return in.emitParsed(0, size, func() (raw, error) {
		for i, line := range lines {
			fields := strings.SplitN(line, "#", columns+1) // field columns+1 is the rest of the line, which is dropped
			fields = fields[:min(len(fields), columns)]
			if i == 0 {
				t.header = fields
			} else {
				t.rows = append(t.rows, fields)
			}
		}
		return t, nil
	})
}

// errEnough ends reading a file when the sample has enough rows.
var errEnough = errors.New("sample is full")

// findCaptions returns TabFact's captions by file name. They are in table_to_page.json(.gz), in the folder at the path name or in one
// of the two folders above it. Without the file the result is nil.
func findCaptions(fsys fs.FS, name string, lim Limits) (map[string]string, error) {
	for _, dir := range []string{name, path.Dir(name), path.Dir(path.Dir(name))} {
		for _, file := range []string{"table_to_page.json", "table_to_page.json.gz"} {
			f, err := fsys.Open(path.Join(dir, file))
			if err != nil {
				continue
			}
			defer f.Close()
			captions, err := readCaptions(f, strings.HasSuffix(file, ".gz"), lim)
			if err != nil {
				return nil, fmt.Errorf("%s: expected an object of [caption, page] by table file: %w", path.Join(dir, file), err)
			}
			return captions, nil
		}
	}
	return nil, nil
}

// readCaptions reads an object of [caption, page] by file name.
func readCaptions(r io.Reader, zipped bool, lim Limits) (map[string]string, error) {
	if zipped {
		zr, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = zr
	}
	data, err := readAll(r, lim.MemberBytes)
	if err != nil {
		return nil, err
	}
	var pages map[string][]string
	if err := json.Unmarshal(data, &pages); err != nil {
		return nil, err
	}
	captions := make(map[string]string, len(pages))
	for file, page := range pages {
		if len(page) > 0 {
			captions[file] = page[0]
		}
	}
	return captions, nil
}
