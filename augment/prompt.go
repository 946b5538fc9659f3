package augment

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

//go:embed prompts.txt
var promptFile string

// prompts are the templates of what models are asked.
var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Option("missingkey=error").Parse(promptFile))
})

// sheet is what a model is shown of a table.
type sheet struct {
	Name, Caption string
	Columns       []sheetColumn
	Questions     []string
	Most          int         // names wanted of a kind, where it is to propose
	Names         []sheetName // where it is to judge
}

type sheetColumn struct {
	Number     int
	Name, Type string
	Cells      string
}

type sheetName struct {
	Number             int
	Side, Column, Name string
}

// The bounds of what a model is shown.
const (
	shownCells = 3
	shownBytes = 200 // of a cell, a header or a question
)

// sheetOf returns a table as a model is shown it. Every text is one bounded line, so
// that none can pass for another part of the prompt.
func sheetOf(u *dataset.Unit, table int) sheet {
	t := &u.DB.Tables[table]
	line := func(s string) string { return chat.Bounded(chat.OneLine(s), shownBytes) }
	s := sheet{Name: line(t.Name), Caption: line(t.Caption)}
	for i, c := range t.Columns {
		var cells []string
		for _, cell := range c.Samples[:min(len(c.Samples), shownCells)] {
			cells = append(cells, line(cell))
		}
		s.Columns = append(s.Columns, sheetColumn{i + 1, line(c.Name), string(c.Type), strings.Join(cells, " | ")})
	}
	for _, q := range questionsOn(u, table) {
		s.Questions = append(s.Questions, line(q))
	}
	return s
}

// The tokens of an answer: for models that think aloud, and at most.
const (
	thinking  = 2048
	maxAnswer = 16384
)

// Unanswered says that a model gave no answer about a table that can be used. What does
// not come of that model is there all the same.
type Unanswered struct {
	Model string
	Err   error // see [chat.NoAnswer], or what is wrong with the answer
}

func (u *Unanswered) Error() string { return fmt.Sprintf("no answer of %s: %v", u.Model, u.Err) }

// Unwrap returns why there is none.
func (u *Unanswered) Unwrap() error { return u.Err }

// told reports whether the reason is one that is said of each table.
func (u *Unanswered) told() bool {
	return !errors.Is(u.Err, chat.ErrGivenUp) && !errors.Is(u.Err, chat.ErrNotRecorded)
}

// ask shows a model a sheet of a table by one of the templates, for an answer of about
// so many tokens, and hands that to read. The error is an [*Unanswered] where it is the
// model's.
func ask(ctx context.Context, c *chat.Client, u *dataset.Unit, table int, purpose string, s sheet, tokens int, read func(answer string) error) error {
	var text strings.Builder
	if err := prompts().ExecuteTemplate(&text, purpose, s); err != nil {
		return err
	}
	answers, err := c.Ask(ctx, chat.Question{
		Purpose: purpose, ID: u.DB.ID + "." + u.DB.Tables[table].Original,
		Request: chat.Request{
			Messages: []chat.Message{{Role: "user", Content: text.String()}},
			N:        1, TopP: 1, MaxTokens: min(thinking+tokens, maxAnswer), Seed: 1,
		},
	})
	if err != nil && !chat.NoAnswer(err) {
		return err
	}
	if err == nil {
		err = read(answers[0])
	}
	if err != nil {
		return &Unanswered{c.Model, err}
	}
	return nil
}

// readAnswer reads the one JSON value that an answer is, which may stand in a fence.
func readAnswer(answer string, v any) error {
	text := strings.TrimSpace(chat.Said(answer))
	if inside, opens := strings.CutPrefix(text, "```"); opens {
		text = strings.TrimSuffix(strings.TrimPrefix(inside, "json"), "```")
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more behind the JSON")
		}
	}
	if err != nil {
		return fmt.Errorf("the answer begins with %q, expected the JSON that was asked for: %w", chat.Bounded(chat.OneLine(text), 80), err)
	}
	return nil
}
