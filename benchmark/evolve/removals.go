package evolve

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// columnRemovals returns the changes that drop a column which is part of no key, without which the rows keep their names and something
// that they say, and which others of the table do not complete: a month of death beside a month of birth, a line of an address.
func columnRemovals(p *perturb.Pass) (changes []*change, err error) {
	fixed, err := p.Content.Fixed(p.Context)
	if err != nil {
		return nil, err
	}
	for _, t := range alterableTables(p.DB) {
		table := p.DB.Tables[t]
		free := lists.Filter(table.Columns, func(c dataset.Column) bool {
			ref, _ := p.DB.Lookup(table.Original, c.Original)
			return c.Own() && !fixed[ref] && !perturb.IsKey(p.DB, ref) && !hasNamesake(p.DB, ref)
		})
		for _, c := range free {
			ref, _ := p.DB.Lookup(table.Original, c.Original)
			isNeeded := namesRows(table, c) || isOfEvent(p, t, c) || isOfSeveral(p, table, ref.Column)
			if len(free) > 1 && !isNeeded {
				changes = append(changes, &change{edits: []perturb.Edit{perturb.DropColumn{Table: table.Original, Column: c.Original}}})
			}
		}
	}
	return changes, nil
}

// isOfEvent reports whether a column says when something happened, such as a payment, or of how much, or which of several rows of a thing
// it is: the fee of a year.
func isOfEvent(p *perturb.Pass, t int, c dataset.Column) bool {
	isMoney := slices.Contains(p.Headings().Classes().Of(kind(c)), "{money}")
	isEvent := isOfClass(p, p.DB.Tables[t].Name, "{event}")
	return isEvent && isMoney || isOfTime(c.Name, c.Type) && (isEvent || !hasOwnKey(p.DB, t))
}

// isOfSeveral reports whether a column says something only together with others of its table: one of a pair, a part of an address or of
// what was measured, or of a total.
func isOfSeveral(p *perturb.Pass, table dataset.Table, column int) bool {
	c := table.Columns[column]
	group := groupOf(c)
	completes := func(other dataset.Column) bool {
		isGroup := group != "" && group != "contact" && groupOf(other) == group
		isTotal := c.Type == dataset.Number && slices.Contains(lexicon.Words(other.Name), "total")
		return other.Original != c.Original && (isGroup || isTotal || ofMoment(c, other) || excludes(p, c.Name, other.Name))
	}
	return perturb.HasSibling(table, column) || slices.ContainsFunc(table.Columns, completes)
}

// ofMoment reports whether two columns of times differ in one word: the date and the time of a lesson, the dates of its report and closure.
func ofMoment(c, other dataset.Column) bool {
	return isOfTime(c.Name, c.Type) && isOfTime(other.Name, other.Type) && perturb.DifferInOneWord(c.Name, other.Name)
}

// tableRemovals returns the changes that drop a table to which no other refers. What relates others, as the lines of an order do, stays, and
// so do records of what happened, such as payments, and what the database is named after.
func tableRemovals(p *perturb.Pass) (changes []*change, err error) {
	for _, t := range alterableTables(p.DB) {
		refersToIt := func(k dataset.ForeignKey) bool { return k.Target.Table == t && k.Column.Table != t }
		if table := p.DB.Tables[t]; !table.Read && !slices.ContainsFunc(p.DB.ForeignKeys, refersToIt) && !isNeeded(p, t) {
			changes = append(changes, &change{edits: []perturb.Edit{perturb.DropTable{Table: table.Original}}, unread: table.Original})
		}
	}
	return changes, nil
}

// leastLeft is how many tables stay at least where one is dropped.
const leastLeft = 2

// isNeeded reports whether a table relates or extends others, records events, is one of a pair or what the database is named after, or
// whether another table has a column of the name of its key, which the schema does not declare.
func isNeeded(p *perturb.Pass, t int) bool {
	name := lexicon.Normal(p.DB.Tables[t].Name)
	references := lists.Count(p.DB.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column.Table == t })
	isOfPair := slices.ContainsFunc(p.DB.Tables, func(other dataset.Table) bool { return excludes(p, name, other.Name) })
	namesDatabase := strings.Contains(" "+lexicon.Normal(p.DB.ID)+" ", " "+name+" ")
	if references > 1 || isOfPair || namesDatabase || isOfClass(p, name, "{event}") || len(p.DB.Tables) <= leastLeft {
		return true
	}
	return slices.ContainsFunc(p.DB.PrimaryKeys, func(key dataset.ColumnRef) bool {
		isUndeclared := !bareKeys[lexicon.Normal(p.DB.Column(key).Name)] && namedElsewhere(p.DB, key, anyColumn)
		return key.Table == t && (isUndeclared || perturb.IsForeignKey(p.DB, key))
	})
}
