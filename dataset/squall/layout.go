package squall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// group is a column of the schema with what is derived from it, under Squall's names.
type group struct {
	header  string
	typ     string // Squall's type of the group
	columns []placed
}

// placed is a column under Squall's name.
type placed struct {
	name   string       // c1_number
	suffix string       // number
	at     int          // in the schema; -1 for an id or agg that it lacks
	old    *column      // as the Source has it; nil where it has not
	typ    dataset.Type // of the schema
}

// layout is how Squall numbers the columns of a schema.
type layout struct {
	groups []group
	named  map[string]string // of the schema's column year_number, in lower case: c1_number
	now    map[string]string // of the Source's column c1_number: its number today
	oldOf  []int             // of each group, the group of the Source that it was; or -1
}

// newLayout numbers the columns by their position, as Squall does: c1 is the first after id and
// agg. source is the table as it was read, nil for tables of other formats; columns that it has
// keep what it stores of them.
func newLayout(table *dataset.Table, heads []head, source *tableFile) *layout {
	l := &layout{named: map[string]string{}, now: map[string]string{}}
	owns := map[string]bool{}
	was := matchGroups(heads, table, source)
	number := 0
	for i, h := range heads {
		name, typ := "", squallType(table.Columns[h.columns[0]].Type)
		if was[i] >= 0 {
			old := source.Contents[was[i]]
			typ = source.Types[was[i]]
			if own(old) && !owns[old[0].Col] {
				name = old[0].Col
				owns[name] = true
			}
		}
		if name == "" {
			number++
			name = fmt.Sprintf("c%d", number)
		}
		g := group{header: h.header, typ: typ}
		for j, at := range h.columns {
			p := placed{name: name, suffix: h.suffixes[j], at: at, typ: table.Columns[at].Type}
			if j > 0 {
				p.name += "_" + p.suffix
			}
			if was[i] >= 0 {
				p.old = find(source.Contents[was[i]], p.suffix)
			}
			if p.old != nil {
				l.now[strings.ToLower(p.old.Col)] = p.name
			}
			l.named[strings.ToLower(table.Columns[at].Original)] = p.name
			g.columns = append(g.columns, p)
		}
		l.groups, l.oldOf = append(l.groups, g), append(l.oldOf, was[i])
	}
	for _, name := range slices.Backward(owned) {
		if !owns[name] {
			l.groups = slices.Insert(l.groups, 0, group{header: name, typ: name, columns: []placed{{name: name, at: -1}}})
			l.oldOf = slices.Insert(l.oldOf, 0, -1)
		}
	}
	return l
}

// squallType returns Squall's name of a column type.
func squallType(t dataset.Type) string {
	switch t {
	case dataset.Number:
		return "number"
	case dataset.Time:
		return "date"
	}
	return "text"
}

// find returns the column of a group with a suffix.
func find(group []column, want string) *column {
	for j := range group {
		if suffix(group, j) == want {
			return &group[j]
		}
	}
	return nil
}

// head is a column of a schema that is not derived, with those that are derived from it.
type head struct {
	header   string
	columns  []int // positions; the first is the column's own
	suffixes []string
}

// owned are the columns that Squall puts before those of the table.
var owned = []string{"id", "agg"}

// headsOf groups the columns of a schema.
func headsOf(table *dataset.Table, header func(*dataset.Column) string) []head {
	var heads []head
	at := map[string]int{}
	for i := range table.Columns {
		if c := &table.Columns[i]; !derived(table, c) {
			at[strings.ToLower(c.Original)] = len(heads)
			heads = append(heads, head{header: header(c), columns: []int{i}, suffixes: []string{""}})
		}
	}
	for i := range table.Columns {
		if c := &table.Columns[i]; derived(table, c) {
			h := &heads[at[strings.ToLower(c.Base)]]
			h.columns, h.suffixes = append(h.columns, i), append(h.suffixes, c.Original[len(c.Base)+1:])
		}
	}
	// Squall's own columns come first, even if a perturbation shuffled them.
	rank := func(h head) int {
		c := &table.Columns[h.columns[0]]
		if !c.Fixed {
			return len(owned)
		}
		return slices.Index(owned, strings.ToLower(c.Original))
	}
	slices.SortStableFunc(heads, func(g, h head) int { return rank(g) - rank(h) })
	return heads
}

// derived reports whether a column is derived from one of the table that is not derived itself,
// and has its name as a prefix.
func derived(table *dataset.Table, c *dataset.Column) bool {
	if c.Base == "" || len(c.Original) < len(c.Base)+2 || !strings.EqualFold(c.Original[:len(c.Base)+1], c.Base+"_") {
		return false
	}
	return slices.ContainsFunc(table.Columns, func(b dataset.Column) bool { return b.Base == "" && strings.EqualFold(b.Original, c.Base) })
}

// matchGroups returns for each column the one of source that it was, or -1: the column with the
// same name, or else the next one with the same derived columns.
func matchGroups(heads []head, table *dataset.Table, source *tableFile) []int {
	was := slices.Repeat([]int{-1}, len(heads))
	if source == nil {
		return was
	}
	before := source.schema("").Tables[0]
	at, taken := map[string]int{}, make([]bool, len(source.Contents))
	for g, h := range headsOf(&before, func(*dataset.Column) string { return "" }) {
		at[strings.ToLower(before.Columns[h.columns[0]].Original)] = g
	}
	for i, h := range heads {
		if g, ok := at[strings.ToLower(table.Columns[h.columns[0]].Original)]; ok && g < len(taken) && !taken[g] {
			was[i], taken[g] = g, true
		}
	}
	for i, h := range heads {
		for g := range taken {
			if was[i] < 0 && !taken[g] && slices.Equal(h.suffixes[1:], suffixesOf(source.Contents[g])) {
				was[i], taken[g] = g, true
			}
		}
	}
	return was
}

// suffixesOf returns the suffixes of the derived columns of a group.
func suffixesOf(group []column) []string {
	all := make([]string, 0, len(group))
	for j := 1; j < len(group); j++ {
		all = append(all, suffix(group, j))
	}
	return all
}
