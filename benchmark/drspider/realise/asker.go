package realise

import (
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Asker writes questions from gold SQL for examples without a question, as those of a file of
// gold SQL.
type Asker struct {
	databases map[string]*dataset.Database
	seed      uint64

	// The examples without a question, counted while they are read: those with a written
	// question, and those that have their SQL in its place.
	Written, Unwritten int
}

// NewAsker reads the schemas of a set. It reports no problem of a database: the conversion of the
// set does.
func NewAsker(set *dataset.Set, seed uint64) (*Asker, error) {
	w := &Asker{databases: map[string]*dataset.Database{}, seed: seed}
	err := set.Databases(func(error) {}, func(db *dataset.Database) error {
		w.databases[db.ID] = db
		return nil
	})
	return w, err
}

// Ask returns the examples with a question each.
func (w *Asker) Ask(examples dataset.Stream[*dataset.Example]) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		w.Written, w.Unwritten = 0, 0 // the set may be read more than once
		return examples(report, func(ex *dataset.Example) error {
			if ex.Question == "" {
				ex.Question = w.question(ex)
			}
			return each(ex)
		})
	}
}

// question returns a question for gold SQL; the SQL itself where none can be written.
func (w *Asker) question(ex *dataset.Example) string {
	db := w.databases[ex.DB]
	if db == nil {
		return ex.Query // the conversion reports the example
	}
	e, err := perturb.NewExample(db, ex)
	if err == nil {
		list, err := Questions(db, e.Gold, e.Binding, "", nil, rand.New(rand.NewPCG(w.seed, uint64(ex.Index))), 1)
		if err == nil {
			w.Written++
			return list[0].Text
		}
	}
	w.Unwritten++
	return ex.Query
}
