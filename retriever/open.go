package retriever

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Kinds lists the kinds of corpora that [Open] reads.
//
//	csv      a tree of CSV files, one table each, header first: RFC 4180, or
//	         WikiTableQuestions' dialect, which escapes quotes as \"
//	tabfact  TabFact's all_csv: tables separated by #, header first; captions from
//	         table_to_page.json(.gz) in the corpus folder or up to two folders above
//	wdc      Web Data Commons JSON: column-major relation with hasHeader and
//	         headerPosition, one table a file or a line
//	jsonl    JSON lines {"id", "caption", "source", "header": […], "rows": [[…]]};
//	         WikiSQL's *.tables.jsonl and FeTaQA's files are read too
//	parquet  files with the schema of [ParquetTable]
//	spider   tables.json of Spider: each table of each schema, without cells
//	schemas  JSON lines of tables of databases: {"repo", "db", "table", "columns":
//	         [{"name", "type"}], "primary": […]}
//	ddl      SQL scripts and dumps of SQLite, PostgreSQL and MySQL: each CREATE TABLE
//	sqlite   SQLite files: each table, with its first rows
func Kinds() []string {
	return lists.Map(kinds(), func(k kind) string { return k.name })
}

// kind is a kind of corpora.
type kind struct {
	name string
	exts []string           // suffixes of the files to read in folders and archives
	read func(*input) error // reads a file
}

// kinds returns the kinds of corpora that [Open] reads.
func kinds() []kind {
	return []kind{ // name, endings of its files, function that reads one
		{"csv", []string{".csv"}, readCSV},
		{"tabfact", []string{".csv"}, readTabFact},
		{"wdc", []string{".json", ".jsonl", ".ndjson"}, readWDC},
		{"jsonl", []string{".jsonl", ".ndjson"}, readJSONL},
		{"parquet", []string{".parquet"}, readParquet},
		{"spider", []string{"tables.json"}, readSpider},
		{"schemas", []string{".jsonl", ".ndjson"}, readSchemas},
		{"ddl", []string{".sql"}, readDDL},
		{"sqlite", []string{".sqlite", ".sqlite3", ".db"}, readSQLite},
	}
}

// Open opens a corpus of tables of one of the [Kinds]. The path is a file or a folder. Files
// in .gz, .bz2, .tar and .zip are read in place, also within a folder or each other. The
// stream reports [*TableError]s; it ends with an error of I/O, or if the corpus has more
// than Limits.TotalBytes.
func Open(kind, path string, lim Limits) (dataset.Stream[*Table], error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// The file system is rooted one folder above the corpus' own, where the
	// captions of TabFact may lie.
	root := filepath.Dir(filepath.Dir(abs))
	rel, err := filepath.Rel(root, abs)
	if err != nil {
		return nil, err
	}
	return open(os.DirFS(root), kind, filepath.ToSlash(rel), path, lim)
}

// OpenAll opens corpora, each written "KIND:PATH", as one stream.
func OpenAll(sources []string, lim Limits) (dataset.Stream[*Table], error) {
	var all []dataset.Stream[*Table]
	for _, s := range sources {
		kind, path, _ := strings.Cut(s, ":")
		if path == "" {
			return nil, fmt.Errorf("%q: expected KIND:PATH, with KIND one of %s", s, strings.Join(Kinds(), ", "))
		}
		tables, err := Open(kind, path, lim)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s, err)
		}
		all = append(all, tables)
	}
	return func(report func(error), each func(*Table) error) error {
		return lists.Each(all, func(tables dataset.Stream[*Table]) error { return tables(report, each) })
	}, nil
}

// OpenFS returns the tables of a file or folder of a file system, as [Open] does for a path.
func OpenFS(fsys fs.FS, kind, name string, lim Limits) (dataset.Stream[*Table], error) {
	return open(fsys, kind, name, name, lim)
}

