package rerank

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/retriever/statistics"
)

// Agreement holds the headers that retrieved tables have and the asked table lacks.
type Agreement struct {
	Tables  int       // with rows of the same kind
	Headers []*Header // by falling share
	byKey   map[string]*Header
	name    string // of the asked table
}

// Header is a header that the asked table lacks.
type Header struct {
	Name    string // as the table with most in common has it
	Type    dataset.Type
	From    *retriever.Table // that table
	Column  int              // in From
	Share   float64          // of the tables of the same kind, by weight, that have it, 0..1
	Support int              // repositories of such tables, each web table one of its own
	Key     float64          // share of the tables that have it, by weight, in which it is a key
	Beside  []Beside         // by column of the asked table
}

// Beside describes how a header and a column of the asked table occur together in retrieved tables.
type Beside struct {
	// With and Without are the shares of the tables of the same kind with the header, and of those without, that have the column.
	With, Without float64
	// Near is, over all retrieved tables with the column, the mean of 1/distance of the header, 0 for those that lack it;
	// Support counts the repositories of those that have it.
	Near    float64
	Support int
}

// Instead reports whether tables have either the header or the column, but rarely both: at least 20% of the tables without
// the header have the column, and the share among those with it is less than 0.3 times that. Two such headers are words
// for one thing ("visitor", "opponent").
func (b Beside) Instead() bool {
	const common, ratio = 0.2, 0.3
	return b.Without >= common && b.With < ratio*b.Without
}

// Of returns the header of a name, nil if no retrieved table has it. It first looks the name up without the name of the
// asked table ("phone" for "customer phone" of customers), then as it is.
func (a *Agreement) Of(name string) *Header {
	if h := a.byKey[statistics.Key(a.name, name)]; h != nil {
		return h
	}
	return a.byKey[statistics.Key("", name)]
}

// Asked returns a table of a data set with its keys, by which it is compared with retrieved tables.
func Asked(t *dataset.Table) *statistics.Table {
	table := &retriever.Table{Columns: make([]retriever.Column, len(t.Columns))}
	if dataset.Named(t.Name) {
		table.Repository, table.Caption = t.Name, t.Name // a caption counts as a name if there is a repository, see [statistics.Name]
	}
	for i, c := range t.Columns {
		table.Columns[i] = retriever.Column{Name: c.Name, Type: c.Type}
	}
	return statistics.Keyed(table)
}

// The least that a table has in common with the asked one to be of its kind: headers, and information, as two of the
// commonest headers prove nothing. leastLikeness is that of the cosine of both, headers weighed by their information.
const (
	leastHeaders     = 2
	leastInformation = 7.0
	leastLikeness    = 0.33

	// besideLikeness is that of a table of another kind, but like the asked one of a schema or of the web, which still
	// shows what stands beside a column.
	besideLikeness = 0.15
)

// aligned is a retrieved table, aligned with the asked one.
type aligned struct {
	*statistics.Table
	weight   float64 // likeness
	sameKind bool    // its rows are of the kind of those of the asked table
	columns  []int   // by column of the asked table: the column of the table; -1 for none
}

// Agree returns the headers that retrieved tables have and the asked one lacks, by falling share. It leaves out tables with
// the asked one's set of headers, and all but the first of those with equal sets. The weight of a table is the information
// that it has in common with the asked one, as a cosine; the tables of one repository together weigh as much as their mean.
func Agree(asked *statistics.Table, retrieved []*statistics.Table) *Agreement {
	a := &Agreement{byKey: map[string]*Header{}, name: statistics.Name(asked.Table)}
	all := align(asked, retrieved)
	a.Tables = lists.Count(all, func(t *aligned) bool { return t.sameKind })
	sums := sumsOf(asked, all)
	for _, key := range slices.Sorted(maps.Keys(sums.headers)) {
		a.byKey[key] = sums.finish(sums.headers[key])
		a.Headers = append(a.Headers, a.byKey[key])
	}
	slices.SortStableFunc(a.Headers, func(x, y *Header) int { return cmp.Or(cmp.Compare(y.Share, x.Share), cmp.Compare(x.Name, y.Name)) })
	return a
}

// alignColumns sets t.columns by equal keys and returns the keys that both tables have. first has the first column of the
// asked table with each key; each is aligned with the first column of t that has its key.
func (t *aligned) alignColumns(first map[string]int) (shared []string) {
	for at, key := range t.Keys {
		if c, has := first[key]; has && t.columns[c] < 0 {
			t.columns[c] = at
			shared = append(shared, key)
		}
	}
	return shared
}

