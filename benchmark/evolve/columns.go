package evolve

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/benchmark/drspider/database"
	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// columnAdditions returns the changes that add a column with rows. Its cells are made up, so it is one of which nothing that the
// database says, or that a reader knows, contradicts them: an attribute of what the rows are or, if no table of the database has one, what
// is kept of records of any kind.
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

// safeAttributes returns the attributes of a table's entity that can be made up.
func safeAttributes(p *perturb.Pass, t int) []lexicon.Attribute {
	if !isPrivate(p, t) {
		return nil
	}
	table := p.DB.Tables[t]
	return lists.Filter(mtteql.EntityAttributes(p, t), func(a lexicon.Attribute) bool {
		return !a.Inherited && a.IsSteady() && !isDated(table, a) && !countsTable(p.DB, t, a) && !isOneOfPair(p, t, a)
	})
}

// publicRows are classes of rows of which anybody can know something. Of customers, orders and courses only the owner of the database does.
var publicRows = []string{"{place}", "{organization}", "{performer}", "{product}"}

// isPrivate reports whether only the owner of a database knows of the rows of a table.
func isPrivate(p *perturb.Pass, t int) bool {
	headings := p.Headings()
	classes := headings.Classes().Of(headings.Rows(p.DB.Tables[t].Name))
	isPublic := func(class string) bool { return slices.Contains(publicRows, class) }
	return len(classes) > 0 && !slices.ContainsFunc(classes, isPublic)
}

// isDated reports whether an attribute is a point in time, or a span of it, of rows that have one: an age beside a date of birth.
func isDated(table dataset.Table, a lexicon.Attribute) bool {
	return isOfTime(a.Name, dataset.Type(a.Type)) && slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return isOfTime(c.Name, c.Type) })
}

// isOfTime reports whether a column is a point in time or a span of it.
func isOfTime(name string, typ dataset.Type) bool {
	return typ == dataset.Time || slices.ContainsFunc(strings.Fields(lexicon.Normal(name)), func(w string) bool { return timeWords[w] })
}

// timeWords are words of columns that say when or how long.
var timeWords = wordfile.ReadSet("date time year month day hour age duration")

// countsTable reports whether an attribute has the word for the rows of another table, which it would count or sum up.
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

// isOneOfPair reports whether an attribute contrasts with another of the entity or of the table, as a longitude does with a latitude.
func isOneOfPair(p *perturb.Pass, t int, a lexicon.Attribute) bool {
	table := p.DB.Tables[t]
	return slices.ContainsFunc(p.Attributes().Of(table.Name), func(b lexicon.Attribute) bool { return excludes(p, a.Name, b.Name) }) ||
		slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return excludes(p, a.Name, c.Name) })
}

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
			if len(free) > 1 && !namesRows(table, c) && !isOfEvent(p, table, c) && !isOfSeveral(p, table, ref.Column) {
				changes = append(changes, &change{edits: []perturb.Edit{perturb.DropColumn{Table: table.Original, Column: c.Original}}})
			}
		}
	}
	return changes, nil
}

// namesRows reports whether a column is what the rows are called by: a name or title, or the company of a table of companies.
func namesRows(table dataset.Table, c dataset.Column) bool {
	rows := strings.Fields(lexicon.Normal(table.Name))
	isOther := func(w string) bool { return !slices.Contains(rows, w) }
	return kind(c) == "name" || kind(c) == "title" || !slices.ContainsFunc(strings.Fields(lexicon.Normal(c.Name)), isOther)
}

// isOfEvent reports whether a column says when something happened, such as a payment, or of how much.
func isOfEvent(p *perturb.Pass, table dataset.Table, c dataset.Column) bool {
	isMoney := slices.Contains(p.Headings().Classes().Of(kind(c)), "{money}")
	return isOfClass(p, table.Name, "{event}") && (isMoney || isOfTime(c.Name, c.Type))
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
	return mtteql.HasSibling(table, column) || slices.ContainsFunc(table.Columns, completes)
}

