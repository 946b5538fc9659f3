package victim

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// ReadAnswers reads answers to prompts, JSON lines of {"id", "sql"} or {"id", "text"}, by the
// prompt's id. Lines that are none are reported; of several answers the last counts.
func ReadAnswers(path string, report func(error)) (map[string]string, error) {
	answers := map[string]string{}
	err := dataset.TextLines(path, report, func(line dataset.TextLine) error {
		if strings.TrimSpace(line.Text) == "" {
			return nil
		}
		id, text, err := readAnswer([]byte(line.Text))
		if err != nil {
			report(&dataset.RecordError{File: path, Record: line.Number, Err: err})
			return nil
		}
		answers[id] = text
		return nil
	})
	return answers, err
}

// readAnswer parses a line {"id", "sql"} or {"id", "text"}; sql takes precedence.
func readAnswer(line []byte) (id, text string, err error) {
	var a struct {
		ID        string
		SQL, Text *string
	}
	switch err := json.Unmarshal(line, &a); {
	case err != nil:
		return "", "", fmt.Errorf(`%w, expected an object with "id" and "sql" or "text"`, err)
	case a.ID == "":
		return "", "", errors.New(`lacks "id", expected that of a prompt`)
	case a.SQL != nil:
		return a.ID, *a.SQL, nil
	case a.Text != nil:
		return a.ID, *a.Text, nil
	}
	return "", "", errors.New(`lacks "sql" and "text", expected one of them`)
}
