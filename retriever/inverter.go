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
	size    int      // documents of a segment before merging
	pending []string // the terms of the documents of the next segment
	made    int      // segments so far, merged ones too
	workers errgroup.Group
}

// segmentFile is the path that the library's builder gives its only segment, below its
// folder.
const segmentFile = "store/000000000002.zap"

// segmentSize is the number of documents of a segment before merging.
const segmentSize = 1000

// newInverter begins the inverted index of the index folder dir.
func newInverter(dir string, workers int) (*inverter, error) {
	v := &inverter{dir: dir, size: segmentSize}
	v.workers.SetLimit(workers)
	return v, os.Mkdir(v.path(""), 0o700)
}

// path returns the path of a file in the folder of segments to merge; "" for the folder.
func (v *inverter) path(name string) string { return filepath.Join(v.dir, "segments", name) }

// segment returns the path of segment i.
func (v *inverter) segment(i int) string { return v.path(fmt.Sprint(i)) }

// add adds the document of the next ordinal, and has the pending documents written once they fill a segment. terms are
// separated by blanks.
func (v *inverter) add(ctx context.Context, terms string) error {
	if v.pending = append(v.pending, terms); len(v.pending) >= v.size {
		v.flush()
	}
	return ctx.Err()
}

// flush has a worker write the pending documents as a segment.
func (v *inverter) flush() {
	path, first, texts := v.segment(v.made), v.made*v.size, v.pending // first is the ordinal of the first document
	v.made++
	v.pending = make([]string, 0, v.size)
	v.workers.Go(func() error {
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

// close waits for the workers, merges the segments and writes the inverted index.
func (v *inverter) close(ctx context.Context) error {
	if len(v.pending) > 0 {
		v.flush()
	}
	if err := v.workers.Wait(); err != nil {
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
	// The builder makes an index of one empty document, whose segment the merged one then replaces. It renames its work into place, so
	// that must be on the same disk.
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
	if err := errors.Join(os.Rename(last, filepath.Join(terms, segmentFile)), os.Remove(v.path(""))); err != nil {
		return err
	}
	return removeTimestamp(filepath.Join(terms, "store", "root.bolt"))
}

// discard waits for the workers and removes the segments.
func (v *inverter) discard() error {
	return errors.Join(v.workers.Wait(), os.RemoveAll(v.path("")))
}

// mergeSize is the number of segments that one merge takes.
const mergeSize = 10

// mergeAll merges the segments and returns the path of the result. As the library's builder
// does, it merges the first segments of a queue into one that is put at the end, until one is
// left. Merges that do not need each other's results run concurrently.
func (v *inverter) mergeAll(ctx context.Context) (string, error) {
	var queue []*merging
	for i := range v.made {
		queue = append(queue, writtenSegment(v.segment(i)))
	}
	for ; len(queue) > 1; v.made++ {
		inputs := queue[:min(mergeSize, len(queue))]
		m := &merging{path: v.segment(v.made), done: make(chan struct{})}
		queue = append(queue[len(inputs):], m)
		v.workers.Go(func() error { return m.merge(ctx, inputs) })
	}
	return queue[0].path, v.workers.Wait()
}

// merging is a segment that a worker writes by merging others.
type merging struct {
	path string
	done chan struct{} // closed when the segment is written or failed
	err  error         // why it failed; set before done is closed
}

// writtenSegment returns the segment of a path as one that is already written.
func writtenSegment(path string) *merging {
	m := &merging{path: path, done: make(chan struct{})}
	close(m.done)
	return m
}

// merge waits for the input segments, merges them to m and removes them. It blocks a worker while it
// waits. That cannot deadlock: it waits only for merges that began earlier.
func (m *merging) merge(ctx context.Context, inputs []*merging) (err error) {
	defer close(m.done)
	defer func() { m.err = err }()
	plugin := new(zap.ZapPlugin)
	var open []segment.Segment
	defer func() {
		for i, s := range open {
			err = errors.Join(err, s.Close(), os.Remove(inputs[i].path)) // Windows removes no open file
		}
	}()
	for _, input := range inputs {
		<-input.done
		if input.err != nil {
			return input.err
		}
		s, err := plugin.Open(input.path)
		if err != nil {
			return fmt.Errorf("%s: %w", input.path, err)
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