// align aligns the retrieved tables with the asked one and returns them by falling weight. It keeps the tables of the same kind, and of the
// others those above besideLikeness from the same sort of source.
func align(asked *statistics.Table, retrieved []*statistics.Table) []*aligned {
	seen := map[string]bool{setOf(asked.Keys): true}
	total := informationOf(asked.Entity, asked.Keys)
	first := firstColumns(asked.Keys)
	var all []*aligned
	for _, table := range retrieved {
		set := setOf(table.Keys)
		if seen[set] { // the asked table's headers, or those of an earlier table
			continue
		}
		seen[set] = true
		t := &aligned{Table: table, columns: slices.Repeat([]int{-1}, len(asked.Keys))}
		shared := t.alignColumns(first)
		entity := ""
		if table.Entity == asked.Entity {
			entity = table.Entity
		}
		bits := informationOf(entity, shared) // what both tables have in common
		t.weight = decimal.Round(bits / math.Sqrt(total*informationOf(table.Entity, table.Keys)))
		t.sameKind = len(shared) >= leastHeaders && bits >= leastInformation && t.weight >= leastLikeness
		isSameSource := (table.Repository == "") == (asked.Repository == "") // both of the web, or both of databases
		if t.sameKind || t.weight >= besideLikeness && isSameSource {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(x, y *aligned) int { return cmp.Compare(y.weight, x.weight) })
	return all
}

// firstColumns returns for each key but "" the position of the first column that has it.
func firstColumns(keys []string) map[string]int {
	first := make(map[string]int, len(keys))
	for i, key := range keys {
		if _, has := first[key]; !has && key != "" {
			first[key] = i
		}
	}
	return first
}

// informationOf returns the sum of the information of an entity, unless it is "", and of the distinct keys of headers.
func informationOf(entity string, keys []string) float64 {
	total := 0.0
	if entity != "" {
		total += statistics.Default().Information(entity)
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if key != "" && !seen[key] {
			seen[key] = true
			total += statistics.Default().Information(key)
		}
	}
	return total
}

// setOf returns a text that is equal for equal sets of keys.
func setOf(keys []string) string {
	sorted := slices.Sorted(slices.Values(keys))
	var set []byte
	for _, key := range slices.Compact(sorted) {
		set = append(append(set, key...), 0)
	}
	return string(set)
}

// sums adds up the votes of retrieved tables.
type sums struct {
	headers    map[string]*sum
	ofKind     float64   // votes of the tables of the same kind
	ofKindWith []float64 // votes of those that have a column, by column of the asked table
	allWith    []float64 // votes of all tables that have a column
}

// sum adds up the votes of the tables that have a header.
type sum struct {
	header     *Header
	ofKind     float64 // of the tables of the same kind
	all        float64 // of all tables
	asKey      float64 // of those in which it is a key
	from       repositories
	ofKindWith []float64 // of those of the same kind that also have a column, by column of the asked table
	near       []float64 // of all tables, divided by the distance from the column
	beside     []repositories
}

// repositories counts repositories, each web table as one of its own.
type repositories struct {
	web   int
	names map[string]bool
}

// add counts the repository of a table.
func (r *repositories) add(t *aligned) {
	if t.Repository == "" {
		r.web++
		return
	}
	if r.names == nil {
		r.names = map[string]bool{}
	}
	r.names[t.Repository] = true
}

// count returns the number of repositories.
func (r *repositories) count() int { return r.web + len(r.names) }

// sumsOf adds up the votes of tables for the headers that the asked one lacks.
func sumsOf(asked *statistics.Table, all []*aligned) *sums {
	n := len(asked.Keys)
	s := &sums{headers: map[string]*sum{}, ofKindWith: make([]float64, n), allWith: make([]float64, n)}
	votes, own := votesOf(all), firstColumns(asked.Keys)
	for i, t := range all {
		for c, at := range t.columns {
			if at >= 0 {
				s.allWith[c] += votes[i]
				if t.sameKind {
					s.ofKindWith[c] += votes[i]
				}
			}
		}
		if t.sameKind {
			s.ofKind += votes[i]
		}
		for at, key := range t.Keys {
			if _, has := own[key]; has || key == "" || slices.Contains(t.Keys[:at], key) { // a header of the asked table, or the second with a key
				continue
			}
			h := s.headers[key]
			if h == nil {
				c := t.Columns[at]
				h = &sum{
					header:     &Header{Name: c.Name, Type: c.Type, From: t.Table.Table, Column: at},
					ofKindWith: make([]float64, n), near: make([]float64, n), beside: make([]repositories, n),
				}
				s.headers[key] = h
			}
			h.add(t, at, votes[i])
		}
	}
	return s
}

// votesOf returns the vote of each table: its weight, divided by the number of tables of its repository. A web table is alone.
func votesOf(all []*aligned) []float64 {
	of := map[string]float64{}
	for _, t := range all {
		of[t.Repository]++
	}
	return lists.Map(all, func(t *aligned) float64 {
		if t.Repository == "" {
			return t.weight
		}
		return t.weight / of[t.Repository]
	})
}

// add adds the vote of a table that has the header in its column at: to the sums for the header alone, and for each column of the asked
// table that the table has too. The sum near counts the vote divided by the distance between the two.
func (h *sum) add(t *aligned, at int, vote float64) {
	h.all += vote
	if t.Columns[at].Key {
		h.asKey += vote
	}
	if t.sameKind {
		h.ofKind += vote
		h.from.add(t)
	}
	for c, column := range t.columns {
		if column < 0 {
			continue
		}
		if t.sameKind {
			h.ofKindWith[c] += vote
		}
		h.near[c] += vote / math.Abs(float64(column-at))
		h.beside[c].add(t)
	}
}

// finish sets the shares of a header from the votes for it, and returns the header. Shares are of the tables of the same kind, but Key
// and Near are of all tables.
func (s *sums) finish(h *sum) *Header {
	out := h.header
	out.Share, out.Support = share(h.ofKind, s.ofKind), h.from.count()
	out.Key = share(h.asKey, h.all)
	out.Beside = make([]Beside, len(s.ofKindWith))
	for c := range out.Beside {
		out.Beside[c] = Beside{
			With: share(h.ofKindWith[c], h.ofKind), Without: share(max(0, s.ofKindWith[c]-h.ofKindWith[c]), s.ofKind-h.ofKind),
			Near: share(h.near[c], s.allWith[c]), Support: h.beside[c].count(),
		}
	}
	return out
}

// share returns part/total, rounded; 0 for a total of 0.
func share(part, total float64) float64 {
	if total < 1e-9 {
		return 0
	}
	return decimal.Round(part / total)
}
