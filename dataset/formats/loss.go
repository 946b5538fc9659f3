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
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Summary describes what a conversion did, or would do.
type Summary struct {
	From      string `json:"from"` // formats
	To        string `json:"to"`
	Split     string `json:"split"`
	Databases int    `json:"databases"` // that the target format can hold
	Examples  int    `json:"examples"`
	Skipped   int    `json:"skipped"` // records that cannot be read or written, each reported
	Lost      []Loss `json:"lost"`    // what the target has no place for, in records that are written
	LeftOut   []Loss `json:"left_out"`
}

// String returns the size of the output: "12 examples on 3 databases".
func (s *Summary) String() string {
	return table.Count(s.Examples, "example") + " on " + table.Count(s.Databases, "database")
}

// WriteText writes what was lost and what was written to out or, if the conversion was
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

// Loss is something that a format cannot hold, with the number of databases and examples that
// have it: a [dataset.Feature], or the reason why examples are left out.
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

// LossError is the error of a conversion that would lose something without permission.
type LossError struct{ Summary *Summary }

// Error lists what would be lost.
func (e *LossError) Error() string {
	list := lists.Map(slices.Concat(e.Summary.Lost, e.Summary.LeftOut), Loss.String)
	return fmt.Sprintf("the format %s has no place for %s", e.Summary.To, strings.Join(list, "; "))
}

// maxReasons bounds the distinct reasons; a format has a handful.
const maxReasons = 100

// severalTables is the reason why a format of single tables leaves out examples.
const severalTables = "question about a database of several tables"

// unknownDatabase is the reason for an example that is a bad record of its set. It is no loss.
const unknownDatabase = "unknown database"

// survey is the first pass over a set. It counts what the target format cannot hold.
type survey struct {
	to            *dataset.Format
	summary       *Summary
	skip          func(error)                  // reports an unusable record
	databases     map[string]*dataset.Database // that the target can hold, by db_id
	severalTables map[string]bool              // db_ids of databases with more tables than the target can hold
	leftOut       map[int]bool                 // indices, among the usable examples, of those that it cannot hold
	lost          map[dataset.Feature]*Loss
	reasons       map[string]int   // examples that are left out for a reason
	unknown       map[string][]int // records of examples by their db_id that no database has
}

// targetKeeps reports whether the target format can hold a feature.
func (s *survey) targetKeeps(f dataset.Feature) bool { return slices.Contains(s.to.Keeps, f) }

// lossOf returns the loss of a feature, which is empty at first.
func (s *survey) lossOf(f dataset.Feature) *Loss {
	if s.lost[f] == nil {
		s.lost[f] = &Loss{What: string(f)}
	}
	return s.lost[f]
}

// surveyDatabases counts the databases that the target can hold, and what they lose.
func (s *survey) surveyDatabases(ctx context.Context, set *dataset.Set) error {
	n := 0
	err := set.Databases(s.skip, func(db *dataset.Database) error {
		n++
		if !dataset.ValidID(db.ID) {
			s.skip(&dataset.RecordError{File: set.Format, Record: n, Err: fmt.Errorf("db_id is %q, expected a name of at most 200 bytes that can be a folder's", dataset.Clip(db.ID))})
			return nil
		}
		if len(db.Tables) > 1 && !s.targetKeeps(dataset.SeveralTables) {
			s.lossOf(dataset.SeveralTables).Databases++
			s.severalTables[db.ID] = true
			return nil
		}
		stored := *db
		stored.Source = nil // may be large: all rows in WikiSQL
		s.databases[db.ID] = &stored
		return s.countLosses(ctx, set, db)
	})
	s.summary.Databases = len(s.databases)
	return err
}

// countLosses counts what a database loses in the target.
func (s *survey) countLosses(ctx context.Context, set *dataset.Set, db *dataset.Database) error {
	for _, f := range db.Features() {
		if !s.targetKeeps(f) {
			s.lossOf(f).Databases++
		}
	}
	if s.targetKeeps(dataset.Rows) {
		return nil
	}
	found, err := hasRows(ctx, set, db)
	if found {
		s.lossOf(dataset.Rows).Databases++
	}
	return err
}

