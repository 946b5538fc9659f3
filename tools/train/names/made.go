package names

import "context"

// fromPeople adds the pairs that people wrote, after it read the test sets to exclude. ADVETA's names come first, so that a
// pair that is both theirs and ours counts as theirs: a fold of the cross-validation that leaves it out then has no copy
// of it.
func (m *maker) fromPeople(ctx context.Context, src *Sources) error {
	for _, file := range src.Exclude {
		if err := readExcluded(ctx, file, m.exclude); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		file string
		kind kind
	}{{src.Replace, kindADVETAReplacement}, {src.Add, kindADVETADistractor}} {
		if f.file == "" {
			continue
		}
		list, err := readADVETA(f.file, f.kind)
		if err != nil {
			return err
		}
		m.handwritten(list)
	}
	for _, file := range src.Columns {
		list, err := readColumns(ctx, file)
		if err != nil {
			return err
		}
		m.handwritten(list)
	}
	for _, file := range src.Words {
		list, err := readWords(ctx, file)
		if err != nil {
			return err
		}
		for _, g := range list {
			if p := m.add(kindWords, g.a, g.b, 1); p != nil {
				p.targets = g.targets()
			}
		}
	}
	return nil
}

// handwritten adds the pairs of a list, each column's as a group.
func (m *maker) handwritten(list []handwritten) {
	for _, h := range list {
		for k := range kinds {
			for _, n := range h.names[k] {
				if p := m.add(k, h.column, n, 1); p != nil {
					p.group, p.entity = h.group, h.entity
				}
			}
		}
	}
}

// targets returns the targets of both directions. They are alike, except for a word and a more general one: there the special
// word entails the general one.
func (g *graded) targets() [2]target {
	both := target{g.similarity, open_}
	switch g.relation {
	case 'c':
		both.rest = contradiction
	case 'r':
		both.rest = neutral
	case 'h':
		return [2]target{{max(.85, g.similarity), neutral}, {g.similarity * .8, neutral}}
	case 'g':
		return [2]target{{g.similarity * .8, neutral}, {max(.85, g.similarity), neutral}}
	}
	return [2]target{both, both}
}
