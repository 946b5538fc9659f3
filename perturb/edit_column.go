package perturb

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DropColumn removes a column that is part of no key (MT-TEQL, section 3.2, column removal).
type DropColumn struct {
	EditDefaults
	Table  string `json:"table"`  // SQL name
	Column string `json:"column"` // SQL name
}

// RemovesColumn returns true: the column has no counterpart after the edit.
func (DropColumn) RemovesColumn() bool { return true }

// Touches returns the dropped column.
func (e DropColumn) Touches() (table, column string) { return e.Table, e.Column }

// schema marks the column as removed. It returns an error for a column that must stay
// ([schemaChange.removable]) and for the only column left in its table.
func (e DropColumn) schema(s *schemaChange) error {
	ref, err := s.removable(e.Table, e.Column)
	if err != nil {
		return fmt.Errorf("%w, expected one that can be dropped", err)
	}
	isLeft := func(c dataset.Column) bool { return c.Original != removed }
	if lists.Count(s.after.Tables[ref.Table].Columns, isLeft) < 2 {
		return fmt.Errorf("column %s.%s is the only one of its table", e.Table, e.Column)
	}
	s.after.Column(ref).Original = removed
	return nil
}

// content drops the column in the SQLite file.
func (e DropColumn) content(*sqlast.Dialect) []sqldata.Write {
	return []sqldata.Write{sqldata.DropColumn{Table: e.Table, Column: e.Column}}
}

// gold adapts gold SQL to the restructured schema and records that the column is dropped.
func (e DropColumn) gold(g *goldChange) {
	g.setWay(restructured)
	g.detach(e.Table, e.Column)
	g.dropped = append(g.dropped, sqlast.BaseColumn{Table: e.Table, Column: e.Column})
}

// follow drops derived columns too; [schemaChange.removable] wants them gone first.
func (e DropColumn) follow(d derivedColumn) Edit {
	return DropColumn{Table: d.table, Column: d.column.Original}
}

// followersFirst returns true: columns derived from the dropped one are dropped before it.
func (DropColumn) followersFirst() bool { return true }

// ShuffleColumns gives the columns of a table another order (MT-TEQL, section 3.2): that of the
// schema, in which models read them. The order in the SQLite file, which a query sees by a star
// alone, stays.
type ShuffleColumns struct {
	EditDefaults
	Table string   `json:"table"` // SQL name
	Order []string `json:"order"` // SQL names of all its columns
}

// gold adapts gold SQL to the restructured schema; its names stay.
func (ShuffleColumns) gold(g *goldChange) { g.setWay(restructured) }

// schema records the order of the columns as positions, which [schemaChange.settle] applies. It
// returns an error unless Order names each column of the table once.
func (e ShuffleColumns) schema(s *schemaChange) error {
	t := s.before.Table(e.Table)
	if t < 0 {
		return fmt.Errorf("no table %s to shuffle the columns of", e.Table)
	}
	order := permutation(e.Order, len(s.before.Tables[t].Columns), func(name string) int {
		if ref, ok := s.before.Lookup(e.Table, name); ok {
			return ref.Column
		}
		return -1 // no column of the table
	})
	if order == nil {
		return fmt.Errorf("order %q, expected the %d columns of table %s, each once", e.Order, len(s.before.Tables[t].Columns), e.Table)
	}
	s.columns[t] = order
	return nil
}
