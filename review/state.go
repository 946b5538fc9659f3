package review

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// state holds the decisions of one annotator on the data, and their file.
type state struct {
	data *Data
	now  func() time.Time

	annotator string

	mu      sync.Mutex
	log     *Log
	history *history
	tallies []tally // by column
	total   tally
	done    int // columns without an undecided name
}

// tally counts the answers on the names of a column, or of all.
type tally struct{ names, accepted, rejected, moved, added int }

// decided returns the number of names with an answer.
func (t tally) decided() int { return t.accepted + t.rejected + t.moved }

// plus returns the sum of t and n times u; an n of -1 subtracts u.
func (t tally) plus(u tally, n int) tally {
	return tally{
		t.names + n*u.names, t.accepted + n*u.accepted, t.rejected + n*u.rejected, t.moved + n*u.moved, t.added + n*u.added,
	}
}

// newState opens the annotator's file, replays its decisions and counts the answers on each column. Decisions on names that the
// data lacks are noted and stay in the file.
func newState(data *Data, annotator, path string, report func(error)) (*state, error) {
	defer saveMemory()()
	h, whose := newHistory(), annotator
	log, err := OpenLog(path, report, func(d *Decision) {
		h.apply(d)
		whose = d.Annotator
	})
	if err != nil {
		return nil, err
	}
	if whose != annotator {
		log.Close()
		return nil, fmt.Errorf("%s: holds the decisions of %q, expected those of %q: each annotator has a file", path, dataset.Clip(whose), annotator)
	}
	s := &state{data: data, now: time.Now, annotator: annotator, log: log, history: h, tallies: make([]tally, len(data.columns))}
	for id := range data.columns {
		s.tallies[id] = s.tally(id)
		s.total = s.total.plus(s.tallies[id], 1)
		s.done += s.tallies[id].complete()
	}
	if n := s.countUnknown(); n > 0 {
		report(dataset.Note(fmt.Errorf("%s: %d %s that were decided on are not in the %s; their decisions stay in the file", filepath.Base(path), n, data.items(), data.source())))
	}
	return s, nil
}

// countUnknown counts the names that were decided on and that the data lacks: their column, or the name itself unless the annotator
// added it.
func (s *state) countUnknown() (n int) {
	for key := range s.history.columns {
		v := s.history.on(key)
		for item := range v.Items {
			if id, ok := s.data.byID[key]; !ok || !v.Added[item] && !s.data.columns[id].hasName(item.Side, item.Name) {
				n++
			}
		}
	}
	return n
}

// hasName reports whether a name is in a bucket of the column.
func (c *column) hasName(side dataset.Side, name string) bool {
	return slices.ContainsFunc(c.list(side), func(candidate dataset.Candidate) bool { return candidate.Name == name })
}

// addedNames returns the names that the annotator added to a column, in the order of the decisions. Names that the buckets have by now
// are left out.
func (s *state) addedNames(c *column) (items []Item) {
	for _, d := range s.history.decisionsOn(c.key) {
		item := Item{c.key, d.side, d.name}
		if d.action == Add && !slices.Contains(items, item) && !c.hasName(d.side, d.name) {
			items = append(items, item)
		}
	}
	return items
}

// tally counts the answers on the names of a column, and the names that the annotator added and did not reject.
func (s *state) tally(id int) tally {
	c := &s.data.columns[id]
	v := s.history.on(c.key)
	t := tally{names: c.names()}
	for _, side := range c.sides() {
		for _, candidate := range c.list(side) {
			switch v.Items[Item{c.key, side, candidate.Name}] {
			case Accept:
				t.accepted++
			case Reject:
				t.rejected++
			case Move:
				t.moved++
			}
		}
	}
	t.added = lists.Count(s.addedNames(c), func(item Item) bool { return v.Items[item] != Reject })
	return t
}

// complete returns 1 for a column without undecided names, else 0.
func (t tally) complete() int { return indicator(t.decided() == t.names) }

// append writes a decision on a column to the file, then updates the history and the counts.
func (s *state) append(id int, d *Decision) error {
	d.Time, d.Annotator = s.now().UTC().Format(time.RFC3339), s.annotator
	if err := d.Check(); err != nil {
		return refuse(http.StatusBadRequest, err)
	}
	if err := s.log.Append(d); err != nil {
		return refuse(http.StatusInternalServerError, fmt.Errorf("the decision is not saved: %w", err))
	}
	s.history.apply(d)
	old := s.tallies[id]
	s.tallies[id] = s.tally(id)
	s.total = s.total.plus(old, -1).plus(s.tallies[id], 1)
	s.done += s.tallies[id].complete() - old.complete()
	return nil
}

// decide stores a decision of the page and returns the column with it. It refuses a decision that was made on an older version of the
// column than the present one.
func (s *state) decide(ctx context.Context, r *Request) (*Saved, error) {
	if r.ID < 0 || r.ID >= len(s.data.columns) {
		return nil, refuse(http.StatusNotFound, fmt.Errorf("there is no column %d", r.ID))
	}
	view := s.data.view(ctx, r.ID) // before the lock: this may read a file
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.data.columns[r.ID]
	s.addDecisions(view)
	if r.Version != view.Version {
		return nil, &refused{http.StatusConflict, errors.New("the column was decided on in another tab; this is how it is now"), view}
	}
	d := c.decision()
	d.Action, d.Side, d.Name, d.Comment = r.Action, r.Side, r.Name, strings.TrimSpace(r.Comment)
	same, err := s.check(c, d)
	if err != nil {
		return nil, err
	}
	if same {
		return &Saved{Column: *view, Progress: s.progress()}, nil
	}
	if err := s.append(r.ID, d); err != nil {
		return nil, err
	}
	s.addDecisions(view)
	return &Saved{N: d.N, Column: *view, Progress: s.progress()}, nil
}

