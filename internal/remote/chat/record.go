package chat

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/recording"
)

// ErrLimit is for a question that is not asked since the limit of requests is reached.
var ErrLimit = errors.New("the limit of requests is reached")

// ErrNotRecorded is for a question that a record holds no answer to and that is not
// asked.
var ErrNotRecorded = errors.New("the record holds no answer")

// NoAnswer reports whether an error only means that there is no answer to a question: the model
// failed or was not asked, and other work can go on. Any other error is of the record or of the context.
func NoAnswer(err error) bool {
	_, failed := errors.AsType[*Error](err)
	return failed || errors.Is(err, ErrGivenUp) || NotAsked(err)
}

// NotAsked reports whether an error means that no model was asked, by choice: the record has no answer, or the limit is reached.
func NotAsked(err error) bool {
	return errors.Is(err, ErrNotRecorded) || errors.Is(err, ErrLimit)
}

// Entry is a line of a file of recorded answers.
type Entry struct {
	Key     string   `json:"key"` // of model, messages and settings, in hexadecimal
	Model   string   `json:"model"`
	Purpose string   `json:"purpose"`
	ID      string   `json:"id"` // what was asked about, for people
	Answers []string `json:"answers"`
	Empty   bool     `json:"empty,omitempty"` // there is nothing in them that can be used
	Usage   Usage    `json:"usage"`
}

// form describes a file of recorded answers.
var form = recording.Form[Entry]{
	What: "recorded answers", Opening: `{"key":"`, Decode: decode, Encode: encode,
	Key: func(e *Entry) (key recording.Key) {
		_, _ = hex.Decode(key[:], []byte(e.Key)) // decode has checked it
		return key
	},
	Empty: func(e *Entry) bool { return e.Empty },
}

// encode returns an entry as a line of the file.
func encode(e *Entry) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text) // which ends the line
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return text.Bytes(), err
}