// ofMoment reports whether two columns are parts of one point in time: the date and the time of a lesson.
func ofMoment(c, other dataset.Column) bool {
	words, others := strings.Fields(lexicon.Normal(c.Name)), strings.Fields(lexicon.Normal(other.Name))
	last := len(words) - 1
	return last >= 0 && len(others) == len(words) && slices.Equal(words[:last], others[:last]) && timeWords[words[last]] && timeWords[others[last]]
}

// excludes reports whether what one name means is never what another does, though the two stand beside each other: a longitude and a
// latitude.
func excludes(p *perturb.Pass, name, other string) bool {
	return p.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), strings.Join(lexicon.Words(other), " "))
}

// columnRenamings returns the changes that rename a column that is part of no key to its best synonym.
func columnRenamings(p *perturb.Pass) ([]*change, error) {
	return renamings(p, func(r perturb.Edit) bool {
		table, column := r.Touches()
		ref, ok := p.DB.Lookup(table, column)
		rename, isColumn := r.(perturb.RenameColumn)
		isFree := ok && isColumn && !perturb.IsKey(p.DB, ref) && !namesKey(p.DB, ref) && !hasNamesake(p.DB, ref) && !mtteql.HasSibling(p.DB.Tables[ref.Table], ref.Column)
		return isFree && fitsNeighbours(p.DB.Tables[ref.Table], rename) && keepsSense(p, ref, rename)
	})
}

// keepsSense reports whether a new name says of a column what the old one does: a name stays one, what is of one class gets none of
// another (a nationality is no country), and a word of a table's name is kept. Words in another order are no synonym.
func keepsSense(p *perturb.Pass, ref dataset.ColumnRef, r perturb.RenameColumn) bool {
	old, name := *p.DB.Column(ref), dataset.Column{Name: r.Natural}
	switch {
	case kind(old) == "name" && kind(name) != "name" && kind(name) != "title", leavesWord(p.DB, -1, old.Name, r.Natural):
		return false
	case lexicon.WordSet(old.Name) == lexicon.WordSet(r.Natural):
		return isOfTime(old.Name, old.Type)
	}
	classes := p.Headings().Classes()
	was, is := classes.Of(kind(old)), classes.Of(kind(name))
	return len(was) == 0 || len(is) == 0 || slices.ContainsFunc(was, func(class string) bool { return slices.Contains(is, class) })
}

// fitsNeighbours reports whether the new name of a column has the prefix that the columns of its table have, such as STU_, and is not the old
// one after a word that no other begins with.
func fitsNeighbours(table dataset.Table, r perturb.RenameColumn) bool {
	if prefix := prefixOf(r.Column); prefix != "" && !strings.HasPrefix(strings.ToLower(r.Name), prefix) {
		if with := lists.Count(table.Columns, func(c dataset.Column) bool { return prefixOf(c.Original) == prefix }); 2*with >= len(table.Columns) {
			return false
		}
	}
	words, was := lexicon.Words(r.Natural), lexicon.Words(r.Column)
	if extends := len(words) > len(was) && slices.Equal(words[len(words)-len(was):], was); !extends {
		return true
	}
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { // course_title beside course_id
		identifier := lexicon.Words(c.Original)
		return len(identifier) > 0 && identifier[0] == words[0]
	})
}

// prefixOf returns the first word of an identifier with the underscore after it, in lower case; "" if there is none.
func prefixOf(identifier string) string {
	if before, _, ok := strings.Cut(identifier, "_"); ok {
		return strings.ToLower(before) + "_"
	}
	return ""
}

// hasNamesake reports whether another table has a column of the same name, of more than one word: a team changes all or none.
func hasNamesake(db *dataset.Database, ref dataset.ColumnRef) bool {
	name := lexicon.Words(db.Column(ref).Name)
	for other := range db.AllColumns() {
		if len(name) > 1 && other.Table != ref.Table && slices.Equal(lexicon.Words(db.Column(other).Name), name) {
			return true
		}
	}
	return false
}

