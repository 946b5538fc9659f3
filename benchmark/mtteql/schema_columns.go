package mtteql

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// ColumnRemoval drops a column that the file lets go.
var ColumnRemoval = restructuring("column-removal", "section 3.2",
	"Drops a column that the gold SQL does not use.", source(columnRemovals).run)

// ColumnRenaming gives a column a synonym for a name. Its names come from the
// REPLACE names of the buckets and from the sense that the column has in its table.
var ColumnRenaming = revised(restructuring("column-renaming", "section 3.2",
	"Renames a column that the gold SQL does not use to a synonym.", source(columnRenamings).run))

// ColumnInsertion adds an attribute of what a table is about. The paper asks a
// knowledge graph for what an object has, takes edges of high weight alone, as
// few columns are called "head", and lets users check them against similar
// tables. Here a list of attributes that tables of an entity have takes the
// place of the graph, and those that a bucket has from a similar web table are
// drawn first.
var ColumnInsertion = restructuring("column-insertion", "section 3.2",
	"Adds a column that tables of the same kind have, with rows.", source(columnInsertions).run)

// columnRemovals returns a change for each column that can be dropped.
func columnRemovals(p *perturb.Pass) (changes []change, err error) {
	fixed, err := fixed(p)
	if err != nil {
		return nil, err
	}
	for _, ref := range columns(p.DB) {
		if table := p.DB.Tables[ref.Table]; !fixed[ref] {
			changes = append(changes, change{
				edit:       perturb.DropColumn{Table: table.Original, Column: p.DB.Column(ref).Original},
				mustNotUse: []part{part(ref), columnListPart(ref.Table)},
				tier:       tierOf(!isNeeded(p.DB, ref)),
			})
		}
	}
	return changes, nil
}

// isNeeded reports whether a schema would hardly lose a column: it names the rows, it is the only one that is no key, or it is
// one of several siblings ("departure airport", "arrival airport").
func isNeeded(db *dataset.Database, ref dataset.ColumnRef) bool {
	return isOwnName(db, ref) || !hasOther(db, ref) || perturb.HasSibling(db.Tables[ref.Table], ref.Column)
}

// isOwnName reports whether a column is the name or title of its table's rows: "name" or "carrier name" of carriers.
func isOwnName(db *dataset.Database, ref dataset.ColumnRef) bool {
	name := strings.Fields(lexicon.Normal(db.Column(ref).Name))
	last := len(name) - 1
	isName := last >= 0 && slices.Contains([]string{"name", "title"}, name[last])
	return isName && isSubset(name[:last], strings.Fields(lexicon.Normal(db.Tables[ref.Table].Name)))
}

// hasOther reports whether a table has another column that is part of no key. Without any, its rows would hold no data.
func hasOther(db *dataset.Database, ref dataset.ColumnRef) bool {
	for c := range db.Tables[ref.Table].Columns {
		if other := (dataset.ColumnRef{Table: ref.Table, Column: c}); c != ref.Column && !perturb.IsKey(db, other) {
			return true
		}
	}
	return false
}

// keptNames is how many names a column gets, the best ones.
const keptNames = 3

// synonyms returns names that may replace a column's, the best first, but those that schemas hardly use ([perturb.HasHeadLast]) last.
// If a model judged the names of the buckets, it takes no others.
func synonyms(senses *perturb.Senses, ref dataset.ColumnRef) (out []dataset.Candidate) {
	out = senses.Replacing(ref)
	if !senses.AreJudged() {
		out = append(out, senses.Column(ref)...)
	}
	hasHeadLast := func(c dataset.Candidate) bool { return perturb.HasHeadLast(c.Name) }
	return append(lists.Filter(out, hasHeadLast), slices.DeleteFunc(out, hasHeadLast)...)
}

// columnRenamings returns up to keptNames changes for each column that can be renamed, one a synonym. Those of columns
// that keys tie to one of the same name are drawn last, as schemas seldom rename one of these alone, and so are names that schemas
// would hardly have.
func columnRenamings(p *perturb.Pass) (changes []change, err error) {
	if p.Dictionary == nil && p.Headings == nil && len(p.Buckets) == 0 {
		return nil, &perturb.Refusal{Reason: "no-synonyms-or-buckets"}
	}
	senses, err := p.Senses()
	if err != nil {
		return nil, err
	}
	own := perturb.OwnNames(p.DB)
	for _, ref := range columns(p.DB) {
		names := perturb.NewFreeNames(p.DB)
		n := 0
		for _, c := range synonyms(senses, ref) {
			if n == keptNames || own[perturb.Bare(c.Name)] { // enough, or a name of the database
				continue
			}
			_, name := firstName(columnNames(names, ref.Table), c.Name)
			if name == "" {
				continue
			}
			n++
			changes = append(changes, change{
				edit: perturb.RenameColumn{
					Table: p.DB.Tables[ref.Table].Original, Column: p.DB.Column(ref).Original, Name: name, Natural: c.Name, From: c,
				},
				mustNotUse: []part{part(ref)}, name: c.Name, tier: tierOf(len(perturb.Tied(p.DB, ref)) == 0 && perturb.HasHeadLast(c.Name)),
			})
		}
	}
	return changes, nil
}

