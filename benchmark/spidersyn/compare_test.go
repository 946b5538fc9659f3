package spidersyn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Comparison says how the substitutions of this package stand to those that
// people made.
type Comparison struct {
	Human, Ours Changes

	Substitutions int // of ours, each time one is made
	InHuman       int // of them, those of which the human list has the words and their synonym
	Distinct      int // substitutions of ours, each once
	InHumanOnce   int // of them, those in the human list
	HumanWords    int // substitutions of which people replaced the same words, if by another synonym
	Missing       []Count
}

// Changes counts what became of a set of questions.
type Changes struct{ Questions, Changed, Substitutions int }

// Count is a replacement with how often it stands.
type Count struct {
	Replacement
	Times int
}

// Compare substitutes over units, one variant a question and as seeded, and looks
// the substitutions up among those of the human rewordings of any database; asked
// is of them what the units hold too.
func Compare(ctx context.Context, units []*dataset.Unit, res perturb.Resources, asked, human []Rewording) (*Comparison, error) {
	list, words := map[Replacement]bool{}, map[string]bool{}
	for _, w := range human {
		for _, r := range Replacements(w.Question, w.Now) {
			for _, part := range r.parts() {
				list[part], words[part.Was] = true, true
			}
		}
	}
	c := &Comparison{}
	for _, w := range asked {
		c.Human.count(len(Replacements(w.Question, w.Now)))
	}
	ours := map[Replacement]int{}
	for _, u := range units {
		if err := c.substitute(ctx, u, res, ours); err != nil {
			return nil, err
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(ours), compareReplacements) {
		times := ours[r]
		c.Substitutions += times
		c.Distinct++
		if words[r.Was] {
			c.HumanWords += times
		}
		if list[r] {
			c.InHuman += times
			c.InHumanOnce++
		} else {
			c.Missing = append(c.Missing, Count{r, times})
		}
	}
	slices.SortStableFunc(c.Missing, func(a, b Count) int { return b.Times - a.Times })
	return c, nil
}

func compareReplacements(a, b Replacement) int {
	return slices.Compare([]string{a.Was, a.With}, []string{b.Was, b.With})
}

func (c *Changes) count(substitutions int) {
	c.Questions++
	c.Substitutions += substitutions
	if substitutions > 0 {
		c.Changed++
	}
}

// substitute adds what Substitution makes of a unit.
func (c *Comparison) substitute(ctx context.Context, u *dataset.Unit, res perturb.Resources, ours map[Replacement]int) error {
	p := &perturb.Pass{
		Resources: res, Context: ctx, DB: u.DB, Samples: 1, Reject: func(*perturb.Example, int, perturb.Reason, ...string) { c.Ours.count(0) },
		Report: func(v perturb.Variant) {
			n := 0
			for _, e := range v.Edits {
				s := e.(perturb.ReplaceSpan)
				if !isArticle(s.Was) {
					ours[Replacement{s.Was, s.With}.normal()]++
					n++
				}
			}
			c.Ours.count(n)
		},
	}
	for _, ex := range u.Examples {
		e, err := perturb.NewExample(u.DB, ex)
		if err != nil {
			c.Ours.count(0)
			continue
		}
		p.Examples = append(p.Examples, e)
	}
	p.Seed(1, Substitution)
	return Substitution.Run(p)
}

func isArticle(w string) bool { return slices.Contains([]string{"a", "an"}, strings.ToLower(w)) }

// String returns the comparison as a few lines.
func (c *Comparison) String() string {
	var b strings.Builder
	line := func(name string, x Changes) {
		fmt.Fprintf(&b, "%-6s %d of %d questions changed (%.1f%%), %.2f substitutions a question\n",
			name, x.Changed, x.Questions, percent(x.Changed, x.Questions), float64(x.Substitutions)/float64(max(1, x.Questions)))
	}
	line("people", c.Human)
	line("ours", c.Ours)
	fmt.Fprintf(&b, "of %d substitutions of ours %.1f%% are in the human list; of %d distinct ones %.1f%%; of %.1f%% people replaced the same words\n",
		c.Substitutions, percent(c.InHuman, c.Substitutions), c.Distinct, percent(c.InHumanOnce, c.Distinct), percent(c.HumanWords, c.Substitutions))
	return b.String()
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

func TestCompare(t *testing.T) {
	db := clinic()
	units := []*dataset.Unit{{DB: db, Examples: []*dataset.Example{
		{Index: 0, DB: "clinic", Question: "How many patients are there?", Query: "SELECT count(*) FROM patient"},
		{Index: 1, DB: "clinic", Question: "Which kinds?", Query: "SELECT kind FROM patient"},
		{Index: 2, DB: "clinic", Question: "Why?", Query: "SELECT kind FROM patient"},
	}}}
	human := []Rewording{{DB: "clinic", Question: "Which kind is it?", Now: "Which type is it?", Query: "q"}, {DB: "clinic", Question: "Ask a patient.", Now: "Ask a client.", Query: "q"}}
	c, err := Compare(context.Background(), units, resourcesOf(t), human, human)
	if err != nil {
		t.Fatal(err)
	}
	want := &Comparison{
		Human: Changes{2, 2, 2}, Ours: Changes{3, 2, 2}, Substitutions: 2, InHuman: 1, Distinct: 2, InHumanOnce: 1, HumanWords: 2,
		Missing: []Count{{Replacement{"patient", "invalid"}, 1}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
