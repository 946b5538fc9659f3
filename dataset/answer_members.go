package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// AnswerMembers are the members of the JSON object of an answer, by their name in lower case.
type AnswerMembers map[string]json.RawMessage

// DecodeAnswer decodes the JSON object of an answer. Names that differ only in case are one member, with the value of
// the name that is last in the order of bytes.
func DecodeAnswer(raw []byte) (AnswerMembers, error) {
	var members map[string]json.RawMessage
	if err := Decode(raw, &members); err != nil {
		return nil, err
	}
	lower := AnswerMembers{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		lower[strings.ToLower(name)] = members[name]
	}
	return lower, nil
}

// ID returns the id, which is a string or a number in JSON; "" for none.
func (m AnswerMembers) ID() string {
	for _, n := range idNames {
		var text *string
		if raw, ok := m[n]; !ok {
			continue
		} else if json.Unmarshal(raw, &text) != nil { // a number
			return string(raw)
		}
		if text != nil { // null is no id
			return *text
		}
	}
	return ""
}

// Text returns the text of the answer and the name of its member, the first of textNames that has text.
// After a prompt that ends with SELECT the text begins with SELECT.
func (m AnswerMembers) Text() (text, name string, err error) {
	var prompt string
	_ = json.Unmarshal(m["prompt"], &prompt) // any other value is no prompt
	text, name, err = m.text(maxDepth)
	return withSelect(prompt, text), name, err
}

// errNoSQL is the error of an answer without a member for its SQL.
var errNoSQL = fmt.Errorf("expected SQL as one of %s", strings.Join(textNames, ", "))

// noSQL returns [errNoSQL] with the names of members that were found, ten at most.
func noSQL(found []string) error {
	const most = 10
	names := lists.Map(found[:min(len(found), most)], func(n string) string { return strconv.Quote(Clip(n)) })
	if len(found) > most {
		names = append(names, "…")
	}
	return fmt.Errorf("found %s; %w", cmp.Or(strings.Join(names, ", "), "no names"), errNoSQL)
}

// text returns what [AnswerMembers.Text] does, but ignores the prompt. depth bounds the nesting of members. If no known
// member has text, it returns the name and the problem of the first of them; null is empty text without a problem. The
// message of another role than the assistant's, such as a prompt, is an error, and so is an answer without known members.
func (m AnswerMembers) text(depth int) (text, name string, err error) {
	var role string
	if json.Unmarshal(m["role"], &role) == nil && !slices.Contains([]string{"", "assistant"}, role) {
		return "", "", fmt.Errorf("message has the role %q, expected assistant", Clip(role))
	}
	for _, n := range textNames {
		raw, ok := m[n]
		if !ok {
			continue
		}
		value, problem := answerText(raw, depth)
		if problem == nil && string(raw) != "null" {
			return value, n, nil
		}
		if name == "" {
			name, err = n, problem
		}
	}
	if name == "" {
		err = noSQL(slices.Sorted(maps.Keys(m)))
	}
	return "", name, err
}

// maxDepth bounds the objects and arrays around the text of an answer.
const maxDepth = 10

// answerText returns the text of an answer in JSON: a string; an object with it under a known name, as
// servers answer; or an array, whose first element with text counts. It is empty for null. The text must be within
// fewer than depth objects and arrays.
func answerText(raw json.RawMessage, depth int) (text string, err error) {
	switch raw = bytes.TrimSpace(raw); {
	case depth == 0:
		return "", fmt.Errorf("text is within more than %d objects and arrays, expected less", maxDepth)
	case bytes.HasPrefix(raw, []byte("{")):
		members, err := DecodeAnswer(raw)
		if err != nil {
			return "", err
		}
		text, _, err = members.text(depth - 1)
		return text, err
	case bytes.HasPrefix(raw, []byte("[")):
		var elements []json.RawMessage
		if err := Decode(raw, &elements); err != nil {
			return "", err
		}
		err = errors.New("array is empty, expected text")
		for _, e := range elements {
			if text, err = answerText(e, depth-1); err == nil {
				break
			}
		}
		return text, err
	}
	err = Decode(raw, &text)
	return text, err
}

// ownSelect matches the beginning of an answer that has its own SELECT, after comments or in a
// block of code.
var ownSelect = lazyregexp.New("(?is)^(?:\\s|\\(|--[^\n]*\n|/\\*.*?\\*/)*(?:SELECT|WITH|VALUES)\\b|```")

// withSelect returns an answer with SELECT before it, if the prompt ends with SELECT and the
// answer continues the prompt, as in the released predictions of ChatGPT.
func withSelect(prompt, answer string) string {
	words := strings.Fields(prompt)
	if len(words) == 0 || !strings.EqualFold(words[len(words)-1], "SELECT") {
		return answer
	}
	if answer == "" || ownSelect.MatchString(answer) {
		return answer
	}
	return "SELECT " + answer
}
