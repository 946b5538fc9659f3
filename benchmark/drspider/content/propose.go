package content

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// maxValues bounds the distinct values of a column that is mapped cell by cell, because
// every record contains the map.
const maxValues = 400

// column is what the rules read of a column.
type column struct {
	words   []string        // of its natural name, in lower case
	table   []string        // of its table's natural name
	values  []sqldata.Value // distinct, in SQLite's order, without NULL
	numbers bool            // all values are numbers
	texts   []string        // the values, where all are text
}

// substitution is a proposal for a column.
type substitution struct {
	category recode.Category
	into     []part
	cells    func(i int) []sqldata.Value // the new cells for the value at position i
	linear   *recode.Linear              // instead of cells
	template perturb.Template            // by which the new cells join to the old one; "" for none
	why      string
}

// part is a column that a substitution makes.
type part struct {
	name string // natural
	typ  dataset.Type
}

// rules propose substitutions, in the order of table 11.
var rules = []func(column) []substitution{splitName, splitMake, splitText, booleanToText, textToBooleans, counted, units}

// Splits returns the edits that split columns of texts into parts, in the order of the schema. It calls lost, and returns no
// edit, for a column with a text that its parts do not join to again.
func Splits(p *perturb.Pass, lost func(table, column string)) (splits []perturb.SplitColumn, err error) {
	return splits, proposeBy(p, []func(column) []substitution{splitName, splitMake, splitText}, func(e perturb.RecodeColumn, t perturb.Template) {
		split := perturb.SplitColumn{RecodeColumn: e, Template: t.Unpadded(e.Map)} // leading zeros only if the texts have them
		if _, err := perturb.ApplySchema(p.DB, []perturb.Edit{split}); err != nil {
			lost(e.Table, e.Column)
			return
		}
		splits = append(splits, split)
	})
}

// propose returns the substitutions of all columns in the order of the schema.
func propose(p *perturb.Pass) (out []perturb.RecodeColumn, err error) {
	return out, proposeBy(p, rules, func(e perturb.RecodeColumn, _ perturb.Template) { out = append(out, e) })
}

// proposeBy calls each for every substitution that the rules propose, column by column in the order of the schema.
func proposeBy(p *perturb.Pass, rules []func(column) []substitution, each func(perturb.RecodeColumn, perturb.Template)) error {
	fixed, err := p.Content.Fixed(p.Context)
	if err != nil {
		return err
	}
	for ref := range p.DB.AllColumns() {
		switch {
		case p.DB.Tables[ref.Table].Kept, fixed[ref]: // a view, or a column that the SQLite file cannot drop
			continue
		case perturb.IsKey(p.DB, ref), !p.DB.Column(ref).Own(), len(perturb.Derived(p.DB, ref)) > 0: // other columns depend on it, or it on them
			continue
		}
		values, err := p.Content.Values(p.Context, ref)
		if p.Context.Err() != nil {
			return p.Context.Err()
		}
		if err != nil { // tables.json may have columns that the file lacks
			continue
		}
		col := newColumn(p.DB, ref, values)
		for _, rule := range rules {
			for _, s := range rule(col) {
				if e, ok := s.edit(p.DB, ref, col); ok {
					each(e, s.template)
				}
			}
		}
	}
	return nil
}

// newColumn returns the column at ref with its distinct values but NULL. Its texts are nil unless all values are text.
func newColumn(db *dataset.Database, ref dataset.ColumnRef, values []sqldata.Value) column {
	col := column{words: lexicon.Words(db.Column(ref).Name), table: lexicon.Words(db.Tables[ref.Table].Name), numbers: true}
	for _, v := range values {
		switch v.Kind() {
		case sqldata.Null:
			continue
		case sqldata.Text:
			col.texts = append(col.texts, v.Bytes())
			col.numbers = false
		case sqldata.Blob:
			col.numbers = false
		}
		col.values = append(col.values, v)
	}
	if len(col.texts) < len(col.values) {
		col.texts = nil
	}
	col.numbers = col.numbers && len(col.values) > 0
	return col
}

