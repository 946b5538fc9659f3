package retriever

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v15"
	"golang.org/x/sync/errgroup"
)

// inverter writes the inverted index. The library's builder writes one segment after the
// other, with documents in a random order, so that no two indexes of a corpus would have the
// same bytes. An inverter writes several segments concurrently, with documents in the order of
// their ordinals, and merges them to one. The library's builder makes an index of one empty
// document, whose segment that one then replaces: the list of segments names only the file.
type inverter struct {
	dir     string   // of the index
	size    int      // documents of a segment before it is merged with others
	filling []string // the terms of the documents of the segment in the making
	made    int      // segments
	working errgroup.Group
}

// segmentFile is the name that the library's builder gives its only segment.
const segmentFile = "000000000002.zap"

// segmentSize is how many documents a segment of an index begins with.
const segmentSize = 1000

func newInverter(dir string, workers int) (*inverter, error) {
	v := &inverter{dir: dir, size: segmentSize}
	v.working.SetLimit(workers)
	return v, os.Mkdir(v.path(""), 0o700)
}

// path is where a segment waits to be merged.
func (v *inverter) path(name string) string { return filepath.Join(v.dir, "segments", name) }

func (v *inverter) segment(i int) string { return v.path(fmt.Sprint(i)) }

// add adds a document of terms that are parted by blanks. Its ordinal is the next.
func (v *inverter) add(ctx context.Context, terms string) error {
	if v.filling = append(v.filling, terms); len(v.filling) < v.size {
		return ctx.Err()
	}
	v.flush()
	return ctx.Err()
}

func (v *inverter) flush() {
	path, first, texts := v.segment(v.made), v.made*v.size, v.filling
	v.made++
	v.filling = make([]string, 0, v.size)
	v.working.Go(func() error {
		documents := make([]index.Document, len(texts))
		for i, terms := range texts {
			documents[i] = documentOf(first+i, terms)
		}
		made, _, err := new(zap.ZapPlugin).New(documents)
		if err != nil {
			return fmt.Errorf("tables from %d: %w", first, err)
		}
		return made.(segment.UnpersistedSegment).Persist(path)
	})
}

// close waits for what is being made, and writes the index of it.
func (v *inverter) close(ctx context.Context) error {
	if len(v.filling) > 0 {
		v.flush()
	}
	if err := v.working.Wait(); err != nil {
		return err
	}
	last, err := v.mergeAll(ctx)
	if err != nil {
		return err
	}
	m, err := termMapping()
	if err != nil {
		return err
	}
	// The builder renames its work into place, so that must be on the same disk.
	terms := filepath.Join(v.dir, termsDir)
	b, err := bleve.NewBuilder(terms, m, map[string]any{
		"buildPathPrefix": v.dir, "forceSegmentType": zap.Type, "forceSegmentVersion": int(zap.Version),
	})
	if err != nil {
		return err
	}
	if err := errors.Join(b.Index("0", map[string]any{}), b.Close()); err != nil {
		return err
	}
	store := filepath.Join(terms, "store")
	if err := errors.Join(os.Rename(last, filepath.Join(store, segmentFile)), os.Remove(v.path(""))); err != nil {
		return err
	}
	return removeTimestamp(filepath.Join(store, "root.bolt"))
}

// discard removes what was made.
func (v *inverter) discard() error {
	return errors.Join(v.working.Wait(), os.RemoveAll(v.path("")))
}

// mergedAtOnce is how many segments are merged to one.
const mergedAtOnce = 10

// mergeAll merges the segments to one, as the library's builder does: the first few to one
// that is put behind the others, until there is one alone. As far as they do not wait for each
// other, merges run at the same time.
func (v *inverter) mergeAll(ctx context.Context) (string, error) {
	var queue []*merging
	for i := range v.made {
		queue = append(queue, merged(v.segment(i)))
	}
	for ; len(queue) > 1; v.made++ {
		some := queue[:min(mergedAtOnce, len(queue))]
		m := &merging{path: v.segment(v.made), done: make(chan struct{})}
		queue = append(queue[len(some):], m)
		v.working.Go(func() error { return m.merge(ctx, some) })
	}
	return queue[0].path, v.working.Wait()
}

// merging is a segment that others are merged to.
type merging struct {
	path string
	done chan struct{} // closed once it is there, or cannot be
	err  error         // of those who wait for it
}

// merged is a segment that is there.
func merged(path string) *merging {
	m := &merging{path: path, done: make(chan struct{})}
	close(m.done)
	return m
}

// merge merges segments once they are there, and removes them. It holds a worker while it
// waits, but only for merges that began before it.
func (m *merging) merge(ctx context.Context, some []*merging) (err error) {
	defer close(m.done)
	defer func() { m.err = err }()
	plugin := new(zap.ZapPlugin)
	var open []segment.Segment
	defer func() {
		for i, s := range open {
			err = errors.Join(err, s.Close(), os.Remove(some[i].path)) // Windows removes no open file
		}
	}()
	for _, from := range some {
		<-from.done
		if from.err != nil {
			return from.err
		}
		s, err := plugin.Open(from.path)
		if err != nil {
			return fmt.Errorf("%s: %w", from.path, err)
		}
		open = append(open, s)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, _, err := plugin.Merge(open, make([]*roaring.Bitmap, len(open)), m.path, nil, nil); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	return nil
}
