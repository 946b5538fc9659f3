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
	text          string
	selects, bare []string // the select list, and the same without aggregates
	where         *cond    // nil without
	group, having string
	grouped       []string // columns of GROUP BY without their tables
	tables        string
	order         string
	limit         string
	words         []string // keywords
}

// core returns the form of a SELECT. Where FROM has a table several times, the
// tables are numbered so that the text is the least.
func (f *former) core(s *sqlast.Select, order []*sqlast.OrderTerm, limit *sqlast.Limit, distinct bool) *core {
	from := f.from(s)
	outer := f.sources
	f.sources = from.sources
	defer func() { f.sources = outer }()
	var best *core
	var bestNumbers []int
	for _, numbers := range numberings(from.bases) {
		f.number(from, numbers)
		c := f.numbered(s, from, order, limit, distinct)
		if best == nil || c.text < best.text {
			best, bestNumbers = c, numbers
		}
	}
	f.number(from, bestNumbers)
	f.nameOutputs(s, best.selects)
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
func (f *former) numbered(s *sqlast.Select, from *from, order []*sqlast.OrderTerm, limit *sqlast.Limit, distinct bool) *core {
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
	slices.Sort(c.selects)
	slices.Sort(c.bare)
	c.where = f.all(from.conds)
	var group []string
	for _, x := range s.GroupBy {
		text := f.key(s, x, false)
		group = append(group, text)
		c.grouped = append(c.grouped, text[strings.LastIndexByte(text, '.')+1:])
	}
	slices.Sort(group)
	slices.Sort(c.grouped)
	c.group = f.list(group)
	having := f.all(conjuncts(s.Having, nil))
	c.having = having.text(f)
	c.addWords(s)
	c.addConditionWords(c.where)
	c.addConditionWords(having)
	c.orderBy(f, s, order, limit, false)
	c.text = f.join("SELECT ", distinctWord(s.Distinct && distinct), f.list(c.selects), " FROM ", c.tables, " WHERE ", c.where.text(f), " GROUP ", c.group, " HAVING ", c.having, " ", c.tail(f))
	return c
}

func distinctWord(distinct bool) string {
	if distinct {
		return "DISTINCT "
	}
	return ""
}

func (c *core) addWords(s *sqlast.Select) {
	for _, w := range []struct {
		word string
		has  bool
	}{{"where", c.where != nil}, {"group", s.GroupBy != nil}, {"having", s.Having != nil}} {
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
// of the result are called by its position.
func (c *core) orderBy(f *former, s *sqlast.Select, order []*sqlast.OrderTerm, limit *sqlast.Limit, position bool) {
	var terms []string
	for _, t := range order {
		dir := "asc"
		if t.Dir == sqlast.Desc {
			dir = "desc"
		}
		terms = append(terms, f.join(f.key(s, t.Expr, position), " ", dir, t.Nulls))
		c.words = append(c.words, "order", dir)
	}
	c.order = f.list(terms)
	if limit != nil {
		c.limit = "limit"
		if n, ok := limit.Offset.(*sqlast.Literal); limit.Offset != nil && !(ok && n.Text == "0") {
			c.limit = "limit offset"
		}
		c.words = append(c.words, c.limit)
	}
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
		r.parts[Order] = []string{c.order + c.limit}
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

// nameOutputs names the result columns of a query in FROM: by their place in the
// sorted select list, or in the written one for a set operation, whose queries
// it joins column by column.
func (f *former) nameOutputs(s *sqlast.Select, sorted []string) {
	for i, col := range s.Columns {
		if sorted != nil {
			i, _ = slices.BinarySearch(sorted, f.expr(col.Expr))
		}
		f.outputs[col] = strconv.Itoa(i)
	}
}

// digest stands for a text that would be repeated.
func (f *former) digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "(" + hex.EncodeToString(sum[:16]) + ")"
}
