package perturb

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
)

// MarkKept returns a copy of the schema with marks on what views and triggers of its SQLite file
// depend on: [dataset.Column.Fixed], [dataset.Table.Kept] and [dataset.Table.Read]. Perturbations leave
// that as it is. by counts the fixed columns of tables by what depends on them, views or triggers. If
// nothing is kept, MarkKept returns db itself.
func MarkKept(ctx context.Context, db *dataset.Database, file engine.DB) (marked *dataset.Database, by map[string]int, err error) {
	kept, err := file.Kept(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("views and triggers: %w", err)
	}
	if len(kept.Columns)+len(kept.Tables)+len(kept.Views)+len(kept.Read) == 0 {
		return db, nil, nil
	}
	out := db.Clone()
	by = map[string]int{}
	for _, c := range kept.Columns {
		if ref, ok := out.Lookup(c.Table, c.Column); ok {
			out.Column(ref).Fixed = true
			by[c.By]++
		}
	}
	markTables(out, kept.Tables, func(t *dataset.Table) { t.Kept = true })
	markTables(out, kept.Read, func(t *dataset.Table) { t.Read = true })
	markTables(out, kept.Views, func(t *dataset.Table) {
		t.Kept = true
		for c := range t.Columns {
			t.Columns[c].Fixed = true
		}
	})
	return out, by, nil
}

// markTables calls set with each of the named tables that the schema has.
func markTables(db *dataset.Database, names []string, set func(*dataset.Table)) {
	for _, name := range names {
		if t := db.Table(name); t >= 0 {
			set(&db.Tables[t])
		}
	}
}
