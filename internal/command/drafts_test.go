package command

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// TestPrintDrafts checks what a summary says of a model that was asked for drafts.
func TestPrintDrafts(t *testing.T) {
	for _, test := range []struct {
		name  string
		asked *chat.Counts
		want  string
	}{
		{"rules", nil, ""},
		{"a model", &chat.Counts{Requests: 3, Recorded: 2, Usage: chat.Usage{Prompt: 30, Completion: 6}},
			"drafts: 3 requests, 30 prompt and 6 completion tokens; 2 recorded answers used\n"},
		{"a model, with a limit and empty answers", &chat.Counts{Requests: 3, Empty: 1, Left: 4},
			"drafts: 3 requests, 0 prompt and 0 completion tokens; 0 recorded answers used; 1 answers without a draft, which --ask-again asks for again; 4 questions left by --draft-limit, which the next run asks\n"},
	} {
		var got strings.Builder
		printDrafts(&got, &built{Asked: test.asked})
		if got.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.String(), test.want)
		}
	}
}
