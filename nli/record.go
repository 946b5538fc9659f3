package nli

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
)

// A record of the score cache, 48 bytes, numbers little-endian:
//
//	0  magic with the format's version
//	4  key: the first 16 bytes of a SHA-256 sum, see keyOf
//	20 entailment, neutral, contradiction: IEEE 754 doubles
//	44 CRC-32C of bytes 0 to 43
const (
	recordMagic = "nli\x01"
	recordSize  = 48
	keyAt       = len(recordMagic)
	scoresAt    = keyAt + len(cacheKey{})
	sumAt       = recordSize - crc32.Size
)

// cacheKey identifies a model, a premise and a hypothesis. It has 128 bits of a cryptographic
// hash, so that different texts do not share a key in practice.
type cacheKey [16]byte

// keyOf returns the key of a pair by a model. It hashes the parts with their lengths, so that
// moving a byte from one part to the next changes the key.
func keyOf(model string, p Pair) cacheKey {
	premise, hypothesis := p.Sentences()
	h := sha256.New()
	var size [8]byte
	for _, part := range [...]string{model, premise, hypothesis} {
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		io.WriteString(h, part)
	}
	var sum [sha256.Size]byte
	return cacheKey(h.Sum(sum[:0])[:len(cacheKey{})])
}

// appendRecord appends the record of a key and its scores to dst.
func appendRecord(dst []byte, k cacheKey, s Scores) []byte {
	start := len(dst)
	dst = append(dst, recordMagic...)
	dst = append(dst, k[:]...)
	for _, v := range [...]float64{s.Entailment, s.Neutral, s.Contradiction} {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint32(dst, recordSum(dst[start:]))
}

// recordSum returns the CRC-32C of b.
func recordSum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
}

// parseRecord parses the record at the start of b. It reports false if the record is cut
// off, has another checksum or holds no probabilities.
func parseRecord(b []byte) (k cacheKey, s Scores, ok bool) {
	if len(b) < recordSize || string(b[:keyAt]) != recordMagic ||
		binary.LittleEndian.Uint32(b[sumAt:]) != recordSum(b[:sumAt]) {
		return k, s, false
	}
	copy(k[:], b[keyAt:])
	number := func(i int) float64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b[scoresAt+8*i:]))
	}
	s = Scores{Entailment: number(0), Neutral: number(1), Contradiction: number(2)}
	return k, s, s.valid()
}

// readRecords calls record with each good record of r, and damaged with offset and length of
// each stretch without one. After damage it looks for the next good record byte by byte.
func readRecords(r *bufio.Reader, record func(cacheKey, Scores), damaged func(at, n int64)) error {
	var offset, bad int64 // bad: bytes of the damaged stretch that ends at offset
	for {
		b, err := r.Peek(recordSize) // fewer bytes at the end
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		k, s, ok := parseRecord(b)
		step := 1
		if ok {
			step = recordSize
		}
		if bad > 0 && (ok || len(b) == 0) {
			damaged(offset-bad, bad)
			bad = 0
		}
		if len(b) == 0 {
			return nil
		}
		if ok {
			record(k, s)
		} else {
			bad++
		}
		if _, err := r.Discard(step); err != nil {
			return err
		}
		offset += int64(step)
	}
}
