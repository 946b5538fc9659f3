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

// NewAsker returns an Asker for a set, whose schemas it reads. It ignores problems of single databases, which the conversion of the
// set reports.
func NewAsker(set *dataset.Set, seed uint64) (*Asker, error) {
	w := &Asker{databases: map[string]*dataset.Database{}, seed: seed}
	err := set.Databases(func(error) {}, func(db *dataset.Database) error {
		w.databases[db.ID] = db
		return nil
	})
	return w, err
}

// Ask returns a stream of the examples in which those without a question have one. It counts them in w.Written and w.Unwritten.
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

// question returns a question for the gold SQL of an example, or the SQL itself if it cannot be worded.
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
