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

// Append encodes d at the end of dst: unsigned varints, and texts as their
// length shared with the text before and the rest.
func (d *Data) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(d.Headers))
	dst = binary.AppendUvarint(dst, uint64(len(d.Counts)))
	prev := ""
	for _, c := range d.Counts {
		dst = appendText(dst, prev, c.Word)
		dst = binary.AppendUvarint(dst, uint64(c.N))
		prev = c.Word
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.Lemmas)))
	prev = ""
	for _, l := range d.Lemmas {
		dst = appendText(dst, prev, l.Text)
		dst = binary.AppendUvarint(dst, uint64(len(l.Senses)))
		for _, s := range l.Senses {
			dst = binary.AppendUvarint(dst, uint64(s.Synset))
			dst = append(dst, s.Weight)
		}
		prev = l.Text
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.Parents)))
	for _, p := range d.Parents {
		dst = binary.AppendUvarint(dst, uint64(p))
	}
	dst = binary.AppendUvarint(dst, uint64(len(d.Antonyms)))
	for _, a := range d.Antonyms {
		dst = binary.AppendUvarint(dst, uint64(a[0]))
		dst = binary.AppendUvarint(dst, uint64(a[1]))
	}
	return dst
}

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
	d.Counts = make([]Count, r.count(3))
	for i := range d.Counts {
		prev = r.text(prev)
		d.Counts[i] = Count{prev, r.uint32()}
	}
	prev = ""
	d.Lemmas = make([]Lemma, r.count(3))
	for i := range d.Lemmas {
		prev = r.text(prev)
		senses := make([]Sense, r.count(2))
		for j := range senses {
			senses[j] = Sense{r.uint32(), r.byte()}
		}
		d.Lemmas[i] = Lemma{prev, senses}
	}
	d.Parents = make([]uint32, r.count(1))
	for i := range d.Parents {
		d.Parents[i] = r.uint32()
	}
	d.Antonyms = make([][2]uint32, r.count(2))
	for i := range d.Antonyms {
		d.Antonyms[i] = [2]uint32{r.uint32(), r.uint32()}
	}
	return d, r.src, r.err
}

// reader consumes src; after the first error it returns zeros.
type reader struct {
	src []byte
	err error
}

func (r *reader) uint32() uint32 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 || v > math.MaxUint32 {
		r.fail(errShort)
		return 0
	}
	r.src = r.src[n:]
	return uint32(v)
}

// count reads a number of elements of at least size bytes each.
func (r *reader) count(size int) int {
	n := int(r.uint32())
	if n > maxCount || n*size > len(r.src) {
		r.fail(fmt.Errorf("knowledge: %d elements in %d bytes", n, len(r.src)))
		return 0
	}
	return n
}

func (r *reader) byte() byte {
	if len(r.src) == 0 {
		r.fail(errShort)
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

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

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.src = nil
}
