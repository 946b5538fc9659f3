package retriever

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// readSpider reads a file of schemas. Each table of them becomes one without cells, with its
// name and the database's as the caption.
func readSpider(in *input) error {
	data, err := readAll(in.r, in.lim.MemberBytes)
	if err != nil {
		return err
	}
	var schemas []json.RawMessage
	if err := json.Unmarshal(data, &schemas); err != nil {
		return in.reportBad(0, jsonError(err, "an array of Spider schemas"))
	}
	for i, schema := range schemas {
		if err := in.emitSchema(i+1, schema); err != nil {
			return err
		}
	}
	return nil
}

// emitSchema emits the tables of the schema in data, a JSON object; record is its position in the file, from 1.
// It reports a malformed schema as bad.
func (in *input) emitSchema(record int, data []byte) error {
	var s struct {
		DB       string               `json:"db_id"`
		Tables   []string             `json:"table_names"`
		Original []string             `json:"table_names_original"`
		Pairs    [][2]json.RawMessage `json:"column_names"`
		Types    []string             `json:"column_types"`
		Primary  []json.RawMessage    `json:"primary_keys"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return in.reportBad(record, jsonError(err, "a Spider schema"))
	}
	if len(s.Original) != len(s.Tables) || len(s.Types) != len(s.Pairs) {
		return in.reportBad(record, fmt.Errorf("%d table names with %d originals and %d columns with %d types, expected equal numbers",
			len(s.Tables), len(s.Original), len(s.Pairs), len(s.Types)))
	}
	raws := make([]raw, len(s.Tables))
	primary := primaryKeys(s.Primary)
	for i, pair := range s.Pairs {
		var table int
		var name string
		switch {
		case json.Unmarshal(pair[0], &table) != nil, json.Unmarshal(pair[1], &name) != nil, table >= len(raws):
			return in.reportBad(record, fmt.Errorf("column %d: expected [table index, name]", i))
		case table < 0: // the "*" that Spider counts as a column
			continue
		}
		raws[table].header = append(raws[table].header, name)
		raws[table].types = append(raws[table].types, dataset.Type(s.Types[i]))
		raws[table].keys = append(raws[table].keys, primary[i])
	}
	for i, r := range raws {
		r.keys = soleKey(r.keys) // no column of a key of several is a key on its own
		r.repository = s.DB
		r.id = s.DB + "/" + s.Original[i]
		r.caption = s.Tables[i] + " " + strings.ReplaceAll(s.DB, "_", " ")
		if err := in.emit(record, r); err != nil {
			return err
		}
	}
	return nil
}

// primaryKeys returns the positions of the columns in the primary keys of a schema. It leaves out a key that is a list of
// several columns, as none of them is a key on its own.
func primaryKeys(keys []json.RawMessage) map[int]bool {
	columns := make(map[int]bool, len(keys))
	for _, key := range keys {
		var column int
		if json.Unmarshal(key, &column) == nil { // an error for a list
			columns[column] = true
		}
	}
	return columns
}

// soleKey returns columns, which marks the columns of a table's primary key, or nil if it marks more than one, as none of
// them is a key on its own.
func soleKey(columns []bool) []bool {
	if lists.Count(columns, func(in bool) bool { return in }) > 1 {
		return nil
	}
	return columns
}
