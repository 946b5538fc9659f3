package exact

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// A core is the form of one SELECT, with ORDER BY and LIMIT where they are its
// own.
type core struct {
	text          string // the select list between what is before and behind it
	before, after string
	written       []string // the select list in its order
	selects, bare []string // the same sorted, and without aggregates
	where         *cond    // nil without
	group, having string
	grouped       []string // columns of GROUP BY without their tables
	tables        string
	order         string
	ordersShown   bool // all terms of ORDER BY are in the select list
	limit         string
	words         []string // keywords
}

// core returns the form of a SELECT. Where FROM has a table several times, the
// tables are numbered so that the text is the least.
func (f *former) core(b block, distinct bool) *core {
	b = f.inline(b)
	from := f.from(b.Select)
	around, outer := f.sources, f.outer
	f.sources, f.outer = from.sources, from.outer
	defer func() { f.sources, f.outer = around, outer }()
	b, from.conds = f.countedCase(b, from.conds)
	var best *core
	var bestNumbers []int
	for _, numbers := range numberings(from.bases) {
		f.number(from, numbers)
		c := f.numbered(b, from, distinct)
		if best == nil || c.text < best.text {
			best, bestNumbers = c, numbers
		}
	}
	f.number(from, bestNumbers)
	f.nameOutputs(b.Select, best.selects)
	return best
}

// number names the entries of FROM and the classes of their columns.
func (f *former) number(from *from, numbers []int) {
	for i, src := range from.sources {
		text := from.bases[i]
		if numbers[i] > 0 {
			text += "#" + strconv.Itoa(numbers[i])
		}
		f.names[src] = name{text, f.depth}
	}
	for _, c := range from.classes {
		c.text = ""
		for _, m := range c.members {
			if text := f.names[m.source].text + "." + m.column; c.text == "" || text < c.text {
				c.text = text
			}
		}
	}
}

// numbered returns the form of a SELECT whose entries of FROM have names.
func (f *former) numbered(s block, from *from, distinct bool) *core {
	c := &core{tables: from.text(f)}
	for _, col := range s.Columns {
		c.selects = append(c.selects, f.expr(col.Expr))
		c.bare = append(c.bare, f.bare(col.Expr))
	}
	for _, row := range s.Values {
		c.selects = append(c.selects, f.exprs(row))
	}
	for _, w := range s.Windows {
		c.selects = append(c.selects, f.join("WINDOW ", strings.ToLower(w.Name.Name), f.window(w.Window)))
	}
	c.written = slices.Clone(c.selects)
	slices.Sort(c.selects)
	slices.Sort(c.bare)
	c.orderBy(f, s, nil)
	var group []string
	for _, x := range s.GroupBy {
		group = append(group, f.key(s.Select, x, nil))
	}
	slices.Sort(group)
	where, having := f.keyConditions(from, group, conjuncts(s.Having, nil))
	c.where = f.all(slices.Concat(from.conds, where))
	group, distinct = c.distinctRows(s, group, having, distinct)
	for _, text := range group {
		c.grouped = append(c.grouped, text[strings.LastIndexByte(text, '.')+1:])
	}
	slices.Sort(c.grouped)
	c.group = f.list(group)
	kept := f.all(having)
	c.having = kept.text(f)
	c.addWords(distinct)
	c.addConditionWords(c.where)
	c.addConditionWords(kept)
	c.compose(f, distinct)
	return c
}

// compose makes the text of the parts.
func (c *core) compose(f *former, distinct bool) {
	c.before = "SELECT " + distinctWord(distinct)
	c.after = f.join(" FROM ", c.tables, " WHERE ", c.where.text(f), " GROUP ", c.group, " HAVING ", c.having, " ", c.tail(f))
	c.text = f.join(c.before, f.list(c.selects), c.after)
}

// keyConditions divides the conditions of HAVING: those on grouping keys alone are
// the same in WHERE.
func (f *former) keyConditions(from *from, group []string, list []sqlast.Expr) (where, having []sqlast.Expr) {
	for _, x := range list {
		if len(group) > 0 && !aggregated(x) && f.onKeys(from, group, x) {
			where = append(where, x)
		} else {
			having = append(having, x)
		}
	}
	return where, having
}

// onKeys reports whether all columns of FROM that a condition names are grouping keys.
func (f *former) onKeys(from *from, group []string, x sqlast.Expr) bool {
	for ref := range sqlast.All[*sqlast.ColumnRef](x) {
		t, inlined := f.origin(ref)
		own := inlined != nil || t.Kind == sqlast.Alias || slices.Contains(from.sources, t.Source)
		if own && !slices.Contains(group, f.expr(ref)) {
			return false
		}
	}
	return true
}