// check returns an error unless a decision is about a name or criterion of its column. It normalises an added name as in buckets.json.
// same is true if the decision repeats the present answer without a comment, so that it need not be stored.
func (s *state) check(c *column, d *Decision) (same bool, err error) {
	item := Item{c.key, d.Side, d.Name}
	v := s.history.on(c.key)
	known := func(side dataset.Side) bool { return c.hasName(side, d.Name) || v.Added[Item{c.key, side, d.Name}] }
	switch {
	case d.Action == Undo:
		return false, refuse(http.StatusBadRequest, errors.New("undo has an address of its own, /api/undo"))
	case c.record != nil && slices.Contains([]Action{Add, Move}, d.Action):
		return false, refuse(http.StatusBadRequest, fmt.Errorf("action is %q, expected accept, reject or comment on a record", d.Action))
	case d.Action == Add:
		d.Name = strings.ToLower(strings.Join(strings.Fields(d.Name), " ")) // as in buckets.json
		if err := s.data.usable(c, d.Name); err != nil {
			return false, refuse(http.StatusBadRequest, err)
		}
		for _, side := range dataset.Sides() {
			if known(side) {
				return false, refuse(http.StatusBadRequest, fmt.Errorf("%q is there already, as one to %s", d.Name, side))
			}
		}
	case d.Action == Comment && d.Name == "": // on the column itself
		d.Side = ""
	case d.acceptsAll():
		all := !slices.ContainsFunc(criteriaNames(), func(name string) bool { return v.Items[Item{c.key, Criterion, name}] != Accept })
		return all && d.Comment == "", nil
	case !known(d.Side):
		return false, refuse(http.StatusNotFound, fmt.Errorf("there is no name %q to %s", dataset.Clip(d.Name), dataset.Clip(string(d.Side))))
	case d.Action != Comment:
		return v.Items[item] == d.Action && d.Comment == "", nil
	}
	return false, nil
}

// undo takes back the annotator's last decision and returns the view of its column. It refuses if the page showed another decision as
// the last.
func (s *state) undo(ctx context.Context, r *Request) (*Saved, error) {
	id, n, err := s.takeBack(r.Undo)
	if err != nil && id < 0 { // there is no column to show; with another error, the refusal shows the column
		return nil, err
	}
	view := s.data.view(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addDecisions(view)
	if err != nil {
		return nil, &refused{http.StatusConflict, err, view}
	}
	return &Saved{N: n, Column: *view, Progress: s.progress()}, nil
}

// takeBack undoes the last decision if it has the given number. It returns its column, -1 if there is none to show, and the number of
// the undo.
func (s *state) takeBack(number int) (id, n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, id := s.last()
	if id < 0 {
		return -1, 0, refuse(http.StatusNotFound, errors.New("there is nothing to take back"))
	}
	if last != number {
		return id, 0, errors.New("another tab decided meanwhile; this is the column of the last decision")
	}
	d := &Decision{Action: Undo, Undoes: last}
	if err := s.append(id, d); err != nil {
		return -1, 0, err
	}
	return id, d.N, nil
}

// last returns the number and the column of the decision that undo takes back; 0 and -1 if there
// is none.
func (s *state) last() (n, id int) {
	n, key := s.history.last()
	id, ok := s.data.byID[key]
	if !ok {
		return 0, -1 // there is none, or its column is in other buckets, which the page cannot show
	}
	return n, id
}

// progress returns the counts of decisions, with the nouns for what the page is about (things: columns or records) and for what is
// decided on (items: names or criteria).
func (s *state) progress() Progress {
	last, _ := s.last()
	t := s.total
	return Progress{
		Annotator: s.annotator, Things: s.data.things(), Items: s.data.items(), Columns: len(s.data.columns), Done: s.done, Names: t.names, Decided: t.decided(),
		Accepted: t.accepted, Rejected: t.rejected, Moved: t.moved, Added: t.added, Undo: last,
	}
}

// list returns the page of columns that a query asks for.
func (s *state) list(q query) List {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data.list(q, func(id int) int { return s.tallies[id].names - s.tallies[id].decided() })
}

// databases returns the databases whose id contains a text, without regard to case: the number of all, and a list of the first
// PageSize.
func (s *state) databases(text string) Databases {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Databases{Databases: []DatabaseItem{}}
	text = strings.ToLower(text)
	for _, db := range s.data.databases {
		if !strings.Contains(strings.ToLower(db.ID), text) {
			continue
		}
		out.Total++
		if len(out.Databases) == PageSize {
			continue
		}
		item := DatabaseItem{DB: db.ID, Columns: len(db.columns)}
		for _, id := range db.columns {
			item.Done += s.tallies[id].complete()
		}
		out.Databases = append(out.Databases, item)
	}
	return out
}
