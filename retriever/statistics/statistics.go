// Package statistics holds what is embedded of 26,000 public tables, 15,859 of them distinct: their headers, in order, with types and
// keys, and no cells. [Default] replaces a corpus of web tables (ADVETA, section 4.1) where none is given, and adds to one
// that is: it counts which headers occur together, and how much information a header has.
package statistics

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/retriever"
)

// Table is a table with the keys of its headers.
type Table struct {
	*retriever.Table
	Entity string   // key of what its rows are, see [entityKey]
	Keys   []string // of its columns, see [Key]
}

// Keyed returns a table with its keys.
func Keyed(t *retriever.Table) *Table {
	tableWords := nameWords(Name(t))
	return &Table{t, entityKey(tableWords), lists.Map(t.Columns, func(c retriever.Column) string { return newHeader(c.Name).keyIn(tableWords) })}
}

// Statistics are those of a list of tables. They are safe for concurrent use.
type Statistics struct {
	tables []*Table
	byKey  map[string]*postings
}

// postings are the positions in [Statistics] of the tables that have a key, rising.
type postings struct{ tables []int32 }

// add adds a table. Tables are added in their order, each once.
func (p *postings) add(table int32) {
	if n := len(p.tables); n == 0 || p.tables[n-1] != table { // two columns of a table may have the key
		p.tables = append(p.tables, table)
	}
}

// having returns the positions of the tables that have a key.
func (s *Statistics) having(key string) []int32 {
	if p := s.byKey[key]; p != nil {
		return p.tables
	}
	return nil
}

// postingsOf returns the postings of a key, which it adds if the key is new. It stores none for the key "".
func (s *Statistics) postingsOf(key string) *postings {
	p := s.byKey[key]
	if p == nil {
		p = &postings{}
		if key != "" {
			s.byKey[key] = p
		}
	}
	return p
}

// New returns the statistics of tables.
func New(tables []*retriever.Table) *Statistics {
	s := &Statistics{byKey: map[string]*postings{}}
	headers := map[string]*header{} // a cache, as tables share headers
	for i, t := range tables {
		tableWords := nameWords(Name(t))
		keyed := &Table{t, entityKey(tableWords), make([]string, len(t.Columns))}
		for j, c := range t.Columns {
			h := headers[c.Name]
			if h == nil {
				h = newHeader(c.Name)
				headers[c.Name] = h
			}
			keyed.Keys[j] = h.keyIn(tableWords)
			s.postingsOf(keyed.Keys[j]).add(int32(i))
		}
		s.postingsOf(keyed.Entity).add(int32(i))
		s.tables = append(s.tables, keyed)
	}
	return s
}

// nameWords returns the normal words of a name.
func nameWords(name string) []string { return strings.Fields(lexicon.Normal(name)) }

// entityKey returns "@" and the last word of a table's name: the key of what its rows are, which tables share as they
// share a header. It returns "" for a table without a name.
func entityKey(tableWords []string) string {
	if len(tableWords) == 0 {
		return ""
	}
	return "@" + tableWords[len(tableWords)-1]
}

// Name returns the name of a table of a schema; "" for a web table, which has a caption at most.
func Name(t *retriever.Table) string {
	if t.Repository == "" {
		return ""
	}
	return t.Caption
}

// Key returns the form in which the headers of tables are the same header: its words in their singular, whatever their
// order, without units. A header of a table with a name loses that name: "customer_phone" of customers is "phone".
func Key(table, header string) string {
	return newHeader(header).keyIn(nameWords(table))
}

// header is the header of a column, apart from its table.
type header struct {
	words []string // normal words, without units
	key   string   // [Key] in a table without a name
}

func newHeader(name string) *header {
	words := nameWords(lexicon.Bare(name))
	return &header{words, wordsKey(words)}
}

// keyIn returns the [Key] of the header in a table whose name has the given words.
func (h *header) keyIn(tableWords []string) string {
	if rest := ownWords(h.words, tableWords); len(rest) > 0 {
		return wordsKey(rest)
	}
	return h.key
}

// wordsKey returns the key of a header of the given words: all but "of" and "the", sorted.
func wordsKey(words []string) string {
	kept := lists.Filter(words, func(w string) bool { return w != "of" && w != "the" })
	slices.Sort(kept)
	return strings.Join(kept, " ")
}

