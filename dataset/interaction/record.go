package interaction

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
)

// schemaKeys are the members of an element of tables.json that fields of a Database hold.
var schemaKeys = []string{
	"column_names", "column_names_original", "column_types", "db_id", "foreign_keys", "primary_keys", "table_names", "table_names_original",
}

// schemaRecord returns an element of tables.json, and reports whether the schema differs from its
// Source. Members that mean the same as in the Source keep their form, such as the list within a
// list for a composite key.
func schemaRecord(db *dataset.Database) (raw json.RawMessage, changed bool, err error) {
	now, err := schemaMembers(db)
	if err != nil {
		return nil, false, err
	}
	was := map[string]json.RawMessage{}
	if source := sourceSchema(db); source != nil {
		if was, err = schemaMembers(source); err != nil {
			return nil, false, err
		}
	}
	var changes dataset.Changes
	for _, key := range schemaKeys {
		changes.AddIf(!dataset.SameJSON(was[key], now[key]), key, now[key])
	}
	raw, err = dataset.Patch(db.Source, changes...)
	return raw, len(changes) > 0, err
}

// sourceSchema returns the schema in the Source, or nil without one.
func sourceSchema(db *dataset.Database) *dataset.Database {
	if len(db.Source) == 0 {
		return nil
	}
	source, err := schema(db.Source, func(error) {})
	if err != nil {
		return nil
	}
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

// interaction returns the record of turns that stand together.
func (w *writer) interaction(turns []*dataset.Example) (json.RawMessage, error) {
	var frame json.RawMessage
	records := make([]json.RawMessage, len(turns))
	for i, ex := range turns {
		var source dataset.InteractionSource
		err := cmp.Or(w.refuses(ex), dataset.DecodeSource(ex.Source, &source))
		if err == nil {
			records[i], err = w.turn(ex, source.Turn)
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		if i == 0 {
			frame = source.Frame
		}
	}
	changes := []dataset.Change{{Key: "database_id", Value: turns[0].DB}, {Key: "interaction", Value: records}}
	final, err := finalChanges(frame, turns[len(turns)-1].Final)
	if err != nil {
		return nil, err
	}
	return dataset.Patch(frame, append(changes, final...)...)
}

// finalChanges returns the changes of the final question; frame is the source of the interaction.
// If it is null there and there is none, it stays null.
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
		return []dataset.Change{{Key: "final"}}, nil
	}
	raw, err := dataset.Patch(source.Final, dataset.Change{Key: "utterance", Value: final.Question}, dataset.Change{Key: "query", Value: final.Query})
	return []dataset.Change{{Key: "final", Value: raw}}, err
}

// turnSource is what is read of a turn's record to see whether it changed.
type turnSource struct {
	Utterance string          `json:"utterance"`
	Tokens    []string        `json:"utterance_toks"`
	Query     string          `json:"query"`
	Toks      json.RawMessage `json:"query_toks"`
	ToksNoVal json.RawMessage `json:"query_toks_no_value"`
	SQL       json.RawMessage `json:"sql"`
}

// turn returns the record of a turn. Members of a source stay unless they changed: the question
// with its tokens, and the gold SQL with its tokens and nested form. The nested form has positions
// of columns, so it also changes with the schema.
func (w *writer) turn(ex *dataset.Example, source json.RawMessage) (json.RawMessage, error) {
	s := w.schemas[ex.DB]
	var was turnSource
	if err := dataset.DecodeSource(source, &was); err != nil {
		return nil, err
	}
	sameQuestion, sameQuery := ex.Question == was.Utterance, ex.Query == was.Query
	if sameQuestion && sameQuery && s.source == nil {
		return source, nil
	}
	now := dataset.NewSpiderExample(s.now, ex)
	fresh := len(source) == 0
	var changes dataset.Changes
	if !sameQuestion {
		tokens := now.QuestionToks
		if !fresh && slices.Equal(tokens, was.Tokens) {
			tokens = dataset.QuestionTokens(ex.Question)
		}
		changes = dataset.Changes{{Key: "utterance", Value: ex.Question}, {Key: "utterance_toks", Value: tokens}}
	}
	if !sameQuery {
		changes.AddIf(true, "query", ex.Query)
		changes.AddIf(fresh || was.Toks != nil, "query_toks", now.QueryToks)
		changes.AddIf(fresh || was.ToksNoVal != nil, "query_toks_no_value", now.QueryToksNoValue)
	}
	changedForm := was.SQL != nil && (!sameQuery || s.moved(ex, now.SQL))
	changes.AddIf(fresh || changedForm, "sql", nested(now.SQL))
	return dataset.Patch(source, changes...)
}

// moved reports whether the nested form of unchanged gold SQL differs between the schema and that
// of the source.
func (s *schemas) moved(ex *dataset.Example, now any) bool {
	if s.source == nil {
		return false
	}
	was := dataset.NewSpiderExample(s.source, &dataset.Example{Query: ex.Query}).SQL
	return was == nil || !dataset.SameJSON(nested(was), nested(now))
}

// nested returns the nested form as JSON: null for SQL beyond Spider's grammar.
func nested(sql any) json.RawMessage {
	if raw, ok := sql.(json.RawMessage); ok {
		return raw
	}
	return json.RawMessage("null")
}
