package evolve

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/database"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// columnRenamings returns the changes that rename a column that is part of no key to its best synonym.
func columnRenamings(p *perturb.Pass) ([]*change, error) {
	isPrimary := func(other dataset.ColumnRef) bool { return slices.Contains(p.DB.PrimaryKeys, other) } // ref is an undeclared foreign key
	return renamings(p, func(r perturb.Edit) bool {
		table, column := r.Touches()
		ref, ok := p.DB.Lookup(table, column)
		rename, isColumn := r.(perturb.RenameColumn)
		isFree := ok && isColumn && !perturb.IsKey(p.DB, ref) && !namedElsewhere(p.DB, ref, isPrimary) && !hasNamesake(p.DB, ref) && !perturb.HasSibling(p.DB.Tables[ref.Table], ref.Column)
		return isFree && fitsNeighbours(p.DB.Tables[ref.Table], rename) && keepsSense(p, ref, rename)
	})
}

// keepsSense reports whether a new name says of a column what the old one does: a name stays one, what is of one class gets none of
// another (a nationality is no country), and a word of a table's name is kept. Words in another order are no synonym.
func keepsSense(p *perturb.Pass, ref dataset.ColumnRef, r perturb.RenameColumn) bool {
	old, name := *p.DB.Column(ref), dataset.Column{Name: r.Natural}
	switch {
	case kind(old) == "name" && kind(name) != "name" && kind(name) != "title", leavesWord(p.DB, -1, old.Name, r.Natural):
		return false
	case lexicon.WordSet(old.Name) == lexicon.WordSet(r.Natural):
		return isOfTime(old.Name, old.Type)
	}
	classes := p.Headings().Classes()
	was, is := classes.Of(kind(old)), classes.Of(kind(name))
	return len(was) == 0 || len(is) == 0 || slices.ContainsFunc(was, func(class string) bool { return slices.Contains(is, class) })
}

// fitsNeighbours reports whether the new name of a column has the prefix that the columns of its table have, such as STU_, and is not the old
// one after a word that no other begins with.
func fitsNeighbours(table dataset.Table, r perturb.RenameColumn) bool {
	if prefix := prefixOf(r.Column); prefix != "" && !strings.HasPrefix(strings.ToLower(r.Name), prefix) {
		if with := lists.Count(table.Columns, func(c dataset.Column) bool { return prefixOf(c.Original) == prefix }); 2*with >= len(table.Columns) {
			return false
		}
	}
	words, was := lexicon.Words(r.Natural), lexicon.Words(r.Column)
	if extends := len(words) > len(was) && slices.Equal(words[len(words)-len(was):], was); !extends {
		return true
	}
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { // course_title beside course_id
		identifier := lexicon.Words(c.Original)
		return len(identifier) > 0 && identifier[0] == words[0]
	})
}

// tableRenamings returns the changes that rename a table to its best synonym.
func tableRenamings(p *perturb.Pass) ([]*change, error) {
	return renamings(p, func(r perturb.Edit) bool {
		rename, ok := r.(perturb.RenameTable)
		if !ok {
			return false
		}
		t := p.DB.Table(rename.Table)
		return !leavesWord(p.DB, t, p.DB.Tables[t].Name, rename.Natural) && !leavesPrefix(p.DB, rename)
	})
}

// leavesPrefix reports whether a table loses a prefix that another has, such as Ref_.
func leavesPrefix(db *dataset.Database, r perturb.RenameTable) bool {
	prefix := prefixOf(r.Table)
	has := func(t dataset.Table) bool { return prefixOf(t.Original) == prefix }
	return prefix != "" && prefixOf(r.Name) != prefix && lists.Count(db.Tables, has) > 1
}

// leavesWord reports whether a new name lacks a word of the old one that a table's name has, but for the table at a position: automobile
// data beside car makers.
func leavesWord(db *dataset.Database, but int, old, name string) bool {
	was, kept := strings.Fields(lexicon.Normal(old)), strings.Fields(lexicon.Normal(name))
	for t := range db.Tables {
		for _, word := range strings.Fields(lexicon.Normal(db.Tables[t].Name)) {
			if t != but && slices.Contains(was, word) && !slices.Contains(kept, word) {
				return true
			}
		}
	}
	return false
}

// renamings returns the changes that rename what a filter accepts.
func renamings(p *perturb.Pass, accepts func(perturb.Edit) bool) (changes []*change, err error) {
	all, err := database.Renamings(p)
	for _, edits := range all {
		if !accepts(edits[0]) {
			continue
		}
		table, _ := edits[0].Touches()
		changes = append(changes, &change{edits: edits, concerns: []string{table}})
	}
	return changes, err
}
