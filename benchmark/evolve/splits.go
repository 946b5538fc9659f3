package evolve

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// columnSplits returns the changes that split a column by the forms of its texts. For a column with a text that could not be
// restored it returns a refused change, so that its examples are rejected with that reason.
func columnSplits(p *perturb.Pass) (changes []*change, err error) {
	var lossy []*change
	splits, err := content.Splits(p, func(table, column string) {
		refusal := &perturb.Refusal{Reason: "reshape-loses", Detail: table + "." + column + ": a text would not come back from its parts"}
		lossy = append(lossy, &change{concerns: []string{table}, refusal: refusal})
	})
	for _, e := range splits {
		isSimpler := func(other perturb.SplitColumn) bool {
			return other.Table == e.Table && other.Column == e.Column && len(other.Into) < len(e.Into)
		}
		isAlike := func(other perturb.SplitColumn) bool { // columns of one form, such as two dates, are split together or not at all
			return other.Table == e.Table && other.Column != e.Column && other.Template == e.Template
		}
		ref, _ := p.DB.Lookup(e.Table, e.Column)
		isUnwanted := slices.ContainsFunc(splits, isSimpler) || slices.ContainsFunc(splits, isAlike) || perturb.HasSibling(p.DB.Tables[ref.Table], ref.Column)
		if isUnwanted || !comesApart(p, e) {
			continue
		}
		changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table}})
	}
	return append(changes, lossy...), err
}

// maxParts is into how many columns people split one: a date, but no date with its time.
const maxParts = 3

// neverOwnColumn are last words of parts that no schema has as a column of its own: the domain of an email address, the seconds of a duration.
var neverOwnColumn = wordfile.ReadSet("domain second number")

// comesApart reports whether the last part of a split column is a thing of its own, and no cell has something else with it: no street with the
// number of a flat, no last name of two words, no state that is a country. A split into more than maxParts columns is never accepted.
func comesApart(p *perturb.Pass, e perturb.SplitColumn) bool {
	last := len(e.Into) - 1
	name := headNoun(e.Into[last].Natural)
	mustBeDate := last == maxParts-1
	if last >= maxParts || neverOwnColumn[name] || mustBeDate && !timeWords[name] { // "day payment made" has three parts, but is no date
		return false
	}
	isBad := func(cell recode.Cell) bool {
		part := cell.New[last].String()
		return strings.TrimSpace(part) != part || strings.ContainsAny(part, ",\n") || !fitsPart(p, e.Into[last].Natural, part)
	}
	return !slices.ContainsFunc(e.Map.Cells, isBad)
}

// fitsPart reports whether a text can be the last part of a split column, by the name of the part.
func fitsPart(p *perturb.Pass, name, text string) bool {
	switch {
	case strings.HasSuffix(name, "last name"):
		return !strings.Contains(text, " ")
	case strings.HasSuffix(name, "street name"):
		return !strings.ContainsAny(text, "0123456789")
	case strings.HasSuffix(name, "state"): // a code, or a name that the thesaurus knows and that is no country
		return isStateCode.MatchString(text) || len(p.Contrasts.Memberships(strings.ToLower(text))) > 0 && !excludes(p, text, aCountry)
	}
	return true
}

// isStateCode matches codes of states, such as those of the United States; aCountry is an example of a country.
var isStateCode = lazyregexp.New(`^[A-Z]{2}$`)

const aCountry = "france"

//go:embed data/groups.txt
var groupText string

// groups are pairs of the name of a thing and the words of its columns: {"address", "street city zip …"}.
var groups = sync.OnceValue(func() [][]string { return wordfile.Rows(groupText, 2) })

// tableSplits returns the changes that move columns of a table with a single key to a new table: those of one group, such as an
// address, or those of the latter half.
func tableSplits(p *perturb.Pass) (changes []*change, err error) {
	for _, t := range alterableTables(p.DB) {
		key, err := singleKey(p, t)
		if err != nil {
			return nil, err
		}
		if key == "" {
			continue
		}
		movable := lists.Filter(p.DB.Tables[t].Columns, func(c dataset.Column) bool {
			ref, _ := p.DB.Lookup(p.DB.Tables[t].Original, c.Original)
			return c.Own() && !c.Fixed && !perturb.IsKey(p.DB, ref) && len(perturb.Derived(p.DB, ref)) == 0
		})
		for _, g := range groups() { // g[0] is the name
			ofGroup := lists.Filter(movable, func(c dataset.Column) bool { return groupOf(c) == g[0] && !namesRows(p.DB.Tables[t], c) })
			if len(ofGroup) > 1 && len(ofGroup) < len(movable) {
				changes = append(changes, split(p.DB, t, key, ofGroup, g[0])...)
			}
		}
		if at := cut(p.DB.Tables[t], movable); at > 0 {
			changes = append(changes, split(p.DB, t, key, movable[at:], "details", "info", "extra")...)
		}
	}
	return changes, nil
}

