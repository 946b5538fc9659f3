package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/diff"
	"github.com/tabperturb/tabperturb/perturb"
)

// newChange compares two texts by their tokens: those of SQL for code, words otherwise.
func newChange(what string, code bool, before, after string) Change {
	c, compare := Change{What: what, Code: code}, diff.Texts
	if code {
		compare = diff.SQL
	}
	c.Before, c.After = compare(cleanText(before), cleanText(after))
	return c
}

// questionChange compares the questions of a record before and after. If the edits have the spans that they replaced, it compares
// only within each span, so that a word that occurs elsewhere too is not matched with that.
func questionChange(rec *dataset.Record, edits []perturb.Edit) Change {
	var spans []perturb.ReplaceSpan
	for _, e := range edits {
		if e, ok := e.(perturb.ReplaceSpan); ok {
			spans = append(spans, e)
		}
	}
	// The spans are offsets in the question before: it must be shown as it is, and the spans must account for all changes.
	after, err := perturb.ApplyQuestion(rec.QuestionPre, edits)
	isClean := cleanText(after) == after && cleanText(rec.QuestionPre) == rec.QuestionPre
	canUseSpans := err == nil && after == rec.QuestionPost && isClean
	if len(spans) == 0 || !canUseSpans {
		return newChange("question", false, rec.QuestionPre, rec.QuestionPost)
	}
	slices.SortStableFunc(spans, func(a, b perturb.ReplaceSpan) int { return cmp.Compare(a.Start, b.Start) })
	c := Change{What: "question"}
	end := 0 // of the spans so far
	for _, e := range spans {
		same := []Span{{Text: rec.QuestionPre[end:e.Start]}}
		before, after := diff.Texts(e.Was, e.With)
		c.Before = slices.Concat(c.Before, same, before)
		c.After = slices.Concat(c.After, same, after)
		end = e.End
	}
	rest := Span{Text: rec.QuestionPre[end:]}
	c.Before, c.After = diff.Join(append(c.Before, rest)), diff.Join(append(c.After, rest))
	return c
}

// commaList joins names for a text.
func commaList(names []string) string { return strings.Join(names, ", ") }

// bothNames returns an SQL name, followed by the natural name in brackets if that differs by more
// than case and separators.
func bothNames(original, natural string) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(s))
	}
	if fold(original) == fold(natural) {
		return original
	}
	return original + " [" + natural + "]"
}
