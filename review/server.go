package review

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabperturb/tabperturb/internal/kit/conns"
)

// assets is the page. Nothing else is ever served, and nothing is fetched from outside.
//
//go:embed assets/*
var assets embed.FS

// Options configure a [Server].
type Options struct {
	Annotator string
	Out       string      // the annotator's file of decisions, see [OpenLog]
	Report    func(error) // gets the problems of that file
}

// Server is the page on which an annotator decides. Its methods are safe for concurrent
// use.
type Server struct {
	state *state
	token string
	key   string          // see [Data.key]
	files map[string]file // by name
}

// file is an asset.
type file struct {
	contentType string
	text        []byte
}

// NewServer opens the annotator's file and returns the server of the page. The caller must close it.
func NewServer(data *Data, o Options) (*Server, error) {
	s := &Server{token: rand.Text(), files: map[string]file{}}
	entries, err := assets.ReadDir("assets")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := assets.ReadFile(path.Join("assets", e.Name()))
		if err != nil {
			return nil, err
		}
		s.files[e.Name()] = file{cmp.Or(contentTypes[path.Ext(e.Name())], "application/octet-stream"), text}
	}
	if data.build != nil { // there are records of a build to decide on, not names
		s.showRecords()
	}
	if s.state, err = newState(data, o.Annotator, o.Out, o.Report); err != nil {
		return nil, err
	}
	s.key = data.key(o.Annotator)
	return s, nil
}

// showRecords makes the page show records in place of columns, by an attribute of index.html that its script reads.
func (s *Server) showRecords() {
	index := s.files["index.html"]
	index.text = bytes.Replace(index.text, []byte(`data-kind="names"`), []byte(`data-kind="records"`), 1)
	s.files["index.html"] = index
}

// contentTypes holds the content types of the assets by extension. The system's table of types
// might differ from machine to machine.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Close closes the file of decisions.
func (s *Server) Close() error {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.log.Close()
}

// Progress returns the progress of the annotator.
func (s *Server) Progress() Progress {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.progress()
}

// Listen opens a port of the loopback address; 0 is any that is free.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// URL returns the address that shows the page, with the token.
func (s *Server) URL(l net.Listener) string {
	u := url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/", RawQuery: url.Values{"token": {s.token}}.Encode()}
	return u.String()
}

// maxConnections bounds the open connections: a browser has six, each of a few tabs.
const maxConnections = 128

// shutdownTimeout is the time for the requests in progress after ctx ended.
const shutdownTimeout = 5 * time.Second

// Serve answers requests until ctx ends, then waits for those in progress.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: s.Handler(), MaxHeaderBytes: 16 << 10, ConnContext: conns.InContext,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(conns.Limit(l, maxConnections)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		return srv.Close()
	}
	return nil
}

// Handler returns the server's handler. It takes the port that it answers at from the
// connection, see [http.LocalAddrContextKey].
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.file(w, "index.html") })
	mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) { s.file(w, r.PathValue("name")) })
	mux.HandleFunc("GET /api/list", answer(s.list))
	mux.HandleFunc("GET /api/databases", answer(func(r *http.Request) (any, error) {
		return s.state.databases(r.URL.Query().Get("text")), nil
	}))
	mux.HandleFunc("GET /api/column", answer(s.column))
	mux.HandleFunc("GET /api/progress", answer(func(*http.Request) (any, error) { return s.Progress(), nil }))
	mux.HandleFunc("POST /api/decide", answer(func(r *http.Request) (any, error) { return s.change(r, s.state.decide) }))
	mux.HandleFunc("POST /api/undo", answer(func(r *http.Request) (any, error) { return s.change(r, s.state.undo) }))
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }) // browsers ask for it
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, refuse(http.StatusNotFound, fmt.Errorf("there is no %s %s", truncate(r.Method, 10), truncate(r.URL.Path, 100))))
	})
	return s.guard(mux)
}

