package lexicon

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
)

// WriteVectors writes a .tpv file of the given terms, in any order but without
// repeats. row(i) returns the components of terms[i], valid until the next
// call; it is called once a term, in ascending order of the terms.
func WriteVectors(w io.Writer, dim int, terms []string, row func(i int) ([]int8, error)) error {
	order, err := termOrder(terms)
	if err != nil {
		return err
	}
	l := layout{dim: int64(dim), count: int64(len(terms))}
	for _, t := range terms {
		l.terms += int64(len(t))
	}
	if err := l.check(); err != nil {
		return err
	}
	sum := crc32.New(castagnoli())
	s := &sectionWriter{w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)}
	s.header(l)
	s.vocabulary(terms, order)
	s.pad()
	for _, i := range order {
		r, err := row(i)
		if err != nil {
			return fmt.Errorf("vector of %q: %w", terms[i], err)
		}
		if len(r) != dim {
			return fmt.Errorf("vector of %q: %d components, expected %d", terms[i], len(r), dim)
		}
		s.int8s(r)
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	_, err = w.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// termOrder returns the positions of terms in ascending order, after checking
// that a table can hold them.
func termOrder(terms []string) ([]int, error) {
	order := make([]int, len(terms))
	for i, t := range terms {
		if t == "" || len(t) > MaxTermLen {
			return nil, fmt.Errorf("term %d, %.40q, has %d bytes, expected 1 to %d", i, t, len(t), MaxTermLen)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(terms[a], terms[b]) })
	for k := 1; k < len(order); k++ {
		if terms[order[k]] == terms[order[k-1]] {
			return nil, fmt.Errorf("term %q is repeated, expected distinct terms", terms[order[k]])
		}
	}
	return order, nil
}

// sectionWriter writes the sections and keeps their alignment. Errors stay in
// the buffered writer until its Flush.
type sectionWriter struct {
	w   *bufio.Writer
	at  int64 // bytes written
	buf []byte
}

// bytes writes b and counts its bytes.
func (s *sectionWriter) bytes(b []byte) {
	n, _ := s.w.Write(b)
	s.at += int64(n)
}

// uint32 writes v in 4 bytes, the lowest first.
func (s *sectionWriter) uint32(v uint32) {
	s.buf = binary.LittleEndian.AppendUint32(s.buf[:0], v)
	s.bytes(s.buf)
}

// int8s writes the components of a vector.
func (s *sectionWriter) int8s(row []int8) {
	s.buf = s.buf[:0]
	for _, v := range row {
		s.buf = append(s.buf, byte(v))
	}
	s.bytes(s.buf)
}

// pad writes zeros up to the start of the next section.
func (s *sectionWriter) pad() { s.bytes(make([]byte, align(s.at)-s.at)) }

// header writes the header of a file, padded with zeros.
func (s *sectionWriter) header(l layout) {
	h := append(make([]byte, 0, tpvHeader), tpvMagic...)
	for _, v := range []int64{tpvVersion, l.dim, l.count, l.terms} {
		h = binary.LittleEndian.AppendUint32(h, uint32(v))
	}
	s.bytes(h[:tpvHeader]) // the rest of the memory is zero
}

// vocabulary writes the sections of offsets and terms, the terms in the given order.
func (s *sectionWriter) vocabulary(terms []string, order []int) {
	at := uint32(0)
	for _, i := range order {
		s.uint32(at)
		at += uint32(len(terms[i]))
	}
	s.uint32(at)
	s.pad()
	for _, i := range order {
		s.bytes([]byte(terms[i]))
	}
}

// Quantize writes vec to dst as int8, its largest component as ±127; dst and
// vec have one length. It reports false, and writes zeros, if vec is zero
// or not finite.
func Quantize(dst []int8, vec []float32) bool {
	top := 0.0
	for _, x := range vec {
		top = math.Max(top, math.Abs(float64(x))) // NaN stays NaN
	}
	ok := top > 0 && !math.IsInf(top, 1)
	for i, x := range vec {
		dst[i] = 0
		if ok {
			dst[i] = int8(math.Round(float64(x) / top * 127))
		}
	}
	return ok
}
