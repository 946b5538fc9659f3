package lexicon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"sort"

	"github.com/edsrzf/mmap-go"
)

// A .tpv file holds the vectors of a sorted vocabulary, little-endian:
//
//	header   64 bytes, see the offsets below; unused bytes are zero
//	offsets  count+1 × uint32: where each term starts, and where the last ends
//	terms    the terms, UTF-8, strictly ascending by bytes, no separators
//	rows     count × dim × int8
//	checksum uint32, CRC-32C of all before it
//
// Offsets, terms and rows start at multiples of 64 bytes, the gaps hold zeros.
// A row is a direction: what int8 step its writer chose does not matter, since
// a lookup scales it to unit length.
const (
	tpvMagic   = "tpvector"
	tpvVersion = 1
	tpvHeader  = 64

	offVersion = 8  // uint32
	offDim     = 12 // uint32
	offCount   = 16 // uint32
	offTerms   = 20 // uint32, bytes of the terms section
)

// Bounds on what a vector file may hold.
const (
	MaxDim     = 4096     // components of a vector
	MaxTerms   = 16 << 20 // vectors of a table
	MaxTermLen = 255      // bytes of a term
)

// Table is a table of word vectors, in memory or mapped from a .tpv file. It
// implements [Vectors]; the vectors have unit length.
type Table struct {
	dim, count int
	offsets    []byte // count+1 × uint32
	terms      []byte
	rows       []byte // count × dim × int8
	mapped     mmap.MMap
}

// Open maps the .tpv file at path. The table must not be used after Close.
func Open(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < tpvHeader {
		return nil, fmt.Errorf("%s: %d bytes, expected a vector file (.tpv)", path, info.Size())
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map: %w", path, err)
	}
	t, err := Load(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, m.Unmap()))
	}
	t.mapped = m
	return t, nil
}

// Load reads a table from the bytes of a .tpv file and keeps them. It checks
// the whole of it, so that no later use of a damaged or hostile file can fail.
func Load(data []byte) (*Table, error) {
	if len(data) < tpvHeader || string(data[:len(tpvMagic)]) != tpvMagic {
		return nil, fmt.Errorf("not a vector file: expected %q at its start", tpvMagic)
	}
	field := func(off int) uint32 { return binary.LittleEndian.Uint32(data[off:]) }
	if v := field(offVersion); v != tpvVersion {
		return nil, fmt.Errorf("vector file of version %d, expected %d", v, tpvVersion)
	}
	l := layout{dim: int64(field(offDim)), count: int64(field(offCount)), terms: int64(field(offTerms))}
	if err := l.check(); err != nil {
		return nil, err
	}
	if int64(len(data)) != l.size() {
		return nil, fmt.Errorf("vector file of %d bytes, expected %d for %d vectors of %d components", len(data), l.size(), l.count, l.dim)
	}
	body := len(data) - 4
	if got, want := crc32.Checksum(data[:body], castagnoli()), field(body); got != want {
		return nil, fmt.Errorf("vector file is damaged: checksum %08x, expected %08x", got, want)
	}
	t := &Table{
		dim:     int(l.dim),
		count:   int(l.count),
		offsets: data[l.offsetsAt():][:4*(l.count+1)],
		terms:   data[l.termsAt():][:l.terms],
		rows:    data[l.rowsAt():][:l.count*l.dim],
	}
	if err := t.checkTerms(); err != nil {
		return nil, err
	}
	return t, nil
}

// castagnoli returns the table of CRC-32C.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// checkTerms checks what Term relies on: the offsets partition the terms, and
// the terms are in order.
func (t *Table) checkTerms() error {
	if first, last := t.offset(0), t.offset(t.count); first != 0 || last != uint32(len(t.terms)) {
		return fmt.Errorf("vector file is damaged: terms lie at %d to %d, expected 0 to %d", first, last, len(t.terms))
	}
	for i := range t.count {
		lo, hi := t.offset(i), t.offset(i+1)
		switch {
		case hi <= lo, hi > uint32(len(t.terms)), hi-lo > MaxTermLen:
			return fmt.Errorf("vector file is damaged: term %d lies at %d to %d, expected 1 to %d bytes of %d", i, lo, hi, MaxTermLen, len(t.terms))
		case i > 0 && bytes.Compare(t.term(i-1), t.term(i)) >= 0:
			return fmt.Errorf("vector file is damaged: term %d, %q, follows %q, expected ascending order", i, t.term(i), t.term(i-1))
		}
	}
	return nil
}

