package heading

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// readContrasts reads headings that come in pairs from plain text into t.contrasts. In a line such as "min {}, max {}" each
// heading gets the others as names to add, whatever the table. In "due date > paid date" only the headings before the sign get
// names. Headings have the form of [Read]. It skips and reports ill-formed lines, and returns an error only if reading fails.
func (t *Thesaurus) readContrasts(words normal, name string, r io.Reader, report func(error)) error {
	t.contrasts = newThesaurus(t.classes)
	return lexicon.ReadLines(name, r, report, func(_ int, text string) error {
		first, _, _ := strings.Cut(text, ">")
		headings := strings.Count(first, ",") + 1 // all, or those before the sign
		all := lists.Map(strings.Split(strings.Replace(text, ">", ",", 1), ","), strings.TrimSpace)
		if len(all) < 2 {
			return fmt.Errorf("%q: expected two headings or more with commas between them", text)
		}
		for i, h := range all[:headings] {
			e, err := t.contrasts.entry(words, h)
			if err != nil {
				return err
			}
			s := sense{gloss: "one of a pair", fallback: true}
			for k, other := range all {
				if k != i {
					s.add = append(s.add, slotForm.ReplaceAllString(other, "{}")) // {} is what fills the heading's slot
				}
			}
			e.senses = append(e.senses, s)
		}
		return nil
	})
}

// maxContrasts is the number of names that a heading takes from its pairs.
const maxContrasts = 2

// withContrasts returns the names to add to a table with a heading: first those that pair with the heading, at most
// maxContrasts, then the others. A name that pairs fits any table, and is the likeliest to be taken for the column.
func (t *Thesaurus) withContrasts(ctx *context, forms []form, names Names) []Name {
	if t.contrasts == nil {
		return names.Add
	}
	taken := map[string]bool{} // by [lexicon.WordSet]
	for _, n := range names.Replace {
		taken[lexicon.WordSet(n.Text)] = true
	}
	var pairs []Name
	for _, m := range t.contrasts.find(ctx, forms) {
		if len(pairs) > 0 && m.slotWords != "" {
			break // entries without a slot come first, then those with fewest words in it: a later one is worse
		}
		_, add := t.namesOf(ctx, m, &m.entry.senses[0], 0)
		for _, n := range add {
			if set := lexicon.WordSet(n.Text); !taken[set] && len(pairs) < maxContrasts {
				taken[set] = true
				n.Contrast, n.Composed = true, false
				pairs = append(pairs, n)
			}
		}
	}
	rest := slices.DeleteFunc(names.Add, func(n Name) bool { return taken[lexicon.WordSet(n.Text)] })
	return append(pairs, rest...)
}
