package wikisql

import (
	"bytes"
	"encoding/json"

	"github.com/tabperturb/tabperturb/dataset"
)

// asciiJSON returns v as JSON with the escapes of Python's json: those of [dataset.ASCII], and
// that of the character DEL.
func asciiJSON(v any) (json.RawMessage, error) {
	raw, err := dataset.ASCII(v)
	return bytes.ReplaceAll(raw, []byte("\x7f"), []byte(`\u007f`)), err
}
