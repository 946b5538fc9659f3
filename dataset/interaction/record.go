package interaction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// schemaKeys are the members of an element of tables.json that a [dataset.Database] holds in
// fields.
var schemaKeys = []string{
	"column_names", "column_names_original", "column_types", "db_id", "foreign_keys", "primary_keys", "table_names", "table_names_original",
}

// schemaRecord returns the element of tables.json for a schema, and whether the schema differs
// from its source. Members that mean the same as in the source keep their form, such as a
// composite key as a nested list.
func schemaRecord(db *dataset.Database) (raw json.RawMessage, changed bool, err error) {
	current, err := schemaMembers(db)
	if err != nil {
		return nil, false, err
	}
	old := map[string]json.RawMessage{} // empty without a source: all members are new then
	if source := sourceSchema(db); source != nil {
		if old, err = schemaMembers(source); err != nil {
			return nil, false, err
		}
	}
	var changes dataset.Changes
	for _, key := range schemaKeys {
		changes.AddIf(!dataset.SameJSON(old[key], current[key]), key, current[key])
	}
	raw, err = dataset.Patch(db.Source, changes...)
	return raw, len(changes) > 0, err
}

// sourceSchema returns the schema that the source has, or nil without a source that can be decoded.
func sourceSchema(db *dataset.Database) *dataset.Database {
	source, _ := schema(db.Source, func(error) {})
	return source
}

// schemaMembers returns the members of a new record for a schema.
func schemaMembers(db *dataset.Database) (map[string]json.RawMessage, error) {
	raw, err := dataset.TablesRecord(db)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	err = dataset.Decode(raw, &members)
	return members, err
}

// interactionRecord returns the record of the turns of an interaction.
func (w *writer) interactionRecord(turns []*dataset.Example) (json.RawMessage, error) {
	var frame json.RawMessage
	records := make([]json.RawMessage, len(turns))
	for i, ex := range turns {
		var source dataset.InteractionSource
		err := cmp.Or(w.refuses(ex), dataset.DecodeSource(ex.Source, &source))
		if err == nil {
			records[i], err = w.turnRecord(ex, source.Turn)
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		if i == 0 {
			frame = source.Frame // only the first turn has the record around the turns
		}
	}
	changes := []dataset.Change{{Key: "database_id", Value: turns[0].DB}, {Key: "interaction", Value: records}}
	final, err := finalChanges(frame, turns[len(turns)-1].Final)
	if err != nil {
		return nil, err
	}
	return dataset.Patch(frame, append(changes, final...)...)
}

// finalChanges returns the changes of the member "final" for the final question of an interaction, which may be nil; frame
// is the source of the interaction. Without a final question a null of the source stays, and any other value is removed.
func finalChanges(frame json.RawMessage, final *dataset.Example) ([]dataset.Change, error) {
	var source struct{ Final json.RawMessage }
	if err := dataset.DecodeSource(frame, &source); err != nil {
		return nil, err
	}
	if string(source.Final) == "null" {
		source.Final = nil
	}
	switch {
	case final == nil && source.Final == nil:
		return nil, nil
	case final == nil:
		return []dataset.Change{{Key: "final"}}, nil // a nil value removes the member
	}
	raw, err := dataset.Patch(source.Final, dataset.Change{Key: "utterance", Value: final.Question}, dataset.Change{Key: "query", Value: final.Query})
	return []dataset.Change{{Key: "final", Value: raw}}, err
}

// turnSource has the members of a turn's record that show whether the turn changed.
type turnSource struct {
	Utterance string          `json:"utterance"`
	Tokens    []string        `json:"utterance_toks"`
	Query     string          `json:"query"`
	Toks      json.RawMessage `json:"query_toks"`
	ToksNoVal json.RawMessage `json:"query_toks_no_value"`
	SQL       json.RawMessage `json:"sql"`
}

// turnRecord returns the record of a turn: its source, in which the question and the gold SQL
// change with all that depends on them. The nested form of the SQL has positions of columns, so
// it also depends on the schema.
func (w *writer) turnRecord(ex *dataset.Example, source json.RawMessage) (json.RawMessage, error) {
	s := w.schemas[ex.DB]
	var old turnSource
	if err := dataset.DecodeSource(source, &old); err != nil {
		return nil, err
	}
	sameQuestion, sameQuery := ex.Question == old.Utterance, ex.Query == old.Query
	if sameQuestion && sameQuery && s.source == nil { // the schema did not change either
		return source, nil
	}
	current := dataset.NewSpiderExample(s.current, ex)
	isNew := len(source) == 0
	var changes dataset.Changes
	if !sameQuestion {
		tokens := current.QuestionToks
		if !isNew && slices.Equal(tokens, old.Tokens) { // the example still has the tokens of the old question
			tokens = dataset.QuestionTokens(ex.Question)
		}
		changes = dataset.Changes{{Key: "utterance", Value: ex.Question}, {Key: "utterance_toks", Value: tokens}}
	}
	if !sameQuery {
		changes.AddIf(true, "query", ex.Query)
		changes.AddIf(isNew || old.Toks != nil, "query_toks", current.QueryToks)
		changes.AddIf(isNew || old.ToksNoVal != nil, "query_toks_no_value", current.QueryToksNoValue)
	}
	// A source without the member "sql" gets none.
	changedForm := old.SQL != nil && (!sameQuery || s.formChanged(ex, current.SQL))
	changes.AddIf(isNew || changedForm, "sql", nestedSQL(current.SQL))
	return dataset.Patch(source, changes...)
}

// formChanged reports whether the nested form of unchanged gold SQL differs between the current schema and the schema of
// the source; current is the form by the current schema. It is true if the SQL has no form by the schema of the source.
func (s *schemaVersions) formChanged(ex *dataset.Example, current any) bool {
	if s.source == nil {
		return false
	}
	old := dataset.NewSpiderExample(s.source, &dataset.Example{Query: ex.Query}).SQL
	return old == nil || !dataset.SameJSON(nestedSQL(old), nestedSQL(current))
}

// nestedSQL returns the nested form as JSON: null for SQL outside Spider's grammar.
func nestedSQL(sql any) json.RawMessage {
	if raw, ok := sql.(json.RawMessage); ok {
		return raw
	}
	return json.RawMessage("null")
}
