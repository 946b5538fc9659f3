package formats

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// A writer patches only records that its own format's reader read, so the Source of
// another format is dropped in a conversion. The data directory is an exception: it
// stores the records of any format with the format's name, so that data can be converted
// back to the format that it came from.
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

// tag returns a record with the name of its format; nil for none.
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

// untag returns the record of a format on one line, for files of JSON lines; nil if the source is
// of another format, so that the writer makes a new record.
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