// file answers a request for an embedded file.
func (s *Server) file(w http.ResponseWriter, name string) {
	f, ok := s.files[name]
	if !ok {
		fail(w, refuse(http.StatusNotFound, fmt.Errorf("there is no %q", truncate(name, 100))))
		return
	}
	w.Header().Set("Content-Type", f.contentType)
	w.Write(f.text)
}

// maxWords bounds the words of a filter, each of which is searched in every column.
const maxWords = 50

// list answers a request for a page of columns.
func (s *Server) list(r *http.Request) (any, error) {
	q := query{order: r.URL.Query().Get("order"), db: r.URL.Query().Get("db"), words: strings.Fields(strings.ToLower(r.URL.Query().Get("text"))), open: r.URL.Query().Get("open") == "true"}
	if len(q.words) > maxWords {
		return nil, refuse(http.StatusBadRequest, fmt.Errorf("text has %d words, expected %d at most", len(q.words), maxWords))
	}
	var err error
	if q.page, err = numberParam(r, "page", 0); err != nil {
		return nil, err
	}
	if q.at, err = numberParam(r, "at", -1); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", ByDatabase, ByDoubt}, q.order) {
		return nil, refuse(http.StatusBadRequest, fmt.Errorf("order is %q, expected %s or %s", truncate(q.order, 100), ByDatabase, ByDoubt))
	}
	return s.state.list(q), nil
}

// column answers a request for one column.
func (s *Server) column(r *http.Request) (any, error) {
	id, err := numberParam(r, "id", -1)
	switch {
	case err != nil:
		return nil, err
	case id < 0, id >= len(s.state.data.columns):
		return nil, refuse(http.StatusNotFound, fmt.Errorf("there is no column %q", truncate(r.URL.Query().Get("id"), 100)))
	}
	return s.state.column(r.Context(), id), nil
}

// numberParam returns a parameter of the query that is a number from 0, or missing if it is absent.
func numberParam(r *http.Request, key string, missing int) (int, error) {
	text := r.URL.Query().Get(key)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1<<30 {
		return 0, refuse(http.StatusBadRequest, fmt.Errorf("%s is %q, expected a number from 0", key, truncate(text, 100)))
	}
	return n, nil
}

// maxBody bounds the body of a request: a name and a comment, with all characters escaped.
const maxBody = 32 << 10

// change decodes the body of a request, one JSON object without unknown members, and passes it to apply, which decides or undoes.
func (s *Server) change(r *http.Request, apply func(context.Context, *Request) (*Saved, error)) (any, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, errors.New("the content type is not application/json"))
	}
	var request *Request
	dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(&request)
	if err == nil {
		if _, end := dec.Token(); end != io.EOF {
			err = errors.New("something follows the object, expected nothing")
		}
	}
	if err == nil && request == nil {
		err = errors.New("it is null")
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		_, _ = io.Copy(io.Discard, r.Body) // most clients see no answer before they have sent all
		return nil, refuse(http.StatusRequestEntityTooLarge, fmt.Errorf("the request is larger than %d bytes", maxBody))
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, fmt.Errorf("the request is no JSON object as expected: %w", err))
	}
	// A decision is saved even if the page is closed meanwhile.
	return apply(context.WithoutCancel(r.Context()), request)
}

// refused is an answer with a status of 400 or more.
type refused struct {
	status int
	error
	column *ColumnView
}

// refuse returns an error with the status of its answer.
func refuse(status int, err error) *refused { return &refused{status: status, error: err} }

// answer returns a handler that writes the result of f as JSON, or its error as a [Failure].
func answer(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			fail(w, err)
			return
		}
		write(w, http.StatusOK, v)
	}
}

// fail answers with an error as a [Failure], with the status that it has or 500.
func fail(w http.ResponseWriter, err error) {
	r, ok := errors.AsType[*refused](err)
	if !ok {
		r = refuse(http.StatusInternalServerError, err)
	}
	write(w, r.status, Failure{r.Error(), r.column})
}

// write answers with v as JSON, in which < > & are escaped, so that nothing looks like HTML.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the page is gone, if anything
}
