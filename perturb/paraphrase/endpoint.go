package paraphrase

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/internal/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

// Endpoint drafts paraphrases by a model behind a server. What it answers to the same
// task differs from call to call with most servers; a [Recorder] before it makes that
// one answer.
//
// For each task it asks for 20 drafts, 5 under each of the paper's four settings of
// sampling. A draft that cannot be read out of the model's answer is left out, so
// that there may be fewer, or none.
type Endpoint struct {
	Chat *chat.Endpoint

	single atomic.Bool // the server refuses n > 1
}

// sampling is a setting of sampling.
type sampling struct{ TopP, Temperature float64 }

// samplings are the settings of the paper's appendix A.2: a trade between factual
// and diverse paraphrases.
var samplings = []sampling{{0.9, 0.7}, {0.9, 1}, {1, 0.7}, {1, 1}}

const (
	perSampling = 5   // drafts under each setting
	maxTokens   = 512 // of one draft with its explanation; models that think aloud need the most
)

// Key names the model and hashes what else drafts depend on: the prompts and the
// settings. The address is not part of it.
func (e *Endpoint) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%v %d %d", promptFile, samplings, perSampling, maxTokens))
	return fmt.Sprintf("%s %x", e.Chat.Model, sum[:4])
}

// Drafts implements [perturb.Paraphraser]. Drafts are in the order of the settings,
// repetitions included. The error is a [*chat.Error], one that is [chat.ErrGivenUp], or
// ctx's.
func (e *Endpoint) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	messages, err := Prompt(t)
	if err != nil {
		return nil, err
	}
	drafts := make([][]perturb.Draft, len(samplings))
	err = e.Chat.Job(ctx, func(ctx context.Context) error {
		g, ctx := errgroup.WithContext(ctx)
		for i, s := range samplings {
			g.Go(func() (err error) {
				drafts[i], err = e.sample(ctx, t, messages, s)
				return err
			})
		}
		return g.Wait()
	})
	if err != nil {
		return nil, err
	}
	all := []perturb.Draft{}
	for _, d := range drafts {
		all = append(all, d...)
	}
	return all, nil
}

// sample drafts under one setting. Some servers answer once whatever n is (Ollama,
// llama.cpp in older versions), some refuse n > 1: they are asked again.
func (e *Endpoint) sample(ctx context.Context, t perturb.Task, messages []chat.Message, s sampling) ([]perturb.Draft, error) {
	var drafts []perturb.Draft
	for got, round := 0, 0; got < perSampling && round < perSampling; round++ {
		r := chat.Request{
			Messages: messages, N: perSampling - got, TopP: s.TopP, Temperature: s.Temperature,
			MaxTokens: maxTokens, Seed: e.seed(t, s, round),
		}
		if e.single.Load() {
			r.N = 1
		}
		answer, err := e.Chat.Ask(ctx, r)
		if refused := (*chat.Error)(nil); r.N > 1 && errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 422) {
			r.N = 1
			if answer, err = e.Chat.Ask(ctx, r); err == nil {
				e.single.Store(true)
			}
		}
		if err != nil {
			return nil, err
		}
		for _, c := range answer.Choices[:min(len(answer.Choices), r.N)] {
			got++
			if q, why, ok := parse(c.Text, c.Cut); ok {
				drafts = append(drafts, perturb.Draft{Question: q, Source: e.Chat.Model, Note: why})
			}
		}
	}
	return drafts, nil
}

// seed is a number that depends on the task, the setting and the round only.
func (e *Endpoint) seed(t perturb.Task, s sampling, round int) int32 {
	key := taskKey(t)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%x %v %d", e.Key(), key[:], s, round))
	return int32(binary.LittleEndian.Uint32(sum[:]) >> 1)
}
