package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// baseline holds the findings in the directory that the audited one was made from. Examples of the two
// correspond by index, databases by the examples that ask about them, and tables and columns by name,
// or else by position, because the audited directory may have renamed them.
type baseline struct {
	found  map[subject]bool
	before map[string]*dataset.Database // the baseline's databases by the db_id in the audited directory
	after  map[string]*dataset.Database // the audited directory's databases by db_id
}

// subject identifies what a finding is about, in the baseline's names.
type subject struct {
	check, file       string
	record, index     int
	db, table, column string
}

// newBaseline audits the directory c.Against, and returns its findings as the baseline of d.
func newBaseline(ctx context.Context, c Config, d *directory) (*baseline, error) {
	c.Data = c.Against
	from, err := openDirectory(c)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	b := &baseline{found: map[subject]bool{}, before: map[string]*dataset.Database{}, after: d.databases}
	if err := b.pair(from, d); err != nil {
		return nil, err
	}
	return b, from.audit(ctx, c, func(f Finding) { b.found[subjectOf(f)] = true })
}

// pair finds for each database of d the database of from that it was made from: the one that the examples with the same indexes ask about.
// It is an error if the examples of the two directories do not correspond.
func (b *baseline) pair(from, d *directory) error {
	if n, m := from.records(), d.records(); n != m {
		return fmt.Errorf("baseline: %s: has %d records, expected %d as %s has", from.pathOf(from.examples), n, m, d.pathOf(d.examples))
	}
	databaseOf := map[int]*dataset.Database{} // by index of an example in from
	for _, u := range from.units {
		for _, ex := range u.Examples {
			databaseOf[ex.Index] = u.DB
		}
	}
	for _, u := range d.units {
		for _, ex := range u.Examples {
			db := databaseOf[ex.Index]
			if known := b.before[u.DB.ID]; db == nil || known != nil && known != db {
				return fmt.Errorf("baseline: %s:%d: does not go with that record of %s, expected the same examples in the same order",
					from.pathOf(from.examples), ex.Index+1, d.pathOf(d.examples))
			}
			b.before[u.DB.ID] = db
		}
	}
	return nil
}

// subjectOf returns the subject of a finding: its check, with the example, the record of a file, or the database with table and column.
func subjectOf(f Finding) subject {
	switch {
	case f.Index >= 0:
		return subject{check: f.Check, index: f.Index}
	case f.DB == "":
		return subject{check: f.Check, index: -1, file: f.File, record: f.Record}
	}
	return subject{check: f.Check, index: -1, db: f.DB, table: strings.ToLower(f.Table), column: strings.ToLower(f.Column)}
}

// filter returns a function that passes a finding to report, unless the baseline has one with the same subject.
func (b *baseline) filter(report func(Finding)) func(Finding) {
	return func(f Finding) {
		if !b.found[subjectOf(b.translate(f))] {
			report(f)
		}
	}
}

// translate returns a finding of the audited directory with the baseline's names, as far as they
// correspond.
func (b *baseline) translate(f Finding) Finding {
	before, after := b.before[f.DB], b.after[f.DB]
	if before == nil || after == nil {
		return f
	}
	f.DB = before.ID
	if _, same := before.Lookup(f.Table, f.Column); same { // not renamed, but maybe at another position
		return f
	}
	t := after.Table(f.Table) // renamed: the table before is at the same position
	if t < 0 || t >= len(before.Tables) {
		return f
	}
	if ref, ok := after.Lookup(f.Table, f.Column); ok && ref.Column < len(before.Tables[t].Columns) {
		f.Column = before.Tables[t].Columns[ref.Column].Original
	}
	f.Table = before.Tables[t].Original
	return f
}
