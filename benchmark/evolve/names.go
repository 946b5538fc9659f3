package evolve

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// isOfTime reports whether a column is a point in time or a span of it.
func isOfTime(name string, typ dataset.Type) bool {
	return typ == dataset.Time || slices.ContainsFunc(strings.Fields(lexicon.Normal(name)), func(w string) bool { return timeWords[w] })
}

// timeWords are words in the names of columns of times and durations.
var timeWords = wordfile.ReadSet("date time year month day hour age duration")

// namesRows reports whether a column names the rows of a table: it is a name or title, or has only words of the table's name, as "company"
// of a table of companies.
func namesRows(table dataset.Table, c dataset.Column) bool {
	rows := strings.Fields(lexicon.Normal(table.Name))
	isOther := func(w string) bool { return !slices.Contains(rows, w) }
	return headNoun(c.Name) == "name" || headNoun(c.Name) == "title" || !slices.ContainsFunc(strings.Fields(lexicon.Normal(c.Name)), isOther)
}

// excludes reports whether two names are contrasting things that never are the same, such as longitude and latitude.
func excludes(p *perturb.Pass, name, other string) bool {
	return p.Contrasts.Excludes(strings.Join(lexicon.Words(name), " "), strings.Join(lexicon.Words(other), " "))
}

// prefixOf returns the first word of an identifier with the underscore after it, in lower case; "" if there is none.
func prefixOf(identifier string) string {
	if before, _, ok := strings.Cut(identifier, "_"); ok {
		return strings.ToLower(before) + "_"
	}
	return ""
}

// isOfClass reports whether the last word of a table's name is of a class of the thesaurus.
func isOfClass(p *perturb.Pass, table, class string) bool {
	return slices.Contains(p.Headings().Classes().Of(headNoun(table)), class)
}

// headNoun returns the last word of a name, in the singular: "date" for "birth date", and "name" for "surname" too. It returns "" for
// an empty name.
func headNoun(name string) string {
	words := strings.Fields(lexicon.Normal(name))
	if len(words) == 0 {
		return ""
	}
	last := words[len(words)-1]
	if strings.HasSuffix(last, "name") {
		return "name"
	}
	return last
}

// singleKey returns the SQL name of the only column of a table's primary key. It returns "" if schema or file have a key of several
// columns, or the schema has none.
func singleKey(p *perturb.Pass, t int) (string, error) {
	inFile, err := p.Content.PrimaryKey(p.Context, p.DB.Tables[t].Original)
	keys := lists.Filter(p.DB.PrimaryKeys, func(ref dataset.ColumnRef) bool { return ref.Table == t })
	if err != nil || len(keys) != 1 || len(inFile) > 1 {
		return "", err
	}
	return p.DB.Column(keys[0]).Original, nil
}

// hasOwnKey reports whether the rows of a table have a key of their own, not that of other rows.
func hasOwnKey(db *dataset.Database, t int) bool {
	return slices.ContainsFunc(db.PrimaryKeys, func(ref dataset.ColumnRef) bool { return ref.Table == t && !perturb.IsForeignKey(db, ref) })
}

// tableWords are last words of a table's name that do not name its rows.
var tableWords = wordfile.ReadSet("data detail details info information list table")

// entity returns the noun for a row of a table, from the table's name: "car" for "cars data".
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

// bareKeys are names of keys that do not name the thing identified.
var bareKeys = wordfile.ReadSet("id code key name no number title")

// namedElsewhere reports whether another table has a column of the same name that a filter accepts.
func namedElsewhere(db *dataset.Database, ref dataset.ColumnRef, accepts func(dataset.ColumnRef) bool) bool {
	name := perturb.Bare(db.Column(ref).Name)
	for other := range db.AllColumns() {
		if other.Table != ref.Table && perturb.Bare(db.Column(other).Name) == name && accepts(other) {
			return true
		}
	}
	return false
}

// anyColumn accepts all columns.
func anyColumn(dataset.ColumnRef) bool { return true }

// hasNamesake reports whether another table has a column of the same name, of more than one word: schemas change all such columns or none.
func hasNamesake(db *dataset.Database, ref dataset.ColumnRef) bool {
	return len(lexicon.Words(db.Column(ref).Name)) > 1 && namedElsewhere(db, ref, anyColumn)
}
