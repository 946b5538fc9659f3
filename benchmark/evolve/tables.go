package evolve

import (
	_ "embed"
	"errors"
	"fmt"
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
	if references > 1 || isOfPair || isOfClass(p, name, "{event}") || len(p.DB.Tables) <= leastLeft || strings.Contains(" "+lexicon.Normal(p.DB.ID)+" ", " "+name+" ") {
		return true
	}
	return slices.ContainsFunc(p.DB.PrimaryKeys, func(key dataset.ColumnRef) bool {
		return key.Table == t && (perturb.IsForeignKey(p.DB, key) || namedElsewhere(p.DB, key))
	})
}

// namedElsewhere reports whether another table has a column of the name of a key that says of what it is.
func namedElsewhere(db *dataset.Database, key dataset.ColumnRef) bool {
	name := perturb.Bare(db.Column(key).Name)
	for t, table := range db.Tables {
		if t != key.Table && !bareKeys[lexicon.Normal(db.Column(key).Name)] && slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return perturb.Bare(c.Name) == name }) {
			return true
		}
	}
	return false
}

// maxMerged is how many columns beside its key a table has that people merge into the rows that refer to it: a code with its name and
// description. More of them, as those of products, would stand in every complaint about one.
const maxMerged = 3

// tableMerges returns the changes that merge a table into one that refers to it, or to which it refers.
func tableMerges(p *perturb.Pass) (changes []*change, err error) {
	merges := lists.Filter(mtteql.Merges(p.DB), func(e perturb.MergeTables) bool { return len(e.Columns) <= maxMerged })
	extensions, err := extensionMerges(p)
	if err != nil {
		return nil, err
	}
	for _, e := range append(merges, extensions...) {
		ok, err := complete(p, &e)
		if err != nil {
			return nil, err
		}
		if ok {
			changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table, e.Reference}})
		}
	}
	return changes, nil
}

// everybody are names of tables of people of whom other tables say what some of them are.
var everybody = wordfile.ReadSet("person people individual individuals human humans")

// extensionMerges returns the merges of a table into the one whose rows it extends: poker players become people most of whom play poker.
func extensionMerges(p *perturb.Pass) (merges []perturb.MergeTables, err error) {
	db := p.DB
	for _, key := range db.ForeignKeys {
		into, from := db.Tables[key.Target.Table], db.Tables[key.Column.Table]
		isTarget := func(k dataset.ForeignKey) bool { return k.Target.Table == key.Column.Table }
		columns, ok := mtteql.MergedColumns(db, key.Target.Table, key.Column)
		isDated := slices.ContainsFunc(from.Columns, func(c dataset.Column) bool { return isOfTime(c.Name, c.Type) }) // can happen again
		if !ok || isDated || !alterable(into) || !alterable(from) || from.Read || slices.ContainsFunc(db.ForeignKeys, isTarget) {
			continue
		}
		own, err := p.Content.PrimaryKey(p.Context, from.Original)
		if err != nil {
			return nil, err
		}
		// Rows that only happen to refer to one row each, as links and events may, are no extension.
		isKey := len(own) == 1 && strings.EqualFold(own[0], db.Column(key.Column).Original)
		if !isKey && (len(own) != 1 || !everybody[lexicon.Normal(into.Name)] || !isOfClass(p, from.Name, "{person}")) {
			continue
		}
		if isKey {
			columns = lists.Map(columns, func(c perturb.MergedColumn) perturb.MergedColumn { return unprefixed(db, key, c) })
		}
		merges = append(merges, perturb.MergeTables{
			Table: into.Original, Column: db.Column(key.Target).Original, Reference: from.Original, Target: db.Column(key.Column).Original, Columns: columns,
		})
	}
	return merges, nil
}

// isOfClass reports whether the last word of a table's name is of a class of the thesaurus.
func isOfClass(p *perturb.Pass, table, class string) bool {
	return slices.Contains(p.Headings().Classes().Of(kind(dataset.Column{Name: table})), class)
}

// maxWords is how many words the name of a merged column has at most.
const maxWords = 5

