package paraphrase

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/remote/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

var update = flag.Bool("update", false, "write the golden files")

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
	for _, p := range prompts()[1:] {
		if len(p.examples) != 5 || !strings.HasPrefix(p.instruction, "Paraphrase the sentence") {
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
		}
	}
}

// promptForTask returns the prompt of a task with the tables of its gold SQL.
func promptForTask(t perturb.Task) string { return promptText(t, tableLines(t)) }

func TestPrompt(t *testing.T) {
	db := &dataset.Database{ID: "harbour", Tables: []dataset.Table{
		{Original: "Boat", Columns: []dataset.Column{{Original: "name"}, {Original: "port"}, {Original: "afloat\nSQL: evil"}}},
		{Original: "pier", Columns: []dataset.Column{{Original: "length"}}},
	}}
	ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: "Show the boats\nin the port of 'Ayr'.", Query: "SELECT name FROM boat\nWHERE port = 'Ayr'"})
	if err != nil {
		t.Fatal(err)
	}
	got := promptForTask(perturb.Task{Category: "others", DB: db, Example: ex, Mentions: []perturb.Mention{
		{Kind: "value", Text: "Ayr", Stands: "'Ayr' of boat.port"},
		{Kind: "value", Text: "Ayr", Stands: "'Ayr' of boat.port"},
		{Kind: "value", Stands: "'1' of boat.afloat"},
	}})
	file := filepath.Join("testdata", "prompt.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update where the change is meant):\n%s", file, diff)
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

func TestRead(t *testing.T) {
	one := map[string][]string{"others": {"Which boats float?"}}
	long := strings.Repeat("why ", 300)
	for _, test := range []struct {
		name, text string
		want       map[string][]string
	}{
		{"as asked", `{"others": ["Which boats float?"], "multitype": ["a", "b"]}`, map[string][]string{"others": {"Which boats float?"}, "multitype": {"a", "b"}}},
		{"prose and a fence", "Sure!\n```json\n{\"others\": [\"Which boats float?\"]}\n```\nAnything else?", one},
		{"thought aloud", "<think>{\"others\": [\"no\"]}</think>\n{\"others\": [\"Which boats float?\"]}", one},
		{"other spellings", `{"Column_Value": ["a"], "KEYWORD carrier": ["b"]}`, map[string][]string{"column-value": {"a"}, "keyword-carrier": {"b"}}},
		{"several lines, and what cannot be seen", "{\"others\": [\" Which\\n boats\\u202e float?\\u0000 \"]}", one},
		{"too long, empty, no text", `{"others": ["` + long + `", " ", 3, null, {"a": 1}, "Which boats float?"]}`, one},
		{"too many", `{"others": ["1","2","3","4","5","6","7","8","9"]}`, map[string][]string{"others": {"1", "2", "3", "4", "5", "6", "7", "8"}}},
		{"unknown categories", `{"other": ["no"], "others": ["Which boats float?"]}`, one},
		{"no lists", `{"multitype": "no", "column-value": null, "others": ["Which boats float?"]}`, one},
		{"cut off in a list", `{"others": ["Which boats float?"], "multitype": ["Which bo`, one},
		{"cut off in a key", `{"others": ["Which boats float?"], "multi`, one},
		{"cut off in the first", `{"others": ["Which boats`, nil},
		{"empty lists", `{"others": [], "multitype": []}`, nil},
		{"an empty object", `{}`, nil},
		{"a list", `["Which boats float?"]`, nil},
		{"prose", "I cannot help with that.", nil},
		{"nothing", "", nil},
	} {
		if diff := cmp.Diff(test.want, parseAnswer(test.text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// FuzzRead checks that what is taken of an answer is bounded lines of known categories.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"others": ["a"]}`, `{"others": ["a"`, `{"others": {"others": ["a"]}}`, "<think>\n</think>{}", "{{", `{1: [2]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for category, list := range parseAnswer(text) {
			if checkCategory(category) != nil || len(list) == 0 || len(list) > perCategory {
				t.Errorf("%q: %d drafts of %q", text, len(list), category)
			}
			for _, q := range list {
				if q == "" || len(q) > maxQuestion || q != chat.OneLine(q) {
					t.Errorf("%q: the draft %q", text, q)
				}
			}
		}
	})
}
