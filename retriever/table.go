package retriever

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Table is a web table, or a table of a database: its headers and a sample of its cells.
type Table struct {
	ID         string // unique within its source: a path in the corpus, or the id that the record states
	Caption    string // caption, page title or both; of a table of a database its name as words; may be empty
	Source     string // name of the corpus
	Repository string // the project that a table of a database comes from; empty for a web table
	Columns    []Column
}

// Column is one column of a table. The columns of a table have equally many
// cells; row i of the sample is cell i of each.
type Column struct {
	Name  string // header as the corpus has it, cleaned; never empty
	Type  dataset.Type
	Key   bool // each row has another value: declared as a key on its own, or so in the sample
	Cells []string
}

// Rows is the number of rows in the sample.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return 0
	}
	return len(t.Columns[0].Cells)
}

// Headers returns the names of the columns.
func (t *Table) Headers() []string {
	return lists.Map(t.Columns, func(c Column) string { return c.Name })
}

// Keys returns the names of the columns that are keys.
func (t *Table) Keys() []string {
	keys := lists.Filter(t.Columns, func(c Column) bool { return c.Key })
	return lists.Map(keys, func(c Column) string { return c.Name })
}

// Limits bounds what is read from a corpus, which is untrusted. A field of 0 means its
// default.
type Limits struct {
	CellRunes    int   // characters of a cell, the rest is cut; default 200
	HeaderRunes  int   // characters of a header, the rest is cut; default 100
	CaptionRunes int   // characters of a caption or id, the rest is cut; default 300
	Columns      int   // columns of a table, the rest is dropped; default 50
	Rows         int   // rows in the sample of a table, the rest is not read; default 20
	RecordBytes  int64 // bytes of a line, JSON value or caption file; larger is an error; default 16 MiB
	MemberBytes  int64 // bytes of a nested file that is read whole (zip and Parquet in an archive); default 256 MiB
	TotalBytes   int64 // bytes read from a corpus after decompression; more ends the stream; default 1 TiB
	Workers      int   // batches that are parsed concurrently; default one for each core

	// Context ends the stream when it is done. The consumer alone could not end the
	// stream of a corpus of bad records, as it gets no table then. Nil is never done.
	Context context.Context
}

// withDefaults returns the limits with every field set.
func (l Limits) withDefaults() Limits {
	setDefault(&l.CellRunes, 200)
	setDefault(&l.HeaderRunes, 100)
	setDefault(&l.CaptionRunes, 300)
	setDefault(&l.Columns, 50)
	setDefault(&l.Rows, 20)
	setDefault(&l.RecordBytes, 16<<20)
	setDefault(&l.MemberBytes, 256<<20)
	setDefault(&l.TotalBytes, 1<<40)
	setDefault(&l.Workers, runtime.GOMAXPROCS(0))
	if l.Context == nil {
		l.Context = context.Background()
	}
	return l
}

// setDefault sets a field to value if it is 0 or negative.
func setDefault[T int | int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// ErrNoHeader is the error of a table without headers that could name columns: the corpus
// declares none, or none has a letter.
var ErrNoHeader = errors.New("table has no header")

// TableError is the error of one table that could not be read. The stream goes on after it.
type TableError struct {
	File   string // path as given, with the path inside an archive
	Record int    // record, line or row in File, from 1; 0 for the file as a whole
	Err    error
}

// Error returns the message with file and record before it.
func (e *TableError) Error() string {
	if e.Record == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Record, e.Err)
}

// Unwrap returns the error that e wraps.
func (e *TableError) Unwrap() error { return e.Err }

// raw is a table as it is in its file, before cleaning.
type raw struct {
	id, caption, source, repository string

	header []string
	types  []dataset.Type // as declared, in the order of header; may be shorter
	keys   []bool         // declared to be a key alone, in the order of header; may be shorter
	rows   [][]string
}

// cleaned returns the cleaned table, cut to the limits. It drops columns without a name and cells beyond the
// header, and fills short rows up with empty cells. It returns ErrNoHeader if no name has a letter.
func (r raw) cleaned(lim Limits) (*Table, error) {
	t := &Table{
		ID:         clean(r.id, lim.CaptionRunes),
		Caption:    clean(r.caption, lim.CaptionRunes),
		Source:     clean(r.source, lim.CaptionRunes),
		Repository: clean(r.repository, lim.CaptionRunes),
	}
	rows := r.rows[:min(len(r.rows), lim.Rows)]
	named := false
	for i, name := range r.header[:min(len(r.header), lim.Columns)] {
		name = clean(name, lim.HeaderRunes)
		if name == "" {
			continue
		}
		named = named || strings.ContainsFunc(name, unicode.IsLetter)
		cells := make([]string, len(rows))
		for j, row := range rows {
			if i < len(row) {
				cells[j] = clean(row[i], lim.CellRunes)
			}
		}
		t.Columns = append(t.Columns, Column{
			Name: name, Type: r.columnType(i, cells), Cells: cells,
			Key: i < len(r.keys) && r.keys[i] || isDistinct(cells), // declared, or so in the sample
		})
	}
	if !named {
		return nil, ErrNoHeader
	}
	return t, nil
}

// columnType returns the declared type of column i if it is one of Spider's, else the type
// of its cells.
func (r raw) columnType(i int, cells []string) dataset.Type {
	if i < len(r.types) {
		switch t := r.types[i]; t {
		case dataset.Text, dataset.Number, dataset.Time, dataset.Boolean, dataset.Others:
			return t
		}
	}
	return dataset.InferType(cells)
}

// minKeyRows is the least number of rows of a sample whose cells show that a column is a key.
const minKeyRows = 3

// isDistinct reports whether a column of minKeyRows cells or more has another value in each.
func isDistinct(cells []string) bool {
	if len(cells) < minKeyRows {
		return false
	}
	for i, cell := range cells { // few, so comparing each with the earlier ones is fast
		if dataset.IsMissing(cell) || slices.Contains(cells[:i], cell) {
			return false
		}
	}
	return true
}

// clean returns text that is safe to store and to print: valid UTF-8, with U+FFFD for invalid
// bytes, without control and format characters, with single blanks, at most limit characters.
func clean(s string, limit int) string {
	if isClean(s, limit) {
		return s
	}
	var b strings.Builder
	runes, blank := 0, false // blank: white space follows the last written character
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = runes > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r): // Cf: zero-width and direction marks
			continue
		}
		if blank {
			if runes+2 > limit { // no room for the blank and r
				break
			}
			b.WriteByte(' ')
			runes++
			blank = false
		}
		if runes == limit {
			break
		}
		b.WriteRune(r)
		runes++
	}
	return b.String()
}

// isClean reports whether s is printable ASCII that clean would return unchanged: a quick
// test for the usual case.
func isClean(s string, limit int) bool {
	if len(s) > limit {
		return false
	}
	for i := range len(s) {
		c := s[i]
		blank := c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' ')
		if c < ' ' || c >= 0x7f || blank {
			return false
		}
	}
	return true
}
