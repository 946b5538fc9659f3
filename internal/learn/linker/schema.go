package linker

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/cache"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Lexicon compares words; a *namepair.Extractor is one.
type Lexicon interface {
	Likeness(a, b string) namepair.Likeness
	Lemma(word string) string
}

// maxName is how many words of a name are read.
const maxName = 6

// Schema is a database as the linker reads it: its tables and then its columns as items.
// It is safe for concurrent use.
type Schema struct {
	DB *dataset.Database
	*structure
	items   []item
	vocab   []string // the distinct words of all names
	holders []int    // by word of vocab: how many items have it
	cells   *Cells   // nil for none
	lexicon Lexicon

	unedited *Schema // the schema that this one was edited from; itself for one that was not

	rows  cache.Cache[[]likeness] // of a question's word to each word of vocab
	pairs cache.Cache[likeness]   // of a question's word to a name's word, for the schemas edited from this one
}

// kinds is the number of measures of likeness of two words.
const kinds = 6

// likeness is how alike two words are; the first is 1 for forms of one word.
type likeness [kinds]float32

// newLikeness merges the measures of two words that the linker treats as one. The factors rank weaker evidence
// below a common lemma.
func newLikeness(l namepair.Likeness) likeness {
	return likeness{
		max(l.Lemma, .9*l.Stem),               // forms of one word
		max(l.Lemma, .9*l.Stem, .8*l.Synonym), // or synonyms
		l.Cosine,
		max(l.Kind, l.Lemma),
		max(l.Column, l.Lemma),
		max(l.Trigrams, .7*l.Abbreviation), // spelling
	}
}

// same reports whether the words are forms of one word.
func (l likeness) same() bool { return l[0] == 1 }

// item is a table or a column.
type item struct {
	table, column int    // positions in the schema, from 0; column is -1 for a table
	words         []int  // of its name, as positions in vocab
	own           []bool // by word: whether the name of its table lacks it; all true if it has every word
	static        [staticDim]float32
}

// NewSchema returns the schema of a database. Cells may be nil.
func NewSchema(db *dataset.Database, cells *Cells, l Lexicon) *Schema {
	s := &Schema{DB: db, cells: cells, lexicon: l}
	s.structure = &structure{original: dataset.OriginalID(db.ID), tables: len(db.Tables)}
	s.unedited = s                // [Schema.Edited] sets another
	positions := map[string]int{} // in vocab
	for t := range db.Tables {
		s.add(positions, item{table: t, column: -1}, db.Tables[t].Name, nil)
	}
	for t := range db.Tables {
		s.first = append(s.first, len(s.items))
		for c := range db.Tables[t].Columns {
			s.add(positions, item{table: t, column: c}, db.Tables[t].Columns[c].Name, s.items[t].words)
		}
	}
	s.join()
	for i := range s.items {
		s.items[i].static = s.staticFeatures(i)
	}
	return s
}

// add appends an item with the first words of its natural name. positions maps the words of vocab to
// their positions, and new words are added to both; table has the positions of the words in the name of a column's table. A word of the
// column that the table's name lacks is its own. s.holders counts by word the items whose names have it.
func (s *Schema) add(positions map[string]int, it item, name string, table []int) {
	words := lexicon.Words(strings.ToLower(name))
	words = words[:min(len(words), maxName)]
	var lemmas []string
	for _, w := range words {
		at, ok := positions[w]
		if !ok {
			at = len(s.vocab)
			positions[w] = at
			s.vocab, s.holders = append(s.vocab, w), append(s.holders, 0)
		}
		if !slices.Contains(it.words, at) {
			s.holders[at]++
		}
		it.words = append(it.words, at)
		it.own = append(it.own, !slices.Contains(table, at))
		lemmas = append(lemmas, s.lexicon.Lemma(w))
	}
	if !slices.Contains(it.own, true) { // a name has some word of its own
		for i := range it.own {
			it.own[i] = true
		}
	}
	s.items, s.tableOf, s.lemmas = append(s.items, it), append(s.tableOf, int32(it.table)), append(s.lemmas, lemmas)
}

