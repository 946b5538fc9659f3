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

// asksForWhole reports whether a gold SQL returns all columns that are merged, and the question names none of them: it asks for "the
// names", which one column will hold.
func asksForWhole(ex *perturb.Example, e perturb.MergeColumns) bool {
	returned := 0
	for _, c := range ex.Gold.Select.Columns {
		if b := ex.Binding.Column(c.Expr); strings.EqualFold(b.Table, e.Table) && slices.ContainsFunc(e.Columns, func(name string) bool { return strings.EqualFold(name, b.Column) }) {
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
		if !ok || isDated || !alterable(into) || !alterable(from) || from.Read || slices.ContainsFunc(db.ForeignKeys, isTarget) || isRole(db, key.Column.Table) {
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

// maxWords is how many words the name of a merged column has at most.
const maxWords = 5

// complete makes a merge a whole one, with what the rows say of it. It returns false if the other table only has links, if
// nothing marks the rows of the table that goes, if most rows would have none of it, or if a name becomes too long or is
// that of another column.
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
	isUnclear := func(c perturb.MergedColumn) bool {
		return len(strings.Fields(c.Natural)) > maxWords || repeatsColumn(p.DB.Tables[p.DB.Table(e.Table)], c)
	}
	switch {
	case linksOnly(p.DB, e.Table), e.Unique && 3*others < 2*rows, slices.ContainsFunc(e.Columns, isUnclear):
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

// repeatsColumn reports whether a table has a column of the name of a merged one after the word for its rows: school colors beside colors.
func repeatsColumn(table dataset.Table, merged perturb.MergedColumn) bool {
	name := lexicon.Normal(entity(table.Name)) + " " + lexicon.Normal(merged.Natural)
	return slices.ContainsFunc(table.Columns, func(c dataset.Column) bool { return lexicon.Normal(c.Name) == name })
}

// linksOnly reports whether all columns of a table are parts of keys: nobody puts there what a row of another table says.
func linksOnly(db *dataset.Database, table string) bool {
	return !slices.ContainsFunc(db.Tables[db.Table(table)].Columns, func(c dataset.Column) bool {
		ref, _ := db.Lookup(table, c.Original)
		return !perturb.IsKey(db, ref)
	})
}

// isRole reports whether a table only relates rows, and its name says how: an instructor of a student who was one of the advisors
// would no longer be called so.
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

// unprefixed returns a merged column under its old name where that is free in the table that gets it, and no third table has a column
// of that name that is part of no key: a balance of accounts would not say whether it is that of savings.
func unprefixed(db *dataset.Database, key dataset.ForeignKey, c perturb.MergedColumn) perturb.MergedColumn {
	ref, _ := db.Lookup(db.Tables[key.Column.Table].Original, c.Column)
	if namedElsewhere(db, ref, func(other dataset.ColumnRef) bool { return !perturb.IsKey(db, other) }) {
		return c
	}
	if name, ok := perturb.NewFreeNames(db).Take(key.Target.Table, db.Column(ref).Name); ok && !strings.HasSuffix(name, "_") {
		c.Name, c.Natural = name, db.Column(ref).Name
		if words := lexicon.Words(c.Column); len(words) > 0 && len(words[0]) > 1 { // i_ID of instructors
			c.Name = c.Column
		}
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
