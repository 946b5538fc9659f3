package retriever

import (
	"bufio"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"
)

// sorter brings tables into the order of the index. They wait in runs on disk, each in
// order and compressed, so that memory does not grow with them and they take less room
// than the index.
type sorter struct {
	dir    string
	most   int        // bytes of a run in memory, about; 0 for runBytes
	run    run        // in the making
	spare  run        // that is written, or was
	runs   [][]string // the files of each
	made   int        // runs, also those that are merged since
	atOnce int        // runs that are read at the same time; 0 for runsAtOnce

	spilling *runWriter // writes the spare one; nil where nothing is written
	writing  errgroup.Group
}

// run is tables in memory.
type run struct {
	tables  []waiting
	records []byte
}

func (r *run) order() {
	slices.SortFunc(r.tables, func(x, y waiting) int { return x.compare(&y) })
}

// each gives the tables.
func (r *run) each(ctx context.Context, f func(signature, []byte) error) error {
	for _, t := range r.tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(t.signature, r.records[t.start:t.end]); err != nil {
			return err
		}
	}
	return nil
}

// runsAtOnce bounds the files and buffers of a merge. Where there are more runs, some are
// merged into one before.
const runsAtOnce = 128

// runBytes bounds what a run has in memory.
const runBytes = 32 << 20

// waitingBytes is about what a table of a run takes beside its record.
const waitingBytes = int(unsafe.Sizeof(waiting{}))

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

func (s *sorter) add(t *Table, key signature) error {
	r := &s.run
	start := len(r.records)
	r.records = appendTable(r.records, t)
	record := r.records[start:]
	r.tables = append(r.tables, waiting{t.ID, t.Source, checksum(record), key, start, len(r.records)})
	if len(r.records)+len(r.tables)*waitingBytes < cmp.Or(s.most, runBytes) {
		return nil
	}
	return s.spill()
}

// spill has a run written, while another is made.
func (s *sorter) spill() error {
	if len(s.run.tables) == 0 {
		return nil
	}
	if err := s.wait(); err != nil {
		return err
	}
	s.run, s.spare = s.spare, s.run
	s.run.tables, s.run.records = s.run.tables[:0], s.run.records[:0]
	w := s.newRun(len(s.spare.records) / runParts)
	s.spilling = w
	s.writing.Go(func() error {
		s.spare.order()
		return errors.Join(s.spare.each(context.Background(), w.put), w.close())
	})
	return nil
}

// wait waits for the run that is being written.
func (s *sorter) wait() error {
	if s.spilling == nil {
		return nil
	}
	err := s.writing.Wait()
	s.runs, s.spilling = append(s.runs, s.spilling.parts), nil
	return err
}

// runParts is the number of parts of a run.
const runParts = 16

// newRun begins a run with parts of so many bytes.
func (s *sorter) newRun(size int) *runWriter {
	s.made++
	return &runWriter{dir: s.dir, number: s.made - 1, size: size}
}

// runWriter writes a run, in parts that can go as soon as they are read: for each table its
// signature, the length of its record and that.
type runWriter struct {
	dir     string
	number  int
	size    int // of a part
	parts   []string
	written int // of the last part
	f       *os.File
	z       *zstd.Encoder
	w       *bufio.Writer
}

func (r *runWriter) put(key signature, record []byte) error {
	if r.f == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	for _, k := range key {
		r.w.Write(binary.LittleEndian.AppendUint64(r.w.AvailableBuffer(), k))
	}
	r.w.Write(binary.AppendUvarint(r.w.AvailableBuffer(), uint64(len(record))))
	if _, err := r.w.Write(record); err != nil {
		return err
	}
	if r.written += len(record); r.written < r.size {
		return nil
	}
	return r.close()
}