// open opens the corpus at path name of fsys; display is its path in messages. In the stream a walker visits the files that match the
// kind, also within archives, and the kind's read function puts their tables into the pipeline.
func open(fsys fs.FS, kindName, name, display string, lim Limits) (dataset.Stream[*Table], error) {
	all := kinds()
	at := slices.IndexFunc(all, func(k kind) bool { return k.name == kindName })
	if at < 0 {
		return nil, fmt.Errorf("unknown kind of table corpus %q, expected one of %s", kindName, strings.Join(Kinds(), ", "))
	}
	k := all[at]
	_, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: open table corpus: %w", display, err)
	}
	lim = lim.withDefaults()
	var captions map[string]string
	if kindName == "tabfact" {
		if captions, err = findCaptions(fsys, name, lim); err != nil {
			return nil, err
		}
	}
	return lim.stream(func(out *pipeline) error {
		in := &input{lim: lim, source: path.Base(filepath.ToSlash(display)), captions: captions, out: out}
		w := &walker{fsys: fsys, display: display, lim: lim, left: lim.TotalBytes, report: func(err error) error { return out.put(pending{err: err}) }}
		in.walker = w
		w.match = func(name string) bool {
			return slices.ContainsFunc(k.exts, func(ext string) bool { return strings.HasSuffix(strings.ToLower(name), ext) })
		}
		w.visit = func(m *member) error {
			in.member = m
			return k.read(in)
		}
		return w.walk(name)
	}), nil
}

// input is what the reader of a kind gets: the current member of the corpus and the pipeline
// for its tables.
type input struct {
	*member
	walker   *walker
	lim      Limits
	source   string            // name of the corpus
	captions map[string]string // of TabFact, by file name
	out      *pipeline
}

// emit hands a table to the pipeline, which cleans it.
func (in *input) emit(record int, r raw) error {
	return in.emitParsed(record, r.bytes(), func() (raw, error) { return r, nil })
}

// emitParsed hands a table to the pipeline that parse will return, from about size bytes. Another
// goroutine calls parse, so it must not read a buffer that is reused.
func (in *input) emitParsed(record, size int, parse func() (raw, error)) error {
	return in.out.put(pending{parse: parse, size: size, source: in.source, file: in.file, record: record})
}

// reportBad reports a record that is no table; record is its number from 1, or 0 for the file. The reader
// goes on with the next one.
func (in *input) reportBad(record int, err error) error {
	return in.out.put(pending{err: &TableError{File: in.file, Record: record, Err: err}})
}

// eachLine calls f with each line that is not blank and its number from 1, without the line
// break. It reports and skips lines over Limits.RecordBytes.
func (in *input) eachLine(r *bufio.Reader, f func(n int, line []byte) error) error {
	for n := 1; ; n++ {
		line, err := readLine(r, in.lim.RecordBytes)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errTooLarge):
			if err := in.reportBad(n, err); err != nil {
				return err
			}
		case err != nil:
			return err
		case len(line) > 0:
			if err := f(n, line); err != nil {
				return err
			}
		}
	}
}

// checkText returns an error if a file begins like a workbook, a picture, UTF-16 or JSON, in place of text with
// fields. It accepts a few NULs in UTF-8, as cleaning drops them. It consumes nothing of r.
func checkText(r *bufio.Reader) error {
	head, _ := r.Peek(1024) // the next read returns the error again
	if nuls := bytes.Count(head, []byte{0}); nuls > 0 && (nuls > len(head)/4 || !utf8.Valid(head)) {
		return errors.New("is not text, expected a table as UTF-8 text")
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	for _, opening := range []string{"{\"", "[{", "[[", "[\"", "{\n", "[\n"} {
		if bytes.HasPrefix(head, []byte(opening)) {
			return errors.New("looks like JSON, expected a table of fields")
		}
	}
	return nil
}

// jsonError returns why JSON is not what was expected, without naming a Go type.
func jsonError(err error, expected string) error {
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf("found a JSON %s, expected %s", typ.Value, expected)
	case errors.As(err, &typ):
		return fmt.Errorf("%q is a JSON %s, expected %s", typ.Field, typ.Value, expected)
	}
	return fmt.Errorf("not JSON, expected %s: %w", expected, err)
}

// readLine returns the next line without surrounding blanks, or io.EOF. It skips a line over
// limit bytes and returns errTooLarge for it.
func readLine(r *bufio.Reader, limit int64) ([]byte, error) {
	var line []byte
	var size int64
	for {
		part, err := r.ReadSlice('\n')
		if size += int64(len(part)); size <= limit {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && (err != io.EOF || size == 0): // the last line may end with io.EOF in place of a line break
			return nil, err
		case size > limit:
			return nil, fmt.Errorf("%w: line of %d bytes, expected at most %d", errTooLarge, size, limit)
		}
		return bytes.TrimSpace(line), nil
	}
}