// ownWords returns the words of a header that follow the name of its table, or the last word of that name: "id" for "author id" in
// "book author". It returns nil if the header begins with neither.
func ownWords(words, tableWords []string) []string {
	for _, prefix := range [][]string{tableWords, tableWords[max(0, len(tableWords)-1):]} {
		if n := len(prefix); n > 0 && n < len(words) && slices.Equal(words[:n], prefix) {
			return words[n:]
		}
	}
	return nil
}

// Information returns the information of a header, by its key: log(1 + tables / (1 + tables with the header)). The rarer
// a header, the more information it has.
func (s *Statistics) Information(key string) float64 {
	return decimal.Round(math.Log1p(float64(len(s.tables)) / float64(1+len(s.having(key)))))
}

// Together returns the number of tables that have both of two keys.
func (s *Statistics) Together(x, y string) int {
	both, withY := 0, s.having(y) // both lists rise, so one pass over them suffices
	for _, t := range s.having(x) {
		for len(withY) > 0 && withY[0] < t {
			withY = withY[1:]
		}
		if len(withY) > 0 && withY[0] == t {
			both++
		}
	}
	return both
}

// Fit measures how a name fits a table.
type Fit struct {
	Columns int     // keys of the table with which the name occurs clearly more often than by chance
	Mean    float64 // logarithm of how much more often, the mean over the keys by their information, -1..2
}

// Fit returns how a name, given by its key, fits a table with the given keys: how often tables have the name and a key
// together, compared with chance. It skips the name itself, repeated keys and keys that no table has.
func (s *Statistics) Fit(keys []string, name string) Fit {
	const (
		doubt = 0.3 // tables added to both counts of a ratio, so that a few tables prove little
		more  = 0.5 // above this logarithm of the ratio, two keys occur together more often than by chance
	)
	var fit Fit
	sum, weight := 0.0, 0.0
	for i, key := range keys {
		if key == name || len(s.having(key)) == 0 || slices.Contains(keys[:i], key) {
			continue
		}
		expected := float64(len(s.having(key))) * float64(len(s.having(name))) / float64(len(s.tables))
		ratio := math.Log((float64(s.Together(key, name)) + doubt) / (expected + doubt))
		if ratio > more {
			fit.Columns++
		}
		sum += s.Information(key) * ratio
		weight += s.Information(key)
	}
	if weight > 0 {
		fit.Mean = decimal.Round(min(max(sum/weight, -1), 2)) // bounded to -1..2
	}
	return fit
}

// Like returns the tables that have most information in common with an asked one, best first: the best k that share two
// keys or more, and for each header of asked the best tables that have it, at most each. Equals keep the order of tables.
func (s *Statistics) Like(asked *Table, k, each int) []*Table {
	matches := s.matches(asked)
	several := lists.Filter(slices.Collect(maps.Values(matches)), func(m *match) bool { return m.keys > 1 })
	all := best(several, k)
	for _, key := range asked.Keys {
		having := lists.Map(s.having(key), func(t int32) *match { return matches[t] })
		all = append(all, best(having, each)...)
	}
	all = slices.Compact(best(all, len(all))) // sorted, so that Compact drops a table that was found twice
	return lists.Map(all, func(m *match) *Table { return s.tables[m.table] })
}

// matches returns the tables that share a key with an asked one, by position, with the number of the shared keys and the
// sum of their information.
func (s *Statistics) matches(asked *Table) map[int32]*match {
	matches := map[int32]*match{}
	keys := append([]string{asked.Entity}, asked.Keys...)
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			continue
		}
		for _, t := range s.having(key) { // none for the key ""
			if matches[t] == nil {
				matches[t] = &match{table: t}
			}
			matches[t].keys++
			matches[t].information += s.Information(key)
		}
	}
	return matches
}

// best sorts matches by [compare] and returns the first n, or all if they are fewer.
func best(list []*match, n int) []*match {
	slices.SortFunc(list, compare)
	return list[:min(n, len(list)):min(n, len(list))]
}

// match is a table that shares keys with an asked one.
type match struct {
	table       int32
	keys        int
	information float64
}

// compare orders matches by falling information, then by table.
func compare(x, y *match) int {
	return cmp.Or(cmp.Compare(y.information, x.information), cmp.Compare(x.table, y.table))
}
