package retriever

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// sorter brings tables into the order of the index. They wait in runs on disk, each in
// order and compressed, so that memory does not grow with them and they take less room
// than the index.
type sorter struct {
	dir     string
	most    int    // bytes of a run in memory, about; 0 for runBytes
	records []byte // of the run in the making
	run     []waiting
	runs    []string
}

// runBytes bounds what a run has in memory.
const runBytes = 32 << 20

// waiting is a table of a run.
type waiting struct {
	id, source string
	sum        uint32
	signature  signature
	start, end int // its record in records
}

func (w *waiting) compare(o *waiting) int {
	return cmp.Or(strings.Compare(w.id, o.id), strings.Compare(w.source, o.source), cmp.Compare(w.sum, o.sum))
}

func (s *sorter) add(t *Table) error {
	start := len(s.records)
	s.records = appendTable(s.records, t)
	record := s.records[start:]
	s.run = append(s.run, waiting{t.ID, t.Source, checksum(record), signatureOf(t), start, len(s.records)})
	if len(s.records) < cmp.Or(s.most, runBytes) {
		return nil
	}
	return s.spill()
}

// spill writes a run: for each table its signature, the length of its record and that.
func (s *sorter) spill() (err error) {
	s.order()
	path := filepath.Join(s.dir, fmt.Sprintf("run%04d", len(s.runs)))
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(z, 1<<16)
	for _, t := range s.run {
		for _, key := range t.signature {
			w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), key))
		}
		w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(t.end-t.start)))
		w.Write(s.records[t.start:t.end])
	}
	s.runs = append(s.runs, path)
	s.run, s.records = s.run[:0], s.records[:0]
	return errors.Join(w.Flush(), z.Close())
}

func (s *sorter) order() {
	slices.SortFunc(s.run, func(x, y waiting) int { return x.compare(&y) })
}

// each gives the tables in order. A record holds until the next is asked for.
func (s *sorter) each(f func(signature, []byte) error) error {
	s.order()
	if len(s.runs) == 0 {
		for _, t := range s.run {
			if err := f(t.signature, s.records[t.start:t.end]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.run, s.records = nil, nil
	return s.merge(f)
}

func (s *sorter) merge(f func(signature, []byte) error) error {
	var h runHeap
	defer func() {
		for _, r := range h {
			r.close()
		}
	}()
	for _, path := range s.runs {
		r, err := openRun(path)
		if err != nil {
			return err
		}
		h = append(h, r)
		if err := r.next(); err != nil {
			return err
		}
	}
	h = slices.DeleteFunc(h, func(r *runReader) bool { return r.ended })
	heap.Init(&h)
	for len(h) > 0 {
		r := h[0]
		if err := f(r.signature, r.record); err != nil {
			return err
		}
		if err := r.next(); err != nil {
			return err
		}
		if r.ended {
			heap.Pop(&h)
		} else {
			heap.Fix(&h, 0)
		}
	}
	return nil
}

// remove drops the runs.
func (s *sorter) remove() error {
	var errs []error
	for _, path := range s.runs {
		errs = append(errs, os.Remove(path))
	}
	s.runs = nil
	return errors.Join(errs...)
}

// runReader reads a run; it is at one of its tables.
type runReader struct {
	waiting
	f      *os.File
	z      *zstd.Decoder
	r      *bufio.Reader
	record []byte
	ended  bool
}

func openRun(path string) (*runReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &runReader{f: f, z: z, r: bufio.NewReaderSize(z, 1<<15)}, nil
}

func (r *runReader) close() {
	r.z.Close()
	r.f.Close()
}

func (r *runReader) next() error {
	var keys [8 * bands]byte
	if _, err := io.ReadFull(r.r, keys[:]); err == io.EOF {
		r.ended = true
		r.close()
		return nil
	} else if err != nil {
		return err
	}
	for i := range r.signature {
		r.signature[i] = binary.LittleEndian.Uint64(keys[8*i:])
	}
	n, err := binary.ReadUvarint(r.r)
	if err != nil {
		return err
	}
	r.record = slices.Grow(r.record[:0], int(n))[:n]
	if _, err := io.ReadFull(r.r, r.record); err != nil {
		return err
	}
	d := decoder{data: r.record, text: string(r.record)}
	r.id = d.string()
	d.string() // caption
	r.source, r.sum = d.string(), checksum(r.record)
	return nil
}

// runHeap has the run with the least table first.
type runHeap []*runReader

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].compare(&h[j].waiting) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