// hasRows reports whether a database of a set has rows: a file of content, into which it does not look, or a row from
// [dataset.Set.Rows].
func hasRows(ctx context.Context, set *dataset.Set, db *dataset.Database) (bool, error) {
	if db.SQLite != "" || set.Rows == nil {
		return db.SQLite != "", nil
	}
	_, found, err := dataset.First(func(_ func(error), each func([]sqldata.Value) error) error { return set.Rows(ctx, db, each) }, nil)
	return found, err
}

// surveyExamples counts the examples that the target can hold, and what they lose. Turns of an
// interaction are counted together.
func (s *survey) surveyExamples(set *dataset.Set) error {
	var turns []*dataset.Example
	n := 0
	err := set.Examples(s.skip, func(ex *dataset.Example) error {
		if len(turns) > 0 && !s.sameInteraction(turns[0], ex) { // the interaction before is complete
			s.countExamples(n-len(turns), turns) // n-len(turns) is the index of the first turn
			turns = turns[:0]
		}
		turns = append(turns, ex)
		n++
		return nil
	})
	if err != nil {
		return err
	}
	s.countExamples(n-len(turns), turns)
	return nil
}

// sameInteraction reports whether the target can only hold both examples or neither, because an
// interaction without one of its questions is another one.
func (s *survey) sameInteraction(a, b *dataset.Example) bool {
	return a.Interaction > 0 && a.Interaction == b.Interaction && s.targetKeeps(dataset.Interactions)
}

// countExamples counts examples that belong together; first is the index of the first among the
// usable examples. If the target cannot hold one of them, all are left out.
func (s *survey) countExamples(first int, turns []*dataset.Example) {
	reasons := lists.Map(turns, s.refuses)
	refused := strings.Join(reasons, "") != "" // there is a reason for one of them at least
	for i, ex := range turns {
		if refused {
			s.leaveOut(first+i, ex, cmp.Or(reasons[i], "question of an interaction of which another question is left out"))
			continue
		}
		s.summary.Examples++
		for _, f := range ex.Features() {
			if !s.targetKeeps(f) {
				s.lossOf(f).Examples++
			}
		}
	}
}

// leaveOut counts an example that is left out for a reason; index is its index among the usable
// examples. An unknown database is no loss of the format, so [survey.reportUnknown] reports it; after maxReasons
// different reasons the others count as one.
func (s *survey) leaveOut(index int, ex *dataset.Example, reason string) {
	s.leftOut[index] = true
	if reason == unknownDatabase {
		s.unknown[ex.DB] = append(s.unknown[ex.DB], ex.Index+1)
		return
	}
	if _, counted := s.reasons[reason]; !counted && len(s.reasons) >= maxReasons {
		reason = "other reasons"
	}
	s.reasons[reason]++
}

// refuses returns the reason why the target cannot hold an example, or "".
func (s *survey) refuses(ex *dataset.Example) string {
	db := s.databases[ex.DB]
	switch {
	case s.severalTables[ex.DB]:
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

// reportUnknown reports each db_id that is unknown once, in the order of their first records.
func (s *survey) reportUnknown() {
	byRecord := func(a, b string) int { return cmp.Compare(s.unknown[a][0], s.unknown[b][0]) }
	for _, id := range slices.SortedFunc(maps.Keys(s.unknown), byRecord) {
		err := fmt.Errorf("db_id %q is unknown, expected a database that can be read", dataset.Clip(id))
		if n := len(s.unknown[id]) - 1; n > 0 {
			err = fmt.Errorf("%w; the same holds of %s", err, table.Count(n, "other record"))
			s.summary.Skipped += n // skip counts the first
		}
		s.skip(&dataset.RecordError{File: s.summary.Split, Record: s.unknown[id][0], Err: err})
	}
}

// summarize sets the lists of the summary: lost features in the order of [dataset.AllFeatures], and reasons with the most
// frequent first, equally frequent ones by their text.
func (s *survey) summarize() {
	s.reportUnknown()
	s.summary.Lost, s.summary.LeftOut = []Loss{}, []Loss{}
	for _, f := range dataset.AllFeatures {
		if l := s.lost[f]; l != nil {
			s.summary.Lost = append(s.summary.Lost, *l)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(s.reasons)) {
		s.summary.LeftOut = append(s.summary.LeftOut, Loss{What: reason, Examples: s.reasons[reason]})
	}
	slices.SortStableFunc(s.summary.LeftOut, func(a, b Loss) int { return cmp.Compare(b.Examples, a.Examples) })
}
