package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server answers every request with one choice, after it has failed.
type server struct {
	*httptest.Server
	once func(w http.ResponseWriter, r *http.Request, n int) bool // answers otherwise, where it returns true; n counts the tries of a request from 0

	mu     sync.Mutex
	tries  map[string]int // by body
	all    int
	header http.Header // of the last request
}

func newServer(t *testing.T, once func(w http.ResponseWriter, r *http.Request, n int) bool) *server {
	s := &server{once: once, tries: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	s.mu.Lock()
	n := s.tries[string(body)]
	s.tries[string(body)]++
	s.all++
	s.header = r.Header
	s.mu.Unlock()
	if s.once != nil && s.once(w, r, n) {
		return
	}
	io.WriteString(w, `{"choices":[{"finish_reason":"length","message":{"content":"Hello, sk-secret!"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`)
}

// count returns how many requests came in.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// client returns an endpoint that notes its waits instead of waiting.
func client(url string) (e *Endpoint, waits func() []time.Duration) {
	var mu sync.Mutex
	var slept []time.Duration
	e = &Endpoint{URL: url, Model: "toy", APIKey: "sk-secret"}
	e.now = func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }
	e.Sleep = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		slept = append(slept, d)
		return ctx.Err()
	}
	return e, func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(slices.Values(slept))
	}
}

// say asks one thing.
func say(ctx context.Context, e *Endpoint, what string) (*Answer, error) {
	var a *Answer
	err := e.Job(ctx, func(ctx context.Context) (err error) {
		a, err = e.Ask(ctx, Request{Messages: []Message{{"user", what}}, N: 1})
		return err
	})
	return a, err
}

// first makes a failure of the first n tries of a request.
func first(n int, fail func(w http.ResponseWriter)) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, try int) bool {
		if try >= n {
			return false
		}
		fail(w)
		return true
	}
}

