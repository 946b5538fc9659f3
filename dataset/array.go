package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ArrayWriter writes a JSON array element by element, laid out as Spider's own files
// are.
type ArrayWriter struct {
	w       io.Writer
	indent  string
	written int
	element bytes.Buffer
}

// CreateArray makes a file of a JSON array, to which write adds the elements.
func CreateArray(path, indent string, write func(*ArrayWriter) error) error {
	return CreateFile(path, func(w *bufio.Writer) error {
		a := NewArrayWriter(w, indent)
		if err := write(a); err != nil {
			return err
		}
		return a.Close()
	})
}

// NewArrayWriter begins an array whose elements are indented.
func NewArrayWriter(w io.Writer, indent string) *ArrayWriter {
	return &ArrayWriter{w: w, indent: indent}
}

// Add writes an element with its bytes, except for blanks.
func (a *ArrayWriter) Add(element json.RawMessage) error {
	a.beginElement()
	if err := json.Indent(&a.element, element, a.indent, a.indent); err != nil {
		return err
	}
	return a.endElement()
}

// write adds v, which must encode as an object, in ASCII. The further members come last and keep
// their bytes, except for blanks.
func (a *ArrayWriter) write(v any, further ...Member) error {
	a.beginElement()
	element, err := encode(v, a.indent, a.indent)
	if err != nil {
		return err
	}
	end := "\n" + a.indent + "}"
	if len(further) > 0 { // further members follow before the end
		element = bytes.TrimSuffix(element, []byte(end))
	}
	writeASCII(&a.element, element)
	for _, m := range further {
		key, err := ASCII(m.Key)
		if err != nil {
			return err
		}
		fmt.Fprintf(&a.element, ",\n%s%s%s: ", a.indent, a.indent, key)
		if err := json.Indent(&a.element, m.Value, a.indent+a.indent, a.indent); err != nil {
			return fmt.Errorf("member %q: %w", Clip(m.Key), err)
		}
	}
	if len(further) > 0 {
		a.element.WriteString(end)
	}
	return a.endElement()
}

// WriteRecord adds a record unchanged, except for blanks and for letters beyond ASCII, which are escaped.
func (a *ArrayWriter) WriteRecord(record json.RawMessage) error { return a.write(record) }

// beginElement begins an element with the separator before it.
func (a *ArrayWriter) beginElement() {
	a.element.Reset()
	before := ","
	if a.written == 0 {
		before = "["
	}
	a.element.WriteString(before + "\n" + a.indent)
}

// endElement writes the element to the output.
func (a *ArrayWriter) endElement() error {
	a.written++
	_, err := a.w.Write(a.element.Bytes())
	return err
}

// Close ends the array; it does not close the writer below.
func (a *ArrayWriter) Close() error {
	end := "\n]\n"
	if a.written == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(a.w, end)
	return err
}

// ASCII returns v as JSON with all characters beyond ASCII as \uXXXX.
func ASCII(v any) (json.RawMessage, error) {
	raw, err := encode(v, "", "")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	writeASCII(&b, raw)
	return b.Bytes(), nil
}

// encode returns v as JSON, on one line if indent is empty. Else it indents each level by indent, and begins each line after the
// first with prefix.
func encode(v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent != "" {
		enc.SetIndent(prefix, indent)
	}
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// writeASCII copies JSON and escapes all characters beyond ASCII as \uXXXX.
func writeASCII(dst *bytes.Buffer, src []byte) {
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		switch {
		case r < utf8.RuneSelf:
			dst.WriteByte(src[0])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(dst, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(dst, `\u%04x`, r)
		}
		src = src[size:]
	}
}

// PythonFloat returns a number as Python prints it: 3.0, 1e+16, inf, nan.
func PythonFloat(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'f', -1, 64), "+"))
	}
	digits := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(digits, "e")
	if n, _ := strconv.Atoi(exponent); n < -4 || n >= 16 { // the limits of Python's repr
		return digits
	}
	digits = strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	return digits
}
