package exact

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/sqlast"
)

// A core is the form of one SELECT, with ORDER BY and LIMIT unless a set operation has them. Its texts
// are forms of the clauses, "" for a clause that it lacks.
type core struct {
	text                  string    // before, the select list, and after
	before, after         string    // the form before and after the select list
	written               []string  // the select list in its order
	selects, unaggregated []string  // the select list sorted, and without aggregates
	where                 *condForm // nil without one
	group, having         string
	groupColumns          []string // columns of GROUP BY without their tables
	tables                string   // FROM
	rowsDiffer            bool     // no two rows are the same
	order                 string
	ordersShown           bool // all terms of ORDER BY are in the select list
	limit                 string
	words                 []string // keywords
}

// core returns the form of a SELECT; distinct is whether its DISTINCT counts. If FROM has a table several
// times, it numbers them in the way that gives the least text, so that aliases do not count.
func (f *former) core(b block, distinct bool) *core {
	b = f.joinQueries(b, distinct)
	from := f.from(b.Select)
	sources, outer := f.sources, f.outer
	f.sources, f.outer = from.sources, from.outer
	defer func() { f.sources, f.outer = sources, outer }()
	b, from.conds = f.filterToWhere(b, from.conds)
	var best *core
	var bestNumbers []int
	for _, numbers := range numberings(from.bases) {
		f.nameSources(from, numbers)
		c := f.numberedCore(b, from, distinct)
		if best == nil || c.text < best.text {
			best, bestNumbers = c, numbers
		}
	}
	f.nameSources(from, bestNumbers) // again, because nameOutputs looks for forms with these names in best.selects
	f.nameOutputs(b.Select, best.selects)
	return best
}