// join sets, by the foreign keys, s.partners, the columns that each column is joined with, and s.joined, the tables that each table is
// joined with.
func (s *Schema) join() {
	s.partners, s.joined = make([][]int, len(s.items)-s.tables), make([][]int, s.tables)
	for _, fk := range s.DB.ForeignKeys {
		a, b := s.at(fk.Column)-s.tables, s.at(fk.Target)-s.tables
		s.partners[a], s.partners[b] = append(s.partners[a], b), append(s.partners[b], a)
		if t, u := fk.Column.Table, fk.Target.Table; t != u && !slices.Contains(s.joined[t], u) {
			s.joined[t], s.joined[u] = append(s.joined[t], u), append(s.joined[u], t)
		}
	}
}

// at returns the item of a column.
func (s *Schema) at(ref dataset.ColumnRef) int { return s.first[ref.Table] + ref.Column }

// Features of an item that do not depend on the question.
const (
	isText = iota
	isNumber
	isTime
	isBoolean
	isPrimary
	isForeign
	isTarget
	isFirst
	position
	columnCount // of the table, for a table too
	tableCount
	isBridge // a table with two keys or more, in which half of the columns or more refer to others
	nameLength
	staticDim
)

// staticFeatures returns the features of an item that do not depend on the question. Divisors bring
// counts into the range of the other features.
func (s *Schema) staticFeatures(i int) (f [staticDim]float32) {
	it := &s.items[i]
	table := &s.DB.Tables[it.table]
	f[columnCount], f[tableCount] = float32(len(table.Columns))/20, float32(s.tables)/10
	f[nameLength] = float32(len(it.words)) / maxName
	keys := lists.Count(s.DB.ForeignKeys, func(fk dataset.ForeignKey) bool { return fk.Column.Table == it.table })
	f[isBridge] = bit(keys > 1 && 2*keys >= len(table.Columns))
	if it.column < 0 { // a table has the numbers of its keys and of the tables that it is joined with
		f[isForeign] = float32(keys) / 4
		f[isTarget] = float32(len(s.joined[it.table])) / 4
		return f
	}
	f[isFirst], f[position] = bit(it.column == 0), float32(it.column)/20
	switch table.Columns[it.column].Type {
	case dataset.Text:
		f[isText] = 1
	case dataset.Number:
		f[isNumber] = 1
	case dataset.Time:
		f[isTime] = 1
	case dataset.Boolean:
		f[isBoolean] = 1
	}
	ref := dataset.ColumnRef{Table: it.table, Column: it.column}
	f[isPrimary] = bit(slices.Contains(s.DB.PrimaryKeys, ref))
	for _, fk := range s.DB.ForeignKeys {
		f[isForeign] = max(f[isForeign], bit(fk.Column == ref))
		f[isTarget] = max(f[isTarget], bit(fk.Target == ref))
	}
	return f
}

// Bounds on the likenesses that a schema keeps.
const (
	maxRows  = 1 << 12 // words of questions
	maxPairs = 1 << 14
)

// likeness returns the likeness of a word of a question to each word of vocab, from a cache if it is there. A function word is like
// none.
func (s *Schema) likeness(word string) []likeness {
	if english.IsFunction(word) {
		return make([]likeness, len(s.vocab))
	}
	if s.unedited != s { // edited schemas share the cache of the one that they were edited from
		row := make([]likeness, len(s.vocab))
		for i, w := range s.vocab {
			row[i] = s.unedited.pairs.Get(cache.Key{Before: word, Text: w}, maxPairs, s.unedited.compare)
		}
		return row
	}
	return s.rows.Get(cache.Key{Text: word}, maxRows, func(k cache.Key) []likeness {
		row := make([]likeness, len(s.vocab))
		for i, w := range s.vocab {
			row[i] = s.compare(cache.Key{Before: k.Text, Text: w})
		}
		return row
	})
}

// Forget clears the cached likenesses, which are computed anew when they are needed.
func (s *Schema) Forget() {
	s.rows.Clear()
	s.pairs.Clear()
}

// compare returns the likeness of a word of a question, Before, and a word of a name, Text.
func (s *Schema) compare(words cache.Key) likeness {
	return newLikeness(s.lexicon.Likeness(words.Before, words.Text))
}

// bit returns 1 for true, 0 for false.
func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
