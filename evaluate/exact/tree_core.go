package exact

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// A core is the form of one SELECT, with ORDER BY and LIMIT if they are its own.
type core struct {
	text          string   // before, the select list, and after
	before, after string   // the form before and after the select list
	written       []string // the select list in its order
	selects, bare []string // the select list sorted, and without aggregates
	where         *cond    // nil without one
	group, having string
	grouped       []string // columns of GROUP BY without their tables
	tables        string
	order         string
	ordersShown   bool // all terms of ORDER BY are in the select list
	limit         string
	words         []string // keywords
}

// core returns the form of a SELECT. If FROM has a table several times, it numbers the
// tables in the way that gives the least text.
func (f *former) core(b block, distinct bool) *core {
	b = f.inline(b)
	from := f.from(b.Select)
	around, outer := f.sources, f.outer
	f.sources, f.outer = from.sources, from.outer
	defer func() { f.sources, f.outer = around, outer }()
	b, from.conds = f.chosenRows(b, from.conds)
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

// number names the entries of FROM, with their numbers if those are not 0 ("singer#2"), and
// the classes of their columns.
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

// numbered returns the form of a SELECT; number has named the entries of its FROM.
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
	havingCond := f.all(having)
	c.having = havingCond.text(f)
	c.addWords(distinct)
	c.addConditionWords(c.where)
	c.addConditionWords(havingCond)
	c.compose(f, distinct)
	return c
}

// compose sets the text from the parts.
func (c *core) compose(f *former, distinct bool) {
	c.before = "SELECT " + distinctWord(distinct)
	c.after = f.join(" FROM ", c.tables, " WHERE ", c.where.text(f), " GROUP ", c.group, " HAVING ", c.having, " ", c.tail(f))
	c.text = f.join(c.before, f.list(c.selects), c.after)
}

// keyConditions splits the conditions of HAVING: those on grouping keys alone mean the same
// in WHERE.
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

// onKeys reports whether all columns of FROM in a condition are grouping keys.
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

// distinctRows normalizes GROUP BY and DISTINCT; counts is whether duplicates matter. It
// returns the grouping keys and whether the form has DISTINCT:
//
//	SELECT a FROM t GROUP BY a → SELECT DISTINCT a FROM t
//	SELECT DISTINCT a, count(*) FROM t GROUP BY a → SELECT a, count(*) FROM t GROUP BY a
func (c *core) distinctRows(s block, group []string, having []sqlast.Expr, counts bool) ([]string, bool) {
	distinct := s.Distinct && counts
	aggregate := block{Select: &sqlast.Select{Columns: s.Columns}, order: s.order}.grouped()
	if len(group) == 0 {
		return group, distinct && !aggregate // one row is distinct
	}
	if slices.ContainsFunc(group, func(key string) bool { return !slices.Contains(c.selects, key) }) {
		return group, distinct // groups that the select list does not show may look the same
	}
	keys := len(slices.Compact(slices.Clone(group)))
	if aggregate || len(having) > 0 || keys != len(c.selects) {
		return group, false
	}
	if s.order != nil && !c.ordersShown {
		return group, false
	}
	return nil, counts
}

// align sorts the columns of the select lists of a set operation, all lists by the same
// permutation, and returns the new place of each column. Lists of different lengths stay.
func align(f *former, cores []*core) (places []int) {
	first := cores[0].written
	order := make([]int, len(first))
	for i := range order {
		order[i] = i
	}
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

// distinctWord returns the keyword DISTINCT with a blank, or "".
func distinctWord(distinct bool) string {
	if distinct {
		return "DISTINCT "
	}
	return ""
}

// addWords adds the keywords of the clauses that the SELECT has.
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

// addConditionWords adds the keywords of a condition, which may be nil.
func (c *core) addConditionWords(x *cond) {
	if x != nil {
		c.words = append(c.words, x.words...)
	}
}

// orderBy adds ORDER BY and LIMIT. For a set operation, places gives the place of each
// result column, and terms that name a column become that place.
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

// bound returns the form of a number of LIMIT or OFFSET; "" for nil. Unlike other constants it
// counts, unless anyLimit is set.
func (f *former) bound(x sqlast.Expr) string {
	if x == nil {
		return ""
	}
	l, ok := x.(*sqlast.Literal)
	if isZero := ok && l.Text == "0"; f.anyLimit && !isZero {
		return anyValue
	}
	return strings.ToLower(sqlast.Format(x))
}

// tail returns the form of ORDER BY and LIMIT.
func (c *core) tail(f *former) string { return f.join("ORDER ", c.order, " ", c.limit) }

// form returns the core as a form with its parts. rest is the form of what set operations
// join to it, or "".
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

// nameOutputs names the result columns of a query by their place in the sorted select list,
// for the query around it.
func (f *former) nameOutputs(s *sqlast.Select, sorted []string) {
	for _, col := range s.Columns {
		i, _ := slices.BinarySearch(sorted, f.expr(col.Expr))
		f.outputs[col] = strconv.Itoa(i)
	}
}

// digest returns a hash in the place of a text that would be repeated.
func (f *former) digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "(" + hex.EncodeToString(sum[:16]) + ")"
}
