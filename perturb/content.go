package perturb

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/sqlast"
)

// ApplyContent writes to dst a copy of the SQLite file src with the edits made.
func ApplyContent(ctx context.Context, src, dst string, edits []Edit) error {
	return engine.Copy(ctx, src, dst, contentWrites(edits, engine.DialectOf(src))...)
}

// DraftContent opens the content src with the edits made and writes nothing, as [engine.Draft] does.
func DraftContent(ctx context.Context, src string, edits []Edit) (engine.DB, error) {
	return engine.Draft(ctx, src, contentWrites(edits, engine.DialectOf(src))...)
}

// ChangesContent reports whether edits change the SQLite file. Others change the schema that
// models read, or the question.
func ChangesContent(edits []Edit) bool { return len(contentWrites(edits, sqlast.SQLite)) > 0 }

// contentWrites returns the writes of edits to content of a dialect. Renamings of tables come last, because
// the other writes use the old names of tables.
func contentWrites(edits []Edit, d *sqlast.Dialect) []sqldata.Write {
	var columns, tables []sqldata.Write
	for _, e := range edits {
		for _, w := range e.content(d) {
			if _, ok := w.(sqldata.RenameTable); ok {
				tables = append(tables, w)
			} else {
				columns = append(columns, w)
			}
		}
	}
	return append(withDetours(columns), withDetours(tables)...)
}

// withDetours returns the writes such that SQLite can make them one after the other. A renaming to the old name of
// another renaming, as in a swap, or to its own in another case becomes two: to a temporary name, and after all other
// writes to the final name.
func withDetours(writes []sqldata.Write) []sqldata.Write {
	givenUp := map[sqlast.BaseColumn]bool{} // the old names; those of tables have no column
	for _, w := range writes {
		if from, _, ok := renaming(w); ok {
			givenUp[from.Key()] = true
		}
	}
	var first, last []sqldata.Write
	for _, w := range writes {
		from, to, ok := renaming(w)
		if !ok || !givenUp[to.Key()] {
			first = append(first, w)
			continue
		}
		detour := fmt.Sprintf("tabperturb renamed %d", len(last))
		switch w := w.(type) {
		case sqldata.RenameColumn:
			first = append(first, sqldata.RenameColumn{Table: w.Table, Column: w.Column, Name: detour})
			last = append(last, sqldata.RenameColumn{Table: w.Table, Column: detour, Name: w.Name})
		case sqldata.RenameTable:
			first = append(first, sqldata.RenameTable{Table: from.Table, Name: detour})
			last = append(last, sqldata.RenameTable{Table: detour, Name: w.Name})
		}
	}
	return append(first, last...)
}

// renaming returns the old and the new name of the table or column that a write renames, false if it renames none.
func renaming(w sqldata.Write) (from, to sqlast.BaseColumn, ok bool) {
	switch w := w.(type) {
	case sqldata.RenameColumn:
		return sqlast.BaseColumn{Table: w.Table, Column: w.Column}, sqlast.BaseColumn{Table: w.Table, Column: w.Name}, true
	case sqldata.RenameTable:
		return sqlast.BaseColumn{Table: w.Table}, sqlast.BaseColumn{Table: w.Name}, true
	}
	return from, to, false
}
