package knowledge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// errShort reports an encoding that ends too early.
var errShort = errors.New("knowledge: unexpected end of data")

// maxCount bounds each table, so that a hostile length allocates little.
const maxCount = 1 << 20

// Append encodes d at the end of dst: unsigned varints, and texts as the length of
// the prefix that they share with the text before, and the rest.
func (d *Data) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(d.Headers))
	dst = binary.AppendUvarint(dst, uint64(len(d.Counts)))
	prev := ""
	for _, c := range d.Counts {
		dst = appendText(dst, prev, c.Word)
		dst = binary.AppendUvarint(dst, uint64(c.N))
		prev = c.Word
	}
	dst = d.Kinds.append(dst)
	for _, l := range d.Lemmas {
		dst = append(dst, l.Senses, l.General)
	}
	dst = d.Columns.append(dst)
	dst = binary.AppendUvarint(dst, uint64(d.Metric.In))
	dst = binary.AppendUvarint(dst, uint64(d.Metric.Out))
	for _, x := range d.Metric.Rows {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// append encodes the terms, then the values one component after the other:
// values of a component resemble each other.
func (s *Space) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Dim))
	dst = binary.AppendUvarint(dst, uint64(len(s.Terms)))
	prev := ""
	for _, t := range s.Terms {
		dst = appendText(dst, prev, t)
		prev = t
	}
	for k := range s.Dim {
		for i := range s.Terms {
			dst = append(dst, byte(s.Rows[i*s.Dim+k]))
		}
	}
	return dst
}

// appendText appends s: the length of the prefix that it shares with prev, the text before it, the length
// of the rest, and the rest.
func appendText(dst []byte, prev, s string) []byte {
	shared := 0
	for shared < min(len(prev), len(s), math.MaxUint8) && prev[shared] == s[shared] {
		shared++
	}
	dst = append(dst, byte(shared))
	dst = binary.AppendUvarint(dst, uint64(len(s)-shared))
	return append(dst, s[shared:]...)
}

// Decode reads what [Data.Append] wrote and returns the bytes after it.
func Decode(src []byte) (Data, []byte, error) {
	r := &reader{src: src}
	d := Data{Headers: r.uint32()}
	prev := ""
	d.Counts = make([]Count, r.count(3)) // two bytes or more of a text, and one of a number
	for i := range d.Counts {
		prev = r.text(prev)
		d.Counts[i] = Count{prev, r.uint32()}
	}
	d.Kinds = r.space()
	d.Lemmas = make([]Lemma, len(d.Kinds.Terms))
	for i := range d.Lemmas {
		d.Lemmas[i] = Lemma{r.byte(), r.byte()}
	}
	d.Columns = r.space()
	d.Metric = r.metric()
	return d, r.src, r.err
}

// maxDim bounds the components of a space.
const maxDim = 1024

// metric reads a metric: its width, its number of rows and the rows.
func (r *reader) metric() Metric {
	m := Metric{In: int(r.uint32()), Out: int(r.uint32())}
	if max(m.In, m.Out) > maxDim || 4*m.In*m.Out > len(r.src) {
		r.fail(fmt.Errorf("knowledge: metric of %d × %d values in %d bytes", m.In, m.Out, len(r.src)))
		return Metric{}
	}
	m.Rows = make([]float32, m.In*m.Out)
	for i := range m.Rows {
		x := math.Float32frombits(binary.LittleEndian.Uint32(r.src[4*i:]))
		if x != x || math.Abs(float64(x)) > 1e6 { // x != x is NaN
			r.fail(fmt.Errorf("knowledge: metric holds %v, expected a finite number below 1e6", x))
			return Metric{}
		}
		m.Rows[i] = x
	}
	r.src = r.src[4*len(m.Rows):]
	return m
}

// space reads what [Space.append] wrote: the values lie one component after the other, and become a row for each term.
func (r *reader) space() Space {
	s := Space{Dim: int(r.uint32())}
	if s.Dim > maxDim {
		r.fail(fmt.Errorf("knowledge: vectors of %d components, expected at most %d", s.Dim, maxDim))
		s.Dim = 0
	}
	s.Terms = make([]string, r.count(2+s.Dim)) // two bytes or more of a text, and its row
	prev := ""
	for i := range s.Terms {
		prev = r.text(prev)
		s.Terms[i] = prev
	}
	if len(r.src) < s.Dim*len(s.Terms) {
		r.fail(errShort)
		return Space{}
	}
	s.Rows = make([]int8, s.Dim*len(s.Terms))
	for k := range s.Dim {
		for i := range s.Terms {
			s.Rows[i*s.Dim+k] = int8(r.src[k*len(s.Terms)+i])
		}
	}
	r.src = r.src[len(s.Rows):]
	return s
}

// reader consumes src; after the first error it returns zeros.
type reader struct {
	src []byte
	err error
}

// uint32 reads a varint of at most 32 bits.
func (r *reader) uint32() uint32 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 || v > math.MaxUint32 {
		r.fail(errShort)
		return 0
	}
	r.src = r.src[n:]
	return uint32(v)
}

// count reads the number of elements that follow, each of at least size bytes. It rejects more than src
// has room for, before memory is allocated for them.
func (r *reader) count(size int) int {
	n := int(r.uint32())
	if n > maxCount || n*size > len(r.src) {
		r.fail(fmt.Errorf("knowledge: %d elements in %d bytes", n, len(r.src)))
		return 0
	}
	return n
}

// byte reads a byte.
func (r *reader) byte() byte {
	if len(r.src) == 0 {
		r.fail(errShort)
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

// text reads what appendText wrote after prev.
func (r *reader) text(prev string) string {
	shared := int(r.byte())
	n := r.count(1)
	if shared > len(prev) {
		r.fail(fmt.Errorf("knowledge: text shares %d bytes of %d", shared, len(prev)))
		return ""
	}
	s := prev[:shared] + string(r.src[:n])
	r.src = r.src[n:]
	return s
}

// fail stores the first error and drops the rest of src, so that later reads fail too.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.src = nil
}
