package chat

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxShown bounds what a message repeats of an answer, in bytes.
const maxShown = 300

// Error is a request to an [Endpoint] that failed for good.
type Error struct {
	URL    string // without a password
	Status int    // of the last answer; 0 if there was none
	Tries  int
	Err    error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Tries > 1 {
		return fmt.Sprintf("%s: %v, after %d tries", e.URL, e.Err, e.Tries)
	}
	return fmt.Sprintf("%s: %v", e.URL, e.Err)
}

// Unwrap returns what went wrong the last time.
func (e *Error) Unwrap() error { return e.Err }

// ErrGivenUp is what an [Endpoint] answers, without a request, after too many jobs
// failed; a new Endpoint begins afresh.
var ErrGivenUp = errors.New("the endpoint is given up")

// health decides when to give an endpoint up: after maxFailed jobs in a row failed
// for good, or after the first if no request was ever answered, for then there
// is no server. Each such job has been retried already.
type health struct {
	answered atomic.Bool // some request got an answer, of any status

	mu     sync.Mutex
	failed int   // jobs in a row
	reason error // set once the endpoint is given up
}

const maxFailed = 5

// note counts a job that failed by err, or succeeded with nil. It sets h.reason after too many failures in a row, or after the first if
// no request was ever answered.
func (h *health) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.failed = 0
		return
	}
	h.failed++
	if h.reason == nil && (h.failed >= maxFailed || !h.answered.Load()) {
		h.reason = fmt.Errorf("%w: %w", ErrGivenUp, err)
	}
}

// givenUp returns why the endpoint was given up; nil if it was not.
func (h *health) givenUp() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reason
}

// failure is why one try of a request failed.
type failure struct {
	err    error
	status int           // 0 if there was no answer
	again  bool          // whether another try may succeed
	after  time.Duration // the wait that the server asks for

	unreachable bool // no connection was made, such as to an unknown host
}

// dropped returns the failure of a request that got no answer, or only a part of one. ctx had the timeout.
func dropped(ctx context.Context, timeout time.Duration, err error) *failure {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err // without the address, which Error adds
	}
	var op *net.OpError
	unreachable := errors.As(err, &op) && op.Op == "dial"
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("no answer within %s", timeout)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		err = errors.New("the connection broke off")
	case op != nil && !unreachable: // without our port, which differs from time to time
		err = fmt.Errorf("the connection broke off: %w", op.Err)
	}
	return &failure{again: true, err: err, unreachable: unreachable}
}

// status returns the failure for an answer with another status than 200: whether and when another try may succeed, and
// the status with the target of a redirect or the first line of the body.
func (e *Endpoint) status(resp *http.Response, body []byte) *failure {
	code := resp.StatusCode
	f := &failure{status: code}
	what := strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
	switch {
	case code >= 300 && code < 400:
		to := "nowhere"
		if u, err := resp.Location(); err == nil {
			to = Bounded(OneLine(e.withoutKey(u.Redacted())), maxShown)
		}
		f.err = fmt.Errorf("%s to %s, expected an answer", what, to)
		return f
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		f.again = true
		f.after = retryAfter(resp.Header.Get("Retry-After"), e.now())
	}
	if line := e.firstLine(body); line != "" {
		what += ": " + line
	}
	f.err = errors.New(what)
	return f
}

// firstLine returns the message of an error in JSON, else the first line of a body,
// bounded and without the API key, which some servers repeat.
func (e *Endpoint) firstLine(body []byte) string {
	text := message(body)
	if text == "" {
		text, _, _ = strings.Cut(string(bytes.TrimSpace(body[:min(len(body), 4096)])), "\n")
	}
	return Bounded(OneLine(strings.ToValidUTF8(e.withoutKey(text), "")), maxShown)
}

// withoutKey removes the key from a text of the server, so that no message or file has it.
func (e *Endpoint) withoutKey(text string) string {
	if e.APIKey == "" {
		return text
	}
	return strings.ReplaceAll(text, e.APIKey, "[key]")
}

// message returns the message of a JSON error in one of the usual forms: {"error": {"message": …}},
// {"error": …} or {"message": …}; "" for other bodies.
func message(body []byte) string {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return ""
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		return text
	}
	return outer.Message
}

// shown returns the address without a password, for messages.
func (e *Endpoint) shown() string {
	u, err := url.Parse(e.address)
	if err != nil {
		return "the endpoint"
	}
	return u.Redacted()
}

// The waits between tries.
const (
	firstWait     = time.Second
	maxWait       = time.Minute
	maxRetryAfter = 2 * time.Minute // what a server may ask for
)

// backoff returns the wait after a try, numbered from 0. It doubles with each try and is cut to a share
// between a half and the whole, so that requests that failed together are not repeated together. The share
// depends on the request and the try alone. A longer wait that the server asks for, after, takes precedence.
func backoff(body []byte, try int, after time.Duration) time.Duration {
	wait := min(firstWait<<min(try, 10), maxWait)
	sum := sha256.Sum256(append([]byte{byte(try)}, body...))
	share := float64(binary.LittleEndian.Uint32(sum[:])) / (1 << 32)
	return max(time.Duration((0.5+share/2)*float64(wait)), min(after, maxRetryAfter))
}

// retryAfter returns the wait that the header Retry-After asks for, as seconds or as a date, at most maxRetryAfter; 0 for none.
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(header)); err == nil {
		return time.Duration(min(max(n, 0), int(maxRetryAfter/time.Second))) * time.Second
	}
	if t, err := http.ParseTime(header); err == nil {
		return min(max(t.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

// sleep waits for d, or until ctx ends, whose error it then returns.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
