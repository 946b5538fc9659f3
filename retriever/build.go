package retriever

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// The files of an index folder.
const (
	metaFile  = "meta.json"  // a meta
	tableFile = "tables.bin" // a store
	termsDir  = "terms"      // a bleve index of the field textField, by ordinal
	textField = "text"
)

// indexFormat is the version of the folder's layout and of its terms.
const indexFormat = 2

// meta describes an index. It holds the checksums of the files of the inverted
// index, which has none of its own that are checked.
type meta struct {
	Format int      `json:"format"`
	Terms  uint64   `json:"terms"` // of all tables, repeated ones too
	Stats  Stats    `json:"stats"`
	Files  []digest `json:"files"`
}

// digest identifies the content of a file of the index.
type digest struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// Stats counts the tables of a corpus.
type Stats struct {
	Read           int `json:"read"` // all, bad ones too
	Indexed        int `json:"indexed"`
	NearDuplicates int `json:"near_duplicates"`
	NoHeader       int `json:"no_header"`
	Malformed      int `json:"malformed"`
}

// String returns the counts on one line.
func (s Stats) String() string {
	return fmt.Sprintf("%d tables read: %d indexed, %d near-duplicates, %d without header, %d malformed",
		s.Read, s.Indexed, s.NearDuplicates, s.NoHeader, s.Malformed)
}

// ErrEmpty is the error of a corpus without a table that can be indexed.
var ErrEmpty = errors.New("no tables to index, expected at least one with a header")

// BuildOptions are the options of [Build]. The zero value is the default.
type BuildOptions struct {
	// Report gets each [*TableError], in order; nil drops them. Stats count them anyway.
	Report func(error)
	// Workers write the inverted index concurrently; 0 means one for each core.
	Workers int
}

// Build writes an index of the tables to the folder dir, whole or not at all: it writes to
// DIR.partial and renames that. It replaces an index at dir, and rejects anything else there.
//
// The order of the tables does not matter: Build sorts them by id, and indexes the first of
// near-duplicates. Equal corpora give equal bytes. In memory it holds some 40 bytes a table;
// the tables wait on disk, compressed.
func Build(ctx context.Context, dir string, tables dataset.Stream[*Table], opts BuildOptions) (Stats, error) {
	out, err := outdir.NewDir(dir, tableFile)
	if err != nil {
		return Stats{}, err
	}
	setDefault(&opts.Workers, runtime.GOMAXPROCS(0))
	b := &builder{dir: out.Path(), opts: opts}
	if err = out.Restart(); err == nil {
		err = b.build(ctx, tables)
	}
	if err != nil {
		return b.stats, fmt.Errorf("build table index %s: %w", dir, errors.Join(err, out.Abort()))
	}
	return b.stats, out.Commit()
}

// builder is a build in progress.
type builder struct {
	dir   string // of the index, unfinished
	opts  BuildOptions
	stats Stats
	sorter
	repeats repeats
}

// build writes all files of the index.
func (b *builder) build(ctx context.Context, tables dataset.Stream[*Table]) error {
	b.sorter.dir = b.dir
	if err := b.collect(ctx, tables); err != nil {
		return errors.Join(err, b.sorter.wait())
	}
	terms, err := b.index(ctx)
	if err != nil {
		return err
	}
	if b.stats.Indexed == 0 {
		return fmt.Errorf("%w (%v)", ErrEmpty, b.stats)
	}
	return b.writeMeta(ctx, terms)
}

// collect counts the tables of a corpus and hands them to the sorter.
func (b *builder) collect(ctx context.Context, tables dataset.Stream[*Table]) error {
	return tables(b.reportBad, func(t *Table) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(t.Columns) == 0 {
			b.reportBad(&TableError{File: t.ID, Err: ErrNoHeader})
			return nil
		}
		b.stats.Read++
		s := signatureOf(t)
		b.repeats.add(s) // eachIndexed drops the near-duplicates, once all signatures are known
		return b.sorter.add(t, s)
	})
}

// reportBad counts and reports a table that cannot be indexed.
func (b *builder) reportBad(err error) {
	b.stats.Read++
	if errors.Is(err, ErrNoHeader) {
		b.stats.NoHeader++
	} else {
		b.stats.Malformed++
	}
	if b.opts.Report != nil {
		b.opts.Report(err)
	}
}

