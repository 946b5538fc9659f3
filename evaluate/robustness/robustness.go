// Package robustness compares a model's accuracy on perturbed data with its accuracy on
// the data before: section 4 and table 3 of "Dr.Spider: A Diagnostic Evaluation
// Benchmark towards Text-to-SQL Robustness".
//
// A [Tally] counts the verdicts on pairs of predictions by perturbation and
// database; its [Table] holds one row per perturbation, grouped by family, and the
// macro-averages of each group and of all. Text, Markdown, CSV and JSON are four
// ways to write that one value.
//
// Every figure has an interval that draws databases, because the records of one database,
// and above all several samples of one example, depend on each other. With one database
// there is none. McNemar's p is included because papers report it; it takes records as
// independent, and is too small if they are not. With one database it compares questions.
//
// An interaction may have unchanged turns between perturbed ones. A model may answer them
// differently, because the turns before differ, but they would dilute the effect of the
// perturbation, so they are counted separately.
package robustness

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

// Record is a prediction on an example before, and one on it after, a
// perturbation.
type Record struct {
	Perturbation string // its full name, "adveta/replace"
	Group        string // what it changes, as Dr.Spider's DB, NLQ and SQL; may be empty
	DB           string // db_id before the perturbation
	Gold         string // gold SQL before the perturbation: records that share it are versions of one question
	sides.Position
	Pre, Post verdict.Verdict
}

// counts are the numbers of records judged both before and after, and of those right before, after and both.
type counts struct{ records, pre, post, both int }

// add adds the counts d a number of times.
func (c *counts) add(d counts, times int) {
	c.records += times * d.records
	c.pre += times * d.pre
	c.post += times * d.post
	c.both += times * d.both
}

// A figure is a share that is computed from counts: its part and its whole. It is undefined if the whole is
// 0.
type figure func(counts) (part, whole int)

// of returns the figure of counts.
func (f figure) of(c counts) stats.Number { return stats.Share(f(c)) }

// The figures of section 4; with change, the difference of the first two.

// preAccuracy is the accuracy before the perturbation.
func preAccuracy(c counts) (part, whole int) { return c.pre, c.records }

// postAccuracy is the accuracy after the perturbation.
func postAccuracy(c counts) (part, whole int) { return c.post, c.records }

// change is the accuracy after the perturbation less that before.
func change(c counts) (part, whole int) { return c.post - c.pre, c.records }

// relative is the share of the records right before that are right after too.
func relative(c counts) (part, whole int) { return c.both, c.pre }

// tally counts the records of one perturbation.
type tally struct {
	name, family string
	group        string         // below which the table lists it, within its family; may be empty
	byDatabase   []counts       // by the database's position in Tally.dbs
	gainedByGold map[string]int // versions that became right less those that became wrong
	versions     versions

	unjudged, unchanged int // records that are in no figure
}

// Tally counts records. Its size depends on perturbations, databases and questions, not on
// the number of records.
type Tally struct {
	metric string
	whole  []verdict.Verdict // of the split before, by example; nil to count covered examples only
	dbs    map[string]int    // positions of databases in tally.byDatabase, in the order in which they first occurred
	rows   []*tally          // in the order in which they first occurred
	byName map[string]*tally
}

// NewTally returns an empty tally of verdicts by the named metric. If the verdicts on a whole split before, by example, are
// given, rows have [Row.Whole].
func NewTally(metric string, whole []verdict.Verdict) *Tally {
	return &Tally{metric: metric, whole: whole, dbs: map[string]int{}, byName: map[string]*tally{}}
}

// Add counts a record. One that is unchanged, or not judged before or after, is
// counted separately and left out of all figures.
func (t *Tally) Add(r Record) {
	row := t.byName[r.Perturbation]
	if row == nil {
		family, _, _ := strings.Cut(r.Perturbation, "/")
		row = &tally{name: r.Perturbation, family: family, group: r.Group, gainedByGold: map[string]int{}, versions: versions{}}
		t.byName[r.Perturbation] = row
		t.rows = append(t.rows, row)
	}
	switch {
	case r.Unchanged:
		row.unchanged++
		return
	case r.Pre == verdict.Unjudged, r.Post == verdict.Unjudged:
		row.unjudged++
		return
	}
	db, ok := t.dbs[r.DB]
	if !ok {
		db = len(t.dbs)
		t.dbs[r.DB] = db
	}
	row.byDatabase = padded(row.byDatabase, db+1)
	pre, post := r.Pre.Points(), r.Post.Points()
	row.byDatabase[db].add(counts{records: 1, pre: pre, post: post, both: min(pre, post)}, 1)
	row.gainedByGold[r.Gold] += post - pre
	row.versions.add(r.Example, r.Sample, post) // a record is one perturbed version of its example
}

// Table holds the figures of one metric.
type Table struct {
	Metric    string          `json:"metric"`
	How       string          `json:"how,omitempty"` // the metric's comparison and databases, in words; set by the caller
	Bootstrap stats.Bootstrap `json:"bootstrap"`     // of the intervals
	Rows      []Row           `json:"rows"`
}

