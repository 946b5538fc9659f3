package paraphrase

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/chat"
	"github.com/tabperturb/tabperturb/perturb"
)

//go:embed data/prompts.txt
var promptFile string

// prompt is what a model is told for a category.
type prompt struct {
	category    string
	instruction string
	examples    []worked
}

// worked is an example: what is asked, and how it is to be answered.
type worked struct {
	sentence, mentioned, paraphrase, explanation string
}

// common is the section of prompts.txt that is said in every category.
const common = "all"

// prompts are the embedded ones, in the order of the file; a test keeps the file
// without errors.
var prompts = sync.OnceValue(func() []prompt {
	list, err := readPrompts(promptFile)
	if err != nil {
		panic(err)
	}
	return list
})

// Categories returns the categories for which there is a prompt, in the order of
// the paper's table 1.
func Categories() []string {
	var names []string
	for _, p := range prompts() {
		names = append(names, p.category)
	}
	return names
}

// Prompt returns the conversation that asks for paraphrases of a task's question:
// the worked examples as turns of it, then the question. The instruction opens
// the first turn, for not every model's template knows a system's.
func Prompt(t perturb.Task) ([]chat.Message, error) {
	i := slices.IndexFunc(prompts(), func(p prompt) bool { return p.category == t.Category })
	if i < 0 {
		return nil, fmt.Errorf("no prompt for the category %q, expected one of %s", t.Category, strings.Join(Categories(), ", "))
	}
	p := prompts()[i]
	var out []chat.Message
	for _, w := range p.examples {
		out = append(out,
			chat.Message{Role: "user", Content: ask(w.sentence, w.mentioned)},
			chat.Message{Role: "assistant", Content: "Paraphrase: " + w.paraphrase + "\nExplanation: " + w.explanation})
	}
	out = append(out, chat.Message{Role: "user", Content: ask(line(t.Example.Question), mentioned(t.Mentions))})
	out[0].Content = p.instruction + "\n\n" + out[0].Content
	return out, nil
}

func ask(sentence, mentioned string) string {
	return "Sentence: " + sentence + "\nMentioned: " + mentioned
}

// mentioned names the parts of the SQL that a task's category changes, in the
// manner of prompts.txt.
func mentioned(mentions []perturb.Mention) string {
	var parts []string
	for _, m := range mentions {
		part := line(m.Stands) + " (implied)"
		if m.Text != "" {
			part = fmt.Sprintf(`"%s" = %s`, line(m.Text), line(m.Stands))
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "nothing in particular"
	}
	return strings.Join(parts, "; ")
}

// line puts a text on one line, so that it cannot pass for another part of the
// prompt.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// readPrompts reads the format that the head of prompts.txt describes.
func readPrompts(text string) ([]prompt, error) {
	var list []prompt
	sections := bufio.NewScanner(strings.NewReader(text))
	for n := 1; sections.Scan(); n++ {
		row := strings.TrimSpace(sections.Text())
		if row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(row, "== "); ok {
			list = append(list, prompt{category: name})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("prompts.txt:%d: %q stands before the first category", n, row)
		}
		if err := list[len(list)-1].add(row); err != nil {
			return nil, fmt.Errorf("prompts.txt:%d: %w", n, err)
		}
	}
	if len(list) < 2 || list[0].category != common {
		return nil, fmt.Errorf("prompts.txt: expected the section %q and then the categories", common)
	}
	for i := range list[1:] {
		list[i+1].instruction += list[0].instruction
	}
	for i, p := range list {
		list[i].instruction = strings.TrimSpace(p.instruction)
	}
	return list[1:], sections.Err()
}

// add takes a row of the file into the prompt.
func (p *prompt) add(row string) error {
	label, value, _ := strings.Cut(row, ": ")
	if label == "Sentence" {
		p.examples = append(p.examples, worked{sentence: value})
		return nil
	}
	if len(p.examples) == 0 {
		p.instruction += row + "\n"
		return nil
	}
	w := &p.examples[len(p.examples)-1]
	field := map[string]*string{"Mentioned": &w.mentioned, "Paraphrase": &w.paraphrase, "Explanation": &w.explanation}[label]
	if field == nil || *field != "" || value == "" {
		return fmt.Errorf("%q, expected one Mentioned, Paraphrase and Explanation behind each Sentence", row)
	}
	*field = value
	return nil
}