// eachIndexed calls each with the records of the tables to index, in the order of the index. Of
// near-duplicates it passes the first.
func (b *builder) eachIndexed(ctx context.Context, each func(record []byte) error) error {
	b.repeats.dropUnique()
	return b.sorter.each(ctx, func(s signature, record []byte) error {
		if !b.repeats.isNew(s) {
			b.stats.NearDuplicates++
			return nil
		}
		b.stats.Indexed++
		return each(record)
	})
}

// index writes the store and the inverted index, and returns the number of terms of all
// tables.
func (b *builder) index(ctx context.Context) (terms uint64, err error) {
	out, err := createStore(filepath.Join(b.dir, tableFile))
	if err != nil {
		return 0, err
	}
	defer out.f.Close()
	inverted, err := newInverter(b.dir, b.opts.Workers)
	if err != nil {
		return 0, err
	}
	tables := 0
	err = b.analyze(ctx, func(t *analyzed) error {
		tables++
		terms += uint64(t.terms)
		return errors.Join(inverted.add(ctx, t.text), out.append(t.record))
	})
	if err != nil || tables == 0 { // build reports an empty index
		return 0, errors.Join(err, inverted.discard())
	}
	return terms, errors.Join(inverted.close(ctx), out.close())
}

// analyzed is a table with the terms of its caption and headers.
type analyzed struct {
	record []byte // see appendTable
	text   string // the terms, separated by blanks
	terms  int    // their number
}

// analyze calls each with the tables to index, in order. Another goroutine reads and analyzes the
// next tables meanwhile.
func (b *builder) analyze(ctx context.Context, each func(*analyzed) error) error {
	a, err := newAnalyzer()
	if err != nil {
		return err
	}
	const batch = 64 // tables that are handed over at once
	ready := make(chan []analyzed, 4)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(ready)
		names := headings{analyzer: a}
		tables := make([]analyzed, 0, batch)
		// send hands over the tables read so far.
		send := func() error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case ready <- tables:
				tables = make([]analyzed, 0, batch)
				return nil
			}
		}
		err := b.eachIndexed(ctx, func(record []byte) error {
			t, err := names.analyze(record)
			if tables = append(tables, t); err != nil || len(tables) < batch {
				return err
			}
			return send()
		})
		if err != nil {
			return err
		}
		return send()
	})
	g.Go(func() error {
		for tables := range ready {
			for i := range tables {
				if err := each(&tables[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}

// analyze returns the record of a table with the terms of its caption and headers.
func (h *headings) analyze(record []byte) (analyzed, error) {
	caption, names, err := decodeNames(record)
	if err != nil {
		return analyzed{}, err
	}
	terms := h.analyzer.terms(nil, caption)
	for _, name := range names {
		terms = h.terms(terms, name)
	}
	return analyzed{bytes.Clone(record), strings.Join(terms, " "), len(terms)}, nil
}

// termMapping returns the library's description of the documents: one field of analyzed terms, separated by
// blanks. The field is indexed, but not stored.
func termMapping() (*mapping.IndexMappingImpl, error) {
	const terms = "terms"
	field := bleve.NewTextFieldMapping()
	field.Analyzer = terms
	field.Store, field.IncludeTermVectors, field.DocValues, field.IncludeInAll = false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt(textField, field)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	m.ScoringModel = "bm25"
	err := m.AddCustomAnalyzer(terms, map[string]any{"type": custom.Name, "tokenizer": whitespace.Name})
	return m, err
}

// writeMeta writes metaFile, with the checksums of the files of the inverted index. terms is the number of terms of all
// tables.
func (b *builder) writeMeta(ctx context.Context, terms uint64) error {
	m := meta{Format: indexFormat, Terms: terms, Stats: b.stats}
	err := filepath.WalkDir(filepath.Join(b.dir, termsDir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(b.dir, path)
		if err != nil {
			return err
		}
		sum, err := digestOf(ctx, b.dir, filepath.ToSlash(rel))
		m.Files = append(m.Files, sum)
		return err
	})
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, metaFile), append(data, '\n'), 0o644)
}

// digestOf returns the size and the CRC-32C of a file; name is its path below dir, with slashes.
func digestOf(ctx context.Context, dir, name string) (digest, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return digest{}, err
	}
	defer f.Close()
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.CopyBuffer(h, untilDone{ctx, f}, make([]byte, 1<<20))
	return digest{name, size, h.Sum32()}, err
}

// untilDone reads until ctx is done.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Read implements [io.Reader].
func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
