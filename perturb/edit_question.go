package perturb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// ReplaceSpan puts other words in the place of some of the question. Several of
// them in one variant do not overlap, and all count from the original question.
type ReplaceSpan struct {
	Start int               `json:"start"` // byte offset in the question before any edit
	End   int               `json:"end"`   // byte offset after the span; equal to Start where With is put in
	Was   string            `json:"was"`   // what the span holds
	With  string            `json:"with"`
	From  dataset.Candidate `json:"from"`
}

// SetQuestion puts another question in the place of the original; no other edit of
// the question stands beside it.
type SetQuestion struct {
	Question string            `json:"question"`
	From     dataset.Candidate `json:"from"` // Source says who wrote it, Forward and Backward are its factuality
}

// RewriteSQL puts another gold SQL in the place of the original. It always
// stands beside an edit of the question.
type RewriteSQL struct {
	Query string `json:"query"`
	Was   string `json:"was"` // the part that changes, for people: "count(*) > 3"
	Now   string `json:"now"` // what it becomes: "count(*) >= 3"
}

func (ReplaceSpan) op() string { return "replace-span" }
func (SetQuestion) op() string { return "set-question" }
func (RewriteSQL) op() string  { return "rewrite-sql" }

func (e ReplaceSpan) from() dataset.Candidate { return e.From }
func (e SetQuestion) from() dataset.Candidate { return e.From }
func (e RewriteSQL) from() dataset.Candidate  { return certain }

// questionEdit is an edit that leaves the database alone.
type questionEdit interface{ question() }

func (ReplaceSpan) question() {}
func (SetQuestion) question() {}
func (RewriteSQL) question()  {}

func (ReplaceSpan) schema(_, _ *dataset.Database) error { return nil }
func (SetQuestion) schema(_, _ *dataset.Database) error { return nil }
func (RewriteSQL) schema(_, _ *dataset.Database) error  { return nil }

func (ReplaceSpan) content() []sqlite.Write { return nil }
func (SetQuestion) content() []sqlite.Write { return nil }
func (RewriteSQL) content() []sqlite.Write  { return nil }

// ApplyQuestion returns the question with the edits made. The error is for spans
// that overlap or do not hold what the edit says, and for a question that is set
// and edited besides.
func ApplyQuestion(question string, edits []Edit) (string, error) {
	var spans []ReplaceSpan
	set := 0
	for _, e := range edits {
		switch e := e.(type) {
		case SetQuestion:
			if strings.TrimSpace(e.Question) == "" {
				return "", errors.New("the question is set to nothing")
			}
			question = e.Question
			set++
		case ReplaceSpan:
			spans = append(spans, e)
		}
	}
	if set > 1 || set > 0 && len(spans) > 0 {
		return "", errors.New("the question is set and edited besides, expected one of the two")
	}
	slices.SortStableFunc(spans, func(a, b ReplaceSpan) int { return cmp.Compare(a.Start, b.Start) })
	var out strings.Builder
	at := 0
	for _, s := range spans {
		switch {
		case s.Start < at, s.End < s.Start, s.End > len(question):
			return "", fmt.Errorf("span %d to %d overlaps another or leaves the question of %d bytes", s.Start, s.End, len(question))
		case question[s.Start:s.End] != s.Was:
			return "", fmt.Errorf("span %d to %d holds %q, expected %q", s.Start, s.End, question[s.Start:s.End], s.Was)
		}
		out.WriteString(question[at:s.Start])
		out.WriteString(s.With)
		at = s.End
	}
	out.WriteString(question[at:])
	return out.String(), nil
}
