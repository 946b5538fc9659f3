package cybertron

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// safetensor is the entry of a tensor in the header of a safetensors file.
type safetensor struct {
	Kind    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // of the first byte and of the end, from the end of the header

	name string
}

// readSafetensors reads names, shapes and places of the tensors of a safetensors file, but not
// their numbers. The file is eight bytes with the length of the header, the header in JSON, and
// the numbers of all tensors without gaps.
func readSafetensors(r io.ReaderAt, size int64) (*checkpoint, error) {
	var length [8]byte
	if _, err := r.ReadAt(length[:], 0); err != nil {
		return nil, fmt.Errorf("%w, expected the length of a safetensors header", err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if limit := min(size-8, maxTextFile); n > uint64(limit) {
		return nil, fmt.Errorf("header of %d bytes, expected at most %d", n, limit)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil {
		return nil, err
	}
	tensors, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	start := 8 + int64(n)
	c := &checkpoint{file: r, size: size, tensors: map[string]tensor{}, offset: map[string]int64{}, stored: map[string]int64{}}
	end := int64(0) // of the tensor before, where the next must start
	for _, t := range tensors {
		if err := t.check(end, size-start); err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		end = t.Offsets[1]
		c.offset[t.name], c.stored[t.name] = start+t.Offsets[0], t.Offsets[1]-t.Offsets[0]
		// The tensor has the name that slots use, its place the name in the file.
		c.tensors[renamed.Replace(t.name)] = tensor{storage: storage{kind: t.Kind, key: t.name}, size: t.Shape, stride: strides(t.Shape)}
	}
	if end != size-start {
		return nil, fmt.Errorf("%d bytes after the header, expected the %d of its tensors", size-start, end)
	}
	return c, nil
}

// parseHeader returns the tensors of a header in the order of their places.
func parseHeader(header []byte) (tensors []safetensor, err error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	delete(entries, "__metadata__")
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		t := safetensor{name: name}
		if err := json.Unmarshal(entries[name], &t); err != nil {
			return nil, fmt.Errorf("header: %s: %w", name, err)
		}
		tensors = append(tensors, t)
	}
	slices.SortStableFunc(tensors, func(a, b safetensor) int { return slices.Compare(a.Offsets[:], b.Offsets[:]) })
	return tensors, nil
}

// check returns an error if the tensor does not start at byte begin, ends after byte limit, or does not have the size of its
// shape. It does not check the size of an unknown type, which only a tensor that is not read may have.
func (t safetensor) check(begin, limit int64) error {
	first, end := t.Offsets[0], t.Offsets[1]
	if first != begin || end < first || end > limit {
		return fmt.Errorf("bytes %d to %d, expected bytes from %d on that end at %d or before", first, end, begin, limit)
	}
	size := storageWidth[t.Kind]
	for _, d := range t.Shape {
		if d < 0 || d > 0 && size > limit/d { // before size·d can overflow
			return fmt.Errorf("shape %v, expected one that the file has room for", t.Shape)
		}
		size *= d
	}
	if size != end-first && storageWidth[t.Kind] > 0 {
		return fmt.Errorf("%d bytes, expected %d for %s of shape %v", end-first, size, t.Kind, t.Shape)
	}
	return nil
}

// strides returns the strides of a tensor of that shape in row order.
func strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	next := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = next
		next *= shape[i]
	}
	return out
}