func write(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// TestEndpointRecovers checks that an answer comes of servers that answer in the
// end, in what number of requests, and after what waits.
func TestEndpointRecovers(t *testing.T) {
	huge := `{"choices":[` + strings.Repeat(" ", maxBody) + `]}`
	retryAfter := func(value string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	type span [2]time.Duration // the shortest and the longest wait
	second := span{time.Second / 2, time.Second}
	for _, test := range []struct {
		name     string
		once     func(http.ResponseWriter, *http.Request, int) bool
		requests int
		waits    span
	}{
		{"answers", nil, 1, span{}},
		{"status 500", first(1, write(500, "oh")), 2, second},
		{"status 503 thrice", first(3, write(503, "")), 4, span{time.Second / 2, 4 * time.Second}},
		{"status 429", first(1, write(429, `{"error":"slow down"}`)), 2, second},
		{"status 429, retry after seconds", first(1, retryAfter("7")), 2, span{7 * time.Second, 7 * time.Second}},
		{"status 429, retry after a date", first(1, retryAfter("Wed, 01 Jan 2020 00:00:30 GMT")), 2, span{30 * time.Second, 30 * time.Second}},
		{"status 429, retry after a year", first(1, retryAfter("31536000")), 2, span{maxRetryAfter, maxRetryAfter}},
		{"status 429, retry after the end of time", first(1, retryAfter("99999999999999999999")), 2, second},
		{"status 429, retry after nonsense", first(1, retryAfter("-1e9 soon")), 2, second},
		{"no JSON", first(1, write(200, "hello")), 2, second},
		{"a web page", first(1, write(200, "<!doctype html><p>Sign in")), 2, second},
		{"an error with status 200", first(1, write(200, `{"error":{"message":"loading"}}`)), 2, second},
		{"no choices", first(1, write(200, `{"choices":[]}`)), 2, second},
		{"choices of another shape", first(1, write(200, `{"choices":{"message":1}}`)), 2, second},
		{"nothing", first(1, write(200, "")), 2, second},
		{"a huge answer", first(1, write(200, huge)), 2, second},
		{"the connection drops", first(1, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), 2, second},
		{"the connection drops in the middle", first(1, func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[{"mess`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), 2, second},
		{"a redirect on the host", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n > 0 {
				return false
			}
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}, 2, span{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newServer(t, test.once)
			e, waits := client(m.URL)
			answer, err := say(t.Context(), e, "boats")
			if err != nil {
				t.Fatal(err)
			}
			if c := answer.Texts; len(c) != 1 || c[0] != "Hello, [key]!" || answer.Usage != (Usage{7, 3}) {
				t.Errorf("answer %+v", answer)
			}
			if m.header.Get("Authorization") != "Bearer sk-secret" {
				t.Errorf("headers %v, want the key", m.header)
			}
			if all := m.count(); all != test.requests || len(m.tries) != 1 {
				t.Errorf("%d requests, %d different, want %d and 1", all, len(m.tries), test.requests)
			}
			var got span
			if w := waits(); len(w) > 0 {
				got = span{w[0], w[len(w)-1]}
			}
			if got[0] < test.waits[0] || got[1] > test.waits[1] || (got == span{}) != (test.waits == span{}) {
				t.Errorf("waits from %v to %v, want within %v", got[0], got[1], test.waits)
			}
		})
	}
}

// TestEndpointSlow checks that a server that does not answer in time is asked again.
func TestEndpointSlow(t *testing.T) {
	m := newServer(t, func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n > 0 {
			return false
		}
		<-r.Context().Done()
		return true
	})
	e, waits := client(m.URL)
	e.Timeout = 100 * time.Millisecond
	_, err := say(t.Context(), e, "boats")
	if all := m.count(); err != nil || all != 2 || len(waits()) != 1 {
		t.Errorf("%d requests, %v, want an answer to the second", all, err)
	}
}

// TestEndpointFails checks what is said of servers that never answer, and that the key
// is not.
func TestEndpointFails(t *testing.T) {
	other := newServer(t, nil)
	for _, test := range []struct {
		name     string
		fail     func(w http.ResponseWriter)
		status   int
		requests int
		want     string
	}{
		{"status 401", write(401, `{"error":{"message":"wrong key sk-secret\nsecond line"}}`), 401, 1, "401 Unauthorized: wrong key [key] second line"},
		{"status 404", write(404, "\n<h1>Not here</h1>\nmore\n"), 404, 1, "404 Not Found: <h1>Not here</h1>"},
		{"status 400", write(400, `{"object":"error","message":"too long"}`), 400, 1, "400 Bad Request: too long"},
		{"status 418", write(418, strings.Repeat("\x00x", 1000)), 418, 1, "418 I'm a teapot: xxx"},
		{"status 999", write(999, ""), 999, 7, ": 999, after 7 tries"},
		{"status 500", write(500, "down"), 500, 7, "500 Internal Server Error: down, after 7 tries"},
		{"rubbish", write(200, `[{"secret":"sk-secret"}]`), 200, 7, `the answer is "[{\"secret\":\"[key]\"}]", expected a JSON object with choices, after 7 tries`},
		{"drops", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0, 7, "the connection broke off, after 7 tries"},
		{"resets", func(w http.ResponseWriter) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
			}
		}, 0, 7, "/v1/chat/completions: the connection broke off"},
		{"a redirect to another host", func(w http.ResponseWriter) {
			w.Header().Set("Location", other.URL+"/v1/chat/completions")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 307, 1, "307 Temporary Redirect to " + other.URL},
		{"a redirect that repeats the key", func(w http.ResponseWriter) {
			w.Header().Set("Location", other.URL+"/?key=sk-secret")
			w.WriteHeader(http.StatusFound)
		}, 302, 1, "302 Found to " + other.URL + "/?key=[key]"},
		{"a redirect that drops the question", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/v1/chat/completions")
			w.WriteHeader(http.StatusMovedPermanently)
		}, 301, 1, "301 Moved Permanently to "},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newServer(t, first(1000, test.fail))
			e, _ := client(strings.Replace(m.URL, "http://", "http://me:hush@", 1))
			_, err := say(t.Context(), e, "boats")
			failed, ok := errors.AsType[*Error](err)
			if !ok || failed.Status != test.status || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "http://me:xxxxx@127.0.0.1:") {
				t.Errorf("error %v, want %q of status %d", err, test.want, test.status)
			}
			if err != nil && (strings.Contains(err.Error(), "sk-secret") || len(err.Error()) > 600) {
				t.Errorf("error %v", err)
			}
			if all := m.count(); all != test.requests {
				t.Errorf("%d requests, want %d", all, test.requests)
			}
		})
	}
	if all := other.count(); all > 0 {
		t.Error("the redirect to another host was followed")
	}
}

