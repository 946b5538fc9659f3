package evolve

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// columnRemovals returns the changes that drop a column that no key, view or trigger needs. It spares the first half of a table's
// columns, which usually say what the table is about, columns that name the rows or belong to an event, a column that is the only
// candidate in its table, and columns that make sense only together with others, such as a line of an address.
func columnRemovals(p *perturb.Pass) (changes []*change, err error) {
	fixed, err := p.Content.Fixed(p.Context)
	if err != nil {
		return nil, err
	}
	for _, t := range alterableTables(p.DB) {
		table := p.DB.Tables[t]
		free := lists.Filter(table.Columns[len(table.Columns)/2:], func(c dataset.Column) bool {
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

// isOfEvent reports whether a column is the time or the amount of money of an event, such as a payment. A time also counts if the
// rows have no key of their own: it may distinguish them, as a year distinguishes the fees of a campus.
func isOfEvent(p *perturb.Pass, t int, c dataset.Column) bool {
	isMoney := slices.Contains(p.Headings().Classes().Of(headNoun(c.Name)), "{money}")
	isEvent := isOfClass(p, p.DB.Tables[t].Name, "{event}")
	if isEvent {
		return isMoney || isOfTime(c.Name, c.Type)
	}
	return isOfTime(c.Name, c.Type) && !hasOwnKey(p.DB, t)
}

// isOfSeveral reports whether a column belongs together with another one of its table: a sibling, one of a contrasting pair, of a
// numbered series or of the times of one event, a part of an address or of measurements, or a number next to a total.
func isOfSeveral(p *perturb.Pass, table dataset.Table, column int) bool {
	c := table.Columns[column]
	group := groupOf(c)
	completes := func(other dataset.Column) bool {
		isGroup := group != "" && group != "contact" && groupOf(other) == group // a phone number makes sense without an email address
		isTotal := c.Type == dataset.Number && slices.Contains(lexicon.Words(other.Name), "total")
		isPair := ofMoment(c, other) || excludes(p, c.Name, other.Name) || areNumbered(c, other)
		return other.Original != c.Original && (isGroup || isTotal || isPair)
	}
	return perturb.HasSibling(table, column) || slices.ContainsFunc(table.Columns, completes)
}

// areNumbered reports whether the names of two columns end in different numbers and are equal otherwise: "meter 100", "meter 200".
func areNumbered(c, other dataset.Column) bool {
	before, last := english.CutLast(c.Name)
	otherBefore, otherLast := english.CutLast(other.Name)
	return before != "" && before == otherBefore && last != otherLast && english.IsNumeric(last) && english.IsNumeric(otherLast)
}

// ofMoment reports whether two columns are times whose names differ in one word: "lesson date" and "lesson time", "date opened" and
// "date closed".
func ofMoment(c, other dataset.Column) bool {
	return isOfTime(c.Name, c.Type) && isOfTime(other.Name, other.Type) && perturb.DifferInOneWord(c.Name, other.Name)
}

// tableRemovals returns the changes that drop a table to which no other one refers. It spares tables that the database needs
// ([isNeeded]).
func tableRemovals(p *perturb.Pass) (changes []*change, err error) {
	for _, t := range alterableTables(p.DB) {
		refersToIt := func(k dataset.ForeignKey) bool { return k.Target.Table == t && k.Column.Table != t }
		if table := p.DB.Tables[t]; !table.Read && !slices.ContainsFunc(p.DB.ForeignKeys, refersToIt) && !isNeeded(p, t) {
			changes = append(changes, &change{edits: []perturb.Edit{perturb.DropTable{Table: table.Original}}, mustNotRead: table.Original})
		}
	}
	return changes, nil
}

// leastLeft is how many tables stay at least where one is dropped.
const leastLeft = 2

// isNeeded reports whether a database would hardly lose a table: the table relates others or records events, it is one of a contrasting
// pair, the database is named after it, it is one of only leastLeft tables, its key refers to another table, or another table has a
// column named like its key, an undeclared foreign key.
func isNeeded(p *perturb.Pass, t int) bool {
	name := lexicon.Normal(p.DB.Tables[t].Name)
	references := lists.Count(p.DB.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column.Table == t })
	isOfPair := slices.ContainsFunc(p.DB.Tables, func(other dataset.Table) bool { return excludes(p, name, other.Name) })
	namesDatabase := strings.Contains(" "+lexicon.Normal(p.DB.ID)+" ", " "+name+" ")
	isSpecial := references > 1 || isOfPair || namesDatabase
	if isSpecial || isOfClass(p, name, "{event}") || len(p.DB.Tables) <= leastLeft {
		return true
	}
	return slices.ContainsFunc(p.DB.PrimaryKeys, func(key dataset.ColumnRef) bool {
		// Any table may have a column with a general name such as "id".
		isUndeclared := !bareKeys[lexicon.Normal(p.DB.Column(key).Name)] && namedElsewhere(p.DB, key, anyColumn)
		return key.Table == t && (isUndeclared || perturb.IsForeignKey(p.DB, key))
	})
}
