package review

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/learn/link"
)

// words is a linker that links every token "town".
type words struct{}

func (words) Link(tokens []string) (spans []link.Span) {
	for i, token := range tokens {
		if strings.EqualFold(token, "town") {
			spans = append(spans, link.Span{Start: i, End: i + 1, Item: link.Item{Column: 2}})
		}
	}
	return spans
}

func TestMarked(t *testing.T) {
	tests := []struct{ question, marked string }{
		{"Which town?", "Which [town]?"},
		{"Town, town", "[Town], [town]"},
		{"The \"big\" town's ``size``.", "The \"big\" [town]'s ``size``."},
		{"ünï town", "ünï [town]"},
		{"can't the town", "can't the [town]"},
		{"no such word", "no such word"},
		{"", ""},
	}
	for _, test := range tests {
		var b strings.Builder
		for _, part := range markMentions(test.question, words{}, link.Item{Column: 2}) {
			if part.Marked {
				part.Text = "[" + part.Text + "]"
			}
			b.WriteString(part.Text)
		}
		if b.String() != test.marked {
			t.Errorf("%q: %q, expected %q", test.question, b.String(), test.marked)
		}
	}
}

// Whatever the question, its parts put together are the question.
func FuzzMarked(f *testing.F) {
	f.Add("What is the \"home town\" of each store? It's 'Rome'.", "home town")
	f.Add("a\x00 b   c``d''", "b")
	f.Fuzz(func(t *testing.T, question, column string) {
		question = truncate(question, maxQuestion)
		db := &database{Database: &dataset.Database{Tables: []dataset.Table{{Name: "t", Columns: []dataset.Column{{Name: column}}}}}}
		linker, table := db.linker([]int{0}, 0)
		var b strings.Builder
		for _, part := range markMentions(question, linker, link.Item{Table: table}) {
			b.WriteString(part.Text)
		}
		if b.String() != question {
			t.Errorf("parts make %q, expected %q", b.String(), question)
		}
	})
}
