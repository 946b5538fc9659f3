package command

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

// TestPrintDrafts checks of which perturbations a summary says that rules find little,
// and what it says of a model instead.
func TestPrintDrafts(t *testing.T) {
	without := func(name string, n int) benchmark.Result {
		return benchmark.Result{Name: name, Examples: 10, Rejected: map[perturb.Reason]int{"no-draft": n}}
	}
	few := &benchmark.Manifest{Perturbations: []benchmark.Result{without("a/half", 5), without("a/less", 4), without("a/all", 10), {Name: "a/other"}}}
	for _, test := range []struct {
		name string
		m    *built
		want string
	}{
		{"rules", &built{few, nil}, "rules draft nothing for many examples: a/half 5 of 10, a/all 10 of 10; a large model drafts for these too, with --paraphraser URL\n"},
		{"rules that find enough", &built{&benchmark.Manifest{Perturbations: few.Perturbations[1:2]}, nil}, ""},
		{"no examples", &built{&benchmark.Manifest{Perturbations: []benchmark.Result{{Name: "a/none"}}}, nil}, ""},
		{"a model", &built{few, &chat.Counts{Requests: 3, Recorded: 2, Usage: chat.Usage{Prompt: 30, Completion: 6}}},
			"drafts: 3 requests, 30 prompt and 6 completion tokens; 2 recorded answers used\n"},
		{"a model, with a limit and empty answers", &built{few, &chat.Counts{Requests: 3, Empty: 1, Left: 4}},
			"drafts: 3 requests, 0 prompt and 0 completion tokens; 0 recorded answers used; 1 answers without a draft, which --ask-again asks for again; 4 questions left by --draft-limit, which the next run asks\n"},
	} {
		var got strings.Builder
		printDrafts(&got, test.m)
		if got.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.String(), test.want)
		}
	}
}
