package lexicon

import (
	_ "embed"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
)

//go:embed embedded/vectors.tpv.zst
var vectorsFile []byte

// maxEmbedded bounds the embedded table, in bytes.
const maxEmbedded = 64 << 20

// Default returns the embedded table: English words and terms of up to four
// words, from Open English WordNet and PPDB, built by tools/train (see
// NOTICE). It is unpacked at the first call and shared; do not close it.
var Default = sync.OnceValue(func() *Table {
	t, err := loadPacked(vectorsFile)
	if err != nil {
		panic("lexicon: embedded vectors: " + err.Error()) // a broken build
	}
	return t
})

// Embedded provides the vectors of [Default], which it unpacks at the first lookup, for callers that
// may need none.
type Embedded struct{}

// Dim implements [Vectors].
func (Embedded) Dim() int { return Default().Dim() }

// Lookup implements [Vectors].
func (Embedded) Lookup(dst []float32, term string) ([]float32, bool) {
	return Default().Lookup(dst, term)
}

// Nearest returns the k terms of the embedded vectors nearest to vec, as [Table.Nearest] does.
func (Embedded) Nearest(vec []float32, k int) []Near { return Default().Nearest(vec, k) }

// loadPacked unpacks a .tpv file and loads it.
func loadPacked(data []byte) (*Table, error) {
	plain, err := packed.Unpack(data, maxEmbedded)
	if err != nil {
		return nil, err
	}
	return Load(plain)
}
