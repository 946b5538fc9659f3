package retriever

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// The parameters of near-duplicates. Crawls contain the same table many times. Two tables are
// near-duplicates if their headers are equal as multisets, up to case and punctuation, and
// their contents are similar. The content of a table is its caption and its shingles, the
// pairs of neighbouring cells of a row. MinHash and LSH find similar contents: one of bands
// keys must be equal, and a key combines bandRows hashes. So tables with a Jaccard similarity
// of 0.9 count as duplicates in 99.5% of cases, of 0.5 in 41%, of 0.2 in 3%.
const (
	bands    = 4
	bandRows = 3
)

// signature holds the LSH keys of a table. Tables that share a key are near-duplicates.
type signature [bands]uint64

// signatureOf returns the signature of a table: MinHashes of the caption and of the pairs of neighbouring cells, combined to a key
// for each band. Each key depends on the headers too, in any order.
func signatureOf(t *Table) signature {
	names := lists.Map(t.Headers(), func(name string) string { return string(appendFolded(nil, name)) })
	slices.Sort(names)
	header := fnvHash([]byte(strings.Join(names, "\x00")))

	var mins [bands * bandRows]uint64 // the least value of each hash function over all shingles
	for i := range mins {
		mins[i] = math.MaxUint64
	}
	add := func(shingle []byte) {
		h := fnvHash(shingle)
		for i := range mins {
			mins[i] = min(mins[i], mix(h+uint64(i)*0x9e3779b97f4a7c15)) // hash function i, by SplitMix64's increment
		}
	}
	add(appendFolded(nil, t.Caption))
	var shingle []byte // the previous cell, NUL, the cell
	for row := range t.Rows() {
		shingle = shingle[:0]
		for i, c := range t.Columns {
			shingle = append(shingle, 0)
			cell := len(shingle) // where the cell starts
			shingle = appendFolded(shingle, c.Cells[row])
			if i > 0 || len(t.Columns) == 1 { // a single column has no pairs: each of its cells is a shingle
				add(shingle)
			}
			shingle = append(shingle[:0], shingle[cell:]...)
		}
	}
	var s signature
	for b := range s {
		key := mix(header + uint64(b))
		for _, m := range mins[b*bandRows : (b+1)*bandRows] {
			key = mix(key ^ m)
		}
		s[b] = key
	}
	return s
}

// appendFolded appends the letters and digits of s to dst, in lower case.
func appendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			dst = append(dst, byte(r))
		case 'A' <= r && r <= 'Z':
			dst = append(dst, byte(r)+'a'-'A')
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	return dst
}

// fnvHash returns the 64-bit FNV-1a hash of data; the numbers are its offset basis and prime.
func fnvHash(data []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// mix returns the finaliser of SplitMix64: every bit of x changes every bit of the result.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
