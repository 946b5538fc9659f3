package wikisql

import (
	"bytes"
	"encoding/json"

	"github.com/tabperturb/tabperturb/dataset"
)

// ascii returns JSON with the escapes that Python's json writes, which are those of
// [dataset.ASCII] and that of the character DEL.
func ascii(v any) (json.RawMessage, error) {
	raw, err := dataset.ASCII(v)
	return bytes.ReplaceAll(raw, []byte("\x7f"), []byte(`\u007f`)), err
}
