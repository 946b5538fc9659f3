package migration

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Gone is a table or column that SQL uses and that the migrated database does not have.
type Gone struct {
	Name    string   `json:"name"`          // "members", "members.gender"
	Clauses []string `json:"clauses"`       // "SELECT", "WHERE", in the order of the SQL
	Now     string   `json:"now,omitempty"` // its new name; "" if there is none
}

// joinGone describes missing names for people: "members.gender (SELECT, WHERE) is gone; pets (FROM) is animals now".
func joinGone(all []Gone) string {
	return strings.Join(lists.Map(all, func(g Gone) string {
		text := g.Name + " (" + strings.Join(g.Clauses, ", ") + ")"
		if g.Now == "" {
			return text + " is gone"
		}
		return text + " is " + g.Now + " now"
	}), "; ")
}

// gone returns the tables and columns that SQL uses and that the migrated schema lacks, each with the clauses that use it.
func (u *unit) gone(ex *perturb.Example) []Gone {
	g := &goneNames{unit: u}
	for q := range sqlast.All[*sqlast.Query](ex.Gold) {
		for _, part := range clauses(q) {
			for t := range sqlast.Own[*sqlast.Table](part.node) { // without nested queries, which have their own clauses
				g.table(ex.Binding.BaseTable(t), part.clause)
			}
			for ref := range sqlast.Own[*sqlast.ColumnRef](part.node) {
				g.column(ex.Binding.Target(ref), part.clause)
			}
		}
		for from := range sqlast.Own[*sqlast.FromItem](q) {
			for _, join := range ex.Binding.JoinColumns(from) {
				g.column(join.Left, "USING")
				g.column(join.Right, "USING")
			}
		}
	}
	return g.all
}

// goneNames collects names that the migrated schema lacks.
type goneNames struct {
	unit *unit
	all  []Gone
}

// table adds a table unless the migrated database has it. name is "" for a source that is no table of the schema.
func (g *goneNames) table(name, clause string) {
	if _, found := g.unit.after.Columns(name); name != "" && !found {
		g.add(name, newName(g.unit.edits, name, ""), clause)
	}
}

// column adds a column unless its table has it after the migration, under whatever name the table has then. It leaves out the columns of
// a table that is gone: the table is listed.
func (g *goneNames) column(t sqlast.Target, clause string) {
	table := cmp.Or(newName(g.unit.edits, t.Table, ""), t.Table)
	columns, found := g.unit.after.Columns(table)
	if !found || t.Column == "" || slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, t.Column) }) {
		return
	}
	g.add(t.Table+"."+t.Column, newName(g.unit.edits, t.Table, t.Column), clause)
}

// add adds a name with its new name now, unless it is listed, and adds the clause to those that use it.
func (g *goneNames) add(name, now, clause string) {
	at := slices.IndexFunc(g.all, func(g Gone) bool { return strings.EqualFold(g.Name, name) })
	if at < 0 {
		g.all, at = append(g.all, Gone{Name: name, Now: now}), len(g.all)
	}
	if !slices.Contains(g.all[at].Clauses, clause) {
		g.all[at].Clauses = append(g.all[at].Clauses, clause)
	}
}

// newName returns the name that edits give to a column, or to a table if column is ""; "" if they do not rename it.
func newName(edits []perturb.Edit, table, column string) string {
	for _, e := range edits {
		switch e := e.(type) {
		case perturb.RenameTable:
			if column == "" && strings.EqualFold(e.Table, table) {
				return e.Name
			}
		case perturb.RenameColumn:
			if strings.EqualFold(e.Table, table) && strings.EqualFold(e.Column, column) {
				return e.Name
			}
		}
	}
	return ""
}

// clausePart is a part of a query in a clause.
type clausePart struct {
	clause string
	node   sqlast.Node
}

// clauses returns the parts of a query with their clauses, in the order of the SQL. A compound query has the parts of all its SELECTs;
// nested queries are not split.
func clauses(q *sqlast.Query) (parts []clausePart) {
	add := func(clause string, n sqlast.Node) { parts = append(parts, clausePart{clause, n}) }
	selects := []*sqlast.Select{q.Select}
	for _, c := range q.Compound {
		selects = append(selects, c.Select)
	}
	for _, s := range selects {
		for _, c := range s.Columns {
			add("SELECT", c)
		}
		for _, f := range s.From {
			add("FROM", f.Source)
			if f.On != nil {
				add("ON", f.On)
			}
		}
		if s.Where != nil {
			add("WHERE", s.Where)
		}
		for _, g := range s.GroupBy {
			add("GROUP BY", g)
		}
		if s.Having != nil {
			add("HAVING", s.Having)
		}
	}
	for _, o := range q.OrderBy {
		add("ORDER BY", o)
	}
	return parts
}

// reusedName returns the first name in SQL that a table or column gets by the edits, "" if there is none. The SQL then reads that table or
// column instead of the one that had the name.
func reusedName(ex *perturb.Example, edits []perturb.Edit) string {
	used := lists.Set(ex.Binding.Columns(), sqlast.BaseColumn.Key)
	for _, t := range ex.Binding.Tables() {
		used[sqlast.BaseColumn{Table: t}.Key()] = true
	}
	for _, e := range edits {
		var was, now sqlast.BaseColumn // a table, or a column
		switch e := e.(type) {
		case perturb.RenameTable:
			was, now = sqlast.BaseColumn{Table: e.Table}, sqlast.BaseColumn{Table: e.Name}
		case perturb.RenameColumn:
			was, now = sqlast.BaseColumn{Table: e.Table, Column: e.Column}, sqlast.BaseColumn{Table: e.Table, Column: e.Name}
		case perturb.AddColumn:
			now = sqlast.BaseColumn{Table: e.Table, Column: e.Name}
		}
		if used[now.Key()] && was.Key() != now.Key() { // not only in another case
			return strings.TrimSuffix(now.Table+"."+now.Column, ".")
		}
	}
	return ""
}