// decode parses and checks a line of the file.
func decode(text []byte) (*Entry, error) {
	var e struct {
		Entry
		Drafts json.RawMessage `json:"drafts"` // of an older form
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if e.Drafts != nil {
		return nil, errors.New("holds drafts of one category, which are not read any more, expected another file: drafts are asked for anew")
	}
	if key, err := hex.DecodeString(e.Key); err != nil || len(key) != len(recording.Key{}) {
		return nil, errors.New(`"key" is none, expected 32 hexadecimal digits`)
	}
	if e.Model == "" || len(e.Answers) == 0 {
		return nil, errors.New(`lacks "model" or "answers", expected both`)
	}
	return &e.Entry, nil
}

// Record is a file of answers; the zero Record holds none. It is safe for concurrent
// use.
type Record struct {
	recorder  *recording.Recorder[Entry]  // of a file to which answers are added; else nil
	recording *recording.Recording[Entry] // of a file that is only read; else nil

	// Limit is how many requests are made at most; 0 means any number. It does not
	// change after the first question. One that is repeated since a server was busy
	// counts once.
	Limit int

	mu      sync.Mutex
	seed    int32                   // added to the seed of requests, so that a question asked again gets another answer
	made    int                     // requests that count for Limit
	counted map[recording.Key]bool  // questions in counts
	failed  map[recording.Key]error // questions that failed, which are not asked again in this run
	counts  Counts
}

// Counts count the questions of a run by their outcome, each once.
type Counts struct {
	Requests  int `json:"requests"`                         // asked of an endpoint
	Recorded  int `json:"recorded"`                         // answered by the record
	Empty     int `json:"empty,omitzero"`                   // of both, with an answer that cannot be used
	Left      int `json:"left,omitzero"`                    // not asked since the limit was reached
	Missing   int `json:"missing"`                          // neither asked nor recorded, if nothing is asked
	Estimated int `json:"estimated_prompt_tokens,omitzero"` // of the missing: a quarter of their characters
	Usage
}

// String returns the requests, tokens and recorded answers for people.
func (c *Counts) String() string {
	return fmt.Sprintf("%d requests, %d prompt and %d completion tokens; %d recorded answers used", c.Requests, c.Prompt, c.Completion, c.Recorded)
}

// OpenRecord opens a file of recorded answers, or makes one, to which new answers are added. It reports lines
// that are no answer.
func OpenRecord(path string, report func(error)) (*Record, error) {
	recorder, err := recording.NewRecorder(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Record{recorder: recorder}, nil
}

// ReadRecord opens a file of recorded answers for reading: no model is asked. It reports lines that are no
// answer.
func ReadRecord(path string, report func(error)) (*Record, error) {
	file, err := recording.Open(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Record{recording: file}, nil
}

// Key identifies what a record that is only read holds.
func (r *Record) Key() string {
	if r.recording == nil {
		return ""
	}
	return r.recording.Key()
}

// Models returns the names of the models whose answers for a purpose are in a record that is only read, sorted; none for another record.
func (r *Record) Models(purpose string) ([]string, error) {
	var models []string
	if r.recording == nil {
		return nil, nil
	}
	err := r.recording.Each(func(e *Entry) {
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

// AskAgain forgets the recorded answers that are empty, so that their questions are asked once more, with another seed. It must be
// called before the first question.
func (r *Record) AskAgain() {
	switch {
	case r.recorder != nil:
		r.seed = int32(r.recorder.ForgetEmpty())
	case r.recording != nil:
		r.recording.ForgetEmpty()
	}
}

// countOnce calls count for a question, unless it was counted before.
func (r *Record) countOnce(key recording.Key, count func(*Counts)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counted[key] {
		return
	}
	if r.counted == nil {
		r.counted = map[recording.Key]bool{}
	}
	r.counted[key] = true
	count(&r.counts)
}

// countRecorded counts a question that the record answers.
func (r *Record) countRecorded(key recording.Key, e *Entry) {
	r.countOnce(key, func(n *Counts) {
		n.Recorded++
		if e.Empty {
			n.Empty++
		}
	})
}

// admit returns an error if a question must not be asked: it failed before, or the limit is reached.
// Else it counts a request.
func (r *Record) admit(key recording.Key) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.failed[key]; err != nil {
		return err
	}
	if r.Limit > 0 && r.made >= r.Limit {
		return ErrLimit
	}
	r.made++
	return nil
}

// fail stores the error of a question, so that it is not asked again in this run.
func (r *Record) fail(key recording.Key, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = map[recording.Key]error{}
	}
	r.failed[key] = err
}

// Close closes the file. The error is also that of the first answer that could not be
// recorded.
func (r *Record) Close() error {
	switch {
	case r.recorder != nil:
		return r.recorder.Close()
	case r.recording != nil:
		return r.recording.Close()
	}
	return nil
}

// Asker answers requests: an [Endpoint], or another that returns errors as the methods of Endpoint
// document them.
type Asker interface {
	Job(ctx context.Context, work func(context.Context) error) error
	Ask(ctx context.Context, r Request) (*Answer, error)
}

// Client asks a model and records its answers.
type Client struct {
	Model    string
	Record   *Record
	Endpoint Asker // nil if the record alone answers
}

// Question is what is asked of a model, with what it is about.
type Question struct {
	Purpose, ID string // for readers of the record; they do not identify the question
	// Identity identifies the question together with the model; nil for the request.
	Identity []string
	// Useful reports whether an answer can be used; nil for always.
	Useful func(answer string) bool
	Request
}

// key returns the key of a question to a model, by [Question.Identity], or by the request if that is nil.
func (q *Question) key(model string) (recording.Key, error) {
	parts := q.Identity
	if parts == nil {
		request, err := json.Marshal(q.Request)
		if err != nil {
			return recording.Key{}, err
		}
		parts = []string{string(request)}
	}
	return recording.Hash(append([]string{model}, parts...)...), nil
}

// Ask returns the answers to a question, one at least: from the record, or from the
// endpoint once they are recorded. See [NoAnswer] for the error.
func (c *Client) Ask(ctx context.Context, q Question) ([]string, error) {
	key, err := q.key(c.Model)
	if err != nil {
		return nil, err
	}
	if c.Endpoint == nil {
		return c.Record.recorded(key, q)
	}
	e, err := c.Record.recorder.Get(ctx, key, func(ctx context.Context) (*Entry, error) { return c.send(ctx, key, q) })
	if err != nil {
		return nil, err
	}
	c.Record.countRecorded(key, e) // unless send has counted it as a request
	return e.Answers, nil
}

// send asks the endpoint and returns the answer as an entry of the record. It returns [ErrLimit] if the limit is reached, and the
// same error again if the question failed before in this run.
func (c *Client) send(ctx context.Context, key recording.Key, q Question) (*Entry, error) {
	if err := c.Record.admit(key); err != nil {
		if errors.Is(err, ErrLimit) {
			c.Record.countOnce(key, func(n *Counts) { n.Left++ }) // left unasked
		}
		return nil, err
	}
	e := &Entry{Key: key.String(), Model: c.Model, Purpose: q.Purpose, ID: q.ID}
	err := c.Endpoint.Job(ctx, func(ctx context.Context) error {
		c.Record.countOnce(key, func(n *Counts) { n.Requests++ })
		q.Seed += c.Record.seed
		answer, err := c.Endpoint.Ask(ctx, q.Request)
		if err == nil {
			e.take(answer, q)
		}
		return err
	})
	if err != nil {
		if ctx.Err() == nil { // not just cancelled
			c.Record.fail(key, err)
		}
		return nil, err
	}
	c.Record.countAnswer(e)
	return e, nil
}

// take stores an answer in the entry of its question: at most as many texts as were asked for, and whether none of them is useful.
func (e *Entry) take(answer *Answer, q Question) {
	e.Answers = answer.Texts[:min(len(answer.Texts), max(1, q.N))]
	e.Empty = q.Useful != nil && !slices.ContainsFunc(e.Answers, q.Useful)
	e.Usage = answer.Usage
}

// countAnswer counts the tokens of an answer, and whether it is empty.
func (r *Record) countAnswer(e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Empty {
		r.counts.Empty++
	}
	r.counts.Prompt += e.Usage.Prompt
	r.counts.Completion += e.Usage.Completion
}

// recorded returns the answers of the record to a question, or [ErrNotRecorded].
func (r *Record) recorded(key recording.Key, q Question) ([]string, error) {
	if r.recording != nil {
		if e, err := r.recording.Get(key); err != nil {
			return nil, err
		} else if e != nil {
			r.countRecorded(key, e)
			return e.Answers, nil
		}
	}
	chars := lists.Sum(q.Messages, func(m Message) int { return utf8.RuneCountInString(m.Content) })
	r.countOnce(key, func(n *Counts) {
		n.Missing++
		n.Estimated += (chars + 3) / 4 // some four characters a token
	})
	return nil, ErrNotRecorded
}
