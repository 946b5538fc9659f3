package evolve

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// columnAdditions returns the changes that add a column with random cells. It adds attributes of a table's entity whose random values
// contradict neither the database nor what a reader may know ([safeAttributes]). If no table has one, it adds columns that
// records of any kind can have.
func columnAdditions(p *perturb.Pass) (changes []*change, err error) {
	kinds, err := addedTables()
	if err != nil {
		return nil, err
	}
	edits, err := mtteql.Insertions(p, func(t int) []lexicon.Attribute { return safeAttributes(p, t) })
	if err == nil && len(edits) == 0 {
		edits, err = mtteql.Insertions(p, func(int) []lexicon.Attribute { return kinds.Of("record") })
	}
	for _, e := range edits {
		changes = append(changes, &change{edits: []perturb.Edit{e}, name: e.Natural})
	}
	return changes, err
}

// safeAttributes returns the attributes of a table's entity for which random values are plausible; none for a table of public things,
// or one without a key of its own.
func safeAttributes(p *perturb.Pass, t int) []lexicon.Attribute {
	if p.Headings == nil || !isPrivate(p, t) || !hasOwnKey(p.DB, t) {
		return nil
	}
	table := p.DB.Tables[t]
	return lists.Filter(mtteql.EntityAttributes(p, t), func(a lexicon.Attribute) bool {
		isOfAnyRow := !a.Inherited && !a.Special && a.IsSteady() // of the entity itself, of all its rows, and any value is plausible
		isContradicted := isDated(p, table, a) || isOfLife(p, a) || countsTable(p.DB, t, a) || isOneOfPair(p, t, a) || repeats(p, table, a)
		return isOfAnyRow && !isContradicted
	})
}

// publicRows are classes of things about which facts are public. Facts about customers, orders or courses are known only from the database.
var publicRows = []string{"{place}", "{organization}", "{performer}", "{product}"}

// isPrivate reports whether only the owner of a database knows the rows of a table: the thesaurus knows what they are, and that is
// none of publicRows.
func isPrivate(p *perturb.Pass, t int) bool {
	headings := p.Headings()
	classes := headings.Classes().Of(headings.Rows(p.DB.Tables[t].Name))
	isPublic := func(class string) bool { return slices.Contains(publicRows, class) }
	return len(classes) > 0 && !slices.ContainsFunc(classes, isPublic)
}

// isDated reports whether an attribute is a point or span of time that other facts may contradict: the table has another time, as an age
// next to a date of birth, or its rows are no people, as the date of a public event.
func isDated(p *perturb.Pass, table dataset.Table, a lexicon.Attribute) bool {
	hasTime := slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return isOfTime(c.Name, c.Type) })
	return isOfTime(a.Name, dataset.Type(a.Type)) && (hasTime || !isOfClass(p, table.Name, "{person}"))
}

// isOfLife reports whether an attribute is about an event of a life, such as a birth or death, which must fit the other facts about a person.
func isOfLife(p *perturb.Pass, a lexicon.Attribute) bool {
	classes := p.Headings().Classes()
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(a.Name)), func(w string) bool { return slices.Contains(classes.Of(w), "{lifeevent}") })
}

// countsTable reports whether an attribute has the word for the rows of another table ("orders" of customers, if there is a table of orders):
// it may count or sum them up, so that those rows contradict random values.
func countsTable(db *dataset.Database, t int, a lexicon.Attribute) bool {
	words := strings.Fields(lexicon.Normal(a.Name))
	for other, table := range db.Tables {
		of := strings.Fields(lexicon.Normal(entity(table.Name)))
		if other != t && len(of) > 0 && slices.Contains(words, of[len(of)-1]) {
			return true
		}
	}
	return false
}

// isOneOfPair reports whether an attribute contrasts with another one of the entity or with a column of the table, as longitude with
// latitude: one without the other is odd.
func isOneOfPair(p *perturb.Pass, t int, a lexicon.Attribute) bool {
	table := p.DB.Tables[t]
	return slices.ContainsFunc(p.Attributes().Of(table.Name), func(b lexicon.Attribute) bool { return excludes(p, a.Name, b.Name) }) ||
		slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return excludes(p, a.Name, c.Name) })
}

// repeats reports whether an attribute may mean the same as a column of the table, such as "stars" and "rating". Random values would
// contradict that column.
func repeats(p *perturb.Pass, table dataset.Table, a lexicon.Attribute) bool {
	headings := p.Headings()
	return len(table.Columns) > 0 && headings.Repeats(headings.Of(&table, 0), a.Name)
}

//go:embed data/tables.txt
var tableText string

// addedTables are the tables that can be added to any other, in the format of [lexicon.Attributes]: each is an entity whose
// attributes are its columns.
var addedTables = sync.OnceValues(func() (*lexicon.Attributes, error) {
	return lexicon.ReadAttributes("data/tables.txt", strings.NewReader(tableText), func(error) {})
})

// addedNames are the entities of data/tables.txt.
var addedNames = strings.Fields("photo note document")

