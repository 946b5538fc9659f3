package victim

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// Asking holds how a model is asked.
type Asking struct {
	Client      *chat.Client
	Objects     bool // the model reads prompts as objects, as a [Command] does, and not their text
	Temperature float64
	MaxTokens   int
	Seed        int32
	Concurrency int
}

// Purpose is that of recorded answers of this package.
const Purpose = "predict"

// Ask returns the answer of the model to a prompt. See [chat.NoAnswer] for the error.
func (a *Asking) Ask(ctx context.Context, p *Prompt) (string, error) {
	content := p.Text
	if a.Objects { // the model reads the prompt as a JSON object, and not its text
		object := *p
		object.ID = "" // [Command] sets an id for each request
		data, err := json.Marshal(object)
		if err != nil {
			return "", err
		}
		content = string(data)
	}
	answers, err := a.Client.Ask(ctx, chat.Question{Purpose: Purpose, ID: p.DB + ": " + p.Question, Request: chat.Request{
		Messages: []chat.Message{{Role: "user", Content: content}}, N: 1, TopP: 1, Temperature: a.Temperature, MaxTokens: a.MaxTokens, Seed: a.Seed,
	}})
	if err != nil {
		return "", err
	}
	return answers[0], nil
}

// All asks about the prompts concurrently and calls each with the answer to a prompt, or with the
// reason for none, in any order but one at a time. It takes a prompt only when a request is free,
// so that few prompts are in memory. It returns the first error of each or of the record, and that of ctx.
func (a *Asking) All(ctx context.Context, prompts iter.Seq[*Prompt], each func(p *Prompt, answer string, err error) error) error {
	var mu sync.Mutex
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(max(1, a.Concurrency))
	for p := range prompts {
		if within.Err() != nil {
			break
		}
		g.Go(func() error {
			answer, err := a.Ask(within, p)
			if err != nil && !chat.NoAnswer(err) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			return each(p, answer, err)
		})
	}
	return errors.Join(g.Wait(), ctx.Err())
}
