// Package chat asks language models behind servers that speak OpenAI's
// chat/completions: OpenAI itself, llama.cpp, vLLM, Ollama.
//
// [Endpoint] sends requests, repeats those that met a busy or failing server, and
// gives up a server that fails for good. [Client] asks a [Record] of the answers first,
// and writes each new answer to it before the answer is used.
package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// The defaults of an Endpoint.
const (
	DefaultTimeout     = 2 * time.Minute
	DefaultRetries     = 6
	DefaultConcurrency = 4
)

// Endpoint is a model behind a server. URL and Model must be set, and no field changes
// after the first call. It is safe for concurrent use.
type Endpoint struct {
	// URL is the base address, "http://localhost:8080", with or without its
	// "/v1", or the whole address of chat/completions.
	URL   string
	Model string
	// APIKey, if not empty, is sent as "Authorization: Bearer"; to no other
	// host, and it is in no message and no answer.
	APIKey string
	// Plain asks the older completions, which take a text and not a conversation.
	Plain   bool
	Timeout time.Duration // for one request with its answer; 0 means DefaultTimeout
	// Retries is how often a request is repeated that met a busy or failing server
	// (408, 425, 429, 5xx), no connection, one that broke off, or an answer that is
	// none; 0 means DefaultRetries, -1 none. The waits double from a second to a
	// minute: with the default they sum up to somewhere between half a minute and a
	// minute. Before any answer, a host that cannot be connected to is tried twice.
	Retries     int
	Concurrency int          // requests at once, over all jobs; 0 means DefaultConcurrency
	Client      *http.Client // nil means a client with Go's defaults; its policy on redirects is replaced

	// Sleep waits between tries; nil for the real one.
	Sleep func(context.Context, time.Duration) error

	once    sync.Once
	bad     error  // why the fields cannot be used
	address string // of (chat/)completions
	http    *http.Client
	slots   chan struct{} // holds an element for each request under way
	health  health
	now     func() time.Time
}

// Message is a turn of a conversation with a model.
type Message struct {
	Role    string `json:"role"` // "user" or "assistant"
	Content string `json:"content"`
}

// Request is what a model is asked. The seed makes servers that know one repeat
// themselves.
type Request struct {
	Messages    []Message `json:"messages,omitempty"`
	N           int       `json:"n"` // answers wanted; some servers give one whatever it is
	TopP        float64   `json:"top_p"`
	Temperature float64   `json:"temperature"`
	MaxTokens   int       `json:"max_tokens"`
	Seed        int32     `json:"seed"`
}

// Answer is what a server answers to a request.
type Answer struct {
	Texts []string // one at least
	Usage Usage
}

// Usage counts tokens as the server reports them; 0 if it reports none.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

// Check returns an error if the fields cannot be used. It asks nothing of the
// server.
func (e *Endpoint) Check() error {
	e.once.Do(e.start)
	return e.bad
}

// start sets the address and the defaults, and e.bad to the first error in the fields.
func (e *Endpoint) start() {
	e.address, e.bad = completions(e.URL, e.Plain)
	if e.bad == nil && e.Model == "" {
		e.bad = errors.New("the endpoint's model has no name, expected one that the server knows")
	}
	e.slots = make(chan struct{}, max(1, cmp.Or(e.Concurrency, DefaultConcurrency)))
	e.http = &http.Client{}
	if e.Client != nil {
		*e.http = *e.Client
	}
	e.http.CheckRedirect = checkRedirect
	if e.Sleep == nil {
		e.Sleep = sleep
	}
	if e.now == nil {
		e.now = time.Now
	}
}

// completions returns the address of chat/completions, or of plain completions. base may be the server's
// address, with or without "/v1", or already that of completions.
func completions(base string, plain bool) (string, error) {
	const expected = "expected the address of a server, such as http://localhost:8080"
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil:
		return "", fmt.Errorf("the endpoint's URL cannot be read, %s", expected) // the error would quote a password
	case !slices.Contains([]string{"http", "https"}, u.Scheme), u.Host == "":
		return "", fmt.Errorf("the endpoint's URL is %q, %s", u.Redacted(), expected)
	}
	given := strings.TrimRight(u.Path, "/")
	path := strings.TrimSuffix(strings.TrimSuffix(given, "/completions"), "/chat")
	isServer := path == given // an address of completions has its own path, with or without /v1
	if isServer && !strings.HasSuffix(path, "/v1") {
		path += "/v1"
	}
	if !plain {
		path += "/chat"
	}
	u.Path = path + "/completions"
	return u.String(), nil
}

