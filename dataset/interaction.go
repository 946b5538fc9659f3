package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// InteractionSource is the [Example.Source] of a turn that [DecodeInteraction] read: the record of
// the turn and, for the first turn of an interaction, the record around it, with null for the
// turns.
type InteractionSource struct {
	Frame json.RawMessage `json:"frame,omitempty"`
	Turn  json.RawMessage `json:"turn"`
}

// DecodeInteraction decodes an element of a split of SParC or CoSQL: {"database_id",
// "interaction": [{"query", "utterance", "utterance_toks"}, …], "final": {"query",
// "utterance"}}. It returns an example for each turn, numbered from 1, with its
// [InteractionSource]; [Example.Interaction] is not set. If one turn cannot be decoded, the
// whole interaction is an error, because its turns depend on each other.
func DecodeInteraction(raw []byte) ([]*Example, error) {
	frame, turns, err := splitInteraction(raw)
	if err != nil {
		return nil, err
	}
	examples, err := decodeTurns(frame, turns)
	if err != nil {
		return nil, err
	}
	for i, ex := range examples {
		source := InteractionSource{Turn: turns[i]}
		if i == 0 {
			if source.Frame, err = frameWithoutTurns(frame); err != nil {
				return nil, err
			}
		}
		if ex.Source, err = encode(source, "", ""); err != nil {
			return nil, err
		}
	}
	return examples, nil
}

// decodeInteraction decodes an interaction as [DecodeInteraction] does, but sets no [Example.Source], which only writers of
// the turns need.
func decodeInteraction(raw []byte) ([]*Example, error) {
	frame, turns, err := splitInteraction(raw)
	if err != nil {
		return nil, err
	}
	return decodeTurns(frame, turns)
}

// splitInteraction returns the members of the record of an interaction, and its undecoded turns.
func splitInteraction(raw []byte) (frame []Member, turns []json.RawMessage, err error) {
	if frame, err = Members(raw); err == nil {
		err = memberOf(frame, "interaction", &turns)
	}
	return frame, turns, err
}

// interactionError is the error of an interaction. It has the number of turns, each of which has a
// line in files of predictions.
type interactionError struct {
	turns int
	err   error
}

// Error implements [error].
func (e *interactionError) Error() string { return e.err.Error() }

// Unwrap returns the error that e wraps.
func (e *interactionError) Unwrap() error { return e.err }

// predictionsOf returns how many predictions a file has for a record that was rejected with err: one for each turn of an
// interaction, and one for any other record.
func predictionsOf(err error) int {
	if e, ok := errors.AsType[*interactionError](err); ok {
		return e.turns
	}
	return 1
}

// questionsOf returns how many predictions a file has for a record: one for each turn of an interaction, and one for any
// other record.
func questionsOf(raw []byte) int {
	if n, ok := turnCount(raw); ok {
		return n
	}
	return 1
}

// turnCount returns the number of turns of a record; ok is false if the record is no
// interaction.
func turnCount(raw []byte) (n int, ok bool) {
	var rec struct {
		Turns []json.RawMessage `json:"interaction"`
	}
	if json.Unmarshal(selectMembers(raw, nil, "interaction"), &rec) != nil {
		return 0, false
	}
	return len(rec.Turns), rec.Turns != nil
}

// decodeTurns returns an example for each turn; frame has the members of the interaction. The final question, if there
// is one, belongs to the last turn.
func decodeTurns(frame []Member, turns []json.RawMessage) ([]*Example, error) {
	var db string
	if err := memberOf(frame, "database_id", &db); err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, errors.New(`"interaction" has no turns, expected at least one`)
	}
	var examples []*Example
	for i, turn := range turns {
		ex, err := decodeTurn(turn)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		ex.DB, ex.Turn = db, i+1
		examples = append(examples, ex)
	}
	if hasMember(frame, "final") {
		var raw json.RawMessage
		if err := memberOf(frame, "final", &raw); err != nil {
			return nil, err
		}
		final, err := decodeTurn(raw)
		if err != nil {
			return nil, fmt.Errorf("final: %w", err)
		}
		final.DB = db
		examples[len(examples)-1].Final = final
	}
	return examples, nil
}

// decodeTurn returns the example of a turn, or of a final question: {"utterance", "query"} and optional tokens. Its database
// and its number are not set.
func decodeTurn(raw []byte) (*Example, error) {
	fields, err := Members(raw)
	if err != nil {
		return nil, err
	}
	ex := &Example{}
	for _, m := range []struct {
		key   string
		value *string
	}{{"utterance", &ex.Question}, {"query", &ex.Query}} {
		if err := memberOf(fields, m.key, m.value); err != nil {
			return nil, err
		}
		if err := Required(m.key, m.value); err != nil {
			return nil, err
		}
	}
	if hasMember(fields, "utterance_toks") {
		if err := memberOf(fields, "utterance_toks", &ex.Tokens); err != nil {
			return nil, err
		}
	}
	return ex, nil
}

// frameWithoutTurns returns the record of an interaction with null for the list of turns.
func frameWithoutTurns(frame []Member) (json.RawMessage, error) {
	frame = slices.Clone(frame)
	for i := range frame {
		if frame[i].Key == "interaction" {
			frame[i].Value = json.RawMessage("null")
		}
	}
	return objectJSON(frame)
}

// hasMember reports whether a record has a key with a value other than null.
func hasMember(fields []Member, key string) bool {
	return !slices.Contains([]string{"", "null"}, string(memberValue(fields, key)))
}

// memberOf decodes the value of a required key into v. A missing key or null is an error.
func memberOf(fields []Member, key string, v any) error {
	if !hasMember(fields, key) {
		return Missing(key)
	}
	if err := Decode(memberValue(fields, key), v); err != nil {
		return fmt.Errorf("%q %s", key, strings.TrimPrefix(err.Error(), "record ")) // [Decode] calls any value a record
	}
	return nil
}
