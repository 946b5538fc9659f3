package paraphrase

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

var update = flag.Bool("update", false, "write the golden files")

// task returns a task over a database of no tables.
func task(category, question string, mentions ...perturb.Mention) perturb.Task {
	return perturb.Task{
		Category: category, DB: &dataset.Database{ID: "harbour"}, Mentions: mentions,
		Example: &perturb.Example{Example: &dataset.Example{Index: 7, DB: "harbour", Question: question, Query: "SELECT 1"}},
	}
}

// TestPrompts lints data/prompts.txt: each category has five whole examples, whose
// mentions the sentence has, and which change some of them, or none at all in the
// category "others".
func TestPrompts(t *testing.T) {
	want := []string{"keyword-synonym", "keyword-carrier", "column-synonym", "column-carrier", "column-attribute", "column-value", "value-synonym", "multitype", "others"}
	if diff := cmp.Diff(want, Categories()); diff != "" {
		t.Fatalf("categories (-want +got):\n%s", diff)
	}
	quoted := regexp.MustCompile(`"([^"]+)" = `)
	seen := map[string]bool{}
	for _, p := range prompts() {
		if len(p.examples) != 5 || !strings.Contains(p.instruction, "Paraphrase:") || strings.Count(p.instruction, "\n") < 2 {
			t.Errorf("%s: %d examples, want 5, under the instruction %q", p.category, len(p.examples), p.instruction)
		}
		for _, w := range p.examples {
			if w.mentioned == "" || w.explanation == "" || w.paraphrase == "" || w.paraphrase == w.sentence || seen[w.paraphrase+p.category] {
				t.Errorf("%s: %+v is not whole, or stands there twice", p.category, w)
			}
			seen[w.paraphrase+p.category] = true
			changed := 0
			mentions := quoted.FindAllStringSubmatch(w.mentioned, -1)
			for _, m := range mentions {
				if !strings.Contains(w.sentence, m[1]) {
					t.Errorf("%s: the sentence %q lacks the mentioned %q", p.category, w.sentence, m[1])
				}
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(m[1]) + `\b`).MatchString(w.paraphrase) {
					changed++
				}
			}
			if category := p.category; (len(mentions) == 0) != (category == "others") || category != "others" && category != "column-value" && changed == 0 {
				t.Errorf("%s: %d of the mentioned change in %q", category, changed, w.paraphrase)
			}
			q, why, ok := parse("Paraphrase: "+w.paraphrase+"\nExplanation: "+w.explanation, false)
			if !ok || q != w.paraphrase || why != w.explanation {
				t.Errorf("%s: the example reads as %q, %q, %t", p.category, q, why, ok)
			}
		}
	}
}

func TestPrompt(t *testing.T) {
	messages, err := Prompt(task("column-value", "Show the boats\nin the port of 'Ayr'.",
		perturb.Mention{Kind: "value", Text: "Ayr", Stands: "'Ayr' of boat.port"},
		perturb.Mention{Kind: "value", Text: "Ayr", Stands: "'Ayr' of boat.port"},
		perturb.Mention{Kind: "value", Stands: "'1' of boat.afloat"}))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&got, "[%s]\n%s\n\n", m.Role, m.Content)
	}
	file := filepath.Join("testdata", "prompt.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update where the change is meant):\n%s", file, diff)
	}
	if _, err := Prompt(task("comparison", "Show the boats.")); err == nil || !strings.Contains(err.Error(), `"comparison", expected one of keyword-synonym`) {
		t.Errorf("a category without a prompt: error %v", err)
	}
}

func TestReadPromptsErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `expected the section "all"`},
		{"== all\nKeep.\n", `expected the section "all" and then`},
		{"== a\n== all\n", `expected the section "all"`},
		{"Keep.\n== all\n", "prompts.txt:1: "},
		{"== all\n\n== a\nSentence: x\nParaphrased: y\n", "prompts.txt:5: "},
		{"== all\n== a\nSentence: x\nParaphrase: y\nParaphrase: y\n", "prompts.txt:5: "},
	} {
		if _, err := readPrompts(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.text, err, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	long := strings.Repeat("why ", 200)
	for _, test := range []struct{ text, question, explanation string }{
		{"Paraphrase: Which boats float?\nExplanation: carrier", "Which boats float?", "carrier"},
		{"paraphrase:\n  Which boats\tfloat?\n\nexplanation:\n carrier\n", "Which boats float?", "carrier"},
		{"**Paraphrase:** \"Which boats float?\"\n**Explanation:** carrier", "Which boats float?", "carrier"},
		{"**Paraphrase**: Which boats float?\n\n**Explanation**: carrier", "Which boats float?", "carrier"},
		{"Paraphrase: Which boats float? Explanation: carrier", "Which boats float?", "carrier"},
		{"Sure! Here it is:\n\nParaphrase: “Which boats float?”\nExplanation: a\n\nAnything else?", "Which boats float?", "a"},
		{"Paraphrase: Which boats float?\nExplanation: a\nSentence: Next one?\nParaphrase: Next?", "Which boats float?", "a"},
		{"Paraphrase: Which boats float?\n\nI hope this helps.", "Which boats float?", ""},
		{"Paraphrase: Which boats float?\nList them by age.\nExplanation: two", "Which boats float? List them by age.", "two"},
		{"Which boats float?", "Which boats float?", ""},
		{"Which boats float?\nExplanation: a", "Which boats float?", "a"},
		{"<think>Paraphrase: no\n</think>\nParaphrase: Which boats float?", "Which boats float?", ""},
		{"Paraphrase: 'Ann' or 'Bo'", "'Ann' or 'Bo'", ""},
		{"Paraphrase: \u202eWhich\x00 boats float?\u200b", "Which boats float?", ""},
		{"Paraphrase: Which boats float?\nExplanation: " + long, "Which boats float?", long[:maxExplanation]},
		{"Paraphrase: \xff\xfeWhich boats float?", "Which boats float?", ""},
		{"", "", ""},
		{"Paraphrase:\nExplanation: a", "", ""},
		{"Paraphrase: \"\"\nExplanation: a", "", ""},
		{"I cannot\nhelp with that.", "", ""},
		{"Paraphrase: " + long + long, "", ""},
	} {
		q, why, ok := parse(test.text, false)
		if q != test.question || why != test.explanation || ok != (test.question != "") {
			t.Errorf("parse(%q) = %q, %q, %t, want %q, %q", test.text, q, why, ok, test.question, test.explanation)
		}
	}
	if _, _, ok := parse("Paraphrase: Which boats fl", true); ok {
		t.Error("a paraphrase that breaks off counts")
	}
	if q, _, ok := parse("Paraphrase: Which boats float?\nExplanation: becau", true); !ok || q != "Which boats float?" {
		t.Error("a paraphrase whose explanation breaks off does not count")
	}
}

// FuzzParse checks that what is taken of an answer is one bounded line that reads as
// itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"Paraphrase: a\nExplanation: b", "**Paraphrase**: \"a\"", "<think>\n</think>a", "'\"*_`«»", "Explanation:", "a Explanation: Explanation: b"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, cut bool) {
		q, why, ok := parse(text, cut)
		if ok != (q != "") || len(q) > maxQuestion || len(why) > maxExplanation || strings.ContainsAny(q+why, "\n\x00") || q != line(q) {
			t.Errorf("parse(%q) = %q, %q, %t", text, q, why, ok)
		}
		if unquote(q) != q {
			t.Errorf("parse(%q) = %q, in quotes", text, q)
		}
	})
}

// TestKey checks that the key holds what drafts depend on, and not the address.
func TestKey(t *testing.T) {
	key := func(e *chat.Endpoint) string { return (&Endpoint{Chat: e}).Key() }
	keys := []string{key(&chat.Endpoint{Model: "a", URL: "http://x", APIKey: "sk-secret"}), key(&chat.Endpoint{Model: "b"})}
	if keys[0] != key(&chat.Endpoint{Model: "a"}) || keys[0] == keys[1] || slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, "secret") }) {
		t.Errorf("keys %q", keys)
	}
}
