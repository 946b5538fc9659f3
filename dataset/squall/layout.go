package squall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// columnGroup is a column of the schema with the columns derived from it, under Squall's names.
type columnGroup struct {
	header  string
	typ     string // Squall's type of the group
	columns []numberedColumn
}

// numberedColumn is a column under Squall's name.
type numberedColumn struct {
	name   string       // "c1_number"
	suffix string       // "number"; "" for the first column of a group
	index  int          // in the schema; -1 for an id or agg that the schema lacks
	source *column      // the column that it was read from; nil without one
	typ    dataset.Type // in the schema
}

// layout maps the columns of a schema to Squall's numbered columns. The source is the table as it
// was read.
type layout struct {
	groups       []columnGroup
	newNames     map[string]string // from names in the schema ("year_number", folded) to Squall's ("c1_number")
	renumbered   map[string]string // from Squall's names in the source, folded, to those in the layout
	sourceGroups []int             // for each group, the index of its group in the source; or -1
}

// newLayout numbers the groups of columns by their position, as Squall does: c1 is the first after id and
// agg. source is the table as it was read, nil for tables of other formats; groups that it has
// keep their types. A table without id or agg gets it, with the index -1.
func newLayout(table *dataset.Table, groups []schemaGroup, source *tableFile) *layout {
	l := &layout{newNames: map[string]string{}, renumbered: map[string]string{}}
	usedOwnNames := map[string]bool{}
	sourceGroups := matchGroups(groups, table, source)
	number := 0
	for i, h := range groups {
		name, typ := "", squallType(table.Columns[h.columns[0]].Type)
		if sourceGroups[i] >= 0 {
			old := source.Contents[sourceGroups[i]]
			typ = source.Types[sourceGroups[i]]
			if isOwn(old) && !usedOwnNames[old[0].Col] { // id and agg keep their names
				name = old[0].Col
				usedOwnNames[name] = true
			}
		}
		if name == "" {
			number++
			name = fmt.Sprintf("c%d", number)
		}
		g := columnGroup{header: h.header, typ: typ}
		for j, index := range h.columns {
			p := numberedColumn{name: name, suffix: h.suffixes[j], index: index, typ: table.Columns[index].Type}
			if j > 0 { // derived
				p.name += "_" + p.suffix
			}
			if sourceGroups[i] >= 0 {
				p.source = findSuffix(source.Contents[sourceGroups[i]], p.suffix)
			}
			if p.source != nil {
				l.renumbered[strings.ToLower(p.source.Col)] = p.name
			}
			l.newNames[strings.ToLower(table.Columns[index].Original)] = p.name
			g.columns = append(g.columns, p)
		}
		l.groups, l.sourceGroups = append(l.groups, g), append(l.sourceGroups, sourceGroups[i])
	}
	for _, name := range slices.Backward(ownNames) { // each is inserted in front, so id comes first
		if !usedOwnNames[name] {
			l.groups = slices.Insert(l.groups, 0, columnGroup{header: name, typ: name, columns: []numberedColumn{{name: name, index: -1}}})
			l.sourceGroups = slices.Insert(l.sourceGroups, 0, -1)
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

// findSuffix returns the column of a group with a suffix, or nil.
func findSuffix(group []column, wanted string) *column {
	for j := range group {
		if suffix(group, j) == wanted {
			return &group[j]
		}
	}
	return nil
}

// schemaGroup is a column of a schema with the columns that are derived from it.
type schemaGroup struct {
	header   string
	columns  []int // positions; the first is the column's own
	suffixes []string
}

// ownNames are the columns that Squall adds before those of every table.
var ownNames = []string{"id", "agg"}

// schemaGroups returns the columns of a schema in groups, each a column with those derived from it; id and agg come first.
// header returns the header of a column.
func schemaGroups(table *dataset.Table, header func(*dataset.Column) string) []schemaGroup {
	var groups []schemaGroup
	groupOf := map[string]int{}
	for i := range table.Columns {
		if c := &table.Columns[i]; !isDerived(table, c) {
			groupOf[strings.ToLower(c.Original)] = len(groups)
			groups = append(groups, schemaGroup{header: header(c), columns: []int{i}, suffixes: []string{""}}) // c itself has no suffix
		}
	}
	for i := range table.Columns {
		if c := &table.Columns[i]; isDerived(table, c) {
			h := &groups[groupOf[strings.ToLower(c.Base)]]
			h.columns, h.suffixes = append(h.columns, i), append(h.suffixes, c.Original[len(c.Base)+1:])
		}
	}
	// Squall's own columns come first, even if a perturbation shuffled them.
	rank := func(h schemaGroup) int {
		c := &table.Columns[h.columns[0]]
		if !c.Fixed {
			return len(ownNames)
		}
		return slices.Index(ownNames, strings.ToLower(c.Original))
	}
	slices.SortStableFunc(groups, func(g, h schemaGroup) int { return rank(g) - rank(h) })
	return groups
}

// isDerived reports whether a column belongs to the group of another column of the table: that
// one is its base, is not derived itself, and its name is a prefix.
func isDerived(table *dataset.Table, c *dataset.Column) bool {
	// The name is that of the base, an underscore and a suffix.
	if c.Base == "" || len(c.Original) < len(c.Base)+2 || !strings.EqualFold(c.Original[:len(c.Base)+1], c.Base+"_") {
		return false
	}
	return slices.ContainsFunc(table.Columns, func(b dataset.Column) bool { return b.Base == "" && strings.EqualFold(b.Original, c.Base) })
}

// matchGroups returns for each group of the schema the index of the group of source that it was read from,
// or -1: the group that has the same name, or else the first free one that has the same derived columns.
func matchGroups(groups []schemaGroup, table *dataset.Table, source *tableFile) []int {
	sourceGroups := slices.Repeat([]int{-1}, len(groups))
	if source == nil {
		return sourceGroups
	}
	before := source.schema("").Tables[0]
	// The groups of before have the order of source.Contents, which has id and agg first.
	groupByName, matched := map[string]int{}, make([]bool, len(source.Contents))
	for g, h := range schemaGroups(&before, func(*dataset.Column) string { return "" }) {
		groupByName[strings.ToLower(before.Columns[h.columns[0]].Original)] = g
	}
	for i, h := range groups {
		if g, ok := groupByName[strings.ToLower(table.Columns[h.columns[0]].Original)]; ok && g < len(matched) && !matched[g] {
			sourceGroups[i], matched[g] = g, true
		}
	}
	for i, h := range groups {
		for g := range matched {
			if sourceGroups[i] < 0 && !matched[g] && slices.Equal(h.suffixes[1:], suffixesOf(source.Contents[g])) {
				sourceGroups[i], matched[g] = g, true
			}
		}
	}
	return sourceGroups
}

// suffixesOf returns the suffixes of the derived columns of a group: "number" for c1_number.
func suffixesOf(group []column) []string {
	all := make([]string, 0, len(group))
	for j := 1; j < len(group); j++ {
		all = append(all, suffix(group, j))
	}
	return all
}
