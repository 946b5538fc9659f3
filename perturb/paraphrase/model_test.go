package paraphrase

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/internal/chat"
)

// request is what a server is sent.
type request struct {
	chat.Request
	Model string `json:"model"`
}

// model is a server that answers as a model does, after it has failed.
type model struct {
	*httptest.Server
	once func(w http.ResponseWriter, r *http.Request, n int) bool // answers otherwise, where it returns true; n counts the tries of a request from 0

	mu       sync.Mutex
	tries    map[string]int // by body
	requests []request
	header   http.Header // of the last request
}

// newModel starts a server that gives n answers to a request for n, unless once does.
func newModel(t *testing.T, once func(w http.ResponseWriter, r *http.Request, n int) bool) *model {
	m := &model{once: once, tries: map[string]int{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req request
	if err := json.Unmarshal(body, &req); err != nil || r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	m.mu.Lock()
	n := m.tries[string(body)]
	m.tries[string(body)]++
	m.requests = append(m.requests, req)
	m.header = r.Header
	m.mu.Unlock()
	if m.once != nil && m.once(w, r, n) {
		return
	}
	answer(w, req, req.N)
}

// answer sends n choices that depend on the request's seed.
func answer(w io.Writer, req request, n int) {
	var choices []string
	for i := range n {
		choices = append(choices, fmt.Sprintf(`{"finish_reason":"stop","message":{"content":"Paraphrase: Which boats float, %d?\nExplanation: draft %d"}}`, int(req.Seed)+i, i))
	}
	fmt.Fprintf(w, `{"choices":[%s]}`, strings.Join(choices, ","))
}

// count returns how many requests came in, and how many different ones.
func (m *model) count() (all, different int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests), len(m.tries)
}

// client returns an endpoint that does not wait between tries.
func client(url string) *Endpoint {
	e := &Endpoint{Chat: &chat.Endpoint{URL: url, Model: "toy", APIKey: "sk-secret"}}
	e.Chat.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return e
}

var boats = task("column-value", "Show the boats in the port of Ayr.")
