package wikisql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// ascii returns JSON with the escapes that Python's json writes, and no others: all that
// is not printable ASCII as \uXXXX.
func ascii(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	src := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	var dst bytes.Buffer
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		switch {
		case r < 0x7f:
			dst.WriteByte(src[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&dst, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&dst, `\u%04x`, r)
		}
		src = src[size:]
	}
	return dst.Bytes(), nil
}