// cellCount is how many cells an inserted column cycles through.
const cellCount = 12

// columnInsertions returns a change for each attribute of a table's entity that the table lacks.
func columnInsertions(p *perturb.Pass) (changes []change, err error) {
	tiers := map[int]map[string]int{} // by table and attribute
	edits, err := Insertions(p, func(t int) []lexicon.Attribute {
		attributes := EntityAttributes(p, t)
		similar := similarNames(p, t)
		tiers[t] = map[string]int{}
		for _, a := range attributes {
			tiers[t][a.Name] = insertionTier(a, similar[perturb.Bare(a.Name)])
		}
		return attributes
	})
	for _, e := range edits {
		t := p.DB.Table(e.Table)
		changes = append(changes, change{edit: e, mustNotUse: []part{columnListPart(t)}, name: e.Natural, tier: tiers[t][e.Natural]})
	}
	return changes, err
}

// insertionTier returns the tier of an attribute of a table's entity, 0 for the likeliest: 0 if similar tables have it, 1 if tables of
// the entity have it, 2 if those of a wider entity have it, and 3 if only some of them have it.
func insertionTier(a lexicon.Attribute, isSimilar bool) int {
	switch {
	case a.Special:
		return 3
	case isSimilar:
		return 0
	case !a.Inherited:
		return 1
	}
	return 2
}

// Insertions returns an edit for each attribute that can be added to a table; of returns the attributes of the table at position t. It
// leaves out those that have the name of a table or column, or that a column or value of the table already means.
func Insertions(p *perturb.Pass, of func(t int) []lexicon.Attribute) (edits []perturb.AddColumn, err error) {
	if p.Attributes == nil {
		return nil, &perturb.Refusal{Reason: "no-attributes"}
	}
	sampled, err := p.Sampled()
	if err != nil {
		return nil, err
	}
	own := perturb.OwnNames(p.DB)
	for t, table := range p.DB.Tables {
		if !alterable(p.DB, t) {
			continue
		}
		names := perturb.NewFreeNames(p.DB)
		for _, a := range of(t) {
			if own[perturb.Bare(a.Name)] || resembles(p, table, a.Name) || isValue(sampled.Tables[t], a.Name) {
				continue
			}
			if _, name := firstName(columnNames(names, t), a.Name); name != "" {
				edits = append(edits, insertion(p, table, name, a))
			}
		}
	}
	return edits, nil
}

// isValue reports whether a column has a name among its sample values, so that a column of that name would repeat it: "completed" next
// to "status".
func isValue(table dataset.Table, name string) bool {
	isName := func(cell string) bool { return perturb.Bare(cell) == perturb.Bare(name) }
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return slices.ContainsFunc(c.Samples, isName) })
}

// EntityAttributes returns the attributes of the entity that a table is about by its name. It returns nil if no column of the table
// confirms that, and for a table that only relates two others.
func EntityAttributes(p *perturb.Pass, t int) []lexicon.Attribute {
	table := p.DB.Tables[t]
	if isLine(p.DB, t) {
		return nil
	}
	attributes := p.Attributes().OfTable(table.Name, lists.Map(table.Columns, func(c dataset.Column) string { return c.Name }))
	if !hasAttribute(table, attributes) {
		return nil
	}
	if slices.ContainsFunc(table.Columns, namesOrganization) { // customers that are companies have no age
		ofPerson := p.Attributes().Of("person")
		isOfPerson := func(a lexicon.Attribute) bool {
			return slices.ContainsFunc(ofPerson, func(o lexicon.Attribute) bool { return o.Name == a.Name })
		}
		return slices.DeleteFunc(slices.Clone(attributes), isOfPerson)
	}
	return attributes
}

// isLine reports whether a table relates two or more others and is named like one of them or like a line ("order items", "work order
// parts"). Its rows lack the attributes of its name's entity: a part of a work order has no weight of its own.
func isLine(db *dataset.Database, t int) bool {
	head := func(t int) string {
		name := lexicon.Normal(db.Tables[t].Name)
		return name[strings.LastIndex(name, " ")+1:]
	}
	references := lists.Filter(db.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column.Table == t && k.Target.Table != t })
	isCalledAfter := func(k dataset.ForeignKey) bool { return head(k.Target.Table) == head(t) }
	isNamedLine := slices.Contains([]string{"item", "line", "detail"}, head(t))
	return len(references) > 1 && (isNamedLine || slices.ContainsFunc(references, isCalledAfter))
}

// namesOrganization reports whether a column has the names of organizations.
func namesOrganization(c dataset.Column) bool {
	first, rest, _ := strings.Cut(lexicon.Normal(c.Name), " ")
	return rest == "name" && slices.Contains(strings.Fields("business company organization organisation firm trading"), first)
}

