package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// believer finds a paraphrase factual unless it says "wrong", the more so the
// shorter it is.
type believer struct{}

func (believer) Key() string { return "believer" }

func (believer) Classify(_ context.Context, pairs []nli.Pair) ([]nli.Scores, error) {
	scores := make([]nli.Scores, len(pairs))
	for i, p := range pairs {
		if strings.Contains(p.Premise+p.Hypothesis, "wrong") {
			scores[i] = nli.Scores{Neutral: 1}
			continue
		}
		e := 1 - float64(len(p.Premise)+len(p.Hypothesis))/10_000
		scores[i] = nli.Scores{Entailment: e, Neutral: 1 - e}
	}
	return scores, nil
}

// writer drafts the same questions whatever the task, and notes the task.
type writer struct {
	questions []string
	err       error
	task      *perturb.Task
}

func (w writer) Key() string { return "writer" }

func (w writer) Drafts(_ context.Context, t perturb.Task) ([]perturb.Draft, error) {
	if w.task != nil {
		*w.task = t
	}
	var out []perturb.Draft
	for _, q := range w.questions {
		out = append(out, perturb.Draft{Question: q, Source: "writer"})
	}
	return out, w.err
}

func believe(p *perturb.Pass) { p.Factuality = believer{} }

func TestGolden(t *testing.T) {
	perturbtest.GoldenAll(t, All, believe)
}

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
	var names []string
	for _, c := range indicator.Categories() {
		names = append(names, "drspider/"+string(c))
	}
	var got []string
	for _, p := range All {
		got = append(got, p.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// pass returns a pass over one question for "keyword-synonym".
func passOf(t *testing.T, w perturb.Paraphraser) *perturb.Pass {
	db := harbour()
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: "How many ships have a tonnage greater than 500?", Query: countHeavy})
	if err != nil {
		t.Fatal(err)
	}
	p := perturbtest.NewPass(t, All[0], db, []*perturb.Example{ex}, 2, 1)
	p.Paraphraser, p.Factuality = w, believer{}
	return p
}

// filtered returns what the filter of "keyword-synonym" leaves of a paraphraser's drafts alone.
func filtered(t *testing.T, f *Funnel, p *perturb.Pass, asked map[string]bool) outcome {
	t.Helper()
	c, ex := categories()[0], p.Examples[0]
	aligner := indicator.New(ex, p.DB)
	kept, err := f.filter(c, p, ex, aligner, aligner.Align(ex.Question), c.ask(p, ex).drafts)
	if err != nil {
		t.Fatal(err)
	}
	f.trim(p, &kept, asked)
	return kept
}

