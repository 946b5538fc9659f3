package perturb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// ReplaceSpan replaces some words of the question. Several such edits in one variant do not
// overlap, and all count bytes in the original question.
type ReplaceSpan struct {
	EditDefaults
	Start int               `json:"start"` // byte offset in the question before any edit
	End   int               `json:"end"`   // byte offset after the span; equal to Start to insert With
	Was   string            `json:"was"`   // the words of the span
	With  string            `json:"with"`
	From  dataset.Candidate `json:"from"`
}

// SetQuestion replaces the question; it is the only edit of the question in its variant.
type SetQuestion struct {
	EditDefaults
	Question string            `json:"question"`
	From     dataset.Candidate `json:"from"` // Source names its author, Forward and Backward are its factuality
}

// RewriteSQL replaces the gold SQL. Its variant edits the question too.
type RewriteSQL struct {
	EditDefaults
	Query string `json:"query"`
	Was   string `json:"was"` // the part that changes, for people: "count(*) > 3"
	Now   string `json:"now"` // what it becomes: "count(*) >= 3"
}

// ChangesSchema returns false: the edit leaves the database as it is.
func (ReplaceSpan) ChangesSchema() bool { return false }

// candidate returns the candidate whose name the edit gives.
func (e ReplaceSpan) candidate() dataset.Candidate { return e.From }

// question adds the span to those that are replaced in the question.
func (e ReplaceSpan) question(q *questionChange) { q.spans = append(q.spans, e) }

// ChangesSchema returns false: the edit leaves the database as it is.
func (SetQuestion) ChangesSchema() bool { return false }

// candidate returns the candidate whose name the edit gives.
func (e SetQuestion) candidate() dataset.Candidate { return e.From }

// validate returns an error if a name or text that the edit gives cannot be used.
func (e SetQuestion) validate() error { return checkNatural(e.Question) }

// question replaces the whole question.
func (e SetQuestion) question(q *questionChange) { q.set = append(q.set, e.Question) }

// ChangesSchema returns false: the edit leaves the database as it is.
func (RewriteSQL) ChangesSchema() bool { return false }

// gold replaces the gold SQL by e.Query.
func (e RewriteSQL) gold(g *goldChange) { g.rewrite(e.Query) }

// validate returns an error unless the query is SQL on one line, as files of gold SQL need it.
func (e RewriteSQL) validate() error {
	if _, err := dataset.GoldLine(e.Query); err != nil || strings.TrimSpace(e.Query) == "" {
		return fmt.Errorf("query %q, expected SQL on one line", e.Query)
	}
	return nil
}

// questionChange is what the edits of a variant change in the question.
type questionChange struct {
	set   []string // questions that replace it
	spans []ReplaceSpan
}

// ApplyQuestion returns the question with the edits made. It returns an error for spans that
// overlap or hold other words than the edit records, for an empty question, and for edits that
// both replace the question and change words of it.
func ApplyQuestion(question string, edits []Edit) (string, error) {
	var q questionChange
	for _, e := range edits {
		e.question(&q)
	}
	if len(q.set) == 0 {
		return q.replaceSpans(question)
	}
	if len(q.set)+len(q.spans) > 1 {
		return "", errors.New("the question is set and edited besides, expected one of the two")
	}
	if strings.TrimSpace(q.set[0]) == "" {
		return "", errors.New("the question is set to nothing")
	}
	return q.set[0], nil
}

// replaceSpans returns the question with all spans replaced. It returns an error for spans that overlap, leave the
// question or hold other words than recorded.
func (q *questionChange) replaceSpans(question string) (string, error) {
	slices.SortStableFunc(q.spans, func(a, b ReplaceSpan) int { return cmp.Compare(a.Start, b.Start) })
	var out strings.Builder
	end := 0 // of the spans so far
	for _, s := range q.spans {
		switch {
		case s.Start < end, s.End < s.Start, s.End > len(question):
			return "", fmt.Errorf("span %d to %d overlaps another or leaves the question of %d bytes", s.Start, s.End, len(question))
		case question[s.Start:s.End] != s.Was:
			return "", fmt.Errorf("span %d to %d holds %q, expected %q", s.Start, s.End, question[s.Start:s.End], s.Was)
		}
		out.WriteString(question[end:s.Start])
		out.WriteString(s.With)
		end = s.End
	}
	out.WriteString(question[end:])
	return out.String(), nil
}
