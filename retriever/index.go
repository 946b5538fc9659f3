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

	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v15"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Index is an index folder open for searches, which may run concurrently.
type Index struct {
	// Rescorer orders the best hits anew, if it is set before the first search.
	Rescorer *Rescorer

	stats    Stats
	lengths  lengths
	tables   *store
	segment  segment.Segment // the inverted index
	analyzer analyzer
	scratch  sync.Pool // of []float64, the scores of a block
	ranges   int       // of documents, which a search scores concurrently
	block    int       // documents of a range that are scored before the next ones
	dir      string
	temp     string // folder to remove on Close

	checking sync.Mutex
	large    []digest // too large to be checked when it was opened
	checked  bool
}

// atOnce is the size in bytes up to which a file, or the entries of a store, are checked
// when an index is opened. Larger ones are checked before the first search.
const atOnce = 16 << 20

// OpenIndex opens a folder that [Build] wrote. It returns an error that names the file
// if one is missing, cut short or damaged. The checksums of large files are compared
// before the first search. The caller must close the index.
func OpenIndex(dir string) (*Index, error) { return openIndex(dir, atOnce) }

// openIndex opens an index as [OpenIndex] does. Files of at most atOnce bytes are checked when they are opened.
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
		// want.check also returns the error of a file that is missing or has another size.
		if err := want.check(ctx, dir); err != nil {
			return nil, err
		}
	}
	if err := x.open(atOnce); err != nil {
		// The library does not report which of its files it rejects; checkLarge does.
		return nil, errors.Join(cmp.Or(x.checkLarge(ctx), err), x.Close())
	}
	return x, nil
}

// checkFiles compares the checksums that OpenIndex left out. Once they were good, it returns nil at once.
func (x *Index) checkFiles(ctx context.Context) error {
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

// checkLarge compares the checksums of the large files.
func (x *Index) checkLarge(ctx context.Context) error {
	return lists.Each(x.large, func(want digest) error { return want.check(ctx, x.dir) })
}

// check returns an error unless the file in dir has the size and checksum of want.
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

// readMeta reads the description of the index in a folder.
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

// open opens the store and the inverted index. It checks the entries of the store if they have at most atOnce bytes.
func (x *Index) open(atOnce int64) (err error) {
	if x.analyzer, err = newAnalyzer(); err != nil {
		return err
	}
	if x.tables, err = openStore(filepath.Join(x.dir, tableFile), atOnce); err != nil {
		return err
	}
	if x.tables.len() != x.stats.Indexed {
		return fmt.Errorf("%s: %d tables, expected %d by %s", x.tables.f.Name(), x.tables.len(), x.stats.Indexed, metaFile)
	}
	x.segment, err = openSegment(filepath.Join(x.dir, termsDir))
	return err
}

// openSegment opens the only segment of the inverted index in a folder.
func openSegment(dir string) (s segment.Segment, err error) {
	path := filepath.Join(dir, segmentFile)
	defer func() {
		if recover() != nil { // the library trusts a file that is not checked yet
			s, err = nil, fmt.Errorf("%s: damaged", path)
		}
	}()
	if s, err = new(zap.ZapPlugin).Open(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
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
	if x.segment != nil {
		errs = append(errs, x.segment.Close())
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
