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

// columnSplits returns the changes that split a column by the forms of its texts.
func columnSplits(p *perturb.Pass) (changes []*change, err error) {
	var lossy []*change
	splits, err := content.Splits(p, func(table, column string) {
		// Examples of the table are rejected with the reason.
		refusal := &perturb.Refusal{Reason: "reshape-loses", Detail: table + "." + column + ": a text would not come back from its parts"}
		lossy = append(lossy, &change{concerns: []string{table}, refusal: refusal})
	})
	for _, e := range splits {
		isSimpler := func(other perturb.SplitColumn) bool {
			return other.Table == e.Table && other.Column == e.Column && len(other.Into) < len(e.Into)
		}
		isAlike := func(other perturb.SplitColumn) bool { // nobody splits the date of arrival alone beside that of departure
			return other.Table == e.Table && other.Column != e.Column && other.Template == e.Template
		}
		ref, _ := p.DB.Lookup(e.Table, e.Column)
		isWhole := slices.ContainsFunc(splits, isSimpler) || slices.ContainsFunc(splits, isAlike) || perturb.HasSibling(p.DB.Tables[ref.Table], ref.Column)
		if isWhole || !comesApart(p, e) {
			continue
		}
		changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table}})
	}
	return append(changes, lossy...), err
}

// maxParts is into how many columns people split one: a date, but no date with its time.
const maxParts = 3

// oneThing are last words of parts that nobody keeps in a column of its own: the domain of an email address, the seconds of a duration.
var oneThing = wordfile.ReadSet("domain second number")

// comesApart reports whether the parts of a column are things of their own, and whole ones: no street with the number of a flat, no
// last name after a title, no state that is a country.
func comesApart(p *perturb.Pass, e perturb.SplitColumn) bool {
	last := len(e.Into) - 1
	name := kind(dataset.Column{Name: e.Into[last].Natural})
	isDate := last == maxParts-1
	if last >= maxParts || oneThing[name] || isDate && !timeWords[name] { // "day payment made"
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
	case strings.HasSuffix(name, "state"):
		return isStateCode.MatchString(text) || len(p.Contrasts.Memberships(strings.ToLower(text))) > 0 && !excludes(p, text, aCountry)
	}
	return true
}

// isStateCode matches codes of states, as of the United States; aCountry stands for all countries.
var isStateCode = lazyregexp.New(`^[A-Z]{2}$`)

const aCountry = "france"

//go:embed data/groups.txt
var groupText string

// groups are lists of words of columns that are of one thing, by its name.
var groups = sync.OnceValue(func() [][]string { return wordfile.Rows(groupText, 2) })

// tableSplits returns the changes that move columns of a table to one of its own: those of one thing, such as an address, or the
// latter half.
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
		for _, g := range groups() {
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

// leastCut is how many columns a table has of which the latter half can go, and leastMoved how many go.
const leastCut, leastMoved = 4, 2

// cut returns the position nearest to the middle of columns of a table from which on they can move without parting what is of one kind,
// such as first and last name, or of one group, and without the names of the rows, best one before which the columns have another type; 0
// if there is none.
func cut(table dataset.Table, columns []dataset.Column) int {
	parts := func(at int) bool {
		return slices.ContainsFunc(columns[at:], func(c dataset.Column) bool {
			return namesRows(table, c) || slices.ContainsFunc(columns[:at], func(other dataset.Column) bool { return belong(columns, c, other) })
		})
	}
	leaves := func(at int) bool { // what tells rows apart
		return at >= leastMoved || slices.ContainsFunc(columns[:at], func(c dataset.Column) bool { return namesRows(table, c) })
	}
	middle, best := (len(columns)+1)/2, 0
	for off := 0; len(columns) >= leastCut && off < middle; off++ {
		for _, at := range []int{middle + off, middle - off} {
			switch {
			case at > len(columns)-leastMoved || !leaves(at) || parts(at):
			case columns[at-1].Type != columns[at].Type:
				return at
			case best == 0:
				best = at
			}
		}
	}
	return best
}

// belong reports whether two of the columns are of one kind or group, or share a word that is rare among them.
func belong(columns []dataset.Column, c, other dataset.Column) bool {
	group := groupOf(c)
	return kind(c) == kind(other) || group != "" && group == groupOf(other) || sharedWord(columns, c, other)
}

// sharedWord reports whether two columns share a word that most columns of the table lack.
func sharedWord(columns []dataset.Column, c, other dataset.Column) bool {
	return slices.ContainsFunc(lexicon.Words(c.Name), func(w string) bool {
		has := func(c dataset.Column) bool { return slices.Contains(lexicon.Words(c.Name), w) }
		return has(other) && !english.IsFunction(w) && 2*lists.Count(columns, has) <= len(columns)
	})
}

// groupOf returns the name of the first group that has a word of a column's name, "" if none has.
func groupOf(c dataset.Column) string {
	if slices.ContainsFunc(lexicon.Words(c.Name), english.IsFunction) { // the head of state
		return ""
	}
	for _, g := range groups() {
		isOf := func(word string) bool { return slices.Contains(strings.Fields(g[1]), word) }
		if slices.ContainsFunc(lexicon.Words(c.Name), isOf) {
			return g[0]
		}
	}
	return ""
}

// split returns the change that moves columns of a table to one that is named after it and by the first word that it lacks; none if no
// name is free.
func split(db *dataset.Database, t int, key string, columns []dataset.Column, words ...string) []*change {
	for _, word := range words {
		natural := entity(db.Tables[t].Name) + " " + word
		name, ok := perturb.NewFreeNames(db).TakeTable(natural)
		if !ok || slices.Contains(strings.Fields(lexicon.Normal(db.Tables[t].Name)), word) || perturb.OwnNames(db)[perturb.Bare(natural)] || strings.HasSuffix(name, "_") {
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