// complete makes a merge a whole one, with what the rows say of it. It returns false if the other table only has links, if
// nothing marks the rows of the table that goes, if most rows would have none of it, or if a name becomes too long.
func complete(p *perturb.Pass, e *perturb.MergeTables) (bool, error) {
	count := func(table, column string) (rows, filled, distinct int64, err error) {
		res, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT count(*), count(%[1]s), count(DISTINCT %[1]s) FROM %s", sqldata.QuoteName(column), sqldata.QuoteName(table)))
		if err != nil { // the schema may have what the file lacks
			return -1, 0, 0, p.Context.Err()
		}
		return res.Rows[0][0].Int(), res.Rows[0][1].Int(), res.Rows[0][2].Int(), nil
	}
	rows, filled, distinct, err := count(e.Table, e.Column)
	others, _, unique, err2 := count(e.Reference, e.Target)
	if err := errors.Join(err, err2); err != nil || rows < 0 || others < 0 || unique < others {
		return false, err
	}
	e.Whole, e.Unique = true, distinct == filled
	e.Columns = lists.Map(e.Columns, func(c perturb.MergedColumn) perturb.MergedColumn { return unrepeated(p.DB, e.Table, c) })
	isLong := func(c perturb.MergedColumn) bool { return len(strings.Fields(c.Natural)) > maxWords }
	switch {
	case linksOnly(p.DB, e.Table), e.Unique && 3*others < 2*rows, slices.ContainsFunc(e.Columns, isLong):
		return false, nil
	case others == filled && filled == rows, !e.Unique && filled == rows:
		return true, nil
	case filled < rows:
		e.Marker = e.Column
		return true, nil
	}
	for _, c := range e.Columns {
		if rows, filled, _, err := count(e.Reference, c.Column); err != nil || rows == filled && rows >= 0 {
			e.Marker = c.Name
			return err == nil, err
		}
	}
	return false, nil
}

// linksOnly reports whether all columns of a table are parts of keys: nobody puts there what a row of another table says.
func linksOnly(db *dataset.Database, table string) bool {
	return !slices.ContainsFunc(db.Tables[db.Table(table)].Columns, func(c dataset.Column) bool {
		ref, _ := db.Lookup(table, c.Original)
		return !perturb.IsKey(db, ref)
	})
}

// unprefixed returns a merged column under its old name where that is free in the table that gets it, and no third table has a column
// of that name that is part of no key: a balance of accounts would not say whether it is that of savings.
func unprefixed(db *dataset.Database, key dataset.ForeignKey, c perturb.MergedColumn) perturb.MergedColumn {
	ref, _ := db.Lookup(db.Tables[key.Column.Table].Original, c.Column)
	for other := range db.AllColumns() {
		if other.Table != ref.Table && !perturb.IsKey(db, other) && perturb.Bare(db.Column(other).Name) == perturb.Bare(db.Column(ref).Name) {
			return c
		}
	}
	if name, ok := perturb.NewFreeNames(db).Take(key.Target.Table, db.Column(ref).Name); ok && !strings.HasSuffix(name, "_") {
		c.Name, c.Natural = c.Column, db.Column(ref).Name
	}
	return c
}

// unrepeated returns a merged column with a name that does not say one word twice, nor that the table was a list to refer to:
// "continent name" for "continent continent", "category code" for "ref category code".
func unrepeated(db *dataset.Database, table string, c perturb.MergedColumn) perturb.MergedColumn {
	words := lexicon.Words(c.Natural)
	if wasPrefixed := c.Name != c.Column; wasPrefixed && (words[0] == "ref" || words[0] == "reference") {
		words = words[1:]
	}
	once := slices.Compact(slices.Clone(words))
	if len(once) == len(lexicon.Words(c.Natural)) {
		return c
	}
	if len(once) == 1 {
		once = append(once, "name")
	}
	natural := strings.Join(once, " ")
	if name, ok := perturb.NewFreeNames(db).Take(db.Table(table), natural); ok {
		c.Name, c.Natural = name, natural
	}
	return c
}

//go:embed data/groups.txt
var groupText string

// groups are lists of words of columns that are of one thing, by its name.
var groups = sync.OnceValue(func() [][]string { return wordfile.Rows(groupText, 2) })

