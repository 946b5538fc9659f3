package retriever

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/tabperturb/tabperturb/dataset"
)

// Index is an index folder open for searches, which may run concurrently.
type Index struct {
	// Rescorer, where set before the first search, orders the best hits anew.
	Rescorer *Rescorer

	stats    Stats
	lengths  lengths
	tables   *store
	bleve    bleve.Index
	reader   index.IndexReader
	segment  segment.Segment // of the inverted index, the only one
	analyzer analyzer
	scratch  sync.Pool // of the scores of a block
	ranges   int       // of documents, which a search goes through at the same time
	block    int       // documents of a range that have scores at a time
	dir      string
	temp     string // folder to remove on Close

	checking sync.Mutex
	large    []digest // too large to be checked when it was opened
	checked  bool
}

// atOnce is the size in bytes up to which a file, or the entries of a store, are read and
// checked when an index is opened. What is larger is checked before the first search.
const atOnce = 16 << 20

// OpenIndex opens a folder that [Build] wrote. A folder that is cut short or
// damaged is an error that names the file. The checksums of large files are looked at
// before the first search.
func OpenIndex(dir string) (*Index, error) { return openIndex(dir, atOnce) }

func openIndex(dir string, atOnce int64) (*Index, error) {
	ctx := context.Background() // what is checked here is small
	m, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{dir: dir, block: blockSize, stats: m.Stats, lengths: newLengths(float64(m.Terms) / float64(max(m.Stats.Indexed, 1)))}
	x.ranges = max(1, min(runtime.GOMAXPROCS(0), m.Stats.Indexed/rangeSize))
	for _, want := range m.Files {
		info, err := os.Stat(filepath.Join(dir, want.Name))
		if err == nil && info.Size() == want.Size && want.Size > atOnce {
			x.large = append(x.large, want)
			continue
		}
		if err := want.check(ctx, dir); err != nil {
			return nil, err
		}
	}
	if err := x.open(atOnce); err != nil {
		// The library does not say which of its files it could not take.
		return nil, errors.Join(cmp.Or(x.checkLarge(ctx), err), x.Close())
	}
	return x, nil
}

// check looks at what was not checked when the index was opened, until that is found good.
func (x *Index) check(ctx context.Context) error {
	x.checking.Lock()
	defer x.checking.Unlock()
	if x.checked {
		return nil
	}
	if err := x.checkLarge(ctx); err != nil {
		return err
	}
	if err := x.tables.check(ctx); err != nil {
		return err
	}
	x.checked = true
	return nil
}

func (x *Index) checkLarge(ctx context.Context) error {
	for _, want := range x.large {
		if err := want.check(ctx, x.dir); err != nil {
			return err
		}
	}
	return nil
}

// check tells whether a file is as it was written.
func (want digest) check(ctx context.Context, dir string) error {
	got, err := digestOf(ctx, dir, want.Name)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%s: damaged: %d bytes with checksum %08x, expected %d with %08x",
			filepath.Join(dir, want.Name), got.Size, got.CRC, want.Size, want.CRC)
	}
	return nil
}

func readMeta(dir string) (*meta, error) {
	path := filepath.Join(dir, metaFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("not a table index: %w", err)
	}
	var m meta
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	if m.Format != indexFormat {
		return nil, fmt.Errorf("%s: index of format %d, expected %d; build it anew", path, m.Format, indexFormat)
	}
	return &m, nil
}

func (x *Index) open(atOnce int64) (err error) {
	if x.analyzer, err = newAnalyzer(); err != nil {
		return err
	}
	if x.tables, err = openStore(filepath.Join(x.dir, tableFile), atOnce); err != nil {
		return err
	}
	if x.tables.len() != x.stats.Indexed {
		return fmt.Errorf("%s: %d tables, expected %d as %s says", x.tables.f.Name(), x.tables.len(), x.stats.Indexed, metaFile)
	}
	if x.bleve, err = openInverted(filepath.Join(x.dir, termsDir)); err != nil {
		return err
	}
	return x.openSegment()
}

// openSegment opens the one segment that the library's builder makes.
func (x *Index) openSegment() error {
	terms, err := x.bleve.Advanced()
	if err != nil {
		return err
	}
	if x.reader, err = terms.Reader(); err != nil {
		return err
	}
	snapshot, ok := x.reader.(*scorch.IndexSnapshot)
	if !ok || len(snapshot.Segments()) != 1 {
		return fmt.Errorf("%s: expected an inverted index of one segment", filepath.Join(x.dir, termsDir))
	}
	x.segment = snapshot.Segments()[0].Segment()
	return nil
}

func openInverted(path string) (inverted bleve.Index, err error) {
	defer func() {
		if recover() != nil { // the library trusts what is not checked yet
			inverted, err = nil, fmt.Errorf("%s: damaged", path)
		}
	}()
	if inverted, err = bleve.OpenUsing(path, map[string]any{"read_only": true}); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return inverted, nil
}

// BuildTemp builds an index in a temporary folder that Close removes, for
// corpora as small as the embedded sample.
func BuildTemp(ctx context.Context, tables dataset.Stream[*Table], opts BuildOptions) (*Index, Stats, error) {
	temp, err := os.MkdirTemp("", "tables-*")
	if err != nil {
		return nil, Stats{}, err
	}
	dir := filepath.Join(temp, "index")
	stats, err := Build(ctx, dir, tables, opts)
	if err != nil {
		return nil, stats, errors.Join(err, os.RemoveAll(temp))
	}
	x, err := OpenIndex(dir)
	if err != nil {
		return nil, stats, errors.Join(err, os.RemoveAll(temp))
	}
	x.temp = temp
	return x, stats, nil
}

// Close releases the files. Searches must have ended.
func (x *Index) Close() error {
	var errs []error
	if x.reader != nil {
		errs = append(errs, x.reader.Close())
	}
	if x.bleve != nil {
		errs = append(errs, x.bleve.Close())
	}
	if x.tables != nil {
		errs = append(errs, x.tables.close())
	}
	if x.temp != "" {
		errs = append(errs, os.RemoveAll(x.temp))
	}
	return errors.Join(errs...)
}

// Len is the number of tables.
func (x *Index) Len() int { return x.stats.Indexed }

// Stats says what became of the tables that the index was built from.
func (x *Index) Stats() Stats { return x.stats }

// Table returns table i, from 0 to Len()-1, in the order of ids.
func (x *Index) Table(i int) (*Table, error) { return x.tables.table(i) }
