package formats

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Summary describes what a conversion did, or would do.
type Summary struct {
	From      string `json:"from"` // formats
	To        string `json:"to"`
	Split     string `json:"split"`
	Databases int    `json:"databases"` // that can stand in the target format
	Examples  int    `json:"examples"`
	Skipped   int    `json:"skipped"` // records that cannot be read or written, each reported
	Lost      []Loss `json:"lost"`    // what the target has no place for, in records that are written
	LeftOut   []Loss `json:"left_out"`
}

// String returns the size of the output: "12 examples on 3 databases".
func (s *Summary) String() string {
	return table.Count(s.Examples, "example") + " on " + table.Count(s.Databases, "database")
}

// WriteText writes what was lost and what was written to out or, where the conversion was
// refused, what would be lost.
func (s *Summary) WriteText(w io.Writer, out string, refused bool) error {
	verb := "lost"
	if refused {
		verb = "would be lost"
	}
	for _, part := range []struct {
		title string
		list  []Loss
	}{{verb + " in " + s.To, s.Lost}, {"examples that " + s.To + " cannot hold", s.LeftOut}} {
		if len(part.list) > 0 {
			fmt.Fprintln(w, part.title)
		}
		for _, l := range part.list {
			fmt.Fprintln(w, " ", l)
		}
	}
	if !refused {
		fmt.Fprintf(w, "%s\nwrote %s\n", s, out)
	}
	return nil
}

// Loss is something that a format has no place for, with what it bears on: a
// [dataset.Feature], or why examples cannot stand there at all.
type Loss struct {
	What      string `json:"what"`
	Databases int    `json:"databases,omitempty"`
	Examples  int    `json:"examples,omitempty"`
}

// String returns the loss as a phrase: "evidence (12 examples)".
func (l Loss) String() string {
	var counts []string
	if l.Databases > 0 {
		counts = append(counts, table.Count(l.Databases, "database"))
	}
	if l.Examples > 0 {
		counts = append(counts, table.Count(l.Examples, "example"))
	}
	return fmt.Sprintf("%s (%s)", l.What, strings.Join(counts, ", "))
}

// LossError is the error of a conversion that would lose something and may not.
type LossError struct{ Summary *Summary }

// Error lists what would be lost.
func (e *LossError) Error() string {
	var list []string
	for _, l := range slices.Concat(e.Summary.Lost, e.Summary.LeftOut) {
		list = append(list, l.String())
	}
	return fmt.Sprintf("the format %s has no place for %s", e.Summary.To, strings.Join(list, "; "))
}

// maxReasons bounds the distinct reasons; a format has a handful.
const maxReasons = 100

// severalTables is why the examples of a database are left out by a format of
// single tables.
const severalTables = "question about a database of several tables"

// unknownDatabase is why an example is a bad record of its set, and no loss.
const unknownDatabase = "unknown database"

// survey is the first pass over a set: what of it can stand in the target.
type survey struct {
	to        *dataset.Format
	summary   *Summary
	skip      func(error)
	databases map[string]*dataset.Database // that can
	several   map[string]bool              // that cannot
	leftOut   map[int]bool                 // positions of the examples that cannot, among those that can be read
	lost      map[dataset.Feature]*Loss
	reasons   map[string]int
}

func (s *survey) keeps(f dataset.Feature) bool { return slices.Contains(s.to.Keeps, f) }

// lose returns the loss of a feature, a new one if there is none yet.
func (s *survey) lose(f dataset.Feature) *Loss {
	if s.lost[f] == nil {
		s.lost[f] = &Loss{What: string(f)}
	}
	return s.lost[f]
}

// schemas surveys the databases of a set.
func (s *survey) schemas(ctx context.Context, set *dataset.Set) error {
	n := 0
	err := set.Databases(s.skip, func(db *dataset.Database) error {
		n++
		if !dataset.ValidID(db.ID) {
			s.skip(&dataset.RecordError{File: set.Format, Record: n, Err: fmt.Errorf("db_id is %q, expected a name of at most 200 bytes that can be a folder's", dataset.Clip(db.ID))})
			return nil
		}
		if len(db.Tables) > 1 && !s.keeps(dataset.SeveralTables) {
			s.lose(dataset.SeveralTables).Databases++
			s.several[db.ID] = true
			return nil
		}
		kept := *db
		kept.Source = nil // may be large: all rows in WikiSQL
		s.databases[db.ID] = &kept
		return s.schema(ctx, set, db)
	})
	s.summary.Databases = len(s.databases)
	return err
}

