package retriever

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/tabperturb/tabperturb/dataset"
)

// Index is an index folder open for searches, which may run concurrently.
type Index struct {
	// Rescorer, where set before the first search, orders the best hits anew.
	Rescorer *Rescorer

	stats    Stats
	average  float64 // terms of a table
	tables   *store
	bleve    bleve.Index
	terms    index.Index
	analyzer analyzer
	scratch  sync.Pool    // of *accumulator
	ranges   int          // of documents, which a search goes through at the same time
	check    func() error // of what was too large to be checked when it was opened
	temp     string       // folder to remove on Close
}

// OpenIndex opens a folder that [Build] wrote. A folder that is cut short or
// damaged is an error that names the file. The checksums of large files are looked at
// before the first search.
func OpenIndex(dir string) (*Index, error) {
	m, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{stats: m.Stats, average: float64(m.Terms) / float64(max(m.Stats.Indexed, 1))}
	x.ranges = max(1, min(runtime.GOMAXPROCS(0), m.Stats.Indexed/rangeSize))
	var large []digest
	for _, want := range m.Files {
		info, err := os.Stat(filepath.Join(dir, want.Name))
		if err == nil && info.Size() == want.Size && want.Size > atOnce {
			large = append(large, want)
			continue
		}
		if err := want.check(dir); err != nil {
			return nil, err
		}
	}
	x.check = sync.OnceValue(func() error {
		for _, want := range large {
			if err := want.check(dir); err != nil {
				return err
			}
		}
		return x.tables.check()
	})
	if err := x.open(dir); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// check tells whether a file is as it was written.
func (want digest) check(dir string) error {
	got, err := digestOf(dir, want.Name)
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

func (x *Index) open(dir string) (err error) {
	defer func() {
		if recover() != nil { // the library trusts what is not checked yet
			err = fmt.Errorf("%s: damaged", filepath.Join(dir, termsDir))
		}
	}()
	if x.analyzer, err = newAnalyzer(); err != nil {
		return err
	}
	if x.tables, err = openStore(filepath.Join(dir, tableFile)); err != nil {
		return err
	}
	if x.tables.len() != x.stats.Indexed {
		return fmt.Errorf("%s: %d tables, expected %d as %s says", x.tables.f.Name(), x.tables.len(), x.stats.Indexed, metaFile)
	}
	path := filepath.Join(dir, termsDir)
	if x.bleve, err = bleve.OpenUsing(path, map[string]any{"read_only": true}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	x.terms, err = x.bleve.Advanced()
	return err
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
