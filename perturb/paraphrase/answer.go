package paraphrase

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// maxQuestion bounds what is taken as a question, in bytes. The longest questions of
// Spider have 250, those of BIRD with their evidence 900.
const maxQuestion = 1000

// categorySpelling replaces the separators with which models write a category by hyphens.
var categorySpelling = strings.NewReplacer("_", "-", " ", "-")

// parseAnswer returns the drafts by category from a model's answer: a JSON object, with any text
// around it. If the object breaks off, it returns the whole categories. A category without a draft
// is not in the map.
func parseAnswer(answer string) map[string][]string {
	out := map[string][]string{}
	text := chat.WithoutReasoning(answer)
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return out
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	if _, err := dec.Token(); err != nil {
		return out
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return out
		}
		var list any
		if dec.Decode(&list) != nil {
			return out
		}
		category := categorySpelling.Replace(strings.ToLower(name.(string))) // the decoder lets nothing else be a key
		if drafts := parseQuestions(list); len(drafts) > 0 && slices.Contains(Categories(), category) {
			out[category] = drafts
		}
	}
	return out
}

// parseQuestions returns the items of a JSON list that can be questions, each on one line.
func parseQuestions(list any) []string {
	var out []string
	items, _ := list.([]any)
	for _, item := range items[:min(len(items), perCategory)] {
		text, _ := item.(string)
		if q := chat.OneLine(text); q != "" && len(q) <= maxQuestion {
			out = append(out, q)
		}
	}
	return out
}
