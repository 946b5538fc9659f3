package paraphrase

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tabperturb/tabperturb/perturb"
)

// The defaults of an Endpoint.
const (
	DefaultTimeout     = 2 * time.Minute
	DefaultRetries     = 6
	DefaultConcurrency = 4
)

// Endpoint drafts paraphrases by a model behind a server that speaks OpenAI's
// chat/completions: OpenAI itself, llama.cpp, vLLM, Ollama. URL and Model must be
// set, and no field changes after the first call. What it answers to the same task
// differs from call to call with most servers; a [Recorder] before it makes that
// one answer.
//
// For each task it asks for 20 drafts, 5 under each of the paper's four settings of
// sampling. A draft that cannot be read out of the model's answer is left out, so
// that there may be fewer, or none.
type Endpoint struct {
	// URL is the base address, "http://localhost:8080", with or without its
	// "/v1", or the whole address of chat/completions.
	URL   string
	Model string
	// APIKey, where not empty, is sent as "Authorization: Bearer"; to no other
	// host, and it stands in no message and no file.
	APIKey  string
	Timeout time.Duration // for one request with its answer; 0 means DefaultTimeout
	// Retries is how often a request is repeated that met a busy or failing server
	// (408, 425, 429, 5xx), no connection, one that broke off, or an answer that is
	// none; 0 means DefaultRetries, -1 none. The waits double from a second to a
	// minute: with the default they sum up to somewhere between half a minute and a
	// minute.
	Retries     int
	Concurrency int          // requests at once, over all tasks; 0 means DefaultConcurrency
	Client      *http.Client // nil means a client with Go's defaults; its policy on redirects is replaced

	once    sync.Once
	bad     error // why the fields cannot be used
	address string
	http    *http.Client
	slots   chan struct{}
	single  atomic.Bool // the server refuses n > 1
	health  health

	sleep func(context.Context, time.Duration) error // nil for the real one
	now   func() time.Time
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
	return fmt.Sprintf("%s %x", e.Model, sum[:4])
}

// Check returns an error where the fields cannot be used. It asks nothing of the
// server.
func (e *Endpoint) Check() error {
	e.once.Do(e.start)
	return e.bad
}

func (e *Endpoint) start() {
	e.address, e.bad = completions(e.URL)
	if e.bad == nil && e.Model == "" {
		e.bad = errors.New("the endpoint's model has no name, expected one that the server knows")
	}
	e.slots = make(chan struct{}, max(1, cmp.Or(e.Concurrency, DefaultConcurrency)))
	e.http = &http.Client{}
	if e.Client != nil {
		*e.http = *e.Client
	}
	e.http.CheckRedirect = stay
	if e.sleep == nil {
		e.sleep = sleep
	}
	if e.now == nil {
		e.now = time.Now
	}
}

// completions returns the address of chat/completions below a base address.
func completions(base string) (string, error) {
	const expected = "expected the address of a server, such as http://localhost:8080"
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return "", fmt.Errorf("the endpoint's URL cannot be read, %s", expected) // the error would quote a password
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("the endpoint's URL is %q, %s", u.Redacted(), expected)
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasSuffix(path, "/chat/completions"):
		u.Path = path
	case strings.HasSuffix(path, "/v1"):
		u.Path = path + "/chat/completions"
	default:
		u.Path = path + "/v1/chat/completions"
	}
	return u.String(), nil
}

// stay follows a redirect only where the request stays what it is: a POST to the
// same host, and no less safe. The key and the questions go nowhere else.
func stay(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if len(via) > 3 || req.Method != last.Method || req.URL.Host != last.URL.Host ||
		req.URL.Scheme != last.URL.Scheme && req.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// Drafts implements [perturb.Paraphraser]. Drafts are in the order of the settings,
// repetitions included. The error is an [*Error], one that is [ErrGivenUp], or ctx's.
func (e *Endpoint) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if err := e.health.givenUp(); err != nil {
		return nil, err
	}
	messages, err := Prompt(t)
	if err != nil {
		return nil, err
	}
	drafts := make([][]perturb.Draft, len(samplings))
	g, gctx := errgroup.WithContext(ctx)
	for i, s := range samplings {
		g.Go(func() (err error) {
			drafts[i], err = e.sample(gctx, t, messages, s)
			return err
		})
	}
	err = g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.health.note(err)
	if err != nil {
		return nil, err
	}
	all := []perturb.Draft{}
	for _, d := range drafts {
		all = append(all, d...)
	}
	return all, nil
}

