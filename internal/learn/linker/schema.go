package linker

import (
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/cache"
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
	DB       *dataset.Database
	tables   int
	items    []item
	first    []int // by table: its first column among the items
	vocab    []string
	holders  []int   // by word of vocab: how many items have it
	partners [][]int // by column: those that foreign keys join it with, as positions among the columns
	joined   [][]int // by table: those that foreign keys join it with
	cells    *Cells
	lexicon  Lexicon

	root *Schema // the schema that this one was edited from; itself for one that was not

	once sync.Once
	form *structure

	rows  cache.Cache[[]likeness] // of a word of a question with each of vocab
	pairs cache.Cache[likeness]   // of a word of a question and one of a name, for schemas that were edited from this one
}

// kinds is how many likenesses of words are read.
const kinds = 6

// likeness is how alike two words are; the first is 1 for forms of one word.
type likeness [kinds]float32

func newLikeness(l namepair.Likeness) likeness {
	return likeness{
		max(l.Lemma, .9*l.Stem),
		max(l.Lemma, .9*l.Stem, .8*l.Synonym),
		l.Cosine,
		max(l.Kind, l.Lemma),
		max(l.Column, l.Lemma),
		max(l.Trigrams, .7*l.Abbreviation),
	}
}

func (l likeness) same() bool { return l[0] == 1 }

// item is a table or a column.
type item struct {
	table, column int      // column is -1 for a table
	words         []int    // of vocab
	own           []bool   // by word: not in the name of its table
	lemmas        []string // by word
	static        [staticDim]float32
}

// NewSchema prepares a database. Cells may be nil.
func NewSchema(db *dataset.Database, cells *Cells, l Lexicon) *Schema {
	s := &Schema{DB: db, tables: len(db.Tables), cells: cells, lexicon: l}
	s.root = s
	known := map[string]int{}
	for t := range db.Tables {
		s.add(known, item{table: t, column: -1}, db.Tables[t].Name, nil)
	}
	for t := range db.Tables {
		s.first = append(s.first, len(s.items))
		for c := range db.Tables[t].Columns {
			s.add(known, item{table: t, column: c}, db.Tables[t].Columns[c].Name, s.items[t].words)
		}
	}
	s.joins()
	for i := range s.items {
		s.items[i].static = s.static(i)
	}
	return s
}

func (s *Schema) add(known map[string]int, it item, name string, table []int) {
	words := lexicon.Words(strings.ToLower(name))
	words = words[:min(len(words), maxName)]
	for _, w := range words {
		at, ok := known[w]
		if !ok {
			at = len(s.vocab)
			known[w] = at
			s.vocab, s.holders = append(s.vocab, w), append(s.holders, 0)
		}
		if !slices.Contains(it.words, at) {
			s.holders[at]++
		}
		it.words = append(it.words, at)
		it.own = append(it.own, !slices.Contains(table, at))
		it.lemmas = append(it.lemmas, s.lexicon.Lemma(w))
	}
	if !slices.Contains(it.own, true) {
		for i := range it.own {
			it.own[i] = true
		}
	}
	s.items = append(s.items, it)
}

func (s *Schema) joins() {
	s.partners, s.joined = make([][]int, len(s.items)-s.tables), make([][]int, s.tables)
	for _, fk := range s.DB.ForeignKeys {
		a, b := s.at(fk.Column)-s.tables, s.at(fk.Target)-s.tables
		s.partners[a], s.partners[b] = append(s.partners[a], b), append(s.partners[b], a)
		if t, u := fk.Column.Table, fk.Target.Table; t != u && !slices.Contains(s.joined[t], u) {
			s.joined[t], s.joined[u] = append(s.joined[t], u), append(s.joined[u], t)
		}
	}
}

// at is the position of a column among the items.
func (s *Schema) at(ref dataset.ColumnRef) int { return s.first[ref.Table] + ref.Column }

// columns returns where the columns of a table begin and end among the items.
func (s *Schema) columns(table int) (start, end int) {
	return s.first[table], s.first[table] + len(s.DB.Tables[table].Columns)
}

// What is known of an item whatever is asked.
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
	isBridge // a table in which most columns refer to others
	nameLength
	staticDim
)

func (s *Schema) static(i int) (f [staticDim]float32) {
	it := &s.items[i]
	table := &s.DB.Tables[it.table]
	f[columnCount], f[tableCount] = float32(len(table.Columns))/20, float32(s.tables)/10
	f[nameLength] = float32(len(it.words)) / maxName
	keys := 0
	for _, fk := range s.DB.ForeignKeys {
		if fk.Column.Table == it.table {
			keys++
		}
	}
	f[isBridge] = bit(keys > 1 && 2*keys >= len(table.Columns))
	if it.column < 0 {
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

// likeness returns how alike a word of a question is to each of the schema's.
func (s *Schema) likeness(word string) []likeness {
	if english.IsFunction(word) {
		return make([]likeness, len(s.vocab))
	}
	if s.root != s {
		row := make([]likeness, len(s.vocab))
		for i, w := range s.vocab {
			row[i] = s.root.pairs.Get(cache.Key{Before: word, Text: w}, maxPairs, s.root.compare)
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

// Forget drops the likenesses that the schema keeps, which are found again where they are asked
// for.
func (s *Schema) Forget() {
	s.rows.Clear()
	s.pairs.Clear()
}

// compare compares a word of a question with the word of a name after it.
func (s *Schema) compare(words cache.Key) likeness {
	return newLikeness(s.lexicon.Likeness(words.Before, words.Text))
}

func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
