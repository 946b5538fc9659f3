package heading

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/lexicon"
)

// readContrasts reads headings that come in pairs from plain text: lines such as "min {}, max {}", of which each heading is a
// near name beside the others whatever the table, and "due date > paid date", of which only those behind the sign are named.
// Their form is that of [Read]. What is ill-formed is skipped and reported; the error is for reading alone.
func (t *Thesaurus) readContrasts(words normal, name string, r io.Reader, report func(error)) error {
	t.contrasts = newThesaurus(t.classes)
	return lexicon.ReadLines(name, r, report, func(_ int, text string) error {
		first, rest, oneWay := strings.Cut(text, ">")
		var others []string
		if oneWay {
			others = strings.Split(rest, ",")
		}
		headings := strings.Split(first, ",")
		all := slices.Concat(headings, others)
		for i := range all {
			all[i] = strings.TrimSpace(all[i])
		}
		if len(all) < 2 {
			return fmt.Errorf("%q: expected two headings or more with commas between them", text)
		}
		for i, h := range all[:len(headings)] {
			e, err := t.contrasts.entry(words, h)
			if err != nil {
				return err
			}
			s := sense{gloss: "one of a pair", fallback: true}
			for k, other := range all {
				if k != i {
					s.add = append(s.add, slotForm.ReplaceAllString(other, "{}"))
				}
			}
			e.senses = append(e.senses, s)
		}
		return nil
	})
}

// maxContrasts is the number of names that a heading takes from its pairs.
const maxContrasts = 2

// withContrasts puts the names that pair with a heading, in its forms, before those to add beside it. They fit any table,
// and are the likeliest to be taken for the column.
func (t *Thesaurus) withContrasts(ctx *context, forms []form, names Names) []Name {
	if t.contrasts == nil {
		return names.Add
	}
	taken := map[string]bool{}
	for _, n := range names.Replace {
		taken[lexicon.WordSet(n.Text)] = true
	}
	var pairs []Name
	for _, m := range t.contrasts.find(ctx, forms) {
		if len(pairs) > 0 && m.words != "" {
			break // a pair for these very words, or for fewer, is better
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
