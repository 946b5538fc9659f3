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
	isPrimary := func(other dataset.ColumnRef) bool { return slices.Contains(p.DB.PrimaryKeys, other) }
	return renamings(p, func(r perturb.Edit) bool {
		table, column := r.Touches()
		ref, ok := p.DB.Lookup(table, column)
		rename, isColumn := r.(perturb.RenameColumn)
		if !ok || !isColumn || perturb.IsKey(p.DB, ref) {
			return false
		}
		// A column named like the key of another table is an undeclared foreign key. Namesakes and siblings are renamed together or not at all.
		if namedElsewhere(p.DB, ref, isPrimary) || hasNamesake(p.DB, ref) || perturb.HasSibling(p.DB.Tables[ref.Table], ref.Column) {
			return false
		}
		return fitsNeighbours(p.DB.Tables[ref.Table], rename) && keepsSense(p, ref, rename)
	})
}

// keepsSense reports whether the new name of a column keeps the meaning of the old one: a name stays a name or title, the head noun stays
// in its class of the thesaurus (a nationality is no country), and words of a table's name are kept. The same words in another order are no
// synonym, except of times.
func keepsSense(p *perturb.Pass, ref dataset.ColumnRef, r perturb.RenameColumn) bool {
	old := p.DB.Column(ref)
	was, is := headNoun(old.Name), headNoun(r.Natural)
	switch {
	case was == "name" && is != "name" && is != "title", leavesWord(p.DB, -1, old.Name, r.Natural):
		return false
	case lexicon.WordSet(old.Name) == lexicon.WordSet(r.Natural):
		return isOfTime(old.Name, old.Type)
	}
	classes := p.Headings().Classes()
	before, after := classes.Of(was), classes.Of(is) // a noun without a class fits any
	return len(before) == 0 || len(after) == 0 || slices.ContainsFunc(before, func(class string) bool { return slices.Contains(after, class) })
}

// fitsNeighbours reports whether the new name of a column fits the others of its table. It must keep a prefix that half of them have,
// such as STU_. And if it is the old name after new words, another column must begin with these words and have more:
// "course_title" for "title" if there is a "course_id".
func fitsNeighbours(table dataset.Table, r perturb.RenameColumn) bool {
	prefix := prefixOf(r.Column)
	hasPrefix := func(c dataset.Column) bool { return prefixOf(c.Original) == prefix }
	isCommon := prefix != "" && 2*lists.Count(table.Columns, hasPrefix) >= len(table.Columns)
	if isCommon && !strings.HasPrefix(strings.ToLower(r.Name), prefix) {
		return false
	}
	words, was := lexicon.Words(r.Natural), lexicon.Words(r.Column)
	if extends := len(words) > len(was) && slices.Equal(words[len(words)-len(was):], was); !extends {
		return true
	}
	added := words[:len(words)-len(was)]
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		identifier := lexicon.Words(c.Original)
		return len(identifier) > len(added) && slices.Equal(identifier[:len(added)], added)
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

// leavesPrefix reports whether a table loses a prefix, such as Ref_, that another table has too.
func leavesPrefix(db *dataset.Database, r perturb.RenameTable) bool {
	prefix := prefixOf(r.Table)
	has := func(t dataset.Table) bool { return prefixOf(t.Original) == prefix }
	return prefix != "" && prefixOf(r.Name) != prefix && lists.Count(db.Tables, has) > 1
}

// leavesWord reports whether a new name lacks a word of the old one that is also in the name of a table: "automobile data" for "cars data"
// if there are "car makers". It ignores the table at position except, which is -1 for none.
func leavesWord(db *dataset.Database, except int, old, name string) bool {
	was, kept := strings.Fields(lexicon.Normal(old)), strings.Fields(lexicon.Normal(name))
	for t := range db.Tables {
		for _, word := range strings.Fields(lexicon.Normal(db.Tables[t].Name)) {
			if t != except && slices.Contains(was, word) && !slices.Contains(kept, word) {
				return true
			}
		}
	}
	return false
}

// renamings returns the changes that rename a table or column to its best synonym, as far as a filter accepts the renaming.
func renamings(p *perturb.Pass, accepts func(perturb.Edit) bool) (changes []*change, err error) {
	all, err := database.Renamings(p)
	for _, edits := range all {
		if !accepts(edits[0]) { // the first is the renaming
			continue
		}
		table, _ := edits[0].Touches()
		changes = append(changes, &change{edits: edits, concerns: []string{table}})
	}
	return changes, err
}
