package packed

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	data := []byte(strings.Repeat("weights ", 100))
	packed, err := Pack(data)
	if err != nil || len(packed) >= len(data) {
		t.Fatalf("%d bytes of %d, %v", len(packed), len(data), err)
	}
	if got, err := Unpack(packed, int64(len(data))); err != nil || !bytes.Equal(got, data) {
		t.Errorf("unpacked %d bytes of %d, %v", len(got), len(data), err)
	}
	if _, err := Unpack(packed, int64(len(data))-1); err == nil || !strings.Contains(err.Error(), "more than 799 bytes") {
		t.Errorf("beyond the limit: error %v", err)
	}
	for _, bad := range [][]byte{nil, data, packed[:len(packed)/2]} {
		if _, err := Unpack(bad, 1<<20); err == nil {
			t.Errorf("%d bytes: no error", len(bad))
		}
	}
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	if _, err := zw.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]byte{data, zipped.Bytes()} {
		r, err := Plain(bytes.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
			t.Errorf("read %d bytes of %d, %v", len(got), len(data), err)
		}
	}
	if _, err := Plain(strings.NewReader("\x1f\x8b\x08")); err == nil {
		t.Error("damaged gzip: no error")
	}
}
