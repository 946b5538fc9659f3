package cybertron

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// A header is refused that has no JSON, or whose tensors leave gaps, overlap, leave the file or do not
// have the size of their shape.
func TestSafetensorsHeader(t *testing.T) {
	const a = `"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}`
	for name, c := range map[string]struct {
		header string
		data   int
		want   string
	}{
		"whole":         {`{` + a + `, "b": {"dtype": "F16", "shape": [2, 2], "data_offsets": [8, 16]}} `, 16, ""},
		"other order":   {`{"b": {"dtype": "F16", "shape": [2, 2], "data_offsets": [8, 16]}, "e": {"dtype": "F32", "shape": [0], "data_offsets": [8, 8]}, ` + a + `}`, 16, ""},
		"unknown type":  {`{"a": {"dtype": "F8_E4M3", "shape": [8], "data_offsets": [0, 8]}}`, 8, ""},
		"empty":         {`{}`, 0, ""},
		"overlap":       {`{` + a + `, "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}`, 12, "b: bytes 4 to 12, expected bytes from 8 on that end at 12 or before"},
		"twice":         {`{` + a + `, "b": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}`, 8, "b: bytes 0 to 8, expected bytes from 8 on"},
		"gap":           {`{` + a + `, "b": {"dtype": "F32", "shape": [1], "data_offsets": [12, 16]}}`, 16, "b: bytes 12 to 16, expected bytes from 8 on"},
		"backwards":     {`{` + a + `, "b": {"dtype": "F32", "shape": [1], "data_offsets": [8, 4]}}`, 16, "b: bytes 8 to 4, expected"},
		"outside":       {`{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}`, 8, "a: bytes 0 to 12, expected bytes from 0 on that end at 8 or before"},
		"bytes left":    {`{` + a + `}`, 9, "9 bytes after the header, expected the 8 of its tensors"},
		"size":          {`{"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}`, 8, "a: shape [3], expected one that the file has room for"},
		"small":         {`{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}`, 8, "a: 8 bytes, expected 4 for F32 of shape [1]"},
		"negative":      {`{"a": {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}}`, 8, "a: shape [-1 -2], expected one"},
		"overflow":      {`{"a": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 8]}}`, 8, "a: shape [4611686018427387904 4], expected one"},
		"no JSON":       {`{"a"`, 0, "header: unexpected end of JSON input"},
		"list":          {`[]`, 0, "header: json: cannot unmarshal array"},
		"text":          {`{"a": "b"}`, 0, "header: a: json: cannot unmarshal string"},
		"large offsets": {`{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 18446744073709551615]}}`, 8, "header: a: json: cannot unmarshal number"},
	} {
		data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(c.header))), c.header...)
		data = append(data, make([]byte, c.data)...)
		_, err := readSafetensors(bytes.NewReader(data), int64(len(data)))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