// Row holds the figures of a perturbation or, if that is empty, the
// macro-averages over the perturbations of a group, or of all if the group is
// empty too. Accuracies are 0 to 1. An average leaves out perturbations for which
// its figure is not defined.
type Row struct {
	Group         string         `json:"group,omitempty"`
	Perturbation  string         `json:"perturbation,omitempty"` // full name
	Perturbations int            `json:"perturbations"`
	Databases     int            `json:"databases"`
	Records       int            `json:"records"`             // judged before and after
	Unjudged      int            `json:"unjudged"`            // left out
	Unchanged     int            `json:"unchanged,omitempty"` // left out: turns without a change
	Pre           stats.Estimate `json:"pre"`
	Post          stats.Estimate `json:"post"`
	Change        stats.Estimate `json:"change"` // post - pre
	// Relative is relative robustness accuracy: of the predictions that are
	// right before, the share that is right after too.
	Relative stats.Estimate `json:"relative"`
	Broken   int            `json:"broken"` // right before and wrong after
	Fixed    int            `json:"fixed"`  // wrong before and right after
	// McNemar is the p of McNemar's test of Broken against Fixed, which takes
	// records as independent; with one database, of the questions whose versions
	// lose against those that gain.
	McNemar stats.Number `json:"mcnemar_p"`
	Samples *Samples     `json:"samples,omitempty"` // of a perturbation with several samples of an example
	Whole   *Whole       `json:"whole,omitempty"`   // of a perturbation, if the whole split was scored before
}

// Table returns the figures with intervals by b. Groups and the perturbations
// within them come in the order in which they were first added; each group of
// more than one perturbation ends with its average, a family of several groups
// with its own, and so does the table.
func (t *Tally) Table(b stats.Bootstrap) *Table {
	table := &Table{Metric: t.metric, Bootstrap: b.WithDefaults(), Rows: []Row{}}
	average := func(label string, members []*tally) {
		if len(members) > 1 { // the average of one is its own row
			table.Rows = append(table.Rows, t.row(label, "", members, b))
		}
	}
	partialAverage := func(g gathered) {
		if len(g.members) < len(t.rows) { // else the last row is the same
			average(g.name, g.members)
		}
	}
	families := gather(t.rows, func(r *tally) string { return r.family })
	for _, family := range families {
		groups := gather(family.members, func(r *tally) string { return cmp.Or(r.group, r.family) })
		for _, group := range groups {
			for _, r := range group.members {
				row := t.row(group.name, r.name, []*tally{r}, b)
				// The accuracies over several samples of each example and over the whole split; nil if there are none.
				row.Samples, row.Whole = r.versions.samples(), r.versions.within(t.whole)
				table.Rows = append(table.Rows, row)
			}
			partialAverage(group)
		}
		if len(groups) > 1 {
			partialAverage(family)
		}
	}
	average("", t.rows)
	return table
}

// row returns the row with the macro-average of members; for one member, its own figures.
func (t *Tally) row(group, perturbation string, members []*tally, b stats.Bootstrap) Row {
	r := Row{Group: group, Perturbation: perturbation, Perturbations: len(members)}
	var all counts
	var active []int // databases with records
	for _, m := range members {
		r.Unjudged += m.unjudged
		r.Unchanged += m.unchanged
		for db, c := range m.byDatabase {
			all.add(c, 1)
			if c.records > 0 {
				active = append(active, db)
			}
		}
	}
	slices.Sort(active)
	active = slices.Compact(active)
	r.Databases, r.Records = len(active), all.records
	r.Broken, r.Fixed = all.pre-all.both, all.post-all.both
	switch r.Databases {
	case 0:
		r.McNemar = stats.Undefined()
	case 1: // records are not independent, so questions are compared
		r.McNemar = stats.McNemar(questions(members))
	default:
		r.McNemar = stats.McNemar(r.Broken, r.Fixed)
	}
	estimate := func(f figure) stats.Estimate {
		return b.Estimate(len(active), func(times []int) float64 { return macro(f, members, active, times) })
	}
	r.Pre, r.Post, r.Change, r.Relative = estimate(preAccuracy), estimate(postAccuracy), estimate(change), estimate(relative)
	return r
}

// questions returns how many questions, by their gold SQL, lose more right versions than they gain (broken), and how many
// gain more than they lose (fixed).
func questions(members []*tally) (broken, fixed int) {
	gained := map[string]int{}
	for _, m := range members {
		for gold, n := range m.gainedByGold {
			gained[gold] += n
		}
	}
	for _, n := range gained {
		switch {
		case n < 0:
			broken++
		case n > 0:
			fixed++
		}
	}
	return broken, fixed
}

// macro returns the mean of a figure over the perturbations, members, for which it is defined; NaN if there are none. It
// counts the records of the database active[i] times[i] times, as a draw of the bootstrap has it.
func macro(f figure, members []*tally, active, times []int) float64 {
	var sum float64
	n := 0
	for _, m := range members {
		var c counts
		for i, db := range active {
			if db < len(m.byDatabase) { // m has no records of later databases
				c.add(m.byDatabase[db], times[i])
			}
		}
		if v := f.of(c); v.Defined() {
			sum += float64(v)
			n++
		}
	}
	return sum / float64(n)
}

// gathered holds the tallies with one key.
type gathered struct {
	name    string // the key
	members []*tally
}

// gather groups rows by a key. Keys and rows stay in the order in which they first occur.
func gather(rows []*tally, key func(*tally) string) []gathered {
	var all []gathered
	for _, r := range rows {
		k := key(r)
		i := slices.IndexFunc(all, func(g gathered) bool { return g.name == k })
		if i < 0 {
			i = len(all)
			all = append(all, gathered{name: k})
		}
		all[i].members = append(all[i].members, r)
	}
	return all
}
