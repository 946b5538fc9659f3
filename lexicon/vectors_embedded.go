package lexicon

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"
)

//go:embed embedded/vectors.tpv.gz
var vectorsFile []byte

// Default returns the embedded table: English words and terms of up to four
// words, from Open English WordNet and PPDB, built by tools/train (see
// NOTICE). It is inflated at the first call and shared; do not close it.
var Default = sync.OnceValue(func() *Table {
	t, err := loadGzip(vectorsFile)
	if err != nil {
		panic("lexicon: embedded vectors: " + err.Error()) // a broken build
	}
	return t
})

func loadGzip(data []byte) (*Table, error) {
	zr, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	if _, err := io.Copy(&plain, zr); err != nil {
		return nil, err
	}
	return Load(plain.Bytes())
}
