package paraphrase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/chat"
	"github.com/tabperturb/tabperturb/internal/recording"
	"github.com/tabperturb/tabperturb/perturb"
)

// ErrNotRecorded is for a task that a [Recording] does not hold.
var ErrNotRecorded = errors.New("the recording holds no drafts of this question")

// record is a line of a file of answered tasks.
type record struct {
	Key      string  `json:"key"` // of task and paraphraser, in hexadecimal
	By       string  `json:"by"`  // the paraphraser's Key: model, prompts, settings
	Category string  `json:"category"`
	DB       string  `json:"db_id"`
	Example  int     `json:"example"` // position in the split, for people
	Question string  `json:"question"`
	Query    string  `json:"query"`
	Drafts   []draft `json:"drafts"`
}

type draft struct {
	Question string `json:"question"`
	Source   string `json:"source"`
	Note     string `json:"note,omitempty"`
}

// form is that of a file of answered tasks.
var form = recording.Form[record]{
	What: "recorded drafts", Opening: `{"key":"`, Decode: decode, Encode: encode,
	ID: func(r *record) (recording.Key, string) {
		return recording.Hash(r.Category, r.DB, r.Question, r.Query), r.By
	},
}

// taskKey hashes what identifies a task: its category, database, question and gold
// SQL. The position in the split is not part of it, nor are the mentions, which
// follow from the rest: better rules for them do not cost a new run of the model.
func taskKey(t perturb.Task) recording.Key {
	return recording.Hash(t.Category, t.DB.ID, t.Example.Question, t.Example.Query)
}

// id is the key of task and paraphraser.
func (r *record) id() string {
	return recording.Hash(r.By, r.Category, r.DB, r.Question, r.Query).String()
}

// encode returns a record as a line that [decode] reads.
func encode(r *record) ([]byte, error) {
	r.Key = r.id()
	var text bytes.Buffer
	enc := json.NewEncoder(&text) // which ends the line
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return text.Bytes(), err
}

// decode reads a line and checks that it is one that was written whole.
func decode(text []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%w, expected a task with its drafts", err)
	}
	if r.Key != r.id() {
		return nil, fmt.Errorf("\"key\" is %q, expected that of the task, %q", chat.Bounded(r.Key, 64), r.id())
	}
	if r.Drafts == nil {
		return nil, errors.New(`lacks "drafts", expected an array`)
	}
	if slices.ContainsFunc(r.Drafts, func(d draft) bool { return strings.TrimSpace(d.Question) == "" }) {
		return nil, errors.New("a draft has no question, expected one")
	}
	return &r, nil
}

// drafts returns the drafts of a record.
func (r *record) drafts() []perturb.Draft {
	out := make([]perturb.Draft, len(r.Drafts))
	for i, d := range r.Drafts {
		out[i] = perturb.Draft{Question: d.Question, Source: d.Source, Note: d.Note}
	}
	return out
}

// Recorder stands before a paraphraser and keeps what it answers in a file: a task that
// the file holds is answered from it, see [recording.Recorder].
type Recorder struct {
	inner perturb.Paraphraser
	by    string
	file  *recording.Recorder[record]
}

// NewRecorder opens the file at path, makes it where there is none, and goes on with
// it where there is. Lines that are no answered task are reported, and are left where
// they are; a file of something else is an error, and is not touched.
func NewRecorder(p perturb.Paraphraser, path string, report func(error)) (*Recorder, error) {
	file, err := recording.NewRecorder(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Recorder{inner: p, by: p.Key(), file: file}, nil
}

// Key is that of the paraphraser that is asked.
func (r *Recorder) Key() string { return r.by }

// Drafts implements [perturb.Paraphraser].
func (r *Recorder) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	rec, err := r.file.Get(ctx, taskKey(t), r.by, func(ctx context.Context) (*record, error) {
		drafts, err := r.inner.Drafts(ctx, t)
		if err != nil {
			return nil, err
		}
		rec := &record{By: r.by, Category: t.Category, DB: t.DB.ID, Example: t.Example.Index, Question: t.Example.Question, Query: t.Example.Query}
		rec.Drafts = []draft{}
		for _, d := range drafts {
			rec.Drafts = append(rec.Drafts, draft{d.Question, d.Source, d.Note})
		}
		return rec, nil
	})
	if err != nil {
		return nil, err
	}
	return rec.drafts(), nil
}

// Close closes the file. The error is also that of the first write that failed.
func (r *Recorder) Close() error { return r.file.Close() }

// Recording answers from a file that a [Recorder] wrote, and from nothing else.
// Where several models, or several versions of the prompts, answered a task, their
// drafts follow each other in the order of the paraphrasers' keys; so neither the
// drafts nor Key depend on the order of the lines. A Recording is safe for concurrent
// use.
type Recording struct{ *recording.Recording[record] }

// Recorded opens a file of answered tasks. A last line that was cut off is read over;
// other lines that are no answered task are reported, and the rest goes on.
func Recorded(path string, report func(error)) (*Recording, error) {
	file, err := recording.Open(form, path, report)
	if err != nil {
		return nil, err
	}
	return &Recording{file}, nil
}

// Drafts implements [perturb.Paraphraser]. The error is [ErrNotRecorded] where nobody
// answered the task.
func (r *Recording) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	records, err := r.All(taskKey(t))
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, ErrNotRecorded
	}
	all := []perturb.Draft{}
	for _, rec := range records {
		all = append(all, rec.drafts()...)
	}
	return all, nil
}