// insertion returns the edit that adds an attribute to a table under a name, with drawn values.
func insertion(p *perturb.Pass, table dataset.Table, name string, a lexicon.Attribute) perturb.AddColumn {
	e := perturb.AddColumn{
		Table: table.Original, Name: name, Natural: a.Name, Type: dataset.Type(a.Type),
		From: perturb.Certain(a.Name, dataset.AttributesSource, table.Name),
	}
	rng := p.Rand("cells", table.Original, a.Name)
	for range cellCount {
		e.Cells = append(e.Cells, a.Value(rng))
	}
	return e
}

// hasAttribute reports whether a column of a table is one of the attributes of an entity, so that the table is about it: a table
// "models" with a column "horsepower" is not about fashion models. General words such as "name" confirm nothing.
func hasAttribute(table dataset.Table, attributes []lexicon.Attribute) bool {
	for _, c := range table.Columns {
		column := strings.Fields(lexicon.Normal(c.Name))
		if isSubset(column, generalWords) {
			continue
		}
		for _, a := range attributes {
			words := strings.Fields(lexicon.Normal(a.Name))
			if isSubset(column, words) || isSubset(words, column) && !isSubset(words, generalWords) {
				return true
			}
		}
	}
	return false
}

// similarNames returns the bare names that the buckets of a table's columns have from web tables similar to it.
func similarNames(p *perturb.Pass, table int) map[string]bool {
	names := map[string]bool{}
	for c := range p.DB.Tables[table].Columns {
		b := p.Buckets[p.DB.ColumnID(dataset.ColumnRef{Table: table, Column: c}).Key()]
		for _, c := range slices.Concat(b.Add, b.Replace) {
			if c.Source == dataset.RetrievalSource {
				names[perturb.Bare(c.Name)] = true
			}
		}
	}
	return names
}

// resembles reports whether a table has a column that a question for the attribute could mean: the attribute follows
// from the column ("age" from "birthday"), one name has all words of the other, they share a specific word, one is a
// part of the other ("street" of "address"), or the dictionary has them as synonyms.
func resembles(p *perturb.Pass, table dataset.Table, attribute string) bool {
	words := strings.Fields(lexicon.Normal(attribute))
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		column := strings.Fields(lexicon.Normal(c.Name))
		for _, w := range column { // "capacity" for "seat cap"
			column = append(column, lexicon.DefaultAbbreviations().ExpandListed(w)...)
		}
		switch {
		case slices.ContainsFunc(follows[attribute], func(w string) bool { return slices.Contains(column, w) }):
			return true
		case isSubset(words, column), isSubset(column, words), shareWord(attribute, c.Name), isPart(column, words), isPart(words, column):
			return true
		}
		return synonymous(p, attribute, c.Name) || synonymous(p, c.Name, attribute)
	})
}

// follows has, for attributes that follow from other columns or mean the same, words in the names of these columns.
var follows = map[string][]string{
	"age":              strings.Fields("birth birthday dob born"),
	"years of service": strings.Fields("hire hired join joined start started employed since"),
	"salary":           strings.Fields("wage hourly pay"),
	"hourly rate":      strings.Fields("salary wage pay"),
	"hourly wage":      strings.Fields("salary rate pay"),
	"license plate":    strings.Fields("registration reg plate"),
	"distance":         strings.Fields("km mile miles"),
	"duration":         strings.Fields("minutes mins hours hrs"),
	"price":            strings.Fields("fare fee cost amount charge rate"),
	"ticket price":     strings.Fields("fare fee price"),
	"cost":             strings.Fields("fare fee price amount charge rate"),
	"fee":              strings.Fields("fare price cost amount charge rate"),
	"findings":         strings.Fields("remark remarks note notes comment comments result"),
}

// isPart reports whether a column, given by its words, is a part of the thing that a name ends with: "street" of "billing address".
func isPart(column, name []string) bool {
	return len(name) > 0 && slices.ContainsFunc(parts[name[len(name)-1]], func(part string) bool { return slices.Contains(column, part) })
}

// parts are the parts of what schemas have whole or in parts.
var parts = map[string][]string{
	"name":        strings.Fields("middle initial maiden forename surname"),
	"address":     strings.Fields("street city town postcode zip zipcode house line"),
	"location":    strings.Fields("street city town latitude longitude"),
	"coordinates": strings.Fields("latitude longitude"),
	"dimension":   strings.Fields("width height length"),
}

// synonymous reports whether the other name is a synonym of the first in the dictionary.
func synonymous(p *perturb.Pass, name, other string) bool {
	return slices.ContainsFunc(p.Synonyms(strings.Join(lexicon.Words(name), " ")), func(s string) bool { return perturb.Bare(s) == perturb.Bare(other) })
}

// shareWord reports whether two names share a word that is not one of generalWords.
func shareWord(a, b string) bool {
	words := strings.Fields(lexicon.Normal(b))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(a)), func(w string) bool {
		return !slices.Contains(generalWords, w) && slices.Contains(words, w)
	})
}

// isSubset reports whether all words are among others.
func isSubset(words, others []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(others, w) })
}

// generalWords are words that names share which have nothing else in common.
var generalWords = strings.Fields("name id date number type code time status count total of year is has average level rate title reference description")