// TestEndpointNotThere checks that an address at which nothing listens is given up
// after one job, while a server that has answered once gets five.
func TestEndpointNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	e, waits := client(gone.URL)
	_, err := say(t.Context(), e, "boats")
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Status != 0 || errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("first job: error %v", err)
	}
	if w := waits(); len(w) != 1 || w[0] > time.Second {
		t.Errorf("waits %v, want one of at most a second", w)
	}
	slept := len(waits())
	for range 3 {
		if _, err := say(t.Context(), e, "boats"); !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), gone.URL) {
			t.Errorf("further jobs: error %v, want that the endpoint is given up", err)
		}
	}
	if len(waits()) != slept {
		t.Error("an endpoint that is given up was tried again")
	}

	unknown, waits := client("http://host.invalid")
	if _, err := say(t.Context(), unknown, "boats"); err == nil || len(waits()) != 1 {
		t.Errorf("unknown host: error %v after waits %v, want one of them", err, waits())
	}

	var broken atomic.Bool
	m := newServer(t, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		if broken.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		return broken.Load()
	})
	e, _ = client(m.URL)
	for i := range 2*maxFailed + 3 {
		broken.Store(i != maxFailed-1) // a success among failures
		_, err := say(t.Context(), e, "boats")
		if got, want := errors.Is(err, ErrGivenUp), i >= 2*maxFailed; got != want || (err == nil) != (i == maxFailed-1) {
			t.Errorf("job %d: error %v, want given up: %t", i, err, want)
		}
	}
}

// TestEndpointStops checks that the end of a context is the end of the work, in a
// request, in a wait and in the queue, and says nothing about the server.
func TestEndpointStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newServer(t, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	e, _ := client(m.URL)
	e.Concurrency = 1
	if _, err := say(ctx, e, "boats"); !errors.Is(err, context.Canceled) {
		t.Errorf("in a request: error %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	m.once = first(1, write(500, ""))
	e.Sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return sleep(ctx, time.Hour)
	}
	if _, err := say(ctx, e, "ships"); !errors.Is(err, context.Canceled) {
		t.Errorf("in a wait: error %v", err)
	}
	m.once = nil
	if _, err := say(t.Context(), e, "boats"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestEndpointConcurrency checks the bound on requests at once, over several jobs.
func TestEndpointConcurrency(t *testing.T) {
	var now, most atomic.Int32
	m := newServer(t, func(http.ResponseWriter, *http.Request, int) bool {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			if seen := most.Load(); n <= seen || most.CompareAndSwap(seen, n) {
				break
			}
		}
		time.Sleep(time.Millisecond)
		return false
	})
	e, _ := client(m.URL)
	e.Concurrency = 3
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := say(t.Context(), e, fmt.Sprint("boat ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := most.Load(); n > 3 || n < 1 {
		t.Errorf("%d requests at once, want at most 3", n)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"http://localhost:8080", "http://localhost:8080/v1/chat/completions"},
		{"http://localhost:8080/", "http://localhost:8080/v1/chat/completions"},
		{"https://example.org/v1/", "https://example.org/v1/chat/completions"},
		{"https://example.org/api", "https://example.org/api/v1/chat/completions"},
		{"https://example.org/beta/chat/completions?v=1", "https://example.org/beta/chat/completions?v=1"},
		{"localhost:8080", ""},
		{"", ""},
		{"file:///etc/passwd", ""},
		{"http://me:hush@ho st", ""},
	} {
		e := &Endpoint{URL: test.url, Model: "toy"}
		err := e.Check()
		if (err == nil) != (test.want != "") || err == nil && e.address != test.want || err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: address %q, %v, want %q", test.url, e.address, err, test.want)
		}
	}
	if err := (&Endpoint{URL: "http://localhost"}).Check(); err == nil || !strings.Contains(err.Error(), "model") {
		t.Errorf("no model: error %v", err)
	}
}
