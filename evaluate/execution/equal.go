package execution

import (
	"cmp"
	"slices"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Equal reports whether two answers are equal up to the order of columns and, unless ordered, of
// rows. Two answers without rows are equal, whatever their columns. Cells compare as in
// [sqldata.EqualList], text without the bytes that are not UTF-8.
//
// The columns are matched by refinement (see search), which is polynomial for real data. Answers
// made to defeat it, with many columns that look alike, reach a bound and count as unequal.
func Equal(gold, pred *sqldata.Result, ordered bool) bool {
	equal, _ := match(decoded(gold), decoded(pred), positions(len(gold.Rows), ordered))
	return equal
}

// positions returns the number of the group of each row, where order counts only between groups: if ordered is set, each
// row is a group of its own, numbered by its position; otherwise the result is nil, and all rows are one group.
func positions(rows int, ordered bool) []int {
	if !ordered {
		return nil
	}
	return lists.Numbers(rows)
}

// match reports whether pred is gold with its columns in another order and its rows in another order
// within each group; see positions for groups. complete is false if it reached its bound before it knew.
func match(gold, pred *sqldata.Result, groups []int) (equal, complete bool) {
	switch {
	case len(gold.Rows) != len(pred.Rows):
		return false, true
	case len(gold.Rows) == 0:
		return true, true
	case len(gold.Columns) != len(pred.Columns):
		return false, true
	case sqldata.EqualList(gold, pred):
		return true, true
	}
	s := newSearch(gold, pred, groups)
	return s.findPermutation(s.gold.colours(), s.pred.colours()), s.work > 0
}

// maxWork bounds a search, in cells looked at. It is under a second.
const maxWork = 1 << 27

// search looks for the permutation of columns that makes two answers equal. Every row and column
// of both sides has a colour, such that every permutation maps colours to equal colours, and equal
// rows of one side have equal colours. Refining the colours (the colour of a row depends on its
// cells and the colours of their columns, and vice versa) distinguishes nearly all columns. For
// columns that stay alike, it pairs one of gold with each of pred in turn.
//
// Colours are hashes. A collision can make the search longer but not wrong, because every
// permutation found is checked cell by cell.
type search struct {
	gold, pred     side
	hasNearNumbers bool // some cells are numbers that are nearly equal, so classes do not decide
	work           int  // what is left of maxWork
}

// side is one of the two answers.
type side struct {
	res     *sqldata.Result
	columns [][]uint32 // class of each cell, by column and row
	groups  []int      // the group of each row, see positions; nil if all are in one
}

// newSearch returns the search for a permutation of columns that makes two answers equal; groups has the group of each row.
func newSearch(gold, pred *sqldata.Result, groups []int) *search {
	c := classes{}
	s := &search{work: maxWork}
	s.gold = side{gold, c.number(gold), groups}
	s.pred = side{pred, c.number(pred), groups}
	if merged := c.merge(); merged != nil {
		s.hasNearNumbers = true
		for _, column := range slices.Concat(s.gold.columns, s.pred.columns) {
			for row, class := range column {
				column[row] = merged[class]
			}
		}
	}
	return s
}

// colours are the colours of the rows and columns of one side.
type colours struct{ rows, columns []uint64 }

// colours returns the first colours: rows by their group, columns all alike.
func (s *side) colours() colours {
	c := colours{make([]uint64, len(s.res.Rows)), make([]uint64, len(s.columns))}
	for row, group := range s.groups {
		c.rows[row] = mixHash(uint64(group), 0)
	}
	return c
}

// clone returns a copy.
func (c colours) clone() colours { return colours{slices.Clone(c.rows), slices.Clone(c.columns)} }

// findPermutation reports whether a permutation of columns that fits the colours makes the answers equal. If columns of
// gold share a colour, it pairs one of them with each column of pred of that colour in turn, and searches further.
func (s *search) findPermutation(gold, pred colours) bool {
	if !s.refine(gold, pred) {
		return false
	}
	column, alike := ambiguousColumn(gold.columns)
	if column < 0 {
		return s.equalSorted(gold, pred)
	}
	var tried [][]uint32
	for i, colour := range pred.columns {
		if colour != alike || s.isTried(&tried, s.pred.columns[i]) {
			continue
		}
		g, p := gold.clone(), pred.clone()
		g.columns[column] = mixHash(alike, 1) // a colour that only this pair of columns has
		p.columns[i] = g.columns[column]
		if s.findPermutation(g, p) {
			return true
		}
		if s.work <= 0 {
			return false
		}
	}
	return false
}

// isTried reports whether a column equals one in list, those tried before, and adds it otherwise. With near
// numbers, classes do not show whether columns are equal, so none counts as tried.
func (s *search) isTried(list *[][]uint32, column []uint32) bool {
	if !s.hasNearNumbers && slices.ContainsFunc(*list, func(t []uint32) bool { return slices.Equal(t, column) }) {
		return true
	}
	*list = append(*list, column)
	return false
}

// ambiguousColumn returns the index and the colour (see [search]) of a column that shares its colour with others, but
// with as few as possible; -1 if all colours differ.
func ambiguousColumn(columns []uint64) (column int, colour uint64) {
	counts := map[uint64]int{}
	for _, c := range columns {
		counts[c]++
	}
	column = -1
	for i, c := range columns {
		if counts[c] > 1 && (column < 0 || counts[c] < counts[colour]) {
			column, colour = i, c
		}
	}
	return column, colour
}

// refine refines the colours of both sides until the number of distinct column colours stays the
// same. It reports whether the sides still have equal colours; false also if the work is used up.
func (s *search) refine(gold, pred colours) bool {
	const patience = 2 // rounds without progress: a round may distinguish rows alone, and the next one columns by them
	for distinct, idle := 0, 0; idle < patience; {
		if s.work -= 2 * len(gold.rows) * len(gold.columns); s.work <= 0 {
			return false
		}
		if s.gold.refine(gold) != s.pred.refine(pred) {
			return false
		}
		g, p := slices.Sorted(slices.Values(gold.columns)), slices.Sorted(slices.Values(pred.columns))
		if !slices.Equal(g, p) {
			return false
		}
		n := len(slices.Compact(g))
		if n == len(gold.columns) {
			return true
		}
		idle++
		if n > distinct {
			distinct, idle = n, 0
		}
	}
	return true
}

// refine refines the colours of one side by one round: a row mixes its cells with the colours of their columns into its
// colour, then a column its cells with those of their rows. It returns the sum of the row colours, by which the sides are
// compared.
func (s *side) refine(c colours) (sum uint64) {
	next := make([]uint64, len(c.rows))
	for i, column := range s.columns {
		for row, class := range column {
			next[row] += mixHash(c.columns[i], uint64(class))
		}
	}
	for row, h := range next {
		c.rows[row] = mixHash(c.rows[row], h)
		sum += mixHash(c.rows[row], 0)
	}
	for i, column := range s.columns {
		var h uint64
		for row, class := range column {
			h += mixHash(c.rows[row], uint64(class))
		}
		c.columns[i] = mixHash(c.columns[i], h)
	}
	return sum
}

// equalSorted reports whether the sides are equal cell by cell, once their columns are sorted by colour and
// their rows by cells.
func (s *search) equalSorted(gold, pred colours) bool {
	goldColumns, goldRows := s.gold.sorted(gold, s.hasNearNumbers)
	predColumns, predRows := s.pred.sorted(pred, s.hasNearNumbers)
	for i, r := range goldRows {
		for j, c := range goldColumns {
			if s.gold.columns[c][r] != s.pred.columns[predColumns[j]][predRows[i]] {
				return false
			}
			if s.hasNearNumbers && !s.gold.res.Rows[r][c].Equal(s.pred.res.Rows[predRows[i]][predColumns[j]]) {
				return false
			}
		}
		if s.gold.groups != nil && s.gold.groups[r] != s.pred.groups[predRows[i]] {
			return false
		}
	}
	return true
}

// sorted returns the columns in the order of their colours, and the rows in that of their groups, then
// of the classes of their cells and, if hasNearNumbers is set, of the numbers in them, which one class may join.
func (s *side) sorted(c colours, hasNearNumbers bool) (columns, rows []int) {
	columns, rows = lists.Numbers(len(s.columns)), lists.Numbers(len(s.res.Rows))
	slices.SortFunc(columns, func(i, j int) int { return cmp.Compare(c.columns[i], c.columns[j]) })
	slices.SortFunc(rows, func(a, b int) int {
		if s.groups != nil && s.groups[a] != s.groups[b] {
			return cmp.Compare(s.groups[a], s.groups[b])
		}
		for _, column := range columns {
			if d := cmp.Compare(s.columns[column][a], s.columns[column][b]); d != 0 {
				return d
			}
		}
		for _, column := range columns {
			if d := cmp.Compare(s.res.Rows[a][column].Float(), s.res.Rows[b][column].Float()); hasNearNumbers && d != 0 {
				return d
			}
		}
		return 0
	})
	return columns, rows
}

// mixHash hashes two numbers. The odd factors and the shifts spread their bits.
func mixHash(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b
	h = (h ^ h>>31) * 0xd6e8feb86659fd93
	h = (h ^ h>>29) * 0xa0761d6478bd642f
	return h ^ h>>32
}
