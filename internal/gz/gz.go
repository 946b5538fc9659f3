// Package gz packs and unpacks what is embedded, and reads files that may be packed.
package gz

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
)

// Pack returns data as gzip. The level is one of package gzip's constants.
func Pack(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Unpack returns what gzip data holds, which may be at most limit bytes.
func Unpack(data []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w, expected gzip", err)
	}
	out := bytes.NewBuffer(make([]byte, 0, sizeHint(data, limit)))
	if _, err := out.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(out.Len()) > limit {
		return nil, fmt.Errorf("more than %d bytes inflated", limit)
	}
	return out.Bytes(), nil
}

// sizeHint is how much to make room for: what the end of gzip data says that it
// inflates to, as far as data of that length can, and limit allows.
func sizeHint(data []byte, limit int64) int64 {
	const most = 1032 // bytes that deflate makes of one
	size := int64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	return min(size, limit, most*int64(len(data))) + bytes.MinRead
}

// Plain returns a reader of the plain text of r, which may be gzip.
func Plain(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	if magic, _ := br.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return br, nil
	}
	return gzip.NewReader(br)
}
