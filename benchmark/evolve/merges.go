package evolve

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/benchmark/mtteql"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

//go:embed data/merges.txt
var mergeText string

// mergeRule is a rule for columns that are merged into one, by their names.
type mergeRule struct {
	result   string     // natural name, with "{}" for the words that the columns share
	parts    [][]string // the names that each part may have, without these words
	template perturb.Template
	typ      dataset.Type
	unless   []string // words of other columns with which a table keeps these apart
}

// mergeRules returns the rules of data/merges.txt.
var mergeRules = sync.OnceValue(func() (rules []mergeRule) {
	for _, row := range wordfile.Rows(mergeText, 5) {
		r := mergeRule{result: row[0], template: perturb.Template(strings.Trim(row[2], `"`)), typ: dataset.Type(row[3]), unless: strings.Fields(row[4])}
		for part := range strings.SplitSeq(row[1], "+") {
			r.parts = append(r.parts, lists.Map(strings.Split(part, ","), strings.TrimSpace))
		}
		rules = append(rules, r)
	}
	return rules
})

// columnMerges returns the changes that merge columns of a table by the rules, with the types of their values in the template ([typed]).
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

// typed returns the template of a merge with %d for a column whose least and greatest values in the file are integers, and %f for one with
// reals. It returns "" if a real would be written with more than maxDigits characters.
func typed(p *perturb.Pass, e perturb.MergeColumns) (perturb.Template, error) {
	t := string(e.Template)
	for _, column := range e.Columns {
		ends, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT min(%[1]s), max(%[1]s), max(length(CAST(%[1]s AS TEXT))) FROM %[2]s",
			sqldata.QuoteName(column), sqldata.QuoteName(e.Table)))
		if p.Context.Err() != nil {
			return "", p.Context.Err()
		}
		verb := "$s" // "$" for "%", so that the next "%s" is that of the next column
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

// merges returns the edits of a rule in a table: one for each column that can be the first part, if the table has the other parts
// too, about the same thing ("birth" of birth year and birth month), none that spoils the rule, and the name of the result is free.
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
			isFree := free && !strings.HasSuffix(identifier, "_") // "_" sets it apart from a keyword
			if columns == nil || !isFree || r.isSpoiled(table, columns) {
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

// asksForWhole reports whether a gold SQL returns all columns that are merged, and the question names none of them: it asks for "the
// names" as a whole, which the merged column answers.
func asksForWhole(ex *perturb.Example, e perturb.MergeColumns) bool {
	returned := 0
	for _, c := range ex.Gold.Select.Columns {
		b := ex.Binding.Column(c.Expr)
		isColumn := func(name string) bool { return strings.EqualFold(name, b.Column) }
		if strings.EqualFold(b.Table, e.Table) && slices.ContainsFunc(e.Columns, isColumn) {
			returned++
		}
	}
	if returned < len(e.Columns) {
		return false
	}
	whole := strings.Fields(lexicon.Normal(e.Natural))
	parts := append(lists.FlatMap(e.Columns, func(c string) []string { return strings.Fields(lexicon.Normal(c)) }), otherParts...)
	parts = slices.DeleteFunc(parts, func(w string) bool { return slices.Contains(whole, w) })
	return !slices.ContainsFunc(strings.Fields(lexicon.Normal(ex.Question)), func(w string) bool { return slices.Contains(parts, w) })
}

// otherParts are words by which questions name the parts of names.
var otherParts = strings.Fields("first last surname forename given family")

// isSpoiled reports whether a table has a column besides the merged ones with a word of r.unless, such as a middle name if
// first and last name are to be merged.
func (r mergeRule) isSpoiled(table dataset.Table, merged []string) bool {
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool {
		isWord := func(w string) bool { return slices.Contains(r.unless, w) }
		return !slices.Contains(merged, c.Original) && slices.ContainsFunc(lexicon.Words(c.Name), isWord)
	})
}

// prefixed returns the identifier of a merged column with the prefix that all its parts share: STU_FULL_NAME for STU_FNAME and
// STU_LNAME. It returns false if that is not free, and the identifier as it is if the parts share none or it has the prefix.
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

// columns returns the SQL names of the columns that are the parts of a rule. The first part is the column at a position, and the names of
// all others must have the same words besides those of their part (about). It returns nil if a part is missing.
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