// Close unmaps the file of an opened table; for a loaded one it does nothing.
func (t *Table) Close() error {
	if t.mapped == nil {
		return nil
	}
	m := t.mapped
	*t = Table{dim: t.dim}
	return m.Unmap()
}

// Dim is the number of components of each vector.
func (t *Table) Dim() int { return t.dim }

// Len is the number of terms.
func (t *Table) Len() int { return t.count }

// Term returns the i-th term in ascending order of bytes, i from 0.
func (t *Table) Term(i int) string { return string(t.term(i)) }

// term returns the bytes of the i-th term, which the table shares.
func (t *Table) term(i int) []byte { return t.terms[t.offset(i):t.offset(i+1)] }

// offset returns where the i-th term starts in terms; i may be the number of terms.
func (t *Table) offset(i int) uint32 { return binary.LittleEndian.Uint32(t.offsets[4*i:]) }

// row returns the components of the i-th vector, to be read as int8.
func (t *Table) row(i int) []byte { return t.rows[i*t.dim : (i+1)*t.dim] }

// Index returns the position of a term, or false if it is unknown.
func (t *Table) Index(term string) (int, bool) {
	at := sort.Search(t.count, func(i int) bool { return string(t.term(i)) >= term })
	return at, at < t.count && string(t.term(at)) == term
}

// Lookup appends the unit vector of a term to dst. It allocates only if dst
// is too small.
func (t *Table) Lookup(dst []float32, term string) ([]float32, bool) {
	i, ok := t.Index(term)
	if !ok {
		return dst, false
	}
	row := t.row(i)
	scale := inverseNorm(row)
	if scale == 0 {
		return dst, false
	}
	for _, b := range row {
		dst = append(dst, float32(int8(b))*scale)
	}
	return dst, true
}

// inverseNorm returns 1 over the length of an int8 row, 0 if all is zero.
func inverseNorm(row []byte) float32 {
	sum := 0
	for _, b := range row {
		v := int(int8(b))
		sum += v * v
	}
	if sum == 0 {
		return 0
	}
	return float32(1 / math.Sqrt(float64(sum)))
}

// layout holds the sizes of a file's sections and computes where they start. Fields are int64, so
// that no sum of bounded fields overflows.
type layout struct{ dim, count, terms int64 }

// check returns an error if the table would exceed the bounds.
func (l layout) check() error {
	switch {
	case l.dim < 1, l.dim > MaxDim:
		return fmt.Errorf("vectors of %d components, expected 1 to %d", l.dim, MaxDim)
	case l.count > MaxTerms:
		return fmt.Errorf("%d vectors, expected at most %d", l.count, MaxTerms)
	}
	return nil
}

// align rounds n up to a multiple of the header's size, at which sections start.
func align(n int64) int64 { return (n + tpvHeader - 1) &^ (tpvHeader - 1) }

// offsetsAt returns the byte offset of the section of offsets, which follows the header.
func (l layout) offsetsAt() int64 { return tpvHeader }

// termsAt returns the byte offset of the terms, which follow count+1 offsets of 4 bytes.
func (l layout) termsAt() int64 { return align(l.offsetsAt() + 4*(l.count+1)) }

// rowsAt returns the byte offset of the vectors, which follow the terms.
func (l layout) rowsAt() int64 { return align(l.termsAt() + l.terms) }

// size returns the size of the file in bytes: after the vectors, of a byte a component, come 4 bytes of checksum.
func (l layout) size() int64 { return l.rowsAt() + l.count*l.dim + 4 }
