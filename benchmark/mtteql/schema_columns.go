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
				edit:   perturb.DropColumn{Table: table.Original, Column: p.DB.Column(ref).Original},
				unused: []part{part(ref), listPart(ref.Table)},
				tier:   tierOf(!isNeeded(p.DB, ref)),
			})
		}
	}
	return changes, nil
}

// isNeeded reports whether nobody would drop a column: the name of what the rows are, or all that they say.
func isNeeded(db *dataset.Database, ref dataset.ColumnRef) bool {
	return isOwnName(db, ref) || !hasOther(db, ref) || perturb.HasSibling(db.Tables[ref.Table], ref.Column)
}

// isOwnName reports whether a column is the name or title of its table's rows: "name" or "carrier name" of carriers.
func isOwnName(db *dataset.Database, ref dataset.ColumnRef) bool {
	name := strings.Fields(lexicon.Normal(db.Column(ref).Name))
	last := len(name) - 1
	return last >= 0 && slices.Contains([]string{"name", "title"}, name[last]) && isSubset(name[:last], strings.Fields(lexicon.Normal(db.Tables[ref.Table].Name)))
}

// hasOther reports whether a table has another column that is part of no key: without any, its rows would say nothing.
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

// synonyms returns names that may replace a column's, the best first, and those that schemas would hardly have last.
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
			if n == keptNames || own[perturb.Bare(c.Name)] {
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
				unused: []part{part(ref)}, name: c.Name, tier: tierOf(len(perturb.Tied(p.DB, ref)) == 0 && perturb.HasHeadLast(c.Name)),
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
		changes = append(changes, change{edit: e, unused: []part{listPart(t)}, name: e.Natural, tier: tiers[t][e.Natural]})
	}
	return changes, err
}

// insertionTier returns how likely a table has an attribute of its entity: what similar tables have first, then what any table of the
// entity has, then what those of a wider entity have, and last what is special.
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

// Insertions returns the edits that add to the table at a position t each of the attributes of(t) that nothing in the database resembles.
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

// isValue reports whether a column has a name as a value, which it would say again: "completed" beside a status.
func isValue(table dataset.Table, name string) bool {
	isName := func(cell string) bool { return perturb.Bare(cell) == perturb.Bare(name) }
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return slices.ContainsFunc(c.Samples, isName) })
}

// EntityAttributes returns the attributes of the entity that a table is about, nil if its columns do not confirm that it is about one.
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

// isLine reports whether the rows of a table relate two others, and it is called after one of them or a line of it: a part of a work order
// has not the weight that the part has.
func isLine(db *dataset.Database, t int) bool {
	head := func(t int) string {
		name := lexicon.Normal(db.Tables[t].Name)
		return name[strings.LastIndex(name, " ")+1:]
	}
	references := lists.Filter(db.ForeignKeys, func(k dataset.ForeignKey) bool { return k.Column.Table == t && k.Target.Table != t })
	isCalledAfter := func(k dataset.ForeignKey) bool { return head(k.Target.Table) == head(t) }
	return len(references) > 1 && (slices.Contains([]string{"item", "line", "detail"}, head(t)) || slices.ContainsFunc(references, isCalledAfter))
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

// hasAttribute reports whether a table has one of the attributes already, so that it is
// about the entity that its name says: the "model" of a list of cars is not the
// one that fashion has.
func hasAttribute(table dataset.Table, attributes []lexicon.Attribute) bool {
	for _, c := range table.Columns {
		column := strings.Fields(lexicon.Normal(c.Name))
		if isSubset(column, generalWords) {
			continue
		}
		for _, a := range attributes {
			if words := strings.Fields(lexicon.Normal(a.Name)); isSubset(words, column) && !isSubset(words, generalWords) || isSubset(column, words) {
				return true
			}
		}
	}
	return false
}

// similarNames returns the names, bare, that web tables similar to a table have,
// as far as they came into the buckets of its columns.
func similarNames(p *perturb.Pass, table int) map[string]bool {
	names := map[string]bool{}
	for c := range p.DB.Tables[table].Columns {
		b := p.Buckets[p.DB.ColumnID(dataset.ColumnRef{Table: table, Column: c}).Key()]
		for _, c := range slices.Concat(b.Add, b.Replace) {
			names[perturb.Bare(c.Name)] = c.Source == dataset.RetrievalSource || names[perturb.Bare(c.Name)]
		}
	}
	return names
}

// resembles reports whether a table has a column that a question for the attribute
// could mean: one name has all words of the other, they share a word for their topic,
// or the dictionary has them as synonyms.
func resembles(p *perturb.Pass, table dataset.Table, attribute string) bool {
	words := strings.Fields(lexicon.Normal(attribute))
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		column := strings.Fields(lexicon.Normal(c.Name))
		for _, w := range column { // "seat cap"
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

// follows has, for attributes that follow from others or say the same in other words, words of these.
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

// isPart reports whether a column is a part of what a name ends with: the street of a billing address.
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

// synonymous reports whether the dictionary has one name among the synonyms of
// another.
func synonymous(p *perturb.Pass, name, other string) bool {
	return slices.ContainsFunc(p.Synonyms(strings.Join(lexicon.Words(name), " ")), func(s string) bool { return perturb.Bare(s) == perturb.Bare(other) })
}

// shareWord reports whether two names share a word for their topic.
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