// checkRedirect is an [http.Client]'s CheckRedirect. It follows a redirect only where the request stays a
// POST to the same host, and stays on https: the key and the questions go nowhere else.
func checkRedirect(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	sameTarget := req.Method == last.Method && req.URL.Host == last.URL.Host
	sameScheme := slices.Contains([]string{last.URL.Scheme, "https"}, req.URL.Scheme)
	if len(via) > 3 || !sameTarget || !sameScheme {
		return http.ErrUseLastResponse // the caller sees the redirect as the answer
	}
	return nil
}

// Job runs work, which asks for one thing by one or several requests. Too many failed
// jobs, not requests, make the endpoint be given up. The error is that of work,
// [ErrGivenUp], or ctx's.
func (e *Endpoint) Job(ctx context.Context, work func(context.Context) error) error {
	if err := e.Check(); err != nil {
		return err
	}
	if err := e.health.givenUp(); err != nil {
		return err
	}
	err := work(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.health.note(err)
	return err
}

// Ask sends a request, within a [Endpoint.Job], until it is answered or fails for good.
// The error is an [*Error], one that is [ErrGivenUp], or ctx's. It keeps its slot while
// it waits, so that a busy server is asked less.
func (e *Endpoint) Ask(ctx context.Context, r Request) (*Answer, error) {
	body, err := e.body(r)
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
		answer, failed := e.try(ctx, body)
		// A server that never answered gets one more try; its address may be wrong.
		isNowhere := failed != nil && failed.unreachable && try > 0 && !e.health.answered.Load()
		switch {
		case failed == nil:
			return answer, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !failed.again, try >= retries, isNowhere:
			return nil, &Error{URL: e.shown(), Status: failed.status, Tries: try + 1, Err: failed.err}
		}
		if err := e.Sleep(ctx, backoff(body, try, failed.after)); err != nil {
			return nil, err
		}
		if err := e.health.givenUp(); err != nil {
			return nil, err
		}
	}
}

// body returns the JSON of a request: with its messages, or for plain completions with a prompt of their contents.
func (e *Endpoint) body(r Request) ([]byte, error) {
	chat := struct {
		Model  string `json:"model"`
		Prompt string `json:"prompt,omitempty"`
		Request
	}{Model: e.Model, Request: r}
	if !e.Plain {
		return json.Marshal(chat)
	}
	for _, m := range r.Messages {
		chat.Prompt += m.Content
	}
	chat.Messages = nil
	return json.Marshal(chat)
}

// maxBody bounds an answer, in bytes; a long one has some tens of thousands.
const maxBody = 4 << 20

// try sends the body of a request once. It returns the answer, or why there is none.
func (e *Endpoint) try(ctx context.Context, body []byte) (*Answer, *failure) {
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
	e.health.answered.Store(true) // with whatever status
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, e.status(resp, data)
	case err != nil:
		return nil, dropped(tctx, timeout, err)
	case len(data) > maxBody:
		return nil, &failure{again: true, status: resp.StatusCode, err: fmt.Errorf("the answer is larger than %d MiB, expected less", maxBody>>20)}
	}
	answer := e.read(data)
	if answer == nil {
		err := fmt.Errorf("the answer is %q, expected a JSON object with choices", e.firstLine(data))
		return nil, &failure{again: true, status: resp.StatusCode, err: err}
	}
	return answer, nil
}

// read parses the body of an answer; it returns nil for a body without choices.
func (e *Endpoint) read(data []byte) *Answer {
	var body struct {
		Choices []struct {
			Text    string `json:"text"` // of plain completions
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(data, &body) != nil || len(body.Choices) == 0 {
		return nil
	}
	a := &Answer{}
	_ = json.Unmarshal(body.Usage, &a.Usage) // a count of another form is none, and no reason to ask again
	for _, c := range body.Choices {
		a.Texts = append(a.Texts, e.withoutKey(c.Message.Content+c.Text))
	}
	return a
}
