// Package packed compresses and decompresses embedded data, and reads files that may be gzip.
package packed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Pack compresses data by Zstandard, which decompresses some three times as fast as gzip: every command that
// needs the embedded vectors or weights does that when it starts.
func Pack(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

// Unpack returns what [Pack] packed, which may be at most limit bytes.
func Unpack(data []byte, limit int64) ([]byte, error) {
	const least = 1 << 20 // the decoder needs that for a window
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(uint64(limit), least)))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := r.DecodeAll(data, nil)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), int64(len(out)) > limit:
		return nil, fmt.Errorf("more than %d bytes unpacked", limit)
	case err != nil:
		return nil, fmt.Errorf("%w, expected Zstandard", err)
	case len(out) == 0:
		return nil, errors.New("nothing is packed in it")
	}
	return out, nil
}

// Plain returns a reader of r, which it decompresses where r is gzip.
func Plain(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	if magic, _ := br.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return br, nil
	}
	return gzip.NewReader(br)
}
