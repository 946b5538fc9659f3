package cybertron

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strings"
)

// maxPickle bounds the pickle that describes the tensors of a checkpoint, in bytes.
const maxPickle = 16 << 20

// torchMagic begins checkpoints from before PyTorch 1.6, which are no zip files.
const torchMagic = "1950a86a20f9469cfc6c"

// checkpoint is an open pytorch_model.bin or model.safetensors.
type checkpoint struct {
	file    io.ReaderAt
	closer  io.Closer
	size    int64
	tensors map[string]tensor
	offset  map[string]int64 // of each storage in the file, in bytes, by key
	stored  map[string]int64 // length of each storage in bytes, by key
}

// openCheckpoint opens a file of torch.save, or of safetensors if its name ends in model.safetensors. The caller must
// close the checkpoint.
func openCheckpoint(name string) (*checkpoint, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	read := readCheckpoint
	if strings.HasSuffix(name, safetensorsFile) {
		read = readSafetensors
	}
	c, err := read(f, info.Size())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	c.closer = f
	return c, nil
}

// readCheckpoint reads names, shapes and places of the tensors of a file of torch.save, but not
// their numbers.
func readCheckpoint(r io.ReaderAt, size int64) (*checkpoint, error) {
	c := &checkpoint{file: r, size: size, offset: map[string]int64{}, stored: map[string]int64{}}
	var state any
	var err error
	if z, zipErr := zip.NewReader(r, size); zipErr == nil {
		state, err = c.readZip(z)
	} else {
		state, err = c.readLegacy()
	}
	if err != nil {
		return nil, err
	}
	c.tensors, err = stateDict(state)
	return c, err
}

// close implements [source].
func (c *checkpoint) close() error { return c.closer.Close() }

// readZip returns the value of "NAME/data.pkl", and notes the place of each storage
// "NAME/data/KEY".
func (c *checkpoint) readZip(z *zip.Reader) (any, error) {
	var pickle []byte
	prefix := ""
	for _, f := range z.File {
		if path.Base(f.Name) == "data.pkl" && pickle == nil {
			prefix = strings.TrimSuffix(f.Name, "data.pkl")
			r, err := f.Open()
			if err != nil {
				return nil, err
			}
			pickle, err = io.ReadAll(io.LimitReader(r, maxPickle+1))
			if err := errors.Join(err, r.Close()); err != nil {
				return nil, err
			}
		}
	}
	if pickle == nil || len(pickle) > maxPickle {
		return nil, fmt.Errorf("%d bytes of data.pkl, expected a checkpoint with 1 to %d", len(pickle), maxPickle)
	}
	for _, f := range z.File {
		key, ok := strings.CutPrefix(f.Name, prefix+"data/")
		if !ok {
			continue
		}
		if f.Method != zip.Store {
			return nil, fmt.Errorf("%s is compressed, expected it stored as torch.save does", f.Name)
		}
		at, err := f.DataOffset()
		if err != nil {
			return nil, err
		}
		c.offset[key], c.stored[key] = at, int64(min(f.UncompressedSize64, math.MaxInt64))
	}
	u := unpickler{data: pickle}
	return u.next()
}

