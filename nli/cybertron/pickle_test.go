package cybertron

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

func TestUnpickle(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x80\x02K\x07.", ""},
		{"\x80\x02](K\x01K\x02e.", ""},
		{"\x80\x02}U\x01aNs.", ""},
		{"\x80\x02\x8a\x01\xff.", ""},
		{"", "pickle ends at byte 0"},
		{".", "stack holds 0 values, expected 1"},
		{"\x80\x04N.", "pickle byte 0: protocol 4, expected 2"},
		{"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", "call of \"os.system\" with 1 arguments, expected one that rebuilds a tensor"},
		{"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "operation 0x8d, expected one that torch.save uses"},
		{"X\xff\xff\xff\xffab", "pickle ends at byte 7, expected 4294967295 more"},
		{"K\x01(a.", "stack holds 0 values, expected 1"},
		{"t", "no mark on the stack"},
		{"h\x05.", "memo 5 is empty"},
		{"K\x01K\x02a.", "values for a int64, expected a list or dictionary"},
		{"}(K\x01u.", "1 values for a dictionary, expected pairs"},
		{")q\x00" + strings.Repeat("h\x00h\x00\x86q\x00", 40) + "Q.", "persistent id is a cybertron.tuple, expected the tuple of a storage"},
		{"K\x01Q.", "persistent id is a int64, expected the tuple of a storage"},
	} {
		u := unpickler{data: []byte(c.in)}
		_, err := u.next()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.in, err, c.want)
		}
	}
}

func TestUnpickleNumbers(t *testing.T) {
	for in, want := range map[string]any{
		"K\xff.": int64(255), "M\x01\x02.": int64(513), "J\xfe\xff\xff\xff.": int64(-2),
		"\x8a\x00.": int64(0), "\x8a\x02\x00\x80.": int64(-32768), "\x8a\x03\x00\x80\x00.": int64(32768),
		"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.": "010000000000000000",
		"G\x3f\xe0\x00\x00\x00\x00\x00\x00.":            0.5,
	} {
		u := unpickler{data: []byte(in)}
		if got, err := u.next(); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
		}
	}
}

// Tensors that claim more than the file has are refused before any is read.
func TestCheckpointBounds(t *testing.T) {
	m := newTiny(t, 16, 1)
	whole := string(m.legacy(t)) // a zip file has checksums
	s := m.layout[0]
	size := binary.LittleEndian.AppendUint32([]byte{'J'}, uint32(s.rows))
	for name, c := range map[string]struct{ old, new, want string }{
		"rows":   {string(size), "J\xff\xff\xff\x7f", "has shape [2147483647 16], expected [50 16]"},
		"offset": {"NtQK\x00", "NtQK\x01", "lies outside the file, expected 800 numbers"},
		"stride": {"K\x01\x86\x89", "K\x02\x86\x89", "has strides [16 2], expected numbers in row order"},
	} {
		data := []byte(strings.Replace(whole, c.old, c.new, 1))
		cp, err := readCheckpoint(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if err := cp.check(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// Any file either opens with every tensor inside it, or is refused.
func FuzzCheckpoint(f *testing.F) {
	m := newTiny(f, 2, 1)
	m.layout = m.layout[len(m.layout)-3:]
	f.Add(m.zip(f, "torch.FloatStorage"))
	f.Add(m.legacy(f))
	f.Add([]byte("\x80\x02}."))
	f.Add(m.safetensors(f, "F16"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(io.ReaderAt, int64) (*checkpoint, error){readCheckpoint, readSafetensors} {
			c, err := read(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				continue
			}
			for _, s := range m.layout {
				if c.check(s) == nil {
					if _, err := c.read(s); err != nil {
						t.Errorf("%s: %v", s.name, err)
					}
				}
			}
		}
	})
}