// leastCut is the least number of movable columns of a table whose latter half can be moved, leastMoved the least number that moves.
const leastCut, leastMoved = 4, 2

// cut returns the position from which on columns of a table can move to another one, 0 if there is none. Of the possible positions it
// returns the nearest to the middle at which the type of the columns changes, else the nearest. A position is possible if the columns
// before it are at least leastMoved or name the rows, and those from it on are at least leastMoved, do not name the rows, and do not
// belong to columns before it, as a last name belongs to a first name.
func cut(table dataset.Table, columns []dataset.Column) int {
	separates := func(at int) bool {
		return slices.ContainsFunc(columns[at:], func(c dataset.Column) bool {
			return namesRows(table, c) || slices.ContainsFunc(columns[:at], func(other dataset.Column) bool { return belong(columns, c, other) })
		})
	}
	identifies := func(at int) bool {
		return at >= leastMoved || slices.ContainsFunc(columns[:at], func(c dataset.Column) bool { return namesRows(table, c) })
	}
	middle, best := (len(columns)+1)/2, 0
	for off := 0; len(columns) >= leastCut && off < middle; off++ { // off: the distance from the middle
		for _, at := range []int{middle + off, middle - off} {
			switch {
			case at > len(columns)-leastMoved || !identifies(at) || separates(at): // not possible
			case columns[at-1].Type != columns[at].Type:
				return at
			case best == 0:
				best = at
			}
		}
	}
	return best
}

// belong reports whether two of the columns belong together: they have one head noun or group, or share a word that is rare among the columns.
func belong(columns []dataset.Column, c, other dataset.Column) bool {
	group := groupOf(c)
	return headNoun(c.Name) == headNoun(other.Name) || group != "" && group == groupOf(other) || sharedWord(columns, c, other)
}

// sharedWord reports whether the names of two columns share a word that at most half of the columns have.
func sharedWord(columns []dataset.Column, c, other dataset.Column) bool {
	return slices.ContainsFunc(lexicon.Words(c.Name), func(w string) bool {
		has := func(c dataset.Column) bool { return slices.Contains(lexicon.Words(c.Name), w) }
		return has(other) && !english.IsFunction(w) && 2*lists.Count(columns, has) <= len(columns)
	})
}

// groupOf returns the name of the first group of data/groups.txt that has a word of a column's name, "" if none has. A name with a
// function word has no group: the "head of state" is no address.
func groupOf(c dataset.Column) string {
	if slices.ContainsFunc(lexicon.Words(c.Name), english.IsFunction) {
		return ""
	}
	for _, g := range groups() { // a name and its words
		isOf := func(word string) bool { return slices.Contains(strings.Fields(g[1]), word) }
		if slices.ContainsFunc(lexicon.Words(c.Name), isOf) {
			return g[0]
		}
	}
	return ""
}

// split returns the change that moves columns of a table to a new one: "singer address" for singers and the word "address". It
// takes the first word that gives a free name and is not in the table's own name; without one it returns nil.
func split(db *dataset.Database, t int, key string, columns []dataset.Column, words ...string) []*change {
	for _, word := range words {
		natural := entity(db.Tables[t].Name) + " " + word
		name, ok := perturb.NewFreeNames(db).TakeTable(natural)
		isRepeated := slices.Contains(strings.Fields(lexicon.Normal(db.Tables[t].Name)), word) || perturb.OwnNames(db)[perturb.Bare(natural)]
		if !ok || isRepeated || strings.HasSuffix(name, "_") {
			continue
		}
		return []*change{{
			edits: []perturb.Edit{perturb.DivideTable{
				Table: db.Tables[t].Original, Key: key, NewTable: name, Natural: natural,
				Columns: lists.Map(columns, func(c dataset.Column) string { return c.Original }),
			}},
			concerns: []string{db.Tables[t].Original},
		}}
	}
	return nil
}
