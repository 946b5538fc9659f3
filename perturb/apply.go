package perturb

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
)

// VariantID returns the id of a perturbed database: the original's id and a hash of the edits of
// its schema, so that equal edits give equal ids, wherever their names come from and however they
// score. Without such edits it is the original's id.
func VariantID(db string, edits []Edit) (string, error) {
	schema := SchemaEdits(edits)
	if len(schema) == 0 {
		return db, nil
	}
	data, err := MarshalEdits(schema)
	var fields []map[string]json.RawMessage
	if err := cmp.Or(err, json.Unmarshal(data, &fields)); err != nil {
		return "", err
	}
	for _, edit := range fields {
		delete(edit, "from") // the candidate of the name, with its source and scores
	}
	if data, err = json.Marshal(fields); err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(db+"\x00"), data...))
	return dataset.VariantID(db, sum), nil
}

// ApplySchema returns a copy of db with the edits made, under the id of the variant. It returns
// an error if an edit does not fit the schema.
func ApplySchema(db *dataset.Database, edits []Edit) (*dataset.Database, error) {
	id, err := VariantID(db.ID, edits)
	if err != nil {
		return nil, err
	}
	out := db.Clone()
	out.ID, out.SQLite = id, "" // the file of db lacks the edits
	change := schemaChange{before: db, after: out, columns: map[int][]int{}}
	for _, e := range edits {
		if err := e.schema(&change); err != nil {
			return nil, fmt.Errorf("%s: %w", db.ID, err)
		}
	}
	if err := change.checkNames(); err != nil {
		return nil, fmt.Errorf("%s: %w", db.ID, err)
	}
	change.settle()
	return out, nil
}
