package linking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/dataset"
)

// Options configures reading of gold links.
type Options struct {
	// Values takes a token that SLSQL marks as a value for a link to the column
	// of the value. ADVETA does not state what it did; Liu et al. (2021),
	// whom it follows, link columns and tables, so the default is not to.
	Values bool
}

// ReadGold reads gold links, plain or compressed: our JSON lines, one [Example] a
// line, or the JSON array of SLSQL (Lei et al., 2020), which is aligned with the
// split by index.
func ReadGold(path string, split *Split, o Options) dataset.Stream[*Example] {
	return readLinks(dataset.File(path), func(raw dataset.Raw, isElement bool) (*Example, error) {
		if isElement {
			return decodeMarks(raw.JSON, raw.Number-1, split, o)
		}
		return decodeExample(raw.JSON, split, true) // of gold links
	})
}

// ReadPredictions reads predicted links from JSON lines, plain or compressed. A link to an item that the
// schema lacks counts as a wrong link.
func ReadPredictions(in dataset.Input, split *Split) dataset.Stream[*Example] {
	return readLinks(in, func(raw dataset.Raw, _ bool) (*Example, error) { return decodeExample(raw.JSON, split, false) })
}

// readLinks decodes each record to an example. It reports records that decode rejects, and a record about a question
// that an earlier record is about. isElement is set for an element of an array, and not for a line.
func readLinks(in dataset.Input, decode func(raw dataset.Raw, isElement bool) (*Example, error)) dataset.Stream[*Example] {
	return func(report func(error), each func(*Example) error) error {
		seen := map[int]bool{}
		return dataset.ArrayOrLines(in, report, func(raw dataset.Raw, isElement bool) error {
			ex, err := decode(raw, isElement)
			if err == nil && seen[ex.Index] {
				err = fmt.Errorf("index %d is there already, expected each once; this one is left out", ex.Index)
			}
			if err != nil {
				report(raw.Problem(err))
				return nil
			}
			seen[ex.Index] = true
			return each(ex)
		})
	}
}

// decodeExample decodes a record of our own form. gold is set for gold links, whose tables and columns must
// exist.
func decodeExample(raw []byte, split *Split, gold bool) (*Example, error) {
	var rec struct {
		Index *int
		DB    *string `json:"db_id"`
		Links *[]struct {
			Token  *int
			Table  string
			Column string
		}
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return nil, fmt.Errorf(`%w, expected an object with "index", "db_id" and "links"`, err)
	}
	if rec.Index == nil || rec.DB == nil || rec.Links == nil {
		return nil, errors.New(`lacks a key, expected "index", "db_id" and "links"`)
	}
	ex := &Example{Index: *rec.Index, DB: *rec.DB, Links: make([]Link, 0, len(*rec.Links))}
	for i, l := range *rec.Links {
		if l.Token == nil || l.Table == "" {
			return nil, fmt.Errorf(`link %d lacks a key, expected "token" and "table"`, i+1)
		}
		ex.Links = append(ex.Links, Link{*l.Token, l.Table, l.Column})
	}
	return ex, split.check(ex, gold)
}

// Writer writes examples as JSON lines.
type Writer struct{ enc *json.Encoder }

// NewWriter returns a Writer to w, which it does not buffer.
func NewWriter(w io.Writer) *Writer {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &Writer{enc}
}

// Write writes one example, its links in the order of their tokens.
func (w *Writer) Write(ex *Example) error {
	out := *ex
	out.Links = append([]Link{}, ex.Links...)
	sortLinks(out.Links)
	return w.enc.Encode(out)
}
