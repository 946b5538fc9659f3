package paraphrase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/perturb"
)

// TestEndpointRecovers checks that all 20 drafts come of servers that answer in the
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
		{"answers", nil, 4, span{}},
		{"status 500", first(1, write(500, "oh")), 8, second},
		{"status 503 thrice", first(3, write(503, "")), 16, span{time.Second / 2, 4 * time.Second}},
		{"status 429", first(1, write(429, `{"error":"slow down"}`)), 8, second},
		{"status 429, retry after seconds", first(1, retryAfter("7")), 8, span{7 * time.Second, 7 * time.Second}},
		{"status 429, retry after a date", first(1, retryAfter("Wed, 01 Jan 2020 00:00:30 GMT")), 8, span{30 * time.Second, 30 * time.Second}},
		{"status 429, retry after a year", first(1, retryAfter("31536000")), 8, span{maxRetryAfter, maxRetryAfter}},
		{"status 429, retry after the end of time", first(1, retryAfter("99999999999999999999")), 8, second},
		{"status 429, retry after nonsense", first(1, retryAfter("-1e9 soon")), 8, second},
		{"no JSON", first(1, write(200, "hello")), 8, second},
		{"a web page", first(1, write(200, "<!doctype html><p>Sign in")), 8, second},
		{"an error with status 200", first(1, write(200, `{"error":{"message":"loading"}}`)), 8, second},
		{"no choices", first(1, write(200, `{"choices":[]}`)), 8, second},
		{"choices of another shape", first(1, write(200, `{"choices":{"message":1}}`)), 8, second},
		{"nothing", first(1, write(200, "")), 8, second},
		{"a huge answer", first(1, write(200, huge)), 8, second},
		{"the connection drops", first(1, func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), 8, second},
		{"the connection drops in the middle", first(1, func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[{"mess`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), 8, second},
		{"a redirect on the host", func(w http.ResponseWriter, r *http.Request, n int) bool {
			if n > 0 {
				return false
			}
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}, 8, span{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newModel(t, test.once)
			e, waits := client(m.URL)
			drafts, err := e.Drafts(t.Context(), boats)
			if err != nil || len(drafts) != 20 {
				t.Fatalf("%d drafts, %v, want 20", len(drafts), err)
			}
			if all, different := m.count(); all != test.requests || different != 4 {
				t.Errorf("%d requests, %d different, want %d and 4", all, different, test.requests)
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
	m := newModel(t, func(_ http.ResponseWriter, r *http.Request, n int) bool {
		if n > 0 {
			return false
		}
		<-r.Context().Done()
		return true
	})
	e, waits := client(m.URL)
	e.Timeout = 100 * time.Millisecond
	drafts, err := e.Drafts(t.Context(), boats)
	if all, _ := m.count(); err != nil || len(drafts) != 20 || all < 8 || len(waits()) < 4 {
		t.Errorf("%d drafts of %d requests, %v, want 20 of 8 or more", len(drafts), all, err)
	}
}

// TestEndpointOneByOne checks that servers which give one answer whatever n is, or
// refuse n > 1, are asked until there are five.
func TestEndpointOneByOne(t *testing.T) {
	for _, test := range []struct {
		name string
		more func(w http.ResponseWriter, req request)
	}{
		{"ignores n", func(w http.ResponseWriter, req request) { answer(w, req, 1) }},
		{"refuses n", func(w http.ResponseWriter, req request) {
			http.Error(w, `{"error":{"message":"n must be 1"}}`, http.StatusBadRequest)
		}},
		{"gives too many", func(w http.ResponseWriter, req request) { answer(w, req, 100) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req request
				if json.NewDecoder(r.Body).Decode(&req) == nil && req.N > 1 {
					test.more(w, req)
					return
				}
				answer(w, req, 1)
			}))
			defer srv.Close()
			e, _ := client(srv.URL)
			drafts, err := e.Drafts(t.Context(), boats)
			if err != nil || len(drafts) != 20 {
				t.Errorf("%d drafts, %v, want 20", len(drafts), err)
			}
			again, err := e.Drafts(t.Context(), boats)
			if err != nil || !slices.Equal(drafts, again) {
				t.Errorf("the second time %v, %v", again, err)
			}
		})
	}
}

// TestEndpointRequest checks what a server is told, and that drafts come back in the
// order of the settings.
func TestEndpointRequest(t *testing.T) {
	m := newModel(t, nil)
	e, _ := client(m.URL)
	drafts, err := e.Drafts(t.Context(), boats)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.header.Get("Authorization"); got != "Bearer sk-secret" {
		t.Errorf("Authorization is %q", got)
	}
	bySampling := map[sampling]request{}
	for _, r := range m.requests {
		bySampling[sampling{r.TopP, r.Temperature}] = r
		if r.Model != "toy" || r.N != 5 || len(r.Messages) != 11 || !strings.Contains(r.Messages[10].Content, boats.Example.Question) {
			t.Errorf("request %+v", r)
		}
	}
	for i, s := range samplings {
		want := fmt.Sprintf("Which boats float, %d?", bySampling[s].Seed)
		if d := drafts[5*i]; d != (perturb.Draft{Question: want, Source: "toy", Note: "draft 0"}) {
			t.Errorf("draft %d is %+v, want the question %q", 5*i, d, want)
		}
	}
	if n := len(slices.Collect(maps.Keys(bySampling))); n != 4 {
		t.Errorf("%d settings, want 4", n)
	}
}

// TestEndpointFails checks what is said of servers that never answer, and that the key
// is not.
func TestEndpointFails(t *testing.T) {
	other := newModel(t, nil)
	for _, test := range []struct {
		name     string
		fail     func(w http.ResponseWriter)
		status   int
		requests int // at most; a failure of one setting stops the others
		want     string
	}{
		{"status 401", write(401, `{"error":{"message":"wrong key sk-secret\nsecond line"}}`), 401, 4, "401 Unauthorized: wrong key [key] second line"},
		{"status 404", write(404, "\n<h1>Not here</h1>\nmore\n"), 404, 4, "404 Not Found: <h1>Not here</h1>"},
		{"status 400", write(400, `{"object":"error","message":"too long"}`), 400, 8, "400 Bad Request: too long"},
		{"status 418", write(418, strings.Repeat("\x00x", 1000)), 418, 4, "418 I'm a teapot: xxx"},
		{"status 999", write(999, ""), 999, 28, ": 999, after 7 tries"},
		{"status 500", write(500, "down"), 500, 28, "500 Internal Server Error: down, after 7 tries"},
		{"rubbish", write(200, `[{"secret":"sk-secret"}]`), 200, 28, `the answer is "[{\"secret\":\"[key]\"}]", expected a JSON object with choices, after 7 tries`},
		{"drops", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0, 28, "the connection broke off, after 7 tries"},
		{"resets", func(w http.ResponseWriter) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
			}
		}, 0, 28, "/v1/chat/completions: the connection broke off"},
		{"a redirect to another host", func(w http.ResponseWriter) {
			w.Header().Set("Location", other.URL+"/v1/chat/completions")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, 307, 4, "307 Temporary Redirect to " + other.URL},
		{"a redirect that drops the question", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/v1/chat/completions")
			w.WriteHeader(http.StatusMovedPermanently)
		}, 301, 4, "301 Moved Permanently to "},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newModel(t, first(1000, test.fail))
			e, _ := client(strings.Replace(m.URL, "http://", "http://me:hush@", 1))
			_, err := e.Drafts(t.Context(), boats)
			failed, ok := errors.AsType[*Error](err)
			if !ok || failed.Status != test.status || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "http://me:xxxxx@127.0.0.1:") {
				t.Errorf("error %v, want %q of status %d", err, test.want, test.status)
			}
			if err != nil && (strings.Contains(err.Error(), "sk-secret") || len(err.Error()) > 600) {
				t.Errorf("error %v", err)
			}
			if all, _ := m.count(); all > test.requests {
				t.Errorf("%d requests, want at most %d", all, test.requests)
			}
		})
	}
	if all, _ := other.count(); all > 0 {
		t.Error("the redirect to another host was followed")
	}
}