// namesKey reports whether another table has a primary key of a column's name: a foreign key that the schema does not declare.
func namesKey(db *dataset.Database, ref dataset.ColumnRef) bool {
	return slices.ContainsFunc(db.PrimaryKeys, func(key dataset.ColumnRef) bool {
		return key.Table != ref.Table && perturb.Bare(db.Column(key).Name) == perturb.Bare(db.Column(ref).Name)
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
		return !leavesWord(p.DB, t, p.DB.Tables[t].Name, rename.Natural)
	})
}

// leavesWord reports whether a new name lacks a word of the old one that a table's name has, but for the table at a position: automobile
// data beside car makers.
func leavesWord(db *dataset.Database, but int, old, name string) bool {
	was, kept := strings.Fields(lexicon.Normal(old)), strings.Fields(lexicon.Normal(name))
	for t := range db.Tables {
		for _, word := range strings.Fields(lexicon.Normal(db.Tables[t].Name)) {
			if t != but && slices.Contains(was, word) && !slices.Contains(kept, word) {
				return true
			}
		}
	}
	return false
}

// renamings returns the changes that rename what a filter accepts.
func renamings(p *perturb.Pass, accepts func(perturb.Edit) bool) (changes []*change, err error) {
	all, err := database.Renamings(p)
	for _, edits := range all {
		if !accepts(edits[0]) {
			continue
		}
		table, _ := edits[0].Touches()
		changes = append(changes, &change{edits: edits, concerns: []string{table}})
	}
	return changes, err
}

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
		isWhole := slices.ContainsFunc(splits, isSimpler) || slices.ContainsFunc(splits, isAlike) || mtteql.HasSibling(p.DB.Tables[ref.Table], ref.Column)
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
	if last >= maxParts || oneThing[name] {
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

//go:embed data/merges.txt
var mergeText string

// mergeRule says which columns are merged into which, by their names.
type mergeRule struct {
	result   string     // natural name; "{}" stands for the words that the columns share
	parts    [][]string // the names that each part may have, without these words
	template perturb.Template
	typ      dataset.Type
	unless   []string // words of columns beside which nobody merges these
}

// mergeRules returns the rules of data/merges.txt.
var mergeRules = sync.OnceValue(func() (rules []mergeRule) {
	for _, row := range wordfile.Rows(mergeText, 5) {
		r := mergeRule{result: row[0], template: perturb.Template(strings.Trim(row[2], `"`)), typ: dataset.Type(row[3]), unless: strings.Fields(row[4])}
		for part := range strings.SplitSeq(row[1], "+") {
			var names []string
			for name := range strings.SplitSeq(part, ",") {
				names = append(names, strings.TrimSpace(name))
			}
			r.parts = append(r.parts, names)
		}
		rules = append(rules, r)
	}
	return rules
})

// columnMerges returns the changes that merge columns of a table by the rules.
func columnMerges(p *perturb.Pass) (changes []*change, err error) {
	for _, t := range alterableTables(p.DB) {
		for _, r := range mergeRules() {
			for _, e := range r.merges(p.DB, t) {
				if e.Template, err = typed(p, e); err != nil {
					return nil, err
				}
				if e.Template == "" {
					continue
				}
				changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table}})
			}
		}
	}
	return changes, nil
}

// maxDigits is how many characters a number has at most that people write: 37.329732, not 37.329732000000003.
const maxDigits = 16

