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

// sorter sorts tables into the order of the index. It writes sorted and compressed runs to
// disk and merges them, so that memory does not grow with the corpus.
type sorter struct {
	dir      string
	runBytes int        // about the bytes of a run in memory; 0 for defaultRunBytes
	run      run        // that tables are added to
	spare    run        // that is being written, or was
	runs     [][]string // the files of each run on disk
	made     int        // runs so far, merged ones too
	maxRuns  int        // runs that a merge reads concurrently; 0 for defaultMaxRuns

	spilling *runWriter // writes the spare run; nil if none is being written
	writing  errgroup.Group
}

// run holds tables in memory.
type run struct {
	tables  []waiting
	records []byte
}

// sort sorts the tables into the order of the index.
func (r *run) sort() {
	slices.SortFunc(r.tables, func(x, y waiting) int { return x.compare(&y) })
}

// each calls f with the signature and record of every table.
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

// defaultMaxRuns bounds the open files and buffers of a merge. If there are more runs,
// some are merged into one first.
const defaultMaxRuns = 128

// defaultRunBytes bounds the memory of a run.
const defaultRunBytes = 32 << 20

// waitingBytes is about the memory that a table of a run takes besides its record.
const waitingBytes = int(unsafe.Sizeof(waiting{}))

// waiting is a table of a run, with all that decides on its place.
type waiting struct {
	id, source string
	sum        uint32 // checksum of the record
	signature  signature
	start, end int // of the record in run.records
}

// compare orders tables by id, then by source, then by checksum.
func (w *waiting) compare(o *waiting) int {
	return cmp.Or(strings.Compare(w.id, o.id), strings.Compare(w.source, o.source), cmp.Compare(w.sum, o.sum))
}

// add adds a table, and begins to write the run if it is full.
func (s *sorter) add(t *Table, key signature) error {
	r := &s.run
	start := len(r.records)
	r.records = appendTable(r.records, t)
	record := r.records[start:]
	r.tables = append(r.tables, waiting{t.ID, t.Source, checksum(record), key, start, len(r.records)})
	if len(r.records)+len(r.tables)*waitingBytes < cmp.Or(s.runBytes, defaultRunBytes) {
		return nil
	}
	return s.spill()
}

// spill sorts and writes the run in the background, and begins another in the memory of the run that was written before. It
// waits until that is on disk.
func (s *sorter) spill() error {
	if len(s.run.tables) == 0 {
		return nil
	}
	if err := s.wait(); err != nil {
		return err
	}
	s.run, s.spare = s.spare, s.run // s.spare is the run to write
	s.run.tables, s.run.records = s.run.tables[:0], s.run.records[:0]
	w := s.newRun(len(s.spare.records) / runParts)
	s.spilling = w
	s.writing.Go(func() error {
		s.spare.sort()
		return errors.Join(s.spare.each(context.Background(), w.put), w.close())
	})
	return nil
}

// wait waits until the run that is being written is on disk.
func (s *sorter) wait() error {
	if s.spilling == nil {
		return nil
	}
	err := s.writing.Wait()
	s.runs, s.spilling = append(s.runs, s.spilling.parts), nil
	return err
}

// runParts is the number of files of a run.
const runParts = 16

// newRun begins a run on disk, with a new file after each size bytes.
func (s *sorter) newRun(size int) *runWriter {
	s.made++
	return &runWriter{dir: s.dir, number: s.made - 1, size: size}
}

// runWriter writes a run: for each table its signature, the length of its record, and the
// record. The run is divided into files, the parts, so that a reader can remove each as soon
// as it is read.
type runWriter struct {
	dir     string
	number  int // of the run
	size    int // bytes of records in a part
	parts   []string
	written int // bytes of records in the last part
	f       *os.File
	z       *zstd.Encoder
	w       *bufio.Writer
}

// put writes a table to the run. It opens a part if none is open, and closes it once it has r.size bytes of records.
func (r *runWriter) put(key signature, record []byte) error {
	if r.f == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	for _, k := range key { // the writer returns an error at the next call too
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

// open begins the next part: it creates its file and starts the encoder on it.
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

// close ends the part that is open, if any.
func (r *runWriter) close() error {
	if r.f == nil {
		return nil
	}
	var err error
	if r.w != nil { // nil if open could not make the encoder
		err = errors.Join(r.w.Flush(), r.z.Close())
	}
	err = errors.Join(err, r.f.Close())
	r.f = nil
	return err
}

// each calls f with the signature and record of every table, in order. f must not keep the
// record.
func (s *sorter) each(ctx context.Context, f func(signature, []byte) error) error {
	if s.made == 0 { // all tables are in memory
		s.run.sort()
		return s.run.each(ctx, f)
	}
	if err := errors.Join(s.spill(), s.wait()); err != nil {
		return err
	}
	s.run, s.spare = run{}, run{} // frees their memory for the merge
	return s.merge(ctx, f)
}

// merge calls f with the tables of all runs on disk, in order. While there are more than maxRuns runs, it first merges
// the first ones into one, which it puts at the end.
func (s *sorter) merge(ctx context.Context, f func(signature, []byte) error) error {
	most := cmp.Or(s.maxRuns, defaultMaxRuns)
	for len(s.runs) > most {
		first := s.runs[:min(most, len(s.runs)-most+1)] // no more than needed: then most runs are left
		w := s.newRun(len(first) * cmp.Or(s.runBytes, defaultRunBytes) / runParts)
		if err := mergeRuns(ctx, first, w.put); err != nil {
			return errors.Join(err, w.close())
		}
		if err := w.close(); err != nil {
			return err
		}
		s.runs = append(s.runs[len(first):], w.parts)
	}
	return mergeRuns(ctx, s.runs, f)
}

// mergeRuns calls f with the tables of all runs, in order, and removes the files of the runs. Each run is sorted, so a heap
// of the runs by their current tables has the next table at its top.
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

// runReader reads the tables of a run one after the other.
type runReader struct {
	waiting          // the current table
	parts   []string // the open one and the later ones
	path    string   // of the open part
	f       *os.File // the open part; nil at the end
	z       *zstd.Decoder
	r       *bufio.Reader
	record  []byte // of the current table
	ended   bool   // there is no current table
}

// openRun opens a run of these files; [runReader.next] then moves to its first table.
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

// open opens the first of the parts that are left.
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

// close releases the decoder and the open part.
func (r *runReader) close() {
	r.z.Close()
	if r.f != nil {
		r.f.Close()
	}
}

// drop closes and removes the open part.
func (r *runReader) drop() error {
	err := errors.Join(r.f.Close(), os.Remove(r.parts[0]))
	r.f, r.parts = nil, r.parts[1:]
	return err
}

// next moves to the next table, or to the end.
func (r *runReader) next() error {
	if err := r.read(); err != nil {
		return fmt.Errorf("sort tables: %s: %w", r.path, err)
	}
	return nil
}

// read reads the next table, from the next part if the open one is at its end. After the last table it sets r.ended.
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

// runHeap implements [heap.Interface] for runs, in the order of their current tables.
type runHeap []*runReader

// Len implements [heap.Interface].
func (h runHeap) Len() int { return len(h) }

// Less implements [heap.Interface]: the run whose waiting record comes first is the least.
func (h runHeap) Less(i, j int) bool { return h[i].compare(&h[j].waiting) < 0 }

// Swap implements [heap.Interface].
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *runHeap) Push(x any) { *h = append(*h, x.(*runReader)) }

// Pop implements [heap.Interface].
func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
