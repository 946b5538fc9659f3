package formats

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// taggedSource is the source of a record of another format in a data directory.
//
// A writer can patch only records that the reader of its own format read, so a conversion drops the
// source of any other format. A data directory keeps it with the name of the format, so that the
// data can be converted back.
type taggedSource struct {
	Format string          `json:"format"`
	Record json.RawMessage `json:"record"`
}

// sourceConversion returns a function that converts the source of a record, the JSON that it was read from, from one format
// to another. Spider's files hold the source of another format under a key of its own, with the name of that format, so that
// a conversion back restores it. Between two other formats the source is dropped, and the writer makes new records.
func sourceConversion(from, to string) func(json.RawMessage) (json.RawMessage, error) {
	switch {
	case from == to:
		return func(source json.RawMessage) (json.RawMessage, error) { return source, nil }
	case to == spiderName:
		return func(source json.RawMessage) (json.RawMessage, error) { return tagSource(from, source) }
	case from == spiderName:
		return func(source json.RawMessage) (json.RawMessage, error) { return untagSource(to, source), nil }
	}
	return func(json.RawMessage) (json.RawMessage, error) { return nil, nil }
}

// tagSource returns a source with the name of its format; nil without a source.
func tagSource(format string, source json.RawMessage) (json.RawMessage, error) {
	if len(source) == 0 {
		return nil, nil
	}
	raw, err := dataset.Patch(nil, dataset.Change{Key: "format", Value: format}, dataset.Change{Key: "record", Value: source})
	if err != nil {
		return nil, fmt.Errorf("source of a %s record: %w", format, err)
	}
	return raw, nil
}

// untagSource returns the source in a taggedSource on one line, as files of JSON lines need it.
// It is nil if the source is of another format; the writer makes a new record then.
func untagSource(format string, source json.RawMessage) json.RawMessage {
	var t taggedSource
	if dataset.Decode(source, &t) != nil || t.Format != format {
		return nil
	}
	var b bytes.Buffer
	if json.Compact(&b, t.Record) != nil {
		return nil
	}
	return b.Bytes()
}
