package victim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// ReadAnswers reads a file of answers to prompts and returns them by the prompt's id; the last of several counts. Lines are JSON objects
// of {"id", "sql"}, or of another name in [dataset.AnswerMembers]. It reports other lines.
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

// readAnswer parses a line of an answer. It returns the id even with the error for a lacking text.
func readAnswer(line []byte) (id, text string, err error) {
	members, err := dataset.DecodeAnswer(line)
	if err != nil {
		return "", "", fmt.Errorf(`%w, expected an object with "id" and "sql" or "text"`, err)
	}
	if id = members.ID(); id == "" {
		return "", "", errors.New(`lacks "id", expected that of a prompt`)
	}
	text, name, err := members.Text()
	if err == nil && string(members[name]) == "null" {
		err = fmt.Errorf("%q is null, expected text", name)
	}
	return id, text, err
}
