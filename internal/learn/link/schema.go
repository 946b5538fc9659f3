package link

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

// maxName is the number of words of the longest name that is looked for.
const maxName = 8

// schema is what the linkers of a database share.
type schema struct {
	tables     int
	names      []name // of the tables, each before its columns
	vocabulary vocabulary
}

// name is the natural name of an item.
type name struct {
	item    Item
	words   []string // singular
	ignored []bool   // by word: whether it counts nothing, as the table's name has it too or it means only "table", see [schema.add]
}

// newSchema splits the names of a database into words. The function passed to add selects the words that do not count:
// words such as "list" in the name of a table, and the words of its table in the name of a column.
func newSchema(db *dataset.Database) *schema {
	s := &schema{tables: len(db.Tables), vocabulary: vocabulary{}}
	for t := range db.Tables {
		table := s.add(Item{t, -1}, db.Tables[t].Name, func(w string) bool { return generic[w] })
		for c := range db.Tables[t].Columns {
			s.add(Item{t, c}, db.Tables[t].Columns[c].Name, func(w string) bool { return slices.Contains(table, w) })
		}
	}
	return s
}

// add adds an item and returns the words of its name. A word that ignore accepts
// counts nothing in the name: in a column's, a word of its table's ("document
// name" of documents); in a table's, a word for tables such as "list".
func (s *schema) add(it Item, text string, ignore func(string) bool) []string {
	words := lexicon.Words(text)
	words = words[:min(len(words), maxName)]
	n := name{item: it, words: words, ignored: make([]bool, len(words))}
	for i, w := range words {
		words[i] = english.Singular(w)
		n.ignored[i] = ignore(words[i])
		s.vocabulary[words[i]] = true
	}
	if !slices.Contains(n.ignored, false) {
		clear(n.ignored) // a name has some word that counts
	}
	s.names = append(s.names, n)
	return words
}

// weights returns how many words count, as they are not ignored: among those from i to before j, and among all.
func (n *name) weights(i, j int) (part, all int) {
	for k, ignored := range n.ignored {
		if ignored {
			continue
		}
		all++
		if k >= i && k < j {
			part++
		}
	}
	return part, all
}