// tableSplits returns the changes that move columns of a table to one of its own: those of one thing, such as an address, or the
// latter half.
func tableSplits(p *perturb.Pass) (changes []*change, err error) {
	for _, t := range alterableTables(p.DB) {
		key, ok := primaryKey(p.DB, t)
		inFile, err := p.Content.PrimaryKey(p.Context, p.DB.Tables[t].Original)
		if err != nil {
			return nil, err
		}
		if !ok || len(inFile) > 1 { // a key of several columns may be declared as one
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
	middle, best := (len(columns)+1)/2, 0
	for off := 0; len(columns) >= leastCut && off < middle; off++ {
		for _, at := range []int{middle + off, middle - off} {
			switch {
			case at > len(columns)-leastMoved || parts(at):
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

// kind returns what a column is by the last word of its name: "name" of a surname too.
func kind(c dataset.Column) string {
	words := strings.Fields(lexicon.Normal(c.Name))
	if len(words) == 0 {
		return ""
	}
	last := words[len(words)-1]
	if strings.HasSuffix(last, "name") {
		return "name"
	}
	return last
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

// primaryKey returns the SQL name of the one column that is the primary key of a table, false if there is no such column.
func primaryKey(db *dataset.Database, t int) (string, bool) {
	keys := lists.Filter(db.PrimaryKeys, func(ref dataset.ColumnRef) bool { return ref.Table == t })
	if len(keys) != 1 {
		return "", false
	}
	return db.Column(keys[0]).Original, true
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

// tableWords are last words of a table's name that do not say what its rows are.
var tableWords = wordfile.ReadSet("data detail details info information list table")

// entity returns what a row of a table is, by the table's name: "car" of "cars data".
func entity(table string) string {
	words := lexicon.Words(table)
	if len(words) > 1 && tableWords[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) > 0 {
		words[len(words)-1] = english.Singular(words[len(words)-1])
	}
	return strings.Join(words, " ")
}

//go:embed data/tables.txt
var tableText string

// addedTables are the tables that can be added to any other, in the format of [lexicon.Attributes]: each is an entity whose
// attributes are its columns.
var addedTables = sync.OnceValues(func() (*lexicon.Attributes, error) {
	return lexicon.ReadAttributes("data/tables.txt", strings.NewReader(tableText), func(error) {})
})

// addedNames are the entities of data/tables.txt.
var addedNames = strings.Fields("photo note document tag change")

// visible are attributes of things of which there are photos.
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
		key, ok := primaryKey(p.DB, t)
		inFile, err := p.Content.PrimaryKey(p.Context, p.DB.Tables[t].Original)
		if err != nil {
			return nil, err
		}
		// A key of several columns may be declared as one; a name of people tells none apart, and nobody writes of codes.
		isName := slices.Contains(lexicon.Words(key), "name") || slices.ContainsFunc(lexicon.Words(key), func(w string) bool { return strings.HasSuffix(w, "name") })
		if isCode := kind(dataset.Column{Name: key}) == "code"; !ok || len(inFile) > 1 || isName || isCode || !dataset.Named(p.DB.Tables[t].Name) || slices.ContainsFunc(lexicon.Words(p.DB.Tables[t].Name), english.IsFunction) {
			continue
		}
		ref, _ := p.DB.Lookup(p.DB.Tables[t].Original, key)
		keys, err := p.Content.Values(p.Context, ref)
		if p.Context.Err() != nil {
			return nil, p.Context.Err()
		}
		if err != nil || len(keys) < 2 {
			continue
		}
		for _, kind := range addedNames {
			if kind == "photo" && !isVisible(p, t) || own[perturb.Bare(kind)] || isWord(p, entity(p.DB.Tables[t].Name)+kind) {
				continue
			}
			if e, ok := newTable(p, t, kind, kinds.Of(kind), keys); ok {
				changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Columns[1].Reference}, name: kind})
			}
		}
	}
	return changes, nil
}

// isWord reports whether letters are a word: nobody takes a bank note for a note on a bank.
func isWord(p *perturb.Pass, letters string) bool {
	if p.Vectors == nil {
		return false
	}
	_, known := p.Vectors.Lookup(nil, letters)
	return known
}

// bareKeys are names of keys that do not say of what.
var bareKeys = wordfile.ReadSet("id code key name no number title")

// isVisible reports whether the rows of a table are of things of which there are photos.
func isVisible(p *perturb.Pass, t int) bool {
	return p.Attributes != nil && slices.ContainsFunc(p.Attributes().Of(p.DB.Tables[t].Name), func(a lexicon.Attribute) bool { return visible[a.Name] })
}

// newTable returns the edit that adds a table of a kind with columns and rows that refer to the keys of another; false if a name is
// not free.
func newTable(p *perturb.Pass, t int, kind string, columns []lexicon.Attribute, keys []sqldata.Value) (e perturb.AddTable, ok bool) {
	target, _ := primaryKey(p.DB, t)
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
	if isBare {
		link = thing + " " + link
	}
	reference := add(link, p.DB.Column(ref).Type, func(int) string { return keys[rng.IntN(len(keys))].String() })
	reference.Reference, reference.Target = p.DB.Tables[t].Original, target
	if !isBare && reference.Name != e.Columns[0].Name {
		reference.Name = target
	}
	for _, a := range columns {
		add(a.Name, dataset.Type(a.Type), func(int) string { return a.Value(rng) })
	}
	return e, true
}