// TestEndpointNotThere checks that an address at which nothing listens is given up
// after one task, while a server that has answered once gets five.
func TestEndpointNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	e, waits := client(gone.URL)
	_, err := e.Drafts(t.Context(), boats)
	if failed, ok := errors.AsType[*Error](err); !ok || failed.Status != 0 || errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("first task: error %v", err)
	}
	slept := len(waits())
	for range 3 {
		if _, err := e.Drafts(t.Context(), boats); !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), gone.URL) {
			t.Errorf("further tasks: error %v, want that the endpoint is given up", err)
		}
	}
	if len(waits()) != slept {
		t.Error("an endpoint that is given up was tried again")
	}

	var broken atomic.Bool
	m := newModel(t, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		if broken.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		return broken.Load()
	})
	e, _ = client(m.URL)
	for i := range 2*maxFailed + 3 {
		broken.Store(i != maxFailed-1) // a success among failures
		_, err := e.Drafts(t.Context(), boats)
		if got, want := errors.Is(err, ErrGivenUp), i >= 2*maxFailed; got != want || (err == nil) != (i == maxFailed-1) {
			t.Errorf("task %d: error %v, want given up: %t", i, err, want)
		}
	}
}

// TestEndpointStops checks that the end of a context is the end of the work, in a
// request, in a wait and in the queue, and says nothing about the server.
func TestEndpointStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := newModel(t, func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	e, _ := client(m.URL)
	e.Concurrency = 1
	if _, err := e.Drafts(ctx, boats); !errors.Is(err, context.Canceled) {
		t.Errorf("in a request: error %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	m.once = first(1, write(500, ""))
	e.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return sleep(ctx, time.Hour)
	}
	if _, err := e.Drafts(ctx, boats); !errors.Is(err, context.Canceled) {
		t.Errorf("in a wait: error %v", err)
	}
	m.once = nil
	if drafts, err := e.Drafts(t.Context(), boats); err != nil || len(drafts) != 20 {
		t.Errorf("afterwards: %d drafts, %v", len(drafts), err)
	}
}

// TestEndpointConcurrency checks the bound on requests at once, over several tasks.
func TestEndpointConcurrency(t *testing.T) {
	var now, most atomic.Int32
	m := newModel(t, func(http.ResponseWriter, *http.Request, int) bool {
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
			if _, err := e.Drafts(t.Context(), task("others", fmt.Sprint("Boat ", i, "?"))); err != nil {
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
