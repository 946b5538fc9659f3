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

// spelled makes one of the ways in which models write a category.
var spelled = strings.NewReplacer("_", "-", " ", "-")

// read reads the drafts by category out of what a model wrote: the JSON object that it
// was asked for, whatever stands around it. Of one that breaks off, the categories that
// are whole count. A category without a draft is not in the map.
func read(answer string) map[string][]string {
	out := map[string][]string{}
	text := chat.WithoutReasoning(answer)
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return out
	}
	dec := json.NewDecoder(strings.NewReader(text[at:]))
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
		category := spelled.Replace(strings.ToLower(name.(string))) // the decoder lets nothing else be a key
		if drafts := questions(list); len(drafts) > 0 && slices.Contains(Categories(), category) {
			out[category] = drafts
		}
	}
	return out
}

// questions returns what can be a question of a list, each in one line.
func questions(list any) []string {
	var out []string
	items, _ := list.([]any)
	for _, item := range items[:min(len(items), perCategory)] {
		said, _ := item.(string)
		if q := chat.OneLine(said); q != "" && len(q) <= maxQuestion {
			out = append(out, q)
		}
	}
	return out
}
