package consistency

import (
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// counts are the numbers of judged pairs and of errors among them.
type counts struct{ pairs, errors int }

// relation counts the outcomes of one relation.
type relation struct {
	name     string
	cells    []counts // by the database's position in Tally.dbs
	unjudged map[string]int
	types    map[Type]int
	clauses  map[Clause]int
}

// newRelation returns the empty counts of the named relation.
func newRelation(name string) *relation {
	return &relation{name: name, unjudged: map[string]int{}, types: map[Type]int{}, clauses: map[Clause]int{}}
}

// Tally counts the outcomes of one model. Its size depends on relations and
// databases, not on the number of pairs.
type Tally struct {
	model     string
	dbs       map[string]int // positions of databases in relation.cells, in the order in which they first occurred
	relations []*relation    // in the order in which they first occurred
	byName    map[string]*relation
}

// NewTally returns an empty tally of the named model.
func NewTally(model string) *Tally {
	return &Tally{model: model, dbs: map[string]int{}, byName: map[string]*relation{}}
}

// Add counts the outcome of a pair of the named relation on a database, which goes
// by its db_id before the edits.
func (t *Tally) Add(name, db string, o Outcome) {
	r := t.byName[name]
	if r == nil {
		r = newRelation(name)
		t.byName[name] = r
		t.relations = append(t.relations, r)
	}
	if o.Verdict == verdict.Unjudged {
		r.unjudged[o.Reason]++
		return
	}
	position, ok := t.dbs[db]
	if !ok {
		position = len(t.dbs)
		t.dbs[db] = position
	}
	r.cells = append(r.cells, make([]counts, max(0, position+1-len(r.cells)))...) // up to the position
	r.cells[position].pairs++
	if o.Verdict == verdict.Wrong {
		r.cells[position].errors++
		r.types[o.Difference.Type]++
		for _, c := range o.Difference.Clauses {
			r.clauses[c]++
		}
	}
}

// Model is the figures of one model.
type Model struct {
	Name      string `json:"name"`
	Relations []Row  `json:"relations"`
	// All holds the pairs of all relations together, as the last column of table 7
	// does: it is no average of the rows.
	All Row `json:"all"`
	// Score is the mean of the relations' assessments, where good is 1, neutral 0
	// and bad -1; it is undefined for one model alone.
	Score stats.Number `json:"score"`
}

// Row is the figures of a model on a relation.
type Row struct {
	Name       string         `json:"name"`      // of the relation
	Databases  int            `json:"databases"` // with judged pairs
	Pairs      int            `json:"pairs"`     // judged
	Errors     int            `json:"errors"`
	Rate       stats.Number   `json:"rate"` // errors/pairs, 0 to 1; null without pairs
	Low        stats.Number   `json:"low"`  // of its interval; null with fewer than two databases
	High       stats.Number   `json:"high"`
	Assessment Assessment     `json:"assessment,omitempty"`
	Unjudged   map[string]int `json:"unjudged,omitempty"` // by reason
	Types      map[Type]int   `json:"types,omitempty"`    // of the errors, each of one
	Clauses    map[Clause]int `json:"clauses,omitempty"`  // errors in which they differ
}

// Model returns the figures with intervals by b, relations in the order in which
// they were first added.
func (t *Tally) Model(b stats.Bootstrap) Model {
	m := Model{Name: t.model, Relations: []Row{}, Score: stats.Undefined()} // [NewReport] sets the score of one of several models
	all := newRelation("all")
	all.cells = make([]counts, len(t.dbs))
	for _, r := range t.relations {
		m.Relations = append(m.Relations, r.row(b))
		for db, c := range r.cells {
			all.cells[db].pairs += c.pairs
			all.cells[db].errors += c.errors
		}
		addCounts(all.unjudged, r.unjudged)
		addCounts(all.types, r.types)
		addCounts(all.clauses, r.clauses)
	}
	m.All = all.row(b)
	return m
}

// addCounts adds counts to the sums of the same keys.
func addCounts[K comparable](sum, add map[K]int) {
	for k, n := range add {
		sum[k] += n
	}
}

// row returns the error rate of a relation with its interval.
func (r *relation) row(b stats.Bootstrap) Row {
	cells := lists.Filter(r.cells, func(c counts) bool { return c.pairs > 0 })
	row := Row{Name: r.name, Databases: len(cells), Unjudged: r.unjudged, Types: r.types, Clauses: r.clauses}
	for _, c := range cells {
		row.Pairs += c.pairs
		row.Errors += c.errors
	}
	e := b.Estimate(len(cells), func(times []int) float64 { // times: how often a resample has each database
		var sum counts
		for i, c := range cells {
			sum.pairs += times[i] * c.pairs
			sum.errors += times[i] * c.errors
		}
		return float64(stats.Share(sum.errors, sum.pairs))
	})
	row.Rate, row.Low, row.High = e.Value, e.Low, e.High
	return row
}

// Estimate returns the error rate with its interval.
func (r *Row) Estimate() stats.Estimate {
	return stats.Estimate{Value: r.Rate, Interval: stats.Interval{Low: r.Low, High: r.High}}
}