// nameSources names the entries of FROM, with their numbers if those are not 0 ("singer#2"), and
// the classes of their columns. A class has the least name of its columns.
func (f *former) nameSources(from *from, numbers []int) {
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

// numberedCore returns the form of a SELECT after nameSources has named the entries of its FROM; distinct is whether
// its DISTINCT counts. The forms of the select list come first, because GROUP BY, DISTINCT and ORDER BY are compared with them.
func (f *former) numberedCore(s block, from *from, distinct bool) *core {
	outerHaving := f.inHaving // of the query around this one
	f.inHaving = false
	c := &core{tables: from.text(f)}
	for _, col := range s.Columns {
		c.selects = append(c.selects, f.exprForm(col.Expr))
		c.unaggregated = append(c.unaggregated, f.withoutAggregate(col.Expr))
	}
	c.selects = append(c.selects, lists.Map(s.Values, f.exprList)...)
	for _, w := range s.Windows {
		c.selects = append(c.selects, f.join("WINDOW ", strings.ToLower(w.Name.Name), f.windowForm(w.Window)))
	}
	c.written = slices.Clone(c.selects)
	slices.Sort(c.selects)
	slices.Sort(c.unaggregated)
	c.orderBy(f, s, nil)
	group := lists.Map(s.GroupBy, func(x sqlast.Expr) string { return f.keyForm(s.Select, x, nil) })
	slices.Sort(group)
	// Conditions of HAVING on the grouping keys alone move to WHERE.
	where, having := f.keyConditions(from, group, sqlast.Conjuncts(s.Having))
	c.where = f.conjunction(f.withoutNonNullTests(slices.Concat(from.conds, where)))
	keys := f.groupKeys(s) // without those that the others determine
	group = lists.Map(keys, f.exprForm)
	slices.Sort(group)
	group, distinct = c.distinctRows(s, group, having, f.fixedIn(s, keys), distinct)
	c.rowsDiffer = len(group) == 0 && f.isKeyed(s)
	distinct = distinct && !c.rowsDiffer // no rows are equal, so DISTINCT changes nothing
	// Without their tables.
	c.groupColumns = lists.Map(group, func(column string) string { return column[strings.LastIndexByte(column, '.')+1:] })
	slices.Sort(c.groupColumns)
	c.group = f.list(group)
	f.inHaving = true
	havingCond := f.conjunction(having)
	f.inHaving = outerHaving
	c.having = havingCond.text(f)
	c.addWords(distinct)
	c.addConditionWords(c.where)
	c.addConditionWords(havingCond)
	c.compose(f, distinct)
	return c
}

// compose sets the text from its parts; distinct is whether the form has DISTINCT.
func (c *core) compose(f *former, distinct bool) {
	c.before = "SELECT " + distinctWord(distinct)
	c.after = f.join(" FROM ", c.tables, " WHERE ", c.where.text(f), " GROUP ", c.group, " HAVING ", c.having, " ", c.tail(f))
	c.text = f.join(c.before, f.list(c.selects), c.after)
}

// keyConditions splits the conditions of HAVING: those on grouping keys alone mean the same
// in WHERE.
func (f *former) keyConditions(from *from, group []string, list []sqlast.Expr) (where, having []sqlast.Expr) {
	for _, x := range list {
		if len(group) > 0 && !needsRows(x) && f.usesOnlyKeys(from, group, x) {
			where = append(where, x)
		} else {
			having = append(having, x)
		}
	}
	return where, having
}

// usesOnlyKeys reports whether all columns of FROM in a condition are grouping keys, given by their forms.
func (f *former) usesOnlyKeys(from *from, group []string, x sqlast.Expr) bool {
	for ref := range sqlast.All[*sqlast.ColumnRef](x) {
		t, inlined := f.resolveRef(ref)
		// What an alias or an inlined name means is judged by its form as a whole.
		isOwn := inlined != nil || t.Kind == sqlast.Alias || slices.Contains(from.sources, t.Source)
		if isOwn && !slices.Contains(group, f.exprForm(ref)) {
			return false
		}
	}
	return true
}

// distinctRows normalizes GROUP BY and DISTINCT, two ways to drop duplicate rows. group are the forms of the grouping
// keys, fixed is what these determine, and counts is whether duplicate rows matter. It returns the grouping keys of the
// form, nil for none, and whether the form has DISTINCT:
//
//	SELECT a FROM t GROUP BY a → SELECT DISTINCT a FROM t
//	SELECT a FROM t GROUP BY id → SELECT a FROM t
//	SELECT DISTINCT a, count(*) FROM t GROUP BY a → SELECT a, count(*) FROM t GROUP BY a
func (c *core) distinctRows(s block, group []string, having []sqlast.Expr, fixed *fixed, counts bool) ([]string, bool) {
	distinct := s.Distinct && counts
	aggregate := block{Select: &sqlast.Select{Columns: s.Columns}, order: s.order}.isGrouped() // by the select list or ORDER BY
	if len(group) == 0 {
		return group, distinct && !aggregate // one row is distinct
	}
	onlyGroups := !aggregate && len(having) == 0 && s.limit == nil
	if onlyGroups && fixed.all() {
		return nil, distinct // each group is a single row of FROM, so GROUP BY changes nothing
	}
	if slices.ContainsFunc(group, func(key string) bool { return !slices.Contains(c.selects, key) }) {
		return group, distinct // groups that the select list does not show may look the same
	}
	keys := len(slices.Compact(slices.Clone(group)))
	isUndetermined := func(c *sqlast.ResultColumn) bool { return !fixed.has(c.Expr) }
	showsMore := keys != len(c.selects) && slices.ContainsFunc(s.Columns, isUndetermined) // than the keys and what they determine
	switch {
	case aggregate, len(having) > 0, showsMore:
		return group, false // the rows are distinct by their keys, but GROUP BY does more than drop duplicates
	case s.order != nil && !c.ordersShown:
		return group, false // DISTINCT cannot be sorted by what it does not show
	}
	return nil, counts // GROUP BY the whole select list is DISTINCT
}

// alignColumns sorts the columns of the select lists of a set operation, all lists by the same
// permutation, updates the text of each form, and returns the new place of each column. Lists of different lengths stay.
func alignColumns(f *former, cores []*core) (places []int) {
	first := cores[0].written
	order := lists.Numbers(len(first))
	if slices.ContainsFunc(cores, func(c *core) bool { return len(c.written) != len(first) }) {
		return order
	}
	keys := make([]string, len(first))
	for i := range keys {
		column := lists.Map(cores, func(c *core) string { return c.written[i] })
		slices.Sort(column) // so that the order of the queries does not count
		keys[i] = f.list(column)
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(keys[i], keys[j]) })
	places = make([]int, len(order))
	for place, i := range order {
		places[i] = place
	}
	for _, c := range cores {
		sorted := lists.Map(order, func(i int) string { return c.written[i] })
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
func (c *core) addConditionWords(x *condForm) {
	if x != nil {
		c.words = append(c.words, x.words...)
	}
}

// orderBy sets the forms of ORDER BY and LIMIT, and whether the select list shows all that ORDER BY sorts by. For a set
// operation, places gives the place of each result column, and terms that name a column become that place.
func (c *core) orderBy(f *former, s block, places []int) {
	var terms []string
	c.ordersShown = true
	for _, t := range s.order {
		dir := "asc"
		if t.Dir == sqlast.Desc {
			dir = "desc"
		}
		key := f.keyForm(s.Select, t.Expr, places)
		c.ordersShown = c.ordersShown && slices.Contains(c.selects, key)
		terms = append(terms, f.join(key, " ", dir, t.Nulls))
		c.words = append(c.words, "order", dir)
	}
	c.order = f.list(terms)
	if s.limit != nil {
		c.limit = "limit " + f.limitForm(s.limit.Count)
		if offset := f.limitForm(s.limit.Offset); !slices.Contains([]string{"", "0"}, offset) {
			c.limit += " offset " + offset
		}
		c.words = append(c.words, f.checkSize(c.limit))
	}
}

// limitForm returns the form of a number of LIMIT or OFFSET; "" for nil. Unlike other constants it
// counts, unless anyLimit is set. Zero always does: LIMIT 0 gives no rows, and OFFSET 0 is none.
func (f *former) limitForm(x sqlast.Expr) string {
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

// form returns the core as a form with its parts. further is the form of the queries that set operations
// join to it, or "".
func (c *core) form(f *former, further string) *form {
	r := &form{text: c.text, tables: c.tables}
	r.parts[Select], r.parts[SelectNoAgg] = c.selects, c.unaggregated
	c.where.leaves(func(leaf *condForm) {
		r.parts[Where] = append(r.parts[Where], leaf.leaf)
		r.parts[WhereNoOp] = append(r.parts[WhereNoOp], leaf.operand)
	})
	slices.Sort(r.parts[Where])
	slices.Sort(r.parts[WhereNoOp])
	r.parts[GroupNoHaving] = c.groupColumns
	if c.group != "" || c.having != "" {
		r.parts[Group] = []string{f.join(c.group, " HAVING ", c.having)}
	}
	if c.order != "" {
		r.parts[Order] = []string{c.order + " " + c.limit}
	}
	if c.where != nil && c.where.op != "" {
		r.parts[AndOr] = []string{c.where.text(f)}
	}
	if further != "" {
		r.parts[IUEN] = []string{further}
	}
	slices.Sort(c.words)
	r.parts[Keywords] = slices.Compact(c.words)
	return r
}

// nameOutputs stores in f.outputs the names of the result columns of a query, by which the form of the query around it
// refers to them: their place in the sorted select list.
func (f *former) nameOutputs(s *sqlast.Select, sorted []string) {
	for _, col := range s.Columns {
		i, _ := slices.BinarySearch(sorted, f.exprForm(col.Expr))
		f.outputs[col] = strconv.Itoa(i)
	}
}

// digest returns a hash of a text that would be repeated, to keep forms short.
func (f *former) digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "(" + hex.EncodeToString(sum[:16]) + ")"
}
