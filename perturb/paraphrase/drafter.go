package paraphrase

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

// Purpose is the purpose by which a recording finds the answers of a [Drafter].
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

// Key returns the model, a hash of its prompt and settings and, if all answers come from a record, the key of
// the record. It does not depend on the address of the server.
func (d *Drafter) Key() string {
	key := d.Client.Model + " " + settingsHash()
	if recorded := d.Client.Record.Key(); recorded != "" {
		key += " " + recorded
	}
	return key
}

// settingsHash hashes what drafts depend on apart from model and question.
func settingsHash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d %v %v", promptFile, answerForm(), perCategory, topP, temperature))
	return fmt.Sprintf("%x", sum[:4])
}

// Drafts implements [perturb.Paraphraser]. If no model was asked, as nothing is recorded for the
// question, the error is a [*perturb.Refusal].
func (d *Drafter) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if err := checkCategory(t.Category); err != nil {
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
	for _, q := range parseAnswer(answers[0])[t.Category] {
		drafts = append(drafts, perturb.Draft{Question: q, Source: d.Client.Model})
	}
	return drafts, nil
}

// question returns the request to the model for a task. Its identity, by which answers are
// recorded, does not depend on the mentions.
func question(t perturb.Task) chat.Question {
	shown := tableLines(t)
	// Room for a draft in each place: some 16 tokens and one for each three bytes of the question.
	tokens := thinking + len(Categories())*perCategory*(16+len(t.Example.Question)/3)
	return chat.Question{
		Purpose: Purpose, ID: fmt.Sprintf("%s.%d", t.DB.ID, t.Example.Index),
		Identity: []string{settingsHash(), t.DB.ID, shown, t.Example.Question, t.Example.Query},
		Useful:   func(answer string) bool { return len(parseAnswer(answer)) > 0 },
		Request: chat.Request{
			Messages: []chat.Message{{Role: "user", Content: promptText(t, shown)}},
			N:        1, TopP: topP, Temperature: temperature, MaxTokens: min(tokens, maxAnswer), Seed: 1,
		},
	}
}
