package chat

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/recording"
)

// ErrNotRecorded is for a question that a record holds no answer to and that is not
// asked.
var ErrNotRecorded = errors.New("the record holds no answer")

// NoAnswer reports whether an error is that a model gave no answer: other work can go
// on. Any other error is of the record or of the context.
func NoAnswer(err error) bool {
	_, failed := errors.AsType[*Error](err)
	return failed || errors.Is(err, ErrGivenUp) || errors.Is(err, ErrNotRecorded)
}

// Entry is a line of a file of recorded answers.
type Entry struct {
	Key     string   `json:"key"` // of model, messages and settings, in hexadecimal
	Model   string   `json:"model"`
	Purpose string   `json:"purpose"`
	ID      string   `json:"id"` // what was asked about, for people
	Answers []string `json:"answers"`
	Usage   Usage    `json:"usage"`
}

// form is that of a file of recorded answers.
var form = recording.Form[Entry]{
	What: "recorded answers", Opening: `{"key":"`, Decode: decode, Encode: encode,
	ID: func(e *Entry) (key recording.Key, by string) {
		_, _ = hex.Decode(key[:], []byte(e.Key)) // decode has looked at it
		return key, e.Model
	},
}

func encode(e *Entry) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text) // which ends the line
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return text.Bytes(), err
}

func decode(text []byte) (*Entry, error) {
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if key, err := hex.DecodeString(e.Key); err != nil || len(key) != len(recording.Key{}) {
		return nil, errors.New(`"key" is none, expected 32 hexadecimal digits`)
	}
	if e.Model == "" || len(e.Answers) == 0 {
		return nil, errors.New(`lacks "model" or "answers", expected both`)
	}
	return &e, nil
}

// Record is a file of answers; the zero Record holds none. It is safe for concurrent
// use.
type Record struct {
	added *recording.Recorder[Entry]  // nil where nothing is asked
	kept  *recording.Recording[Entry] // nil where answers are added

	mu     sync.Mutex
	counts Counts
}

// Counts are what became of the questions of a run.
type Counts struct {
	Requests  int `json:"requests"`                         // asked of an endpoint
	Recorded  int `json:"recorded"`                         // answered by the record
	Missing   int `json:"missing"`                          // neither
	Estimated int `json:"estimated_prompt_tokens,omitzero"` // of the missing: a quarter of their characters
	Usage
}

// OpenRecord opens a file to which answers are added, and makes it where there is none.
// Lines that are no answer are reported.
func OpenRecord(path string, report func(error)) (*Record, error) {
	added, err := recording.NewRecorder(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Record{added: added}, nil
}

// ReadRecord opens a file whose answers alone are used.
func ReadRecord(path string, report func(error)) (*Record, error) {
	kept, err := recording.Open(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Record{kept: kept}, nil
}

// Key identifies what a record that is only read holds.
func (r *Record) Key() string {
	if r.kept == nil {
		return ""
	}
	return r.kept.Key()
}

// Models returns whose answers for a purpose a record that is only read holds, sorted.
func (r *Record) Models(purpose string) ([]string, error) {
	var models []string
	if r.kept == nil {
		return nil, nil
	}
	err := r.kept.Each(func(e *Entry) {
		if e.Purpose == purpose && !slices.Contains(models, e.Model) {
			models = append(models, e.Model)
		}
	})
	slices.Sort(models)
	return models, err
}

// Counts returns what was counted so far.
func (r *Record) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

func (r *Record) count(f func(*Counts)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.counts)
}

// Close closes the file. The error is also that of the first answer that could not be
// recorded.
func (r *Record) Close() error {
	switch {
	case r.added != nil:
		return r.added.Close()
	case r.kept != nil:
		return r.kept.Close()
	}
	return nil
}

// Client asks a model, of which a record holds the answers.
type Client struct {
	Model    string
	Record   *Record
	Endpoint *Endpoint // nil where the record alone answers
}

// Question is what is asked of a model, with what it is about.
type Question struct {
	Purpose, ID string // go into the record, and make no difference
	Request
}

// Ask returns the answers to a question, one at least: from the record, or from the
// endpoint once they are recorded. See [NoAnswer] for the error.
func (c *Client) Ask(ctx context.Context, q Question) ([]string, error) {
	settings, err := json.Marshal(q.Request)
	if err != nil {
		return nil, err
	}
	key := recording.Hash(c.Model, string(settings))
	if c.Endpoint == nil {
		return c.Record.recorded(key, q)
	}
	asked := false
	e, err := c.Record.added.Get(ctx, key, c.Model, func(ctx context.Context) (*Entry, error) {
		asked = true
		return c.send(ctx, key, q)
	})
	if err != nil {
		return nil, err
	}
	if !asked {
		c.Record.count(func(n *Counts) { n.Recorded++ })
	}
	return e.Answers, nil
}

// send asks the endpoint.
func (c *Client) send(ctx context.Context, key recording.Key, q Question) (*Entry, error) {
	e := &Entry{Key: key.String(), Model: c.Model, Purpose: q.Purpose, ID: q.ID}
	return e, c.Endpoint.Job(ctx, func(ctx context.Context) error {
		c.Record.count(func(n *Counts) { n.Requests++ })
		answer, err := c.Endpoint.Ask(ctx, q.Request)
		if err != nil {
			return err
		}
		for _, choice := range answer.Choices[:min(len(answer.Choices), max(1, q.N))] {
			e.Answers = append(e.Answers, choice.Text)
		}
		e.Usage = answer.Usage
		c.Record.count(func(n *Counts) {
			n.Prompt += e.Usage.Prompt
			n.Completion += e.Usage.Completion
		})
		return nil
	})
}

// recorded returns the answers that the record holds.
func (r *Record) recorded(key recording.Key, q Question) ([]string, error) {
	var found []*Entry
	var err error
	if r.kept != nil {
		found, err = r.kept.All(key)
	}
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		r.count(func(n *Counts) { n.Recorded++ })
		return found[0].Answers, nil
	}
	chars := 0
	for _, m := range q.Messages {
		chars += utf8.RuneCountInString(m.Content)
	}
	r.count(func(n *Counts) {
		n.Missing++
		n.Estimated += (chars + 3) / 4
	})
	return nil, ErrNotRecorded
}
