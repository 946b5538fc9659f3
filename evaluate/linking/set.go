package linking

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/perturb"
)

// Set holds the questions of a split, or of a perturbation of it, with their gold links.
type Set struct {
	Name  string // of the split or the perturbation
	Split *Split
	cases map[int]goldCase // by index in Split
}

// goldCase holds the gold links of a question, and the original question that it was made from.
type goldCase struct {
	links  []Link
	origin int    // index in the original split
	db     string // id of the original database
}

// NewSet collects gold links, such as those of [ReadGold]. Questions without gold links are not scored.
func NewSet(name string, split *Split, gold dataset.Stream[*Example], report func(error)) (*Set, error) {
	s := &Set{Name: name, Split: split, cases: map[int]goldCase{}}
	err := gold(report, func(ex *Example) error {
		s.cases[ex.Index] = goldCase{ex.Links, ex.Index, ex.DB}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(s.cases) == 0 {
		return nil, fmt.Errorf("%s: no question has gold links, expected at least one", name)
	}
	return s, nil
}

// Len counts the questions with gold links.
func (s *Set) Len() int { return len(s.cases) }

// Carry returns the set of a perturbation that was built from s. Records is the
// path of the build's table of records; post holds the questions of the
// perturbation's directory post, which are aligned with its records. The edits
// of a record carry the links of its example. Records that do not fit, such as those of a
// build from another data set, are reported; without any that fits there is an
// error.
func (s *Set) Carry(name string, post *Split, records string, report func(error)) (*Set, error) {
	out := &Set{Name: name, Split: post, cases: map[int]goldCase{}}
	row, index := 0, 0 // the numbers of records read so far: all, and those of the perturbation
	err := recordfile.Read(records, func(r dataset.Record) (err error) {
		row++
		if r.Perturbation != name {
			return nil
		}
		if c, ok := s.cases[int(r.Example)]; ok {
			c.links, err = carryRecord(c, r, index, post)
			if err != nil {
				report(&dataset.RecordError{File: records, Record: row, Err: err})
			} else {
				out.cases[index] = c
			}
		}
		index++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out.cases) == 0 {
		return nil, fmt.Errorf("%s: no record of %s has gold links, expected a build of the data that the gold is of", records, name)
	}
	return out, nil
}

// carryRecord returns the gold links of a record on the schema after its edits. c is the case of its example, index the
// position of the record's question in post. A record that does not fit either is an error.
func carryRecord(c goldCase, r dataset.Record, index int, post *Split) ([]Link, error) {
	switch {
	case r.DBPre != c.db:
		return nil, fmt.Errorf("db_id_pre is %q, expected %q, which example %d asks about", dataset.Clip(r.DBPre), c.db, c.origin)
	case r.QuestionPre != r.QuestionPost:
		return nil, errors.New("the question is perturbed, expected the original: links cannot follow its tokens")
	}
	edits, err := perturb.UnmarshalEdits([]byte(r.Edits))
	if err != nil {
		return nil, err
	}
	links, err := Carry(c.links, edits)
	if err != nil {
		return nil, err
	}
	return links, post.check(&Example{Index: index, DB: r.DBPost, Links: links}, true) // as gold links
}

// Carry returns links to the schema before edits as links to the schema after them. A renamed
// table or column is linked under its new name; added columns and new natural names change
// nothing. links is not modified. The error is for a kind of edit whose effect on links is not
// defined.
func Carry(links []Link, edits []perturb.Edit) ([]Link, error) {
	for _, e := range edits {
		if !e.CarriesLinks() {
			return nil, fmt.Errorf("edit %T, expected one that renames, relabels or adds", e)
		}
	}
	names, out := perturb.NamesAfter(edits), slices.Clone(links)
	for i, l := range out {
		out[i].Table, out[i].Column = names.After(l.Table, l.Column)
	}
	return out, nil
}

// Score compares predictions with the gold of the set. A question without a
// prediction counts as one without links, and so does one whose record cannot be
// used, which is reported; missing counts both. Predictions for questions without gold
// are left out.
func (s *Set) Score(predictions dataset.Stream[*Example], report func(error)) (tally *Tally, missing int, err error) {
	tally = &Tally{}
	scores, err := s.scores(predictions, report)
	if err != nil {
		return nil, 0, err
	}
	for index, c := range s.cases {
		score, ok := scores[index]
		if !ok {
			missing++
			score = Compare(c.links, nil)
		}
		tally.Add(c.db, score)
	}
	return tally, missing, nil
}

// scores returns the scores of the predicted questions, by index.
func (s *Set) scores(predictions dataset.Stream[*Example], report func(error)) (map[int]Score, error) {
	scores := map[int]Score{}
	err := predictions(report, func(ex *Example) error {
		if c, ok := s.cases[ex.Index]; ok {
			scores[ex.Index] = Compare(c.links, ex.Links)
		}
		return nil
	})
	return scores, err
}