// readLegacy returns the state dict of a checkpoint from before PyTorch 1.6, and notes the
// place of each storage. The file has five pickles (magic number, protocol, system, state
// dict, storage keys), then the storages, each after its length.
func (c *checkpoint) readLegacy() (any, error) {
	head := make([]byte, min(c.size, maxPickle))
	if _, err := c.file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	u := unpickler{data: head}
	if magic, err := u.next(); err != nil || magic != torchMagic {
		return nil, errors.New("no zip file and no magic number, expected a file of torch.save")
	}
	var parts [4]any // protocol, system, state dict, storage keys
	for i := range parts {
		var err error
		if parts[i], err = u.next(); err != nil {
			return nil, err
		}
	}
	state := parts[2]
	keys, ok := parts[3].(*list)
	if !ok {
		return nil, fmt.Errorf("storage keys are a %T, expected a list", parts[3])
	}
	widths := map[string]int64{} // by storage, as its length counts numbers, not bytes
	tensors, err := stateDict(state)
	if err != nil {
		return nil, err
	}
	for _, t := range tensors {
		widths[t.storage.key] = storageWidth[t.storage.kind]
	}
	at := int64(u.pos)
	for _, k := range keys.items {
		key, ok := k.(string)
		width := widths[key]
		if !ok || width == 0 {
			return nil, fmt.Errorf("storage %q belongs to no tensor of a known type", key)
		}
		var length [8]byte
		if _, err := c.file.ReadAt(length[:], at); err != nil {
			return nil, fmt.Errorf("storage %s: %w", key, err)
		}
		n := binary.LittleEndian.Uint64(length[:])
		at += int64(len(length))
		if n > uint64(c.size-at)/uint64(width) {
			return nil, fmt.Errorf("storage %s: %d numbers, expected no more than the file holds", key, n)
		}
		c.offset[key], c.stored[key] = at, int64(n)*width
		at += int64(n) * width
	}
	return state, nil
}

// renamed changes gamma and beta, which checkpoints converted from TensorFlow have, to weight and bias.
var renamed = strings.NewReplacer("LayerNorm.gamma", "LayerNorm.weight", "LayerNorm.beta", "LayerNorm.bias")

// stateDict returns the tensors of an unpickled state dict by name, see renamed. It returns an error for any other value.
func stateDict(v any) (map[string]tensor, error) {
	d, ok := v.(*dict)
	if !ok {
		return nil, fmt.Errorf("holds a %T, expected a state dict", v)
	}
	tensors := make(map[string]tensor, len(d.keys))
	for i, k := range d.keys {
		name, ok := k.(string)
		t, isTensor := d.values[i].(tensor)
		if !ok || !isTensor {
			return nil, fmt.Errorf("entry %q is a %T, expected a name and a tensor", name, d.values[i])
		}
		tensors[renamed.Replace(name)] = t
	}
	return tensors, nil
}

// check implements [source]. It also rejects a tensor whose numbers are of a type without a decoder, are not in row
// order, or lie outside the file.
func (c *checkpoint) check(s slot) error {
	t, ok := c.tensors[s.name]
	if !ok {
		return fmt.Errorf("lacks %s, expected all tensors of config.json's architecture", s.name)
	}
	if decoders[t.storage.kind] == nil {
		return fmt.Errorf("%s is of %s, expected float32, float16 or bfloat16", s.name, t.storage.kind)
	}
	width := storageWidth[t.storage.kind]
	shape := []int64{int64(s.rows), int64(s.columns)}
	if s.columns == 0 {
		shape = shape[:1]
	}
	if !slices.Equal(t.size, shape) {
		return fmt.Errorf("%s has shape %v, expected %v after config.json", s.name, t.size, shape)
	}
	for i, stride := range strides(shape) {
		if t.stride[i] != stride && shape[i] != 1 { // a dimension of 1 may have any stride
			return fmt.Errorf("%s has strides %v, expected numbers in row order", s.name, t.stride)
		}
	}
	at, ok := c.offset[t.storage.key]
	length := c.stored[t.storage.key]
	if !ok || length > c.size-at || int64(s.numbers()) > length/width-t.offset {
		return fmt.Errorf("%s lies outside the file, expected %d numbers", s.name, s.numbers())
	}
	return nil
}

// read implements [source]. The numbers of a tensor that [checkpoint.check] accepted lie in row order, without gaps.
func (c *checkpoint) read(s slot) ([]float32, error) {
	t := c.tensors[s.name]
	width := storageWidth[t.storage.kind]
	raw := make([]byte, width*int64(s.numbers()))
	if _, err := c.file.ReadAt(raw, c.offset[t.storage.key]+width*t.offset); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	data := make([]float32, s.numbers())
	decode := decoders[t.storage.kind]
	for i := range data {
		data[i] = decode(raw[int64(i)*width:])
	}
	return data, nil
}
