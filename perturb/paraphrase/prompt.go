package paraphrase

import (
	"bufio"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

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

// common is the section of prompts.txt that is said of all categories.
const common = "all"

// prompts are the embedded ones, in the order of the file, the common one first; a test
// keeps the file without errors.
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
	for _, p := range prompts()[1:] {
		names = append(names, p.category)
	}
	return names
}

// known returns an error for a category without a prompt.
func known(category string) error {
	if !slices.Contains(Categories(), category) {
		return fmt.Errorf("no prompt for the category %q, expected one of %s", category, strings.Join(Categories(), ", "))
	}
	return nil
}

// Prompt returns what asks for paraphrases of a task's question in all categories: these
// with their examples, the question, and the form of the answer.
func Prompt(t perturb.Task) string { return prompted(t, tables(t)) }

// prompted is Prompt with the tables that it shows. What is the same for every question
// stands first, for servers that keep what they read.
func prompted(t perturb.Task, tables string) string {
	var b strings.Builder
	b.WriteString(prompts()[0].instruction + "\n")
	for _, p := range prompts()[1:] {
		fmt.Fprintf(&b, "\nCategory: %s\n%s\n", p.category, p.instruction)
		for _, w := range p.examples {
			fmt.Fprintf(&b, "\n%s\nParaphrase: %s\nExplanation: %s\n", ask(w.sentence, w.mentioned), w.paraphrase, w.explanation)
		}
	}
	fmt.Fprintf(&b, "\nThe sentence to paraphrase, with the tables and the SQL that it stands for:\n\n%sSQL: %s\n%s\n\n%s\n",
		tables, line(t.Example.Query), ask(line(t.Example.Question), mentioned(t.Mentions)), form())
	return b.String()
}

// form asks for the form of an answer.
var form = sync.OnceValue(func() string {
	var parts []string
	for _, c := range Categories() {
		parts = append(parts, fmt.Sprintf(`"%s": ["first paraphrase", "second paraphrase"]`, c))
	}
	return fmt.Sprintf("Write %d paraphrases for each category, each different from the others: fewer, or none, where the category cannot be applied to the sentence. "+
		"Answer with JSON alone, in this form:\n{%s}", perCategory, strings.Join(parts, ", "))
})

// tables returns the tables of a task's gold SQL with their columns, a line each.
func tables(t perturb.Task) string {
	if t.Example.Binding == nil {
		return ""
	}
	var b strings.Builder
	used := t.Example.Binding.Tables()
	for _, table := range t.DB.Tables {
		if !slices.ContainsFunc(used, func(name string) bool { return strings.EqualFold(name, table.Original) }) {
			continue
		}
		var columns []string
		for _, c := range table.Columns {
			columns = append(columns, line(c.Original))
		}
		fmt.Fprintf(&b, "Table: %s (%s)\n", line(table.Original), strings.Join(columns, ", "))
	}
	return b.String()
}

func ask(sentence, mentioned string) string {
	return "Sentence: " + sentence + "\nMentioned: " + mentioned
}

// mentioned names the parts of the SQL that a question speaks of, in the manner of
// prompts.txt.
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
	for i, p := range list {
		list[i].instruction = strings.TrimSpace(p.instruction)
	}
	return list, sections.Err()
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
