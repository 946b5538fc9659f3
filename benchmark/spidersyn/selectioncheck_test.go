package spidersyn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// Selection counts what multi-annotation selection did with the tables and columns of
// gold SQL for which a question holds one of their annotations.
type Selection struct {
	Questions int // asked
	Relabeled int // of them, those that changed some name
	Items     int // tables and columns of gold SQL, by question, of which an annotation stands in it
	Picked    int // of them, those that got an annotation that stands there
	OwnStands int // those that kept their own name, since it stands there as well
	Missed    int // all others
	Several   int // of the picked, those of which other annotations stand there too
	Shared    int // of the picked, those whose name another column of their table, or table, has now
	Misses    []string
}

// CheckSelection runs [MultiAnnotation] over the units, each example with the question
// of its record, and looks the names up in the schemas that come of it.
func CheckSelection(ctx context.Context, units []*dataset.Unit, annotations perturb.Annotations, records []dataset.Record) (*Selection, error) {
	questions := map[int]string{}
	for _, r := range records {
		questions[int(r.Example)] = r.QuestionPost
	}
	s := &Selection{}
	for _, u := range units {
		after := map[int]*dataset.Database{}
		var failed error
		p := &perturb.Pass{
			Resources: perturb.Resources{Annotations: annotations}, Context: ctx, DB: u.DB, Samples: 1, Reject: func(*perturb.Example, int, perturb.Reason, ...string) {},
			Report: func(v perturb.Variant) {
				if v.Edits[0].(perturb.Relabel).From.Source == defaultName {
					return
				}
				db, err := perturb.ApplySchema(u.DB, v.Edits)
				if err != nil {
					failed = err
				}
				for _, ex := range v.Examples {
					after[ex.Index] = db
				}
			},
		}
		for _, ex := range u.Examples {
			asked := *ex
			e, err := perturb.NewExample(u.DB, &asked)
			if asked.Question = questions[ex.Index]; asked.Question != "" && err == nil {
				p.Examples = append(p.Examples, e)
			}
		}
		p.Seed(1, MultiAnnotation)
		err := MultiAnnotation.Run(p)
		if err = cmp.Or(err, failed); err != nil {
			return nil, fmt.Errorf("%s: %w", u.DB.ID, err)
		}
		for _, ex := range p.Examples {
			s.look(u.DB, after[ex.Index], annotations, ex)
		}
	}
	return s, nil
}

// look counts the items of one example; after is nil where nothing changed.
func (s *Selection) look(db, after *dataset.Database, annotations perturb.Annotations, ex *perturb.Example) {
	s.Questions++
	if after == nil {
		after = db
	} else {
		s.Relabeled++
	}
	for _, ref := range ex.Columns {
		var others []string
		for c, column := range after.Tables[ref.Table].Columns {
			if c != ref.Column {
				others = append(others, column.Name)
			}
		}
		s.item(db, ex.Question, db.Column(ref).Name, after.Column(ref).Name, annotations[db.ColumnID(ref).Key()], others)
	}
	for _, name := range ex.Binding.Tables() {
		t := db.Table(name)
		if t < 0 {
			continue
		}
		var others []string
		for i, table := range after.Tables {
			if i != t {
				others = append(others, table.Name)
			}
		}
		id := dataset.ColumnID{DB: db.ID, Table: db.Tables[t].Original}
		s.item(db, ex.Question, db.Tables[t].Name, after.Tables[t].Name, annotations[id.Key()], others)
	}
}

// item counts one item with its own name and the one that it has now. Which
// annotations stand in the question, outside quotes, is asked in another way than
// selection does, of singular and plural alone.
func (s *Selection) item(db *dataset.Database, question, own, now string, annotations, others []string) {
	tokens, words := questionWords(question)
	for i, w := range words {
		if words.isVerb(i, i) || words.isImperative(i) {
			tokens[w.token] = `"`
		}
	}
	asked := lexicon.Normal(strings.Join(tokens, " "))
	var stand []string
	for _, a := range annotations {
		if name := lexicon.Normal(a); hasRun(withoutOthers(db, asked, name, lexicon.Normal(own)), name) {
			stand = append(stand, a)
		}
	}
	if len(stand) == 0 {
		return
	}
	s.Items++
	switch {
	case slices.Contains(stand, now):
		s.Picked++
		if len(stand) > 1 {
			s.Several++
		}
		if slices.Contains(others, now) {
			s.Shared++
		}
	case now == own && hasRun(asked, lexicon.Normal(own)):
		s.OwnStands++
	default:
		s.Missed++
		s.Misses = append(s.Misses, fmt.Sprintf("%q: %s has the name %q, expected one of %q", question, own, now, stand))
	}
}

// withoutOthers returns the words of a question without those that keep a name of an
// item from standing there: the own names of other items that hold it, and what counts
// a table.
func withoutOthers(db *dataset.Database, asked, name, own string) string {
	asked = " " + strings.ReplaceAll(asked, " ", "  ") + " " // neighbours share no blank
	without := func(phrase string) {
		asked = strings.ReplaceAll(asked, " "+strings.ReplaceAll(phrase, " ", "  ")+" ", " "+bar+" ")
	}
	for _, t := range db.Tables {
		table := lexicon.Normal(t.Name)
		if table != own && name == "number of "+table && !isCount(own) {
			without(name)
		}
		names := []string{table}
		for _, c := range t.Columns {
			names = append(names, lexicon.Normal(c.Name))
		}
		for _, other := range names {
			if other != own && hasRun(other, name) {
				without(other)
			}
		}
	}
	return strings.Join(strings.Fields(asked), " ")
}

// String returns the selection as a few lines.
func (s *Selection) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d questions, of which %d changed a name\n", s.Questions, s.Relabeled)
	fmt.Fprintf(&b, "%d items of gold SQL have an annotation in the question: %d (%.1f%%) got it, %d kept their own name, which stands there too, %d missed\n",
		s.Items, s.Picked, percent(s.Picked, s.Items), s.OwnStands, s.Missed)
	fmt.Fprintf(&b, "of those that got it, of %d several stand there, and %d share it with another column of the table, or table\n", s.Several, s.Shared)
	return b.String()
}
