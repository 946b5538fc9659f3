package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/conns"
)

// Health is the answer of /healthz.
type Health struct {
	Status    string `json:"status"`
	Databases int    `json:"databases" description:"With a schema."`
}

// Listen opens an address such as 127.0.0.1:8787. Without a token it refuses one that
// other machines can reach.
func (s *Service) Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); s.options.Token == "" && (!ok || !at.IP.IsLoopback()) {
		return nil, errors.Join(errors.New("other machines can reach it: expected a token, or an address such as 127.0.0.1:8787"), l.Close())
	}
	return l, nil
}

// Serve answers requests on a listener of [Service.Listen] until ctx ends. Then it waits for the requests in progress, for at most
// grace.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	judging, cancel := graceful(ctx)
	defer cancel()
	srv := &http.Server{
		Handler: s.Handler(), MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return judging },
		ConnContext: conns.InContext, ReadHeaderTimeout: min(5*time.Second, s.limits.Read), ReadTimeout: s.limits.Read,
		WriteTimeout: s.limits.Read + s.limits.Request + grace, IdleTimeout: 2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(conns.Limit(l, s.limits.Connections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancelLast := context.WithTimeout(judging, grace)
	defer cancelLast()
	if srv.Shutdown(last) != nil {
		return srv.Close()
	}
	return nil
}

// Handler returns the handler of all paths. All but /healthz need the token, if there is one.
func (s *Service) Handler() http.Handler {
	open := http.NewServeMux() // without the token
	open.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, Health{"ok", len(s.ids)})
	})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/verdicts", s.verdicts)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.counts.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		text, err := Description()
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, refuse(http.StatusNotFound, fmt.Errorf("there is no %q at %q, expected POST /v1/verdicts or GET /healthz, /metrics, /openapi.json", dataset.Clip(r.Method), dataset.Clip(r.URL.Path))))
	})
	open.Handle("/", s.guard(mux))
	return open
}

// guard returns a handler that passes on only requests with the token. If the service has none, only programs on this machine can
// connect. A browser here may do so for a page of another site: such a request is refused by its Host (DNS rebinding) or its Origin.
func (s *Service) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + s.options.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		switch {
		case s.options.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(w, refuse(http.StatusUnauthorized, errors.New("the token is missing or another, expected the header Authorization: Bearer TOKEN")))
		case s.options.Token == "" && !loopbackHost(r.Host):
			fail(w, refuse(http.StatusForbidden, fmt.Errorf("the host is %q, expected 127.0.0.1 or localhost", dataset.Clip(r.Host))))
		case s.options.Token == "" && r.Header.Get("Origin") != "":
			fail(w, refuse(http.StatusForbidden, fmt.Errorf("the origin is %q, expected none: a page may ask only with a token", dataset.Clip(r.Header.Get("Origin")))))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// loopbackHost reports whether the Host of a request, with or without a port, is localhost or a loopback address.
func loopbackHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}

// waiting is the longest time that a request waits for memory.
const waiting = 5 * time.Second

// verdicts answers a POST request for verdicts, and counts it by the status of the answer.
func (s *Service) verdicts(w http.ResponseWriter, r *http.Request) {
	s.counts.working.Inc()
	defer s.counts.working.Dec()
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Request)
	defer cancel()
	status := http.StatusOK
	defer conns.Idle(ctx) // s.answer makes it busy
	answer, err := s.answer(ctx, r)
	if err == nil {
		write(w, status, answer)
	} else {
		status = fail(w, err)
	}
	s.counts.requests.WithLabelValues(strconv.Itoa(status)).Inc()
}