// typed returns the template of a merge with the types that the columns have in the file; "" if a number would be written with more digits
// than people read of it.
func typed(p *perturb.Pass, e perturb.MergeColumns) (perturb.Template, error) {
	t := string(e.Template)
	for _, column := range e.Columns {
		ends, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT min(%[1]s), max(%[1]s), max(length(CAST(%[1]s AS TEXT))) FROM %[2]s",
			sqldata.QuoteName(column), sqldata.QuoteName(e.Table)))
		if p.Context.Err() != nil {
			return "", p.Context.Err()
		}
		verb := "$s" // a percent sign once all are replaced
		if err == nil && ends.Rows[0][0].Kind() == ends.Rows[0][1].Kind() {
			if isReal := ends.Rows[0][0].Kind() == sqldata.Real; isReal && ends.Rows[0][2].Int() > maxDigits {
				return "", nil
			}
			verb = cmp.Or(map[sqldata.Kind]string{sqldata.Integer: "$d", sqldata.Real: "$f"}[ends.Rows[0][0].Kind()], verb)
		}
		t = strings.Replace(t, "%s", verb, 1)
	}
	return perturb.Template(strings.ReplaceAll(t, "$", "%")), nil
}

// merges returns the edits of a rule in a table: one for each column that can be the first part and has the others beside it.
func (r mergeRule) merges(db *dataset.Database, t int) (out []perturb.MergeColumns) {
	table := db.Tables[t]
	for i := range table.Columns {
		for _, name := range r.parts[0] {
			about, ok := without(table.Columns[i].Name, name)
			if !ok {
				continue
			}
			columns := r.columns(table, i, about)
			natural := strings.TrimSpace(strings.Replace(r.result, "{}", about, 1))
			identifier, free := perturb.NewFreeNames(db).Take(t, natural)
			if columns == nil || !free || strings.HasSuffix(identifier, "_") || r.isSpoiled(table, columns) {
				continue
			}
			if identifier, free = r.prefixed(db, t, columns, identifier); !free {
				continue
			}
			out = append(out, perturb.MergeColumns{
				Table: table.Original, Columns: columns, Template: r.template, Name: identifier, Natural: natural, Type: r.typ,
				From: perturb.Certain(natural, "content", r.result),
			})
			break
		}
	}
	return out
}

// isSpoiled reports whether a table has another column beside which nobody merges some.
func (r mergeRule) isSpoiled(table dataset.Table, merged []string) bool {
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		isWord := func(w string) bool { return slices.Contains(r.unless, w) }
		return !slices.Contains(merged, c.Original) && slices.ContainsFunc(lexicon.Words(c.Name), isWord)
	})
}

// prefixed returns the identifier with the prefix that all its parts have, such as STU_ for STUDENT_; false if it is not free.
func (r mergeRule) prefixed(db *dataset.Database, t int, columns []string, identifier string) (string, bool) {
	prefix := prefixOf(columns[0])
	isOther := func(c string) bool { return prefixOf(c) != prefix }
	if prefix == "" || slices.ContainsFunc(columns, isOther) || strings.HasPrefix(strings.ToLower(identifier), prefix) {
		return identifier, true
	}
	rest, free := perturb.NewFreeNames(db).Take(t, strings.ReplaceAll(r.result, "{} ", ""))
	name := columns[0][:len(prefix)] + rest
	_, taken := db.Lookup(db.Tables[t].Original, name)
	return name, free && !taken
}

// columns returns the SQL names of the columns that are the parts of a rule, the first of which is at a position; nil if one is missing.
func (r mergeRule) columns(table dataset.Table, first int, about string) []string {
	columns := []string{table.Columns[first].Original}
	for _, names := range r.parts[1:] {
		i := slices.IndexFunc(table.Columns, func(c dataset.Column) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				rest, ok := without(c.Name, name)
				return ok && rest == about
			})
		})
		if i < 0 {
			return nil
		}
		columns = append(columns, table.Columns[i].Original)
	}
	return columns
}

// without returns the words of a name without those of a part, which must stand in it in a row; false if they do not.
func without(name, part string) (string, bool) {
	words, cut := lexicon.Words(name), strings.Fields(part)
	for i := 0; i+len(cut) <= len(words); i++ {
		if slices.Equal(words[i:i+len(cut)], cut) {
			return strings.Join(slices.Delete(words, i, i+len(cut)), " "), true
		}
	}
	return "", false
}
