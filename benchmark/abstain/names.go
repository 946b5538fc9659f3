package abstain

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

//go:embed data/related.txt
var relatedText string

// related returns the groups of words that related.txt lists, by their names, singular.
var related = sync.OnceValue(func() wordfile.Lists {
	groups := wordfile.Lists{}
	for name, words := range wordfile.ReadLists(relatedText) {
		groups[name] = lists.Map(words, lexicon.Normal)
	}
	return groups
})

// general returns words of column names that have little meaning of their own.
func general() []string { return related().Words("general") }

// groupsOf returns the names of the groups of related.txt, but for the general words, that share a word with a name, sorted.
func groupsOf(name []string) []string {
	var groups []string
	for group, words := range related() {
		if group != "general" && shareWord(name, words) {
			groups = append(groups, group)
		}
	}
	slices.Sort(groups)
	return groups
}

// shareWord reports whether two lists have a word in common.
func shareWord(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// holdsAll reports whether a list has all words of another list, which must not be empty.
func holdsAll(words, others []string) bool {
	return len(others) > 0 && !slices.ContainsFunc(others, func(w string) bool { return !slices.Contains(words, w) })
}

// names finds columns that could give the values of another, by their names.
type names struct {
	db       *dataset.Database
	words    map[dataset.ColumnRef][]string // of the natural name, singular
	synonyms map[dataset.ColumnRef]map[string]bool
}

// newNames returns the names of the database of a pass, with the synonyms of thesaurus and dictionary.
func newNames(p *perturb.Pass, senses *perturb.Senses) *names {
	n := &names{p.DB, map[dataset.ColumnRef][]string{}, map[dataset.ColumnRef]map[string]bool{}}
	for ref := range p.DB.AllColumns() {
		name := p.DB.Column(ref).Name
		n.words[ref] = strings.Fields(lexicon.Normal(name))
		n.synonyms[ref] = map[string]bool{perturb.Bare(name): true}
		for _, c := range senses.Column(ref) {
			n.synonyms[ref][perturb.Bare(c.Name)] = true
		}
		for _, s := range p.Synonyms(strings.Join(lexicon.Words(name), " ")) {
			n.synonyms[ref][perturb.Bare(s)] = true
		}
	}
	return n
}

// alike returns a refusal if, by its name, another column of the database or a count of rows could give the values of a column.
func (n *names) alike(ref dataset.ColumnRef) error {
	isCount := slices.Contains(groupsOf(n.words[ref]), "count") && n.hasKeys(ref.Table) // a key gives rows to count
	if isCount || n.countsRows(ref) {
		return &perturb.Refusal{Reason: "named-alike", Detail: n.db.ColumnID(ref).String() + " by counting rows"}
	}
	for by := range n.db.AllColumns() {
		if by != ref && n.isAlike(ref, by) {
			return refusalBy(n.db, "named-alike", ref, by)
		}
	}
	return nil
}

// stem is the number of letters by which words are of one stem: followers, follows.
const stem = 5

// countsRows reports whether a column of numbers has a word of the name of another table, whose rows it may count: "follows" in a database with a
// table of followers.
func (n *names) countsRows(ref dataset.ColumnRef) bool {
	if n.db.Column(ref).Type != dataset.Number {
		return false
	}
	for t, table := range n.db.Tables {
		for _, name := range strings.Fields(lexicon.Normal(table.Name)) {
			isOf := func(w string) bool { return w == name || len(name) >= stem && strings.HasPrefix(w, name[:stem]) } // the same stem
			if t != ref.Table && slices.ContainsFunc(n.words[ref], isOf) {
				return true
			}
		}
	}
	return false
}

// isAlike reports whether, by its name, the column at by could give the values of the one at ref. In the same table, or one that
// a key joins to it, a word of the same group or a synonym is enough. In another table it takes the same specific words, or the name
// of ref's table and a word of the same group.
func (n *names) isAlike(ref, by dataset.ColumnRef) bool {
	mine, its := n.words[ref], n.words[by]
	isSpecific := func(w string) bool { return !slices.Contains(general(), w) }
	specific := lists.Filter(mine, isSpecific)
	table := strings.Fields(lexicon.Normal(n.db.Tables[ref.Table].Name))
	isIdentifier := slices.Contains(its, "id") && n.db.Column(by).Type == dataset.Number // it identifies a row and has no other meaning
	hasSameWords := holdsAll(its, specific) || len(specific) > 0 && holdsAll(mine, lists.Filter(its, isSpecific))
	switch {
	case hasSameWords && !isIdentifier:
		return true
	case ref.Table != by.Table && !n.linked(ref.Table, by.Table):
		return holdsAll(its, table) && shareWord(groupsOf(mine), groupsOf(its)) // "singer name" of songs
	case n.synonyms[ref][perturb.Bare(n.db.Column(by).Name)], n.synonyms[by][perturb.Bare(n.db.Column(ref).Name)]:
		return len(specific) > 0 || ref.Table == by.Table // a general word alone is enough only within a table
	}
	groups := groupsOf(mine)
	if ref.Table != by.Table && !holdsAll(its, table) { // the name of another thing
		groups = lists.Filter(groups, func(g string) bool { return g != "name" && g != "class" })
	}
	return shareWord(groups, groupsOf(its))
}

// linked reports whether a key joins two tables.
func (n *names) linked(a, b int) bool {
	return slices.ContainsFunc(n.db.ForeignKeys, func(k dataset.ForeignKey) bool {
		return k.Column.Table == a && k.Target.Table == b || k.Column.Table == b && k.Target.Table == a
	})
}

// hasKeys reports whether rows of a table refer to others, or others to them: then there are rows to count.
func (n *names) hasKeys(t int) bool {
	return slices.ContainsFunc(n.db.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Target.Table == t || k.Column.Table == t })
}