// visible are attributes of things that can be photographed.
var visible = wordfile.ReadSet("height weight color gender nationality latitude address material capacity elevation")

// newRows is how many rows an added table has.
const newRows = 6

// newTables returns the changes that add a table which refers to one of the database.
func newTables(p *perturb.Pass) (changes []*change, err error) {
	kinds, err := addedTables()
	if err != nil {
		return nil, err
	}
	own := perturb.OwnNames(p.DB)
	for _, t := range alterableTables(p.DB) {
		target, keys, err := referable(p, t)
		if err != nil {
			return nil, err
		}
		for _, kind := range addedNames {
			isOdd := kind == "photo" && !isVisible(p, t) || isTerm(p, entity(p.DB.Tables[t].Name), kind) // no photos of it, or another sense
			if len(keys) < 2 || isOdd || own[perturb.Bare(kind)] {
				continue
			}
			if e, ok := newTable(p, t, kind, target, kinds.Of(kind), keys); ok {
				// Column 0 is the id of the new table, column 1 refers to table t.
				changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Columns[1].Reference}, name: kind})
			}
		}
	}
	return changes, nil
}

// referable returns the SQL name of a table's key and its values, to which the rows of another table can refer. It returns "" if the
// table has no key of one column, if that is a name (two people may share it) or a code, if no noun names the rows, or if the
// values cannot be read.
func referable(p *perturb.Pass, t int) (key string, values []sqldata.Value, err error) {
	key, err = singleKey(p, t)
	table := p.DB.Tables[t]
	isName := slices.ContainsFunc(lexicon.Words(key), func(w string) bool { return strings.HasSuffix(w, "name") })
	isNoun := dataset.Named(table.Name) && !slices.ContainsFunc(lexicon.Words(table.Name), english.IsFunction)
	isUsable := key != "" && !isName && headNoun(key) != "code"
	if err != nil || !isUsable || !isNoun {
		return "", nil, err
	}
	ref, _ := p.DB.Lookup(table.Original, key)
	values, err = p.Content.Values(p.Context, ref)
	if err != nil { // the file may lack a column of the schema
		return "", nil, p.Context.Err()
	}
	return key, values, nil
}

// isTerm reports whether the vectors know a thing and a kind as one term, whose meaning may be another: a "bank note" is no note on a
// bank.
func isTerm(p *perturb.Pass, thing, kind string) bool {
	if p.Vectors == nil {
		return false
	}
	_, asWord := p.Vectors.Lookup(nil, thing+kind)
	_, asPhrase := p.Vectors.Lookup(nil, thing+" "+kind)
	return asWord || asPhrase
}

// isVisible reports whether the rows of a table are things that can be photographed: their entity has an attribute of visible.
func isVisible(p *perturb.Pass, t int) bool {
	return p.Attributes != nil && slices.ContainsFunc(p.Attributes().Of(p.DB.Tables[t].Name), func(a lexicon.Attribute) bool { return visible[a.Name] })
}

// newTable returns the edit that adds a table of a kind, such as "singer photo" for table t of singers. It has an id, a column that
// refers to column target of t by random keys of it, and the given columns with random cells. It returns false if the name is not free.
func newTable(p *perturb.Pass, t int, kind, target string, columns []lexicon.Attribute, keys []sqldata.Value) (e perturb.AddTable, ok bool) {
	ref, _ := p.DB.Lookup(p.DB.Tables[t].Original, target)
	thing := entity(p.DB.Tables[t].Name)
	e.Natural = thing + " " + kind
	if e.Name, ok = perturb.NewFreeNames(p.DB).TakeTable(e.Natural); !ok {
		return e, false
	}
	e.From = perturb.Certain(e.Natural, dataset.AttributesSource, kind)
	style, rng := perturb.StyleOf(p.DB, t), p.Rand("rows", e.Name)
	add := func(natural string, typ dataset.Type, cell func(row int) string) *perturb.NewColumn {
		c := perturb.NewColumn{Name: style.Identifier(natural), Natural: natural, Type: typ}
		for row := range newRows {
			c.Cells = append(c.Cells, cell(row))
		}
		e.Columns = append(e.Columns, c)
		return &e.Columns[len(e.Columns)-1]
	}
	add(kind+" id", dataset.Number, func(row int) string { return strconv.Itoa(row + 1) })
	link := p.DB.Column(ref).Name
	isBare := bareKeys[lexicon.Normal(link)]
	if isBare { // "singer id" for "id"
		link = thing + " " + link
	}
	reference := add(link, p.DB.Column(ref).Type, func(int) string { return keys[rng.IntN(len(keys))].String() })
	reference.Reference, reference.Target = p.DB.Tables[t].Original, target
	if !isBare && reference.Name != e.Columns[0].Name { // as foreign keys are mostly named
		reference.Name = target
	}
	for _, a := range columns {
		add(a.Name, dataset.Type(a.Type), func(int) string { return a.Value(rng) })
	}
	return e, true
}
