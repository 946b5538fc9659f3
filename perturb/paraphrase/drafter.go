package paraphrase

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

// Purpose is that of the answers of a [Drafter] in a record.
const Purpose = "paraphrase"

// perCategory is the number of drafts asked for in a category. The paper samples 20
// (appendix A.2), each without sight of the others, so that many repeat each other, and
// keeps five at most. In one answer a model sees what it wrote: with eight, three can
// fail the filter.
const perCategory = 8

// The tokens of an answer: for models that think aloud, and at most.
const (
	thinking  = 2048
	maxAnswer = 16384
)

// The setting of sampling: of the paper's four the one that is diverse but leaves
// unlikely words out.
const (
	topP        = 0.9
	temperature = 1
)

// Drafter drafts paraphrases by a model. It asks for all categories at once, whichever
// a task is of, so that one answer serves every task of a question, in this build and
// in later ones. A question is known by its text, gold SQL and database with the tables
// that the prompt shows; what is mentioned follows from these, so that better rules for
// it do not cost a new run of the model.
type Drafter struct{ Client *chat.Client }

// Key names the model, hashes the prompt and its settings and, where nothing is asked,
// identifies what is recorded. The address is not part of it.
func (d *Drafter) Key() string {
	key := d.Client.Model + " " + settings()
	if recorded := d.Client.Record.Key(); recorded != "" {
		key += " " + recorded
	}
	return key
}

// settings hashes what drafts depend on beside model and question.
func settings() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d %v %v", promptFile, form(), perCategory, topP, temperature))
	return fmt.Sprintf("%x", sum[:4])
}

// Drafts implements [perturb.Paraphraser]. The error is a [*perturb.Refusal] where no
// model was asked: nothing failed.
func (d *Drafter) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if err := known(t.Category); err != nil {
		return nil, err
	}
	answers, err := d.Client.Ask(ctx, question(t))
	if chat.NotAsked(err) {
		return nil, &perturb.Refusal{Reason: "no-model-asked", Detail: err.Error()}
	}
	if err != nil {
		return nil, err
	}
	drafts := []perturb.Draft{}
	for _, q := range read(answers[0])[t.Category] {
		drafts = append(drafts, perturb.Draft{Question: q, Source: d.Client.Model})
	}
	return drafts, nil
}

// question returns what a model is asked about a task's question.
func question(t perturb.Task) chat.Question {
	shown := tables(t)
	tokens := thinking + len(Categories())*perCategory*(16+len(t.Example.Question)/3)
	return chat.Question{
		Purpose: Purpose, ID: fmt.Sprintf("%s.%d", t.DB.ID, t.Example.Index),
		Identity: []string{settings(), t.DB.ID, shown, t.Example.Question, t.Example.Query},
		Useful:   func(answer string) bool { return len(read(answer)) > 0 },
		Request: chat.Request{
			Messages: []chat.Message{{Role: "user", Content: prompted(t, shown)}},
			N:        1, TopP: topP, Temperature: temperature, MaxTokens: min(tokens, maxAnswer), Seed: 1,
		},
	}
}