// open begins a part.
func (r *runWriter) open() (err error) {
	path := filepath.Join(r.dir, fmt.Sprintf("run%04d.%02d", r.number, len(r.parts)))
	if r.f, err = os.Create(path); err != nil {
		return err
	}
	r.parts, r.written = append(r.parts, path), 0
	if r.z != nil {
		r.z.Reset(r.f)
		r.w.Reset(r.z)
		return nil
	}
	r.z, err = zstd.NewWriter(r.f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(256<<10), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err == nil {
		r.w = bufio.NewWriterSize(r.z, 1<<16)
	}
	return err
}

// close ends the part that is written, if any.
func (r *runWriter) close() error {
	if r.f == nil {
		return nil
	}
	var err error
	if r.w != nil {
		err = errors.Join(r.w.Flush(), r.z.Close())
	}
	err = errors.Join(err, r.f.Close())
	r.f = nil
	return err
}

// each gives the tables in order. A record holds until the next is asked for.
func (s *sorter) each(ctx context.Context, f func(signature, []byte) error) error {
	if s.made == 0 {
		s.run.order()
		return s.run.each(ctx, f)
	}
	if err := errors.Join(s.spill(), s.wait()); err != nil {
		return err
	}
	s.run, s.spare = run{}, run{}
	return s.merge(ctx, f)
}

func (s *sorter) merge(ctx context.Context, f func(signature, []byte) error) error {
	most := cmp.Or(s.atOnce, runsAtOnce)
	for len(s.runs) > most {
		some := s.runs[:min(most, len(s.runs)-most+1)]
		w := s.newRun(len(some) * cmp.Or(s.most, runBytes) / runParts)
		if err := mergeRuns(ctx, some, w.put); err != nil {
			return errors.Join(err, w.close())
		}
		if err := w.close(); err != nil {
			return err
		}
		s.runs = append(s.runs[len(some):], w.parts)
	}
	return mergeRuns(ctx, s.runs, f)
}

// mergeRuns gives the tables of runs in order.
func mergeRuns(ctx context.Context, runs [][]string, f func(signature, []byte) error) error {
	var h runHeap
	defer func() {
		for _, r := range h {
			r.close()
		}
	}()
	for _, parts := range runs {
		r, err := openRun(parts)
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
		if err := ctx.Err(); err != nil {
			return err
		}
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

// runReader reads a run; it is at one of its tables.
type runReader struct {
	waiting
	parts  []string // the one that is read and those behind it
	path   string   // of the one that is read
	f      *os.File // nil at the end
	z      *zstd.Decoder
	r      *bufio.Reader
	record []byte
	ended  bool
}

func openRun(parts []string) (*runReader, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	r := &runReader{parts: parts, z: z, r: bufio.NewReaderSize(z, 1<<15)}
	if err := r.open(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// open begins to read a part.
func (r *runReader) open() (err error) {
	r.path = r.parts[0]
	if r.f, err = os.Open(r.path); err != nil {
		return err
	}
	if err := r.z.Reset(r.f); err != nil {
		return err
	}
	r.r.Reset(r.z)
	return nil
}

func (r *runReader) close() {
	r.z.Close()
	if r.f != nil {
		r.f.Close()
	}
}

// drop removes the part that was read.
func (r *runReader) drop() error {
	err := errors.Join(r.f.Close(), os.Remove(r.parts[0]))
	r.f, r.parts = nil, r.parts[1:]
	return err
}

// next goes on to the next table, or to the end.
func (r *runReader) next() error {
	if err := r.read(); err != nil {
		return fmt.Errorf("sort tables: %s: %w", r.path, err)
	}
	return nil
}

func (r *runReader) read() error {
	var keys [8 * bands]byte
	_, err := io.ReadFull(r.r, keys[:])
	for err == io.EOF {
		if err := r.drop(); err != nil {
			return err
		}
		if len(r.parts) == 0 {
			r.ended = true
			r.z.Close()
			return nil
		}
		if err := r.open(); err != nil {
			return err
		}
		_, err = io.ReadFull(r.r, keys[:])
	}
	if err != nil {
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
