package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // what it is about cannot be used: no evaluation judges it
	Warning Severity = "warning" // a verdict that rests on it may be wrong
	Note    Severity = "note"    // worth knowing
)

// Check is one thing that is looked for. Exactly one of its functions is set.
type Check struct {
	Name     string
	Doc      string // the meaning of a finding, in one sentence
	Severity Severity

	directory func(*directory, *reporter) error       // looks at the data directory as a whole
	unit      func(context.Context, *unit, *reporter) // looks at one database with its examples
	gold      func(*unit, *gold) error                // returns what is wrong with one gold SQL
}

// Finding is one fault.
type Finding struct {
	Check    string   `json:"check"`
	Severity Severity `json:"severity"`
	DB       string   `json:"db,omitempty"`
	Index    int      `json:"index"` // of the example, from 0; -1 if the finding is about none
	Table    string   `json:"table,omitempty"`
	Column   string   `json:"column,omitempty"`
	File     string   `json:"file,omitempty"`   // below the data directory, where it is about a file
	Record   int      `json:"record,omitempty"` // of File, from 1, where it is about no example
	Detail   string   `json:"detail"`           // one line
}

// Place returns the place of a finding, as far as it is known: "example 3 shop", "shop.orders.date", "dev.json:7", or a file with a
// database.
func (f *Finding) Place() string {
	subject := f.DB
	for _, part := range []string{f.Table, f.Column} {
		if part != "" {
			subject += "." + part
		}
	}
	file := f.File
	if f.Record > 0 {
		file = fmt.Sprintf("%s:%d", f.File, f.Record)
	}
	switch {
	case f.Index >= 0:
		return fmt.Sprintf("example %d %s", f.Index, subject)
	case file == "":
		return subject
	case subject == "":
		return file
	}
	return file + " " + subject
}

// Config configures [Run].
type Config struct {
	Data  string // data directory
	Split string // name of a SPLIT.json
	Gold  string // file of lines "SQL TAB db_id" to audit instead of the split; "" for none
	// Against is a data directory with the same examples in other words, such as the
	// pre side of a build: findings that it has too are not reported. "" for none.
	Against string
	Slow    time.Duration // gold SQL that runs longer is slow; 0 means [DefaultSlow]
	Limits  sqldata.Limits
	Workers int
	Step    func() // called after each database; may be nil
}

// DefaultSlow is a hundred times what gold SQL of Spider takes.
const DefaultSlow = time.Second

// Summary counts what was audited.
type Summary struct {
	Split     string `json:"split"` // file of the examples
	Databases int    `json:"databases"`
	Examples  int    `json:"examples"` // those that could be read
}

// Run audits a data directory and reports its findings: those of the directory,
// then those of each database in the order in which the split first asks about
// it, sorted by check and example. The error is for what ends the audit: a
// directory that has no schemas or examples, or the context's.
func Run(ctx context.Context, c Config, report func(Finding)) (Summary, error) {
	if c.Slow <= 0 {
		c.Slow = DefaultSlow
	}
	if c.Step == nil {
		c.Step = func() {}
	}
	d, err := openDirectory(c)
	if err != nil {
		return Summary{}, err
	}
	if c.Against != "" {
		b, err := newBaseline(ctx, c, d)
		if err != nil {
			return Summary{}, err
		}
		report = b.filter(report)
	}
	return d.summary(), d.audit(ctx, c, report)
}

// audit runs all checks and reports their findings: first those of the checks of the directory, then those of each unit. Workers finish
// units in any order, but the findings are reported in the order of the units.
func (d *directory) audit(ctx context.Context, c Config, report func(Finding)) error {
	for i := range catalog {
		check := &catalog[i]
		if check.directory == nil {
			continue
		}
		r := &reporter{check: check}
		if err := check.directory(d, r); err != nil {
			return err
		}
		r.flush(report)
	}
	var mu sync.Mutex
	next, done := 0, map[int][]Finding{} // the next unit to report, and the findings of later ones that are finished
	return outdir.Run(ctx, c.Workers, d.units, func(ctx context.Context, i int, u *dataset.Unit) error {
		var found []Finding
		if err := auditUnit(ctx, d, u, c, func(f Finding) { found = append(found, f) }); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for done[i] = found; ; next++ {
			found, ok := done[next]
			if !ok {
				break
			}
			delete(done, next)
			for _, f := range found {
				report(f)
			}
		}
		c.Step()
		return nil
	})
}

// auditUnit runs all checks of databases and of gold SQL on one database. The end of ctx, which checks do not report, is an error.
func auditUnit(ctx context.Context, d *directory, du *dataset.Unit, c Config, report func(Finding)) error {
	u, err := newUnit(ctx, du, c)
	if err != nil {
		return err
	}
	defer u.close()
	for i := range catalog {
		r := &reporter{check: &catalog[i], db: du.DB.ID, examples: d.examples}
		r.run(ctx, u)
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %s: %w", du.DB.ID, r.check.Name, err)
		}
		r.flush(report)
	}
	return nil
}

// run runs the check on a database, or on each of its gold SQL, whose error it reports. It does nothing for a check of the directory.
func (r *reporter) run(ctx context.Context, u *unit) {
	switch check := r.check; {
	case check.unit != nil:
		check.unit(ctx, u, r)
	case check.gold != nil:
		for _, g := range u.golds {
			if fault := check.gold(u, g); fault != nil {
				r.gold(g, "%s", fault)
			}
		}
	}
}

// reporter collects the findings of one check on one database or directory.
type reporter struct {
	check    *Check
	db       string // its id; empty for a directory
	examples string // file of the examples
	found    []Finding
}

// file reports a fault of a file, or of one of its records if record, from 1, is not 0.
func (r *reporter) file(name string, record int, format string, args ...any) {
	r.add(Finding{Index: -1, File: name, Record: record, Detail: fmt.Sprintf(format, args...)})
}

// schema reports a fault of the database, or of a table or column if these are not "".
func (r *reporter) schema(table, column, format string, args ...any) {
	r.add(Finding{Index: -1, Table: table, Column: column, Detail: fmt.Sprintf(format, args...)})
}

// example reports a fault of an example.
func (r *reporter) example(ex *dataset.Example, format string, args ...any) {
	r.add(Finding{Index: ex.Index, File: r.examples, Detail: fmt.Sprintf(format, args...)})
}

// gold reports a fault of all examples that have the gold SQL.
func (r *reporter) gold(g *gold, format string, args ...any) {
	for _, ex := range g.examples {
		r.example(ex, format, args...)
	}
}

// add collects a finding. It sets its check and severity, and the database unless the finding has one.
func (r *reporter) add(f Finding) {
	f.Check, f.Severity, f.Detail = r.check.Name, r.check.Severity, oneLine(f.Detail)
	f.DB = cmp.Or(f.DB, r.db)
	r.found = append(r.found, f)
}

// flush reports the collected findings in the order of the examples.
func (r *reporter) flush(report func(Finding)) {
	slices.SortStableFunc(r.found, func(a, b Finding) int { return cmp.Compare(a.Index, b.Index) })
	for _, f := range r.found {
		report(f)
	}
}
