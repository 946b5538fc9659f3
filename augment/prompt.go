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
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

//go:embed prompts.txt
var promptFile string

// prompts returns the templates of prompts: "propose" and "judge".
var prompts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Option("missingkey=error").Parse(promptFile))
})

// prompt holds what a large model is shown of a table, the data of the templates.
type prompt struct {
	Name, Caption string
	Columns       []promptColumn
	Questions     []string
	Most          int          // names to propose for a column and bucket; 0 in a prompt to judge
	Names         []promptName // names to judge; nil in a prompt to propose
}

// promptColumn is a column of the table.
type promptColumn struct {
	Number     int // from 1
	Name, Type string
	Cells      string // some cells, separated by " | "
}

// promptName is a name to judge.
type promptName struct {
	Number             int // from 1
	Side, Column, Name string
}

// The bounds of a prompt.
const (
	shownCells = 3   // of a column
	shownBytes = 200 // of a cell, a header or a question
)

// newPrompt returns the prompt for a table. Every text is one bounded line, so that no cell can
// pass for another part of the prompt.
func newPrompt(u *dataset.Unit, table int) prompt {
	t := &u.DB.Tables[table]
	line := func(s string) string { return chat.Bounded(chat.OneLine(s), shownBytes) }
	p := prompt{Name: line(t.Name), Caption: line(t.Caption)}
	for i, c := range t.Columns {
		cells := lists.Map(c.Samples[:min(len(c.Samples), shownCells)], line)
		p.Columns = append(p.Columns, promptColumn{i + 1, line(c.Name), string(c.Type), strings.Join(cells, " | ")})
	}
	p.Questions = lists.Map(questionsOn(u, table), line)
	return p
}

const (
	thinkingTokens = 2048  // added for models that think aloud
	maxTokens      = 16384 // of an answer
)

// Unanswered is the error of a large model that gave no usable answer about a table. The
// results of everything else are complete.
type Unanswered struct {
	Model string
	Err   error // see [chat.NoAnswer], or what is wrong with the answer
}

// Error implements [error].
func (u *Unanswered) Error() string { return fmt.Sprintf("no answer of %s: %v", u.Model, u.Err) }

// Unwrap returns why there is no answer.
func (u *Unanswered) Unwrap() error { return u.Err }

// reported reports whether the reason is printed for each table. A model that is asked no
// more, or has no recorded answer, would fill the terminal.
func (u *Unanswered) reported() bool {
	return !errors.Is(u.Err, chat.ErrGivenUp) && !errors.Is(u.Err, chat.ErrNotRecorded)
}

// ask sends the prompt for a table to a model, in the template of the purpose, and passes its answer to
// read. tokens is about the length of an answer. The error is an [*Unanswered] if the model gives no
// answer or read rejects it.
func ask(ctx context.Context, c *chat.Client, u *dataset.Unit, table int, purpose string, p prompt, tokens int, read func(answer string) error) error {
	var text strings.Builder
	if err := prompts().ExecuteTemplate(&text, purpose, p); err != nil {
		return err
	}
	answers, err := c.Ask(ctx, chat.Question{
		Purpose: purpose, ID: u.DB.ID + "." + u.DB.Tables[table].Original,
		Request: chat.Request{
			Messages: []chat.Message{{Role: "user", Content: text.String()}},
			N:        1, TopP: 1, MaxTokens: min(thinkingTokens+tokens, maxTokens), Seed: 1,
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

// readAnswer decodes an answer into v: one JSON value, with or without a Markdown fence. It
// rejects unknown fields and text after the value.
func readAnswer(answer string, v any) error {
	text := strings.TrimSpace(chat.WithoutReasoning(answer))
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
