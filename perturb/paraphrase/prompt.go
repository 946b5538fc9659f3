package paraphrase

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

//go:embed data/prompts.txt
var promptFile string

// prompt is the section of prompts.txt for one category.
type prompt struct {
	category    string
	instruction string
	examples    []workedExample
}

// workedExample is an example of a request and its answer.
type workedExample struct {
	sentence, mentioned     string // the question, and the parts of the SQL that it mentions
	paraphrase, explanation string // the answer
}

// commonSection is the name of the section of prompts.txt that applies to all categories.
const commonSection = "all"

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
	return lists.Map(prompts()[1:], func(p prompt) string { return p.category })
}

// checkCategory returns an error for a category without a prompt.
func checkCategory(category string) error {
	if !slices.Contains(Categories(), category) {
		return fmt.Errorf("no prompt for the category %q, expected one of %s", category, strings.Join(Categories(), ", "))
	}
	return nil
}

// promptText returns the request for paraphrases of a task's question in all categories: the
// categories with their examples, the tables as tableLines writes them, the question, and the form
// of the answer. The part that is equal for every question comes first, as servers cache prefixes.
func promptText(t perturb.Task, tables string) string {
	var b strings.Builder
	b.WriteString(prompts()[0].instruction + "\n")
	for _, p := range prompts()[1:] {
		fmt.Fprintf(&b, "\nCategory: %s\n%s\n", p.category, p.instruction)
		for _, w := range p.examples {
			fmt.Fprintf(&b, "\n%s\nParaphrase: %s\nExplanation: %s\n", exampleLines(w.sentence, w.mentioned), w.paraphrase, w.explanation)
		}
	}
	fmt.Fprintf(&b, "\nThe sentence to paraphrase, with the tables and the SQL that it stands for:\n\n%sSQL: %s\n%s\n\n%s\n",
		tables, oneLine(t.Example.Query), exampleLines(oneLine(t.Example.Question), mentionText(t.Mentions)), answerForm())
	return b.String()
}

// answerForm returns the instruction on the form of the answer: JSON with a list for each category.
var answerForm = sync.OnceValue(func() string {
	parts := lists.Map(Categories(), func(category string) string {
		return fmt.Sprintf(`"%s": ["first paraphrase", "second paraphrase"]`, category)
	})
	return fmt.Sprintf("Write %d paraphrases for each category, each different from the others: fewer, or none, where the category cannot be applied to the sentence. "+
		"Answer with JSON alone, in this form:\n{%s}", perCategory, strings.Join(parts, ", "))
})

// tableLines returns a line for each table of a task's gold SQL: "Table: name (column, column)".
func tableLines(t perturb.Task) string {
	if t.Example.Binding == nil {
		return ""
	}
	var b strings.Builder
	used := t.Example.Binding.Tables()
	for _, table := range t.DB.Tables {
		if !slices.ContainsFunc(used, func(name string) bool { return strings.EqualFold(name, table.Original) }) {
			continue
		}
		columns := lists.Map(table.Columns, func(c dataset.Column) string { return oneLine(c.Original) })
		fmt.Fprintf(&b, "Table: %s (%s)\n", oneLine(table.Original), strings.Join(columns, ", "))
	}
	return b.String()
}

// exampleLines returns the two lines of a request that give a sentence and what it mentions.
func exampleLines(sentence, mentioned string) string {
	return "Sentence: " + sentence + "\nMentioned: " + mentioned
}

// mentionText lists the parts of the SQL that a question mentions, in the form of prompts.txt:
// `"how many" = count(*); singer.name (implied)`.
func mentionText(mentions []perturb.Mention) string {
	var parts []string
	for _, m := range mentions {
		part := oneLine(m.Stands) + " (implied)"
		if m.Text != "" {
			part = fmt.Sprintf(`"%s" = %s`, oneLine(m.Text), oneLine(m.Stands))
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

// oneLine puts a text on one line, so that no part of it can pass for another line of the prompt.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// readPrompts parses the format that the head of prompts.txt describes. Errors name the line.
func readPrompts(text string) ([]prompt, error) {
	var list []prompt
	n := 0
	for row := range strings.Lines(text) {
		n++
		row = strings.TrimSpace(row)
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
	if len(list) < 2 || list[0].category != commonSection {
		return nil, fmt.Errorf("prompts.txt: expected the section %q and then the categories", commonSection)
	}
	for i, p := range list {
		list[i].instruction = strings.TrimSpace(p.instruction)
	}
	return list, nil
}

// add adds a row of the file: a line of the instruction or, from the first Sentence on, a labelled
// line of an example.
func (p *prompt) add(row string) error {
	label, value, _ := strings.Cut(row, ": ")
	if label == "Sentence" {
		p.examples = append(p.examples, workedExample{sentence: value})
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
