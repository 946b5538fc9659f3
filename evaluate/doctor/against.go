package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// baseline is what was found in the directory that another one was made from.
// Examples correspond by index, databases by the examples that ask about them,
// and tables and columns by name, or else by position, for they may have other names.
type baseline struct {
	found  map[place]bool
	before map[string]*dataset.Database // by db_id of the directory under audit
	after  map[string]*dataset.Database
}

// place is what a finding is about, in the baseline's names.
type place struct {
	check, file       string
	record, index     int
	db, table, column string
}

// newBaseline audits the baseline of d.
func newBaseline(ctx context.Context, c Config, d *directory) (*baseline, error) {
	c.Data = c.Against
	from, err := open(c)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	b := &baseline{found: map[place]bool{}, before: map[string]*dataset.Database{}, after: d.databases}
	if err := b.pair(from, d); err != nil {
		return nil, err
	}
	return b, from.audit(ctx, c, func(f Finding) { b.found[placeOf(f)] = true })
}

// pair finds out which database was made from which.
func (b *baseline) pair(from, d *directory) error {
	if n, m := from.records(), d.records(); n != m {
		return fmt.Errorf("baseline: %s: has %d records, expected %d as %s has", from.place(from.examples), n, m, d.place(d.examples))
	}
	of := map[int]*dataset.Database{}
	for _, u := range from.units {
		for _, ex := range u.Examples {
			of[ex.Index] = u.DB
		}
	}
	for _, u := range d.units {
		for _, ex := range u.Examples {
			db := of[ex.Index]
			if known := b.before[u.DB.ID]; db == nil || known != nil && known != db {
				return fmt.Errorf("baseline: %s:%d: does not go with that record of %s, expected the same examples in the same order",
					from.place(from.examples), ex.Index+1, d.place(d.examples))
			}
			b.before[u.DB.ID] = db
		}
	}
	return nil
}

// placeOf returns what a finding is about, without the wording, for comparison with a baseline.
func placeOf(f Finding) place {
	switch {
	case f.Index >= 0:
		return place{check: f.Check, index: f.Index}
	case f.DB == "":
		return place{check: f.Check, index: -1, file: f.File, record: f.Record}
	}
	return place{check: f.Check, index: -1, db: f.DB, table: strings.ToLower(f.Table), column: strings.ToLower(f.Column)}
}

// filter passes on what the baseline does not have.
func (b *baseline) filter(report func(Finding)) func(Finding) {
	return func(f Finding) {
		if !b.found[placeOf(b.translate(f))] {
			report(f)
		}
	}
}

// translate gives a finding the baseline's names, as far as they correspond.
func (b *baseline) translate(f Finding) Finding {
	before, after := b.before[f.DB], b.after[f.DB]
	if before == nil || after == nil {
		return f
	}
	f.DB = before.ID
	if _, same := before.Lookup(f.Table, f.Column); same { // at another position, where columns went or moved
		return f
	}
	t := after.Table(f.Table)
	if t < 0 || t >= len(before.Tables) {
		return f
	}
	if ref, ok := after.Lookup(f.Table, f.Column); ok && ref.Column < len(before.Tables[t].Columns) {
		f.Column = before.Tables[t].Columns[ref.Column].Original
	}
	f.Table = before.Tables[t].Original
	return f
}