// without returns the words of a name without those of a part: "birth" for "birth date" without "date". It returns false if the name
// does not have the words of the part one after the other.
func without(name, part string) (string, bool) {
	words, cut := lexicon.Words(name), strings.Fields(part)
	for i := 0; i+len(cut) <= len(words); i++ {
		if slices.Equal(words[i:i+len(cut)], cut) {
			return strings.Join(slices.Delete(words, i, i+len(cut)), " "), true
		}
	}
	return "", false
}

// maxMerged is the largest number of columns, other than its key, of a table that is merged into the one that refers to it: a code with its
// name and description. Many columns, such as those of products, would be repeated in every complaint about a product.
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

// everybody are names of tables of all people, some of whom are in more special tables, such as one of players.
var everybody = wordfile.ReadSet("person people individual individuals human humans")

// extensionMerges returns the merges of a table into the one that it refers to and whose rows it extends: its primary key is the
// foreign key, or it is a table of people, such as poker players, that refers to one of all people.
func extensionMerges(p *perturb.Pass) (merges []perturb.MergeTables, err error) {
	db := p.DB
	for _, key := range db.ForeignKeys {
		into, from := db.Tables[key.Target.Table], db.Tables[key.Column.Table]
		isTarget := func(k dataset.ForeignKey) bool { return k.Target.Table == key.Column.Table }
		columns, ok := mtteql.MergedColumns(db, key.Target.Table, key.Column)
		isDated := slices.ContainsFunc(from.Columns, func(c dataset.Column) bool { return isOfTime(c.Name, c.Type) }) // can happen again
		canGo := alterable(from) && !from.Read && !slices.ContainsFunc(db.ForeignKeys, isTarget)
		if !ok || !canGo || !alterable(into) {
			continue
		}
		if isDated || isRole(db, key.Column.Table) {
			continue
		}
		own, err := p.Content.PrimaryKey(p.Context, from.Original)
		if err != nil {
			return nil, err
		}
		// Rows that only happen to refer to one row each, as links and events may, are no extension.
		isKey := len(own) == 1 && strings.EqualFold(own[0], db.Column(key.Column).Original)
		isExtension := isKey || len(own) == 1 && everybody[lexicon.Normal(into.Name)] && isOfClass(p, from.Name, "{person}")
		if !isExtension {
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

// maxWords is how many words the name of a merged column has at most.
const maxWords = 5

// complete makes a merge a whole one ([perturb.MergeTables]) and sets Unique and Marker by the rows. It returns false if keys of the
// table that goes repeat or it refers to itself, if the other table has only keys or more than a third of its rows would have no row of
// the table that goes, if a name becomes too long or repeats that of another column, or if no column can mark the rows of the table
// that goes.
func complete(p *perturb.Pass, e *perturb.MergeTables) (bool, error) {
	count := func(table, column string) (rows, filled, distinct int64, err error) {
		res, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT count(*), count(%[1]s), count(DISTINCT %[1]s) FROM %s", sqldata.QuoteName(column), sqldata.QuoteName(table)))
		if err != nil { // the file may lack a column of the schema
			return -1, 0, 0, p.Context.Err()
		}
		return res.Rows[0][0].Int(), res.Rows[0][1].Int(), res.Rows[0][2].Int(), nil
	}
	rows, filled, distinct, err := count(e.Table, e.Column)
	others, _, unique, err2 := count(e.Reference, e.Target)
	if err := errors.Join(err, err2); err != nil || min(rows, others) < 0 || unique < others {
		return false, err
	}
	e.Whole, e.Unique = true, distinct == filled
	e.Columns = lists.Map(e.Columns, func(c perturb.MergedColumn) perturb.MergedColumn { return unrepeated(p.DB, e.Table, c) })
	isUnclear := func(c perturb.MergedColumn) bool {
		return len(strings.Fields(c.Natural)) > maxWords || repeatsColumn(p.DB.Tables[p.DB.Table(e.Table)], c)
	}
	switch {
	case linksOnly(p.DB, e.Table), refersToItself(p.DB, e.Reference, e.Target), e.Unique && 3*others < 2*rows, slices.ContainsFunc(e.Columns, isUnclear):
		return false, nil
	case filled == rows && (others == filled || !e.Unique): // every row refers to one
		return true, nil
	case filled < rows: // the key is NULL in rows that refer to none
		e.Marker = e.Column
		return true, nil
	}
	for _, c := range e.Columns { // a column without NULL marks the rows
		if rows, filled, _, err := count(e.Reference, c.Column); err != nil || rows == filled {
			e.Marker = c.Name
			return err == nil, err
		}
	}
	return false, nil
}

// refersToItself reports whether a table seems to refer to itself without a declared key: a column is named like its key after
// other words, as "parent structure code" beside "structure code", or "parent id" beside "id".
func refersToItself(db *dataset.Database, table, key string) bool {
	target, ok := db.Lookup(table, key)
	if !ok {
		return false
	}
	t := db.Tables[target.Table]
	name := lexicon.Normal(db.Column(target).Name)
	for i, c := range t.Columns {
		before, ends := strings.CutSuffix(lexicon.Normal(c.Name), " "+name)
		isOwn := !bareKeys[name] || before == "parent" || before == lexicon.Normal(entity(t.Name))
		if ends && isOwn && !perturb.IsForeignKey(db, dataset.ColumnRef{Table: target.Table, Column: i}) {
			return true
		}
	}
	return false
}

// repeatsColumn reports whether a table has a column that is named like a merged one after the word for the table's rows: "school colors"
// for a merged column "colors" of schools.
func repeatsColumn(table dataset.Table, merged perturb.MergedColumn) bool {
	name := lexicon.Normal(entity(table.Name)) + " " + lexicon.Normal(merged.Natural)
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return lexicon.Normal(c.Name) == name })
}

// linksOnly reports whether all columns of a table are parts of keys: schemas add no other columns to such a table.
func linksOnly(db *dataset.Database, table string) bool {
	return !slices.ContainsFunc(db.Tables[db.Table(table)].Columns, func(c dataset.Column) bool {
		ref, _ := db.Lookup(table, c.Original)
		return !perturb.IsKey(db, ref)
	})
}

// isRole reports whether a table has only keys, and its name has a word that the tables which it refers to lack: "advisor" of students
// and instructors. Merged into one of these, that word would be lost.
func isRole(db *dataset.Database, table int) bool {
	var ends []string
	for _, key := range db.ForeignKeys {
		if key.Column.Table == table {
			ends = append(ends, lexicon.Normal(db.Tables[key.Target.Table].Name))
		}
	}
	t := db.Tables[table]
	return linksOnly(db, t.Original) && !perturb.HoldsWords(strings.Join(ends, " "), t.Name)
}

// unprefixed returns a merged column under its old name if that is free in the table that gets it. It keeps the new name if
// another table has a column of the old one that is part of no key: a "balance" of accounts could be that of savings or of checking.
func unprefixed(db *dataset.Database, key dataset.ForeignKey, c perturb.MergedColumn) perturb.MergedColumn {
	ref, _ := db.Lookup(db.Tables[key.Column.Table].Original, c.Column)
	if namedElsewhere(db, ref, func(other dataset.ColumnRef) bool { return !perturb.IsKey(db, other) }) {
		return c
	}
	if name, ok := perturb.NewFreeNames(db).Take(key.Target.Table, db.Column(ref).Name); ok && !strings.HasSuffix(name, "_") {
		c.Name, c.Natural = name, db.Column(ref).Name
		// The old SQL name stays too, unless it begins with one letter for its table: i_ID of instructors.
		if words := lexicon.Words(c.Column); len(words) > 0 && len(words[0]) > 1 {
			c.Name = c.Column
		}
	}
	return c
}

// unrepeated returns a merged column with a name that neither repeats a word nor begins with "ref" from the name of its old table:
// "continent name" for "continent continent", "category code" for "ref category code".
func unrepeated(db *dataset.Database, table string, c perturb.MergedColumn) perturb.MergedColumn {
	words := lexicon.Words(c.Natural)
	// A new SQL name begins with the name of the old table (mtteql.MergedColumns).
	if wasPrefixed := c.Name != c.Column; wasPrefixed && (words[0] == "ref" || words[0] == "reference") {
		words = words[1:]
	}
	once := slices.Compact(slices.Clone(words))
	if len(once) == len(lexicon.Words(c.Natural)) {
		return c
	}
	if len(once) == 1 { // "continent continent" holds the names of continents
		once = append(once, "name")
	}
	natural := strings.Join(once, " ")
	if name, ok := perturb.NewFreeNames(db).Take(db.Table(table), natural); ok {
		c.Name, c.Natural = name, natural
	}
	return c
}