// answer reads the body of a request and judges it. It returns an answer, or a list of answers for a list of requests.
func (s *Service) answer(ctx context.Context, r *http.Request) (any, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, fmt.Errorf("the content type is %q, expected application/json", dataset.Clip(r.Header.Get("Content-Type"))))
	}
	if r.ContentLength > s.limits.Body && r.Header.Get("Expect") != "" {
		return nil, tooLarge(s.limits.Body) // the client has not begun to send
	}
	body, err := s.read(ctx, r.Body)
	if err != nil {
		return nil, err
	}
	conns.Busy(ctx) // from here on the connection is not closed in favour of a new one
	done, err := s.reserve(ctx, int64(len(body)))
	if err != nil {
		return nil, err
	}
	defer done()
	requests, list, err := decode(bytes.NewReader(body), s.limits.Batch)
	if err != nil {
		return nil, unreadable(err)
	}
	answers := s.Judge(ctx, requests)
	if list {
		return answers, nil
	}
	return answers[0], nil
}

// shortBody is the size in bytes up to which a request needs no memory of the long ones.
const shortBody = 64 << 10

// read reads a body, in chunks that double what was read. Before each chunk but the first it reserves memory for it, until the whole body
// is read. A body that is too large is read to its end too, because most clients see no answer before they have sent all.
func (s *Service) read(ctx context.Context, body io.Reader) ([]byte, error) {
	var data bytes.Buffer
	for chunk := int64(shortBody); ; chunk = int64(data.Len()) { // of bytes to read next
		if data.Len() > 0 {
			weight := min(chunk, s.limits.Memory)
			if err := acquire(ctx, s.memory, weight); err != nil {
				return nil, err
			}
			defer s.memory.Release(weight)
		}
		_, err := io.CopyN(&data, body, min(chunk, s.limits.Body+1-int64(data.Len()))) // one byte more shows that it is too large
		switch {
		case errors.Is(err, io.EOF):
			return data.Bytes(), nil
		case err != nil:
			return nil, unreadable(err)
		case int64(data.Len()) > s.limits.Body:
			_, _ = io.Copy(io.Discard, body) // what fails here changes nothing
			return nil, tooLarge(s.limits.Body)
		}
	}
}

// reserve reserves memory for the work on a body of size bytes. done releases it. Short bodies have memory of their own, so that long
// ones do not keep them waiting.
func (s *Service) reserve(ctx context.Context, size int64) (done func(), err error) {
	// Bytes for any request, and how many times larger a list of short requests becomes with its answers.
	const each, factor = 64 << 10, 16
	memory, limit := s.memory, s.limits.Memory
	if size <= shortBody {
		memory, limit = s.short, limit/2
	}
	weight := min(each+factor*size, limit)
	if err := acquire(ctx, memory, weight); err != nil {
		return nil, err
	}
	return func() { memory.Release(weight) }, nil
}

// acquire waits for memory, for at most the time waiting, and then refuses the request.
func acquire(ctx context.Context, memory *semaphore.Weighted, weight int64) error {
	ctx, cancel := context.WithTimeout(ctx, waiting)
	defer cancel()
	if memory.Acquire(ctx, weight) != nil {
		return refuse(http.StatusServiceUnavailable, errors.New("too many requests are in work, expected fewer: ask again"))
	}
	return nil
}

// unreadable returns the refusal for a body that cannot be read: 408 if it came too slowly, else 400.
func unreadable(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, errors.New("the request came too slowly"))
	}
	return refuse(http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
}

// tooLarge returns the refusal for a request of more than limit bytes.
func tooLarge(limit int64) error {
	return refuse(http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes, expected at most that", limit))
}

// refused is an answer with a status of 400 or more.
type refused struct {
	status int
	error
}

// refuse returns an error that is answered with a status.
func refuse(status int, err error) *refused { return &refused{status, err} }

// fail answers with an error as a [Failure] and returns the status: that of the error, or 500 if it has none.
func fail(w http.ResponseWriter, err error) (status int) {
	r, ok := errors.AsType[*refused](err)
	if !ok {
		r = refuse(http.StatusInternalServerError, err)
	}
	if r.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	write(w, r.status, Failure{r.Error()})
	return r.status
}

// write writes a value as JSON with a status.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client is gone
}
