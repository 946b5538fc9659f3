package linker

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/internal/learn/dense"
)

//go:embed weights.bin
var weights []byte

// Default returns the embedded linker, which was trained on Spider's training databases.
var Default = sync.OnceValue(func() *Model {
	m, err := Decode(weights)
	if err != nil {
		panic(err) // the embedded file is tested
	}
	return m
})

// magic opens a file: name and version of its form. The rest, unpacked, is a line of JSON, see
// [header], and of the weights of the networks, little-endian float32.
const magic = "tplink02\n"

// Bounds on a file.
const (
	maxInflated = 64 << 20
	maxFile     = 16 << 20
	maxHeader   = 4 << 20
	MaxNetworks = 16 // of a linker
)

// header is the first line of an unpacked file.
type header struct {
	Card     string   `json:"card"`
	Features int      `json:"features"`
	Networks int      `json:"networks"`
	Question []string `json:"question"` // words that questions' embeddings are of
	Names    []string `json:"names"`    // the same of names
}

// Encode returns the linker as a file. The same linker gives the same bytes.
func (m *Model) Encode() ([]byte, error) {
	body, err := json.Marshal(header{m.Card, Dim, len(m.nets), m.Question, m.Names})
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	for _, n := range m.nets {
		body = dense.AppendWeights(body, n.params)
	}
	small, err := packed.Pack(body)
	return append([]byte(magic), small...), err
}

// round rounds a weight to 12 of the 23 bits of its fraction, so that the file packs well. Training ends with it, so that a trained linker
// has the weights of its file.
func round(p float32) float32 {
	const cut = 23 - 12
	return math.Float32frombits((math.Float32bits(p) + 1<<(cut-1)) &^ (1<<cut - 1))
}

// Read reads a linker from a file of [Model.Encode].
func Read(path string) (*Model, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(), info.Size() > maxFile:
		return nil, fmt.Errorf("%s: expected a file of at most %d MiB that link train wrote", path, maxFile>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Decode reads what [Model.Encode] wrote.
func Decode(data []byte) (*Model, error) {
	small, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("is no linker, expected a file that link train wrote")
	}
	body, err := packed.Unpack(small, maxInflated)
	if err != nil {
		return nil, fmt.Errorf("the linker is damaged: %w", err)
	}
	line, _, _ := bytes.Cut(body[:min(len(body), maxHeader)], []byte("\n"))
	if len(line) == maxHeader {
		return nil, fmt.Errorf("the linker is damaged: its header has no end within %d MiB", maxHeader>>20)
	}
	rest := body[min(len(body), len(line)+1):]
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, fmt.Errorf("the linker is damaged: %w", err)
	}
	switch {
	case h.Features != Dim:
		return nil, fmt.Errorf("the linker reads %d features of an item, expected %d: train it anew", h.Features, Dim)
	case h.Networks < 1, h.Networks > MaxNetworks:
		return nil, fmt.Errorf("the linker has %d networks, expected 1 to %d", h.Networks, MaxNetworks)
	}
	// Before memory is taken for them: a header of a few bytes may name any number of words.
	if size := 4 * h.Networks * netSize(len(h.Question)+1, len(h.Names)+1); len(rest) != size {
		return nil, fmt.Errorf("the linker is damaged: %d bytes of weights, expected %d", len(rest), size)
	}
	m := &Model{vocabulary: newVocabulary(h.Question, h.Names), Card: h.Card}
	for range h.Networks {
		n := newNet(len(h.Question)+1, len(h.Names)+1)
		if rest, err = dense.ReadWeights(n.params, rest); err != nil {
			return nil, fmt.Errorf("the linker is damaged: %w", err)
		}
		m.nets = append(m.nets, n)
	}
	return m, nil
}