func TestFilter(t *testing.T) {
	const good = "How many ships have a tonnage above 500?"
	for _, test := range []struct {
		name   string
		drafts []string
		want   []string
		reason perturb.Reason
		funnel Funnel
	}{
		{"all is well", []string{good}, []string{good}, "", Funnel{Examples: 1, Drafts: 1, Agreeing: 1, Kept: 1, Covered: 1}},
		{"no drafts", nil, nil, "no-draft", Funnel{Examples: 1}},
		{"the question and repetitions", []string{"how many ships have a tonnage GREATER than 500 ?", good, strings.ToUpper(good)}, []string{good}, "",
			Funnel{Examples: 1, Drafts: 3, Repeated: 2, Agreeing: 1, Kept: 1, Covered: 1}},
		{"malformed", []string{"", " ", "a\nb", "\xff", strings.Repeat("very ", 100)}, nil, "drafts-malformed",
			Funnel{Examples: 1, Drafts: 5, Malformed: 5}},
		{"an echo of the prompt", []string{"Which ones? Mentioned: \"ships\" = ship.name", "How many ships WHERE tonnage above 500?", good}, []string{good}, "",
			Funnel{Examples: 1, Drafts: 3, Malformed: 2, Agreeing: 1, Kept: 1, Covered: 1}},
		{"another meaning", []string{"How many ships have a tonnage above 100?", "How many ships or boats have a tonnage above 500?", "How many have a tonnage above 500?"}, nil,
			"drafts-other-meaning", Funnel{Examples: 1, Drafts: 3, Agreeing: 3, OtherMeaning: 3}},
		{"not factual", []string{"wrong: how many ships have a tonnage above 500?"}, nil, "drafts-not-factual",
			Funnel{Examples: 1, Drafts: 1, Agreeing: 1, NotFactual: 1}},
		{"a verb too many", []string{"What is the number of ships are there with a tonnage above 500?", good}, []string{good}, "",
			Funnel{Examples: 1, Drafts: 2, Agreeing: 2, LessNatural: 1, Kept: 1, Covered: 1}},
		{"no sentence", []string{"500 above tonnage ships how many of a have?"}, nil, "drafts-less-natural",
			Funnel{Examples: 1, Drafts: 1, Agreeing: 1, LessNatural: 1}},
		{"another category", []string{"wrong", "Tell me how many ships have a tonnage greater than 500."}, nil, "drafts-other-category",
			Funnel{Examples: 1, Drafts: 2, NotFactual: 1, OtherCategory: 1}},
		{"the best of too many", []string{"How many of the ships have a tonnage exceeding 500?", "How many ships have a tonnage higher than 500?", good}, []string{good, "How many ships have a tonnage higher than 500?"}, "",
			Funnel{Examples: 1, Drafts: 3, Agreeing: 3, Surplus: 1, Kept: 2, Covered: 1}},
	} {
		p := passOf(t, writer{questions: test.drafts})
		funnel := Funnel{Examples: 1}
		kept := filtered(t, &funnel, p, map[string]bool{})
		var got []string
		for _, d := range kept.list {
			got = append(got, d.Question)
			if d.Source != "writer" || d.factuality() < MinFactuality {
				t.Errorf("%s: draft %+v", test.name, d)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: kept (-want +got):\n%s", test.name, diff)
		}
		if reason := kept.reason; len(got) == 0 && reason != test.reason {
			t.Errorf("%s: reason %q, want %q", test.name, reason, test.reason)
		}
		if diff := cmp.Diff(test.funnel, funnel); diff != "" {
			t.Errorf("%s: funnel (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestAskedOnce checks that two examples of a database are not asked as one question.
func TestAskedOnce(t *testing.T) {
	const good = "How many ships have a tonnage above 500?"
	p, asked := passOf(t, writer{questions: []string{good}}), map[string]bool{}
	if kept := filtered(t, new(Funnel), p, asked); len(kept.list) != 1 {
		t.Errorf("%d drafts, expected one", len(kept.list))
	}
	if kept := filtered(t, new(Funnel), p, asked); len(kept.list) != 0 || kept.reason != "drafts-repeated" {
		t.Errorf("%d drafts, reason %q; expected none, as repeated", len(kept.list), kept.reason)
	}
}

// TestBesideRules checks that a paraphraser's drafts come beside those of the rules, whether it drafts or was not asked.
func TestBesideRules(t *testing.T) {
	const own = "How many ships have a tonnage that is over 500?"
	questions := func(w perturb.Paraphraser) (out []string) {
		p := passOf(t, w)
		p.Samples = 100
		variants, _ := perturbtest.RunPass(t, All[0], p)
		for _, v := range variants {
			out = append(out, v.Edits[0].(perturb.SetQuestion).Question)
		}
		slices.Sort(out)
		return out
	}
	rules := questions(nil)
	if len(rules) == 0 {
		t.Fatal("no drafts of rules")
	}
	if diff := cmp.Diff(rules, questions(writer{err: &perturb.Refusal{Reason: "no-model-asked"}})); diff != "" {
		t.Errorf("not asked (-rules +got):\n%s", diff)
	}
	if both := questions(writer{questions: []string{own}}); len(both) <= len(rules) || !slices.Contains(both, own) {
		t.Errorf("asked: %q, expected more than %q", both, rules)
	}
}

func reasonOf(rejected []perturbtest.Rejection) perturb.Reason {
	if len(rejected) == 0 {
		return ""
	}
	return rejected[0].Reason
}

func TestNothingToJudgeBy(t *testing.T) {
	p := passOf(t, nil)
	p.Factuality = nil
	if _, rejected := perturbtest.RunPass(t, All[0], p); reasonOf(rejected) != "no-factuality-model" {
		t.Errorf("rejected %v, want for want of a model", rejected)
	}
	p = passOf(t, writer{err: errors.New("nobody is there")})
	if _, rejected := perturbtest.RunPass(t, All[0], p); len(rejected) == 0 || rejected[0].String() != "the paraphraser failed: nobody is there" {
		t.Errorf("rejected %v, want for the paraphraser's error", rejected)
	}
	if err := new(Funnel).Trace(p, "nothing"); err == nil {
		t.Error("no error for an unknown category")
	}
}

// TestTask checks what a paraphraser is told.
func TestTask(t *testing.T) {
	mentions := []string{"keyword 'How many' count(*)", "column 'tonnage' ship.tonnage", "keyword 'greater than' ship.tonnage > 500", "value '500' '500' of ship.tonnage"}
	for _, category := range indicator.Categories() {
		var task perturb.Task
		p := passOf(t, writer{task: &task})
		if err := new(Funnel).Trace(p, string(category)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range task.Mentions {
			got = append(got, fmt.Sprintf("%s '%s' %s", m.Kind, m.Text, m.Stands))
		}
		if diff := cmp.Diff(mentions, got); diff != "" || task.Category != string(category) {
			t.Errorf("%s: task of %s (-want +got):\n%s", category, task.Category, diff)
		}
	}
}

// pair answers nobody before a second is waiting.
type pair struct {
	writer
	waiting chan struct{}
}

func (p pair) Drafts(ctx context.Context, t perturb.Task) ([]perturb.Draft, error) {
	select {
	case p.waiting <- struct{}{}:
	case <-p.waiting:
	case <-time.After(10 * time.Second):
		return nil, errors.New("nobody else is waiting")
	}
	return []perturb.Draft{{Question: t.Example.Question + t.Example.Question, Source: "pair"}}, nil
}

// TestAskedAtOnce checks that a paraphraser is asked for several examples at once.
func TestAskedAtOnce(t *testing.T) {
	p := passOf(t, pair{waiting: make(chan struct{})})
	for i := range 3 {
		other := *p.Examples[0].Example
		other.Index, other.Question = i+1, strings.Replace(other.Question, "many ships", fmt.Sprintf("many (%d) ships", i), 1)
		ex, err := perturb.NewExample(p.DB, &other)
		if err != nil {
			t.Fatal(err)
		}
		p.Examples = append(p.Examples, ex)
	}
	outcomes, err := categories()[0].paraphrased(p)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.reason == "paraphraser-failed" {
			t.Errorf("example %d: %s", i, o.detail)
		}
	}
}

// TestDrawsIndependent checks that an example's paraphrases depend neither on the
// other examples nor on their order.
func TestDrawsIndependent(t *testing.T) {
	unit := perturbtest.Units(t, perturbtest.WriteSample(t))[0]
	examples := perturbtest.Examples(t, unit)
	for _, p := range All {
		kept := func(list []*perturb.Example) map[int][]string {
			pass := perturbtest.NewPass(t, p, unit.DB, list, 5, 1)
			believe(pass)
			out := map[int][]string{}
			variants, _ := perturbtest.RunPass(t, p, pass)
			for _, v := range variants {
				out[v.Examples[0].Index] = append(out[v.Examples[0].Index], v.Edits[0].(perturb.SetQuestion).Question)
			}
			return out
		}
		all := kept(examples)
		fewer := slices.Clone(examples[:len(examples)/2])
		slices.Reverse(fewer)
		for index, questions := range kept(fewer) {
			if diff := cmp.Diff(all[index], questions); diff != "" {
				t.Errorf("%s: example %d among fewer (-all +fewer):\n%s", p.Name, index, diff)
			}
		}
	}
}