// edit returns the substitution of the column at ref as an edit, with SQL names in the style of its table. It
// returns false if a name is taken, or if the map from old to new cells is not one to one.
func (s substitution) edit(db *dataset.Database, ref dataset.ColumnRef, col column) (perturb.RecodeColumn, bool) {
	e := perturb.RecodeColumn{Recoding: recode.Recoding{
		Table: db.Tables[ref.Table].Original, Column: db.Column(ref).Original, Category: s.category,
		Map: recode.Map{Linear: s.linear},
	}}
	names := perturb.NewFreeNames(db)
	var naturals []string
	for _, part := range s.into {
		name, ok := names.Take(ref.Table, part.name)
		if !ok {
			return e, false
		}
		natural := strings.Join(lexicon.Words(part.name), " ")
		e.Into = append(e.Into, recode.Column{Name: name, Natural: natural, Type: part.typ})
		naturals = append(naturals, natural)
	}
	if s.linear == nil {
		for i, v := range col.values {
			e.Map.Cells = append(e.Map.Cells, recode.Cell{Old: v, New: s.cells(i)})
		}
	}
	e.From = perturb.Certain(strings.Join(naturals, ", "), "content", s.why)
	// The edit itself checks the map: one to one, with text in UTF-8.
	if _, err := perturb.ApplySchema(db, []perturb.Edit{e}); err != nil {
		return e, false
	}
	return e, true
}

// has reports whether the column's name has one of the words, in either number.
func (c column) has(words ...string) bool { return containsAny(c.words, words) }

// containsAny reports whether any word of list, or its singular, is in words.
func containsAny(list, words []string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		return slices.Contains(words, w) || slices.Contains(words, english.Singular(w))
	})
}

// hasWordOf reports whether the column's name has a word of a list of data/words.txt, such as "scores".
func (c column) hasWordOf(list string) bool { return c.has(words.Words(list)...) }

// last returns the last word of the column's name in the singular, or "".
func (c column) last() string {
	if len(c.words) == 0 {
		return ""
	}
	return english.Singular(c.words[len(c.words)-1])
}

// renamed returns the column's name with the replacement for the first of the old words and without the other old words:
// "player age" for "player birth year", replacement "age" and the old words "birth" and "year".
func (c column) renamed(replacement string, old ...string) string {
	var out []string
	for _, w := range c.words {
		if !containsAny([]string{w}, old) {
			out = append(out, w)
			continue
		}
		out = append(out, strings.Fields(replacement)...)
		replacement = "" // only once
	}
	return strings.Join(out, " ")
}

// without returns the words of the column's name without some, nor the prepositions at the beginning and end of the rest: "birth"
// for "date of birth" without "date". It returns nil if nothing else is left.
func (c column) without(some ...string) []string {
	out := lists.Filter(c.words, func(w string) bool { return !containsAny([]string{w}, some) })
	isInner := func(w string) bool { return !english.IsPreposition(w) }
	first := slices.IndexFunc(out, isInner)
	if first < 0 {
		return nil
	}
	last := len(out) - 1
	for !isInner(out[last]) {
		last--
	}
	return out[first : last+1]
}

// text returns a cell of text.
func text(s string) sqldata.Value { return sqldata.NewText(s) }

// flag returns a boolean as SQLite stores one. The paper writes is_dog = True, which
// is 1 in SQLite; Spider's grammar has no such word.
func flag(b bool) sqldata.Value {
	if b {
		return sqldata.NewInt(1)
	}
	return sqldata.NewInt(0)
}

var (
	//go:embed data/words.txt
	wordText string
	//go:embed data/opposites.txt
	oppositeText string
	//go:embed data/abbreviated.txt
	abbreviatedText string
	//go:embed data/doers.txt
	doerText string
	//go:embed data/units.txt
	unitText string
)

// words are the lists of data/words.txt.
var words = wordfile.ReadLists(wordText)