// schema counts what the target does not keep of a database that it can hold.
func (s *survey) schema(ctx context.Context, set *dataset.Set, db *dataset.Database) error {
	for _, f := range db.Features() {
		if !s.keeps(f) {
			s.lose(f).Databases++
		}
	}
	if s.keeps(dataset.Rows) {
		return nil
	}
	there, err := hasRows(ctx, set, db)
	if there {
		s.lose(dataset.Rows).Databases++
	}
	return err
}

// hasRows reports whether a database has a row.
func hasRows(ctx context.Context, set *dataset.Set, db *dataset.Database) (bool, error) {
	if db.SQLite != "" || set.Rows == nil {
		return db.SQLite != "", nil
	}
	_, there, err := dataset.First(func(_ func(error), each func([]sqldata.Value) error) error { return set.Rows(ctx, db, each) }, nil)
	return there, err
}

// examples surveys the examples of a set.
func (s *survey) examples(set *dataset.Set) error {
	var together []*dataset.Example
	n := 0
	err := set.Examples(s.skip, func(ex *dataset.Example) error {
		if len(together) > 0 && !s.together(together[0], ex) {
			s.judge(n-len(together), together)
			together = together[:0]
		}
		together = append(together, ex)
		n++
		return nil
	})
	if err != nil {
		return err
	}
	s.judge(n-len(together), together)
	return nil
}

// together reports whether the target can only have both of two examples or neither, because an
// interaction without one of its questions is another one.
func (s *survey) together(a, b *dataset.Example) bool {
	return a.Interaction > 0 && a.Interaction == b.Interaction && s.keeps(dataset.Interactions)
}

// judge counts examples that belong together; first is the position of the first.
func (s *survey) judge(first int, together []*dataset.Example) {
	reasons := make([]string, len(together))
	for i, ex := range together {
		reasons[i] = s.refuses(ex)
	}
	refused := strings.Join(reasons, "") != ""
	for i, ex := range together {
		if refused {
			s.leave(first+i, ex, cmp.Or(reasons[i], "question of an interaction of which another question is left out"))
			continue
		}
		s.summary.Examples++
		for _, f := range ex.Features() {
			if !s.keeps(f) {
				s.lose(f).Examples++
			}
		}
	}
}

// leave leaves out the example at a position, and counts or reports the reason.
func (s *survey) leave(position int, ex *dataset.Example, why string) {
	s.leftOut[position] = true
	if why == unknownDatabase {
		s.skip(&dataset.RecordError{File: s.summary.Split, Record: ex.Index + 1, Err: fmt.Errorf("db_id %q is unknown, expected a database that can be read", dataset.Clip(ex.DB))})
		return
	}
	if _, known := s.reasons[why]; !known && len(s.reasons) >= maxReasons {
		why = "other reasons"
	}
	s.reasons[why]++
}

// refuses returns why an example cannot stand in the target, or "".
func (s *survey) refuses(ex *dataset.Example) string {
	db := s.databases[ex.DB]
	switch {
	case s.several[ex.DB]:
		return severalTables
	case db == nil:
		return unknownDatabase
	case s.to.Refuses == nil:
		return ""
	}
	if err := s.to.Refuses(db, ex); err != nil {
		return err.Error()
	}
	return ""
}

// list puts what was counted into the summary: features in their order, reasons by
// how many examples they bear on.
func (s *survey) list() {
	s.summary.Lost, s.summary.LeftOut = []Loss{}, []Loss{}
	for _, f := range dataset.AllFeatures {
		if l := s.lost[f]; l != nil {
			s.summary.Lost = append(s.summary.Lost, *l)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(s.reasons)) {
		s.summary.LeftOut = append(s.summary.LeftOut, Loss{What: why, Examples: s.reasons[why]})
	}
	slices.SortStableFunc(s.summary.LeftOut, func(a, b Loss) int { return cmp.Compare(b.Examples, a.Examples) })
}
