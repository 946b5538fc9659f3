package formats

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// A writer patches the record that its own format's reader read, and no other. What
// another format's reader left in Source is therefore dropped on the way, but for the
// data directory: it keeps records of any format, each with the format's name, so
// that what comes from a format can go back to it.
type tagged struct {
	Format string          `json:"format"`
	Record json.RawMessage `json:"record"`
}

// carrier returns what Source becomes on the way from one format to another.
func carrier(from, to string) func(json.RawMessage) (json.RawMessage, error) {
	switch {
	case from == to:
		return func(source json.RawMessage) (json.RawMessage, error) { return source, nil }
	case to == spiderName:
		return func(source json.RawMessage) (json.RawMessage, error) { return tag(from, source) }
	case from == spiderName:
		return func(source json.RawMessage) (json.RawMessage, error) { return untag(to, source), nil }
	}
	return func(json.RawMessage) (json.RawMessage, error) { return nil, nil }
}

func tag(format string, source json.RawMessage) (json.RawMessage, error) {
	if len(source) == 0 {
		return nil, nil
	}
	raw, err := dataset.Patch(nil, dataset.Change{Key: "format", Value: format}, dataset.Change{Key: "record", Value: source})
	if err != nil {
		return nil, fmt.Errorf("source of a %s record: %w", format, err)
	}
	return raw, nil
}

// untag returns the record of a format, or nil where the source is another's: a
// writer makes the record of its fields then. The data directory has laid out the record
// on lines, of which a file of JSON lines must have none.
func untag(format string, source json.RawMessage) json.RawMessage {
	var t tagged
	if dataset.Decode(source, &t) != nil || t.Format != format {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, t.Record) != nil {
		return nil
	}
	return b.Bytes()
}
