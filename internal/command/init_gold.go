package command

import (
	"fmt"
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// asker writes questions from gold SQL for examples that have none, as lines of gold SQL do
// not.
type asker struct {
	databases      map[string]*dataset.Database
	seed           uint64
	written, given int // of examples without questions: written, and those for which the SQL stands
}

// newAsker reads the schemas of a set.
func newAsker(set *dataset.Set, seed uint64) (*asker, error) {
	w := &asker{databases: map[string]*dataset.Database{}, seed: seed}
	// What is wrong with a database is told where it is converted.
	err := set.Databases(func(error) {}, func(db *dataset.Database) error {
		w.databases[db.ID] = db
		return nil
	})
	return w, err
}

// ask puts questions in front of all examples that have none.
func (w *asker) ask(examples dataset.Stream[*dataset.Example]) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		w.written, w.given = 0, 0 // the set may be read more than once
		return examples(report, func(ex *dataset.Example) error {
			if ex.Question == "" {
				ex.Question = w.question(ex)
			}
			return each(ex)
		})
	}
}

// question returns a question for gold SQL; the SQL itself where none can be written.
func (w *asker) question(ex *dataset.Example) string {
	db := w.databases[ex.DB]
	if db == nil {
		return ex.Query // and is told of where it is converted
	}
	e, err := perturb.NewExample(db, ex)
	if err == nil {
		none := func(dataset.ColumnRef) []string { return nil }
		list, err := realise.Questions(db, e.Gold, e.Binding, none, rand.New(rand.NewPCG(w.seed, uint64(ex.Index))), 1)
		if err == nil && len(list) > 0 {
			w.written++
			return list[0].Text
		}
	}
	w.given++
	return ex.Query
}

// tell says what stands in the place of questions.
func (w *asker) tell(a *app, file string) {
	if n := w.written + w.given; n > 0 {
		a.warn(fmt.Errorf("%s: has no question for %s: %d were written from the gold SQL, of the others it stands in the place of the question", file, table.Count(n, "line"), w.written))
	}
}