// request is the body of a request. The seed makes servers that know one repeat
// themselves.
type request struct {
	Model       string    `json:"model"`
	Messages    []Message `json:"messages"`
	N           int       `json:"n"`
	TopP        float64   `json:"top_p"`
	Temperature float64   `json:"temperature"`
	MaxTokens   int       `json:"max_tokens"`
	Seed        int32     `json:"seed"`
}

// sample drafts under one setting. Some servers answer once whatever n is (Ollama,
// llama.cpp in older versions), some refuse n > 1: they are asked again.
func (e *Endpoint) sample(ctx context.Context, t perturb.Task, messages []Message, s sampling) ([]perturb.Draft, error) {
	var drafts []perturb.Draft
	for got, round := 0, 0; got < perSampling && round < perSampling; round++ {
		r := request{e.Model, messages, perSampling - got, s.TopP, s.Temperature, maxTokens, e.seed(t, s, round)}
		if e.single.Load() {
			r.N = 1
		}
		choices, err := e.ask(ctx, r)
		if refused := (*Error)(nil); r.N > 1 && errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 422) {
			r.N = 1
			if choices, err = e.ask(ctx, r); err == nil {
				e.single.Store(true)
			}
		}
		if err != nil {
			return nil, err
		}
		for _, c := range choices[:min(len(choices), r.N)] {
			got++
			if q, why, ok := parse(c.Message.Content, c.FinishReason == "length"); ok {
				drafts = append(drafts, perturb.Draft{Question: q, Source: e.Model, Note: why})
			}
		}
	}
	return drafts, nil
}

// seed is a number that depends on the task, the setting and the round only.
func (e *Endpoint) seed(t perturb.Task, s sampling, round int) int32 {
	key := taskKey(t)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%x %v %d", e.Key(), key, s, round))
	return int32(binary.LittleEndian.Uint32(sum[:]) >> 1)
}

// choice is one of the answers to a request, as far as it is read.
type choice struct {
	FinishReason string `json:"finish_reason"`
	Message      struct {
		Content string `json:"content"`
	} `json:"message"`
}

// ask sends a request until it is answered or fails for good. It keeps its slot
// while it waits, so that a busy server is asked less.
func (e *Endpoint) ask(ctx context.Context, r request) ([]choice, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	retries := max(0, cmp.Or(e.Retries, DefaultRetries))
	for try := 0; ; try++ {
		choices, failed := e.try(ctx, body)
		switch {
		case failed == nil:
			return choices, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !failed.again, try >= retries:
			return nil, &Error{URL: e.shown(), Status: failed.status, Tries: try + 1, Err: failed.err}
		}
		if err := e.sleep(ctx, backoff(body, try, failed.after)); err != nil {
			return nil, err
		}
		if err := e.health.givenUp(); err != nil {
			return nil, err
		}
	}
}

// maxBody bounds an answer, in bytes; five drafts with their explanations have
// some thousands.
const maxBody = 4 << 20

// try sends a request once.
func (e *Endpoint) try(ctx context.Context, body []byte) ([]choice, *failure) {
	timeout := cmp.Or(max(0, e.Timeout), DefaultTimeout)
	tctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(tctx, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "tabperturb")
	if e.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+e.APIKey)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return nil, dropped(tctx, timeout, err)
	}
	defer resp.Body.Close()
	e.health.answered.Store(true)
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, e.status(resp, data)
	case err != nil:
		return nil, dropped(tctx, timeout, err)
	case len(data) > maxBody:
		return nil, &failure{again: true, status: resp.StatusCode, err: fmt.Errorf("the answer is larger than %d MiB, expected less", maxBody>>20)}
	}
	var answer struct {
		Choices []choice `json:"choices"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Choices) == 0 {
		err := fmt.Errorf("the answer is %q, expected a JSON object with choices", e.firstLine(data))
		return nil, &failure{again: true, status: resp.StatusCode, err: err}
	}
	return answer.Choices, nil
}
