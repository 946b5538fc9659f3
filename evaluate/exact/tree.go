package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/sqlast"
)

// maxForm bounds the text that the form of one query is made of, since names and
// queries can be repeated in it.
const maxForm = 4 << 20

// A form is a query in strict mode's normal form: text in which all that does
// not count is left out or sorted.
type form struct {
	text   string             // equal for queries that are the same
	tables string             // FROM with the conditions of its joins
	parts  [NumParts][]string // sorted
}

// errTooLarge is what a former panics with beyond maxForm.
var errTooLarge = &SyntaxError{Msg: "the normal form is too large"}

// tree parses and resolves a query; q is nil where that fails.
func (s *Schema) tree(sql string) (q *sqlast.Query, b *sqlast.Binding) {
	q, err := sqlast.Parse(sql)
	if err != nil {
		return nil, nil
	}
	if b, err = sqlast.Resolve(q, s.db); err != nil || len(b.Problems) > 0 || namesIndex(q) {
		return nil, nil
	}
	return q, b
}

// namesIndex tells whether a query runs only where an index is: no schema says so.
func namesIndex(q *sqlast.Query) (found bool) {
	sqlast.Inspect(q, func(n sqlast.Node) bool {
		t, ok := n.(*sqlast.Table)
		found = found || ok && strings.HasPrefix(t.Indexed, "INDEXED BY")
		return !found
	})
	return found
}

// form returns the form of a query, or nil where it does not parse or resolve.
func (s *Schema) form(sql string) (result *form) {
	q, b := s.tree(sql)
	if q == nil {
		return nil
	}
	f := &former{
		schema: s, b: b, root: q, anyLimit: s.AnyLimit, inlined: map[sqlast.Source]bool{}, names: map[sqlast.Source]name{}, classes: map[columnKey]*class{},
		outputs: map[*sqlast.ResultColumn]string{}, ctes: map[*sqlast.CTE]string{},
	}
	defer func() {
		if r := recover(); r == errTooLarge {
			result = nil
		} else if r != nil {
			panic(r)
		}
	}()
	return f.query(q, true)
}

// match compares the form of a prediction with that of a gold: part by part, in
// FROM, and as a whole. Nil stands for a query without a tree, which is the same
// as none.
func (f *form) match(gold *form) (parts [NumParts]Counts, tables, all bool) {
	if gold == nil {
		return parts, false, false
	}
	if f == nil {
		f = &form{}
	}
	same := f.text == gold.text
	for p := range NumParts {
		parts[p] = Counts{Gold: len(gold.parts[p]), Pred: len(f.parts[p]), Same: same || slices.Equal(f.parts[p], gold.parts[p])}
	}
	return parts, f.tables == gold.tables, same
}

// A former makes forms. Sources and columns of the queries that it has entered
// have names; those of inner queries do not depend on aliases.
type former struct {
	schema   *Schema
	b        *sqlast.Binding
	root     *sqlast.Query
	anyLimit bool                   // the numbers of LIMIT are values
	inlined  map[sqlast.Source]bool // entries of FROM whose query is part of the one around it
	depth    int                    // of the query in work
	sources  []sqlast.Source        // of the SELECT in work
	outer    bool                   // it has an outer join
	filter   bool                   // the condition in work chooses rows: not holding and NULL are the same
	names    map[sqlast.Source]name
	classes  map[columnKey]*class
	outputs  map[*sqlast.ResultColumn]string // of queries in FROM
	ctes     map[*sqlast.CTE]string
	withs    []*sqlast.With
	size     int
}

// A name calls an entry of FROM.
type name struct {
	text  string
	depth int
}

type columnKey struct {
	source sqlast.Source
	column string
}

// A class is columns that the joins of a query equate.
type class struct {
	members []columnKey
	text    string // the first of their names
}

// add counts text against the bound and returns it.
func (f *former) add(text string) string {
	if f.size += len(text); f.size > maxForm {
		panic(errTooLarge)
	}
	return text
}

func (f *former) join(parts ...string) string { return f.add(strings.Join(parts, "")) }

// list joins sorted parts.
func (f *former) list(parts []string) string { return f.add(strings.Join(parts, ",")) }

// nested returns the form of a query below the one in work. With member only
// whether rows are in it counts, so that DISTINCT and order do not but before LIMIT.
func (f *former) nested(q *sqlast.Query, member bool) string {
	if member = member && q.Limit == nil; member && q.OrderBy != nil {
		unordered := *q
		unordered.OrderBy = nil
		q = &unordered
	}
	f.depth++
	text := f.query(q, !member).text
	f.depth--
	return f.join("(", text, ")")
}

// query returns the form of a query, and says whether its DISTINCT counts. ORDER
// BY and LIMIT of a set operation are those of the whole.
func (f *former) query(q *sqlast.Query, distinct bool) *form {
	if q.With != nil {
		f.withs = append(f.withs, q.With)
		for _, c := range q.With.Tables {
			f.ctes[c] = f.digest(f.nested(c.Query, false))
		}
		defer func() { f.withs = f.withs[:len(f.withs)-1] }()
	}
	if len(q.Compound) == 0 {
		c := f.core(block{q.Select, q.OrderBy, q.Limit}, distinct)
		return c.form(f, "")
	}
	distinctUnion := distinct
	// But for UNION ALL set operations drop what is there twice.
	distinct = distinct && slices.ContainsFunc(q.Compound, func(c *sqlast.Compound) bool { return c.Op == sqlast.UnionAll })
	cores := []*core{f.core(block{Select: q.Select}, distinct)}
	for _, c := range q.Compound {
		cores = append(cores, f.core(block{Select: c.Select}, distinct))
	}
	if c := f.united(q, cores, distinctUnion); c != nil {
		return c.form(f, "")
	}
	first, places := cores[0], align(f, cores)
	set := setOf{list: []string{first.text}}
	rest := setOf{}
	words := []string{}
	for i, c := range q.Compound {
		text := cores[i+1].text
		set = set.with(f, c.Op, text)
		rest.list = append(rest.list, string(c.Op)+" "+text)
		words = append(words, strings.ToLower(string(c.Op)))
	}
	for i, col := range q.Select.Columns {
		f.outputs[col] = strconv.Itoa(places[i])
	}
	whole := &core{}
	whole.orderBy(f, block{q.Select, q.OrderBy, q.Limit}, places)
	first.order, first.limit = whole.order, whole.limit
	first.words = append(append(first.words, words...), whole.words...)
	result := first.form(f, f.list(rest.list))
	result.text = f.join(set.text(f), " ", whole.tail(f))
	return result
}

// A setOf is queries under one set operation.
type setOf struct {
	op   sqlast.SetOp
	list []string
}

// with joins a further query. Operations group from the left, and those of one
// kind that have no sides are one.
func (s setOf) with(f *former, op sqlast.SetOp, text string) setOf {
	if len(s.list) == 1 || op == s.op && op != sqlast.Except {
		return setOf{op, append(s.list, text)}
	}
	return setOf{op, []string{s.text(f), text}}
}

func (s setOf) text(f *former) string {
	list := slices.Clone(s.list)
	if s.op != sqlast.Except {
		slices.Sort(list)
	}
	return f.join(string(s.op), "(", f.list(list), ")")
}