// distinctRows says whether DISTINCT counts and what GROUP BY is without it: groups
// that are the rows of the select list are its distinct rows, and rows that grouping
// keeps apart are distinct.
func (c *core) distinctRows(s block, group []string, having []sqlast.Expr, counts bool) ([]string, bool) {
	distinct := s.Distinct && counts
	aggregate := block{Select: &sqlast.Select{Columns: s.Columns}, order: s.order}.grouped()
	shown := !slices.ContainsFunc(group, func(key string) bool { return !slices.Contains(c.selects, key) })
	switch {
	case len(group) == 0:
		return group, distinct && !aggregate
	case !shown:
		return group, distinct
	case aggregate || len(having) > 0 || len(slices.Compact(slices.Clone(group))) != len(c.selects) || s.order != nil && !c.ordersShown:
		return group, false
	}
	return nil, counts
}

// align puts the select lists of a set operation into one order, and returns the place
// of each column: columns that go together stay together.
func align(f *former, cores []*core) (places []int) {
	first := cores[0].written
	order := positions(len(first))
	if slices.ContainsFunc(cores, func(c *core) bool { return len(c.written) != len(first) }) {
		return order
	}
	keys := make([]string, len(first))
	for i := range keys {
		var column []string
		for _, c := range cores {
			column = append(column, c.written[i])
		}
		slices.Sort(column)
		keys[i] = f.list(column)
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(keys[i], keys[j]) })
	places = make([]int, len(order))
	for place, i := range order {
		places[i] = place
	}
	for _, c := range cores {
		sorted := make([]string, len(order))
		for place, i := range order {
			sorted[place] = c.written[i]
		}
		c.text = f.join(c.before, f.list(sorted), c.after)
	}
	return places
}

// positions returns the numbers below n.
func positions(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func distinctWord(distinct bool) string {
	if distinct {
		return "DISTINCT "
	}
	return ""
}

func (c *core) addWords(distinct bool) {
	for _, w := range []struct {
		word string
		has  bool
	}{{"where", c.where != nil}, {"group", c.group != ""}, {"having", c.having != ""}, {"distinct", distinct}} {
		if w.has {
			c.words = append(c.words, w.word)
		}
	}
}

func (c *core) addConditionWords(x *cond) {
	if x != nil {
		c.words = append(c.words, x.words...)
	}
}

// orderBy adds ORDER BY and LIMIT. Terms of a set operation that name a column
// of the result are called by its place.
func (c *core) orderBy(f *former, s block, places []int) {
	var terms []string
	c.ordersShown = true
	for _, t := range s.order {
		dir := "asc"
		if t.Dir == sqlast.Desc {
			dir = "desc"
		}
		key := f.key(s.Select, t.Expr, places)
		c.ordersShown = c.ordersShown && slices.Contains(c.selects, key)
		terms = append(terms, f.join(key, " ", dir, t.Nulls))
		c.words = append(c.words, "order", dir)
	}
	c.order = f.list(terms)
	if s.limit != nil {
		c.limit = "limit " + f.bound(s.limit.Count)
		if offset := f.bound(s.limit.Offset); offset != "" && offset != "0" {
			c.limit += " offset " + offset
		}
		c.words = append(c.words, f.add(c.limit))
	}
}

// bound returns a number of LIMIT, which counts, unlike the constants of conditions.
func (f *former) bound(x sqlast.Expr) string {
	switch l, ok := x.(*sqlast.Literal); {
	case x == nil:
		return ""
	case f.anyLimit && !(ok && l.Text == "0"):
		return anyValue
	}
	return strings.ToLower(sqlast.Format(x))
}

func (c *core) tail(f *former) string { return f.join("ORDER ", c.order, " ", c.limit) }

// form sorts the core into parts; rest is what set operations join to it.
func (c *core) form(f *former, rest string) *form {
	r := &form{text: c.text, tables: c.tables}
	r.parts[Select], r.parts[SelectNoAgg] = c.selects, c.bare
	c.where.leaves(func(leaf *cond) {
		r.parts[Where] = append(r.parts[Where], leaf.leaf)
		r.parts[WhereNoOp] = append(r.parts[WhereNoOp], leaf.operand)
	})
	slices.Sort(r.parts[Where])
	slices.Sort(r.parts[WhereNoOp])
	r.parts[GroupNoHaving] = c.grouped
	if c.group != "" || c.having != "" {
		r.parts[Group] = []string{f.join(c.group, " HAVING ", c.having)}
	}
	if c.order != "" {
		r.parts[Order] = []string{c.order + " " + c.limit}
	}
	if c.where != nil && c.where.op != "" {
		r.parts[AndOr] = []string{c.where.text(f)}
	}
	if rest != "" {
		r.parts[IUEN] = []string{rest}
	}
	slices.Sort(c.words)
	r.parts[Keywords] = slices.Compact(c.words)
	return r
}

// nameOutputs names the result columns of a query in FROM by their place in the
// sorted select list.
func (f *former) nameOutputs(s *sqlast.Select, sorted []string) {
	for _, col := range s.Columns {
		i, _ := slices.BinarySearch(sorted, f.expr(col.Expr))
		f.outputs[col] = strconv.Itoa(i)
	}
}

// digest stands for a text that would be repeated.
func (f *former) digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "(" + hex.EncodeToString(sum[:16]) + ")"
}
