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
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// columnRemovals returns the changes that drop a column which is part of no key, without which the rows keep their names and something
// that they say, and which is none of a pair: a month of death beside a month of birth.
func columnRemovals(p *perturb.Pass) (changes []*change, err error) {
	fixed, err := p.Content.Fixed(p.Context)
	if err != nil {
		return nil, err
	}
	for _, t := range alterableTables(p.DB) {
		table := p.DB.Tables[t]
		free := lists.Filter(table.Columns, func(c dataset.Column) bool {
			ref, _ := p.DB.Lookup(table.Original, c.Original)
			return c.Own() && !fixed[ref] && !perturb.IsKey(p.DB, ref)
		})
		for _, c := range free {
			ref, _ := p.DB.Lookup(table.Original, c.Original)
			if isName := kind(c) == "name" || kind(c) == "title"; len(free) > 1 && !isName && !perturb.HasSibling(table, ref.Column) {
				changes = append(changes, &change{edits: []perturb.Edit{perturb.DropColumn{Table: table.Original, Column: c.Original}}})
			}
		}
	}
	return changes, nil
}

// columnRenamings returns the changes that rename a column that is part of no key to its best synonym.
func columnRenamings(p *perturb.Pass) ([]*change, error) {
	return renamings(p, func(r perturb.Edit) bool {
		table, column := r.Touches()
		ref, ok := p.DB.Lookup(table, column)
		rename, isColumn := r.(perturb.RenameColumn)
		return ok && isColumn && !perturb.IsKey(p.DB, ref) && !namesKey(p.DB, ref) && !perturb.HasSibling(p.DB.Tables[ref.Table], ref.Column) && fitsNeighbours(p.DB.Tables[ref.Table], rename)
	})
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
		return ok && !leavesWord(p.DB, rename)
	})
}

// leavesWord reports whether a renamed table loses a word that another table's name has: automobile data beside car makers.
func leavesWord(db *dataset.Database, r perturb.RenameTable) bool {
	old, kept := db.Table(r.Table), strings.Fields(lexicon.Normal(r.Natural))
	for t := range db.Tables {
		for _, word := range strings.Fields(lexicon.Normal(db.Tables[t].Name)) {
			isOwn := slices.Contains(strings.Fields(lexicon.Normal(db.Tables[old].Name)), word)
			if t != old && isOwn && !slices.Contains(kept, word) {
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
		if slices.ContainsFunc(splits, isSimpler) || slices.ContainsFunc(splits, isAlike) {
			continue
		}
		changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table}})
	}
	return append(changes, lossy...), err
}

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
				changes = append(changes, &change{edits: []perturb.Edit{e}, concerns: []string{e.Table}})
			}
		}
	}
	return changes, nil
}

// typed returns the template of a merge with the types that the columns have in the file.
func typed(p *perturb.Pass, e perturb.MergeColumns) (perturb.Template, error) {
	t := string(e.Template)
	for _, column := range e.Columns {
		ends, err := p.Content.Query(p.Context, fmt.Sprintf("SELECT min(%[1]s), max(%[1]s) FROM %[2]s", sqldata.QuoteName(column), sqldata.QuoteName(e.Table)))
		if p.Context.Err() != nil {
			return "", p.Context.Err()
		}
		verb := "$s" // a percent sign once all are replaced
		if err == nil && ends.Rows[0][0].Kind() == ends.Rows[0][1].Kind() {
			verb = cmp.Or(map[sqldata.Kind]string{sqldata.Integer: "$d", sqldata.Real: "$f"}[ends.Rows[0][0].Kind()], verb)
		}
		t = strings.Replace(t, "%s", verb, 1)
	}
	return perturb.Template(strings.ReplaceAll(t, "$", "%")), nil
}

// merges returns the edits of a rule in a table: one for each column that can be the first part and has the others beside it.
func (r mergeRule) merges(db *dataset.Database, t int) (out []perturb.MergeColumns) {
	table := db.Tables[t]
	spoils := func(c dataset.Column) bool {
		return slices.ContainsFunc(lexicon.Words(c.Name), func(w string) bool { return slices.Contains(r.unless, w) })
	}
	if slices.ContainsFunc(table.Columns, spoils) {
		return nil
	}
	for i := range table.Columns {
		for _, name := range r.parts[0] {
			about, ok := without(table.Columns[i].Name, name)
			if !ok {
				continue
			}
			columns := r.columns(table, i, about)
			natural := strings.TrimSpace(strings.Replace(r.result, "{}", about, 1))
			identifier, free := perturb.NewFreeNames(db).Take(t, natural)
			if columns == nil || !free || strings.HasSuffix(identifier, "_") {
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
