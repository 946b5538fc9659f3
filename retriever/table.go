package retriever

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
)

// Table is a web table: its headers and a sample of its cells.
type Table struct {
	ID      string // unique within its source: a path in the corpus, or the id that the record states
	Caption string // caption, page title or both; may be empty
	Source  string // name of the corpus
	Columns []Column
}

// Column is one column of a web table. The columns of a table have equally many
// cells; row i of the sample is cell i of each.
type Column struct {
	Name  string // header as the corpus has it, cleaned; never empty
	Type  dataset.Type
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
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// Limits bounds what is kept of a corpus, which is untrusted. A field that is
// zero stands for its default.
type Limits struct {
	CellRunes    int   // characters of a cell, rest cut; default 200
	HeaderRunes  int   // characters of a header, rest cut; default 100
	CaptionRunes int   // characters of a caption or id, rest cut; default 300
	Columns      int   // columns of a table, rest dropped; default 50
	Rows         int   // rows in the sample of a table, rest not read; default 20
	RecordBytes  int64 // bytes of a line, JSON value or caption file; larger is an error; default 16 MiB
	MemberBytes  int64 // bytes of a nested file that must be held whole (zip and Parquet in an archive); default 256 MiB
	TotalBytes   int64 // bytes read from a corpus after decompression; more stops it; default 1 TiB
	Workers      int   // what is parsed at once, in batches; default a worker for each core

	// Context ends reading, also of a corpus that has nothing but bad records, of which
	// the consumer of its stream hears but cannot stop it. Nil never does.
	Context context.Context
}

func (l Limits) withDefaults() Limits {
	fill(&l.CellRunes, 200)
	fill(&l.HeaderRunes, 100)
	fill(&l.CaptionRunes, 300)
	fill(&l.Columns, 50)
	fill(&l.Rows, 20)
	fill(&l.RecordBytes, 16<<20)
	fill(&l.MemberBytes, 256<<20)
	fill(&l.TotalBytes, 1<<40)
	fill(&l.Workers, runtime.GOMAXPROCS(0))
	if l.Context == nil {
		l.Context = context.Background()
	}
	return l
}

func fill[T int | int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// ErrNoHeader says that a table has no header that could name a column: none
// that the corpus declares, or none that holds a letter.
var ErrNoHeader = errors.New("table has no header")

// TableError is a table that could not be read. The tables after it can.
type TableError struct {
	File   string // path as given, with the path inside an archive
	Record int    // record, line or row in File, from 1; 0 for the file as a whole
	Err    error
}

func (e *TableError) Error() string {
	if e.Record == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Record, e.Err)
}

func (e *TableError) Unwrap() error { return e.Err }

// raw is a table as its file has it, uncleaned.
type raw struct {
	id, caption, source string
	header              []string
	types               []dataset.Type // as declared; inferred where absent or none of Spider's
	rows                [][]string
}

// table cleans r. Columns without a name are dropped; short rows are filled up
// with empty cells, and cells beyond the header are dropped.
func (r raw) table(lim Limits) (*Table, error) {
	t := &Table{
		ID:      clean(r.id, lim.CaptionRunes),
		Caption: clean(r.caption, lim.CaptionRunes),
		Source:  clean(r.source, lim.CaptionRunes),
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
		t.Columns = append(t.Columns, Column{Name: name, Type: r.columnType(i, cells), Cells: cells})
	}
	if !named {
		return nil, ErrNoHeader
	}
	return t, nil
}

func (r raw) columnType(i int, cells []string) dataset.Type {
	if i < len(r.types) {
		switch t := r.types[i]; t {
		case dataset.Text, dataset.Number, dataset.Time, dataset.Boolean, dataset.Others:
			return t
		}
	}
	return InferType(cells)
}

// clean makes text safe to keep and to print: valid UTF-8 with U+FFFD for what
// is not, no control characters, single blanks, at most limit characters.
func clean(s string, limit int) string {
	if isClean(s, limit) {
		return s
	}
	var b strings.Builder
	runes, blank := 0, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			blank = runes > 0
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			continue
		}
		if blank {
			if runes+2 > limit {
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

// isClean tells, cheaply for the usual case of printable ASCII, that clean
// would return s.
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
