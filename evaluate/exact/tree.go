package exact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/raise"
	"github.com/tabperturb/tabperturb/sqlast"
)

// maxForm bounds the bytes of text that one normal form is made of, because names and
// queries can be repeated in it.
const maxForm = 4 << 20

// A form is the normal form of a query in strict mode: text without what does not
// count, and with what has no order sorted.
type form struct {
	text   string             // equal for queries that are the same
	tables string             // the form of FROM with the conditions of its joins
	parts  [NumParts][]string // sorted
}

// errTooLarge is the panic of a former whose text exceeds maxForm.
var errTooLarge = &SyntaxError{Msg: "the normal form is too large"}

// tree parses and resolves a query; q is nil if that fails or it has INDEXED BY.
func (s *Schema) tree(sql string) (q *sqlast.Query, b *sqlast.Binding) {
	q, b, err := sqlast.ParseResolved(sql, s.db)
	if err != nil || hasIndexedBy(q) {
		return nil, nil
	}
	return q, b
}

// hasIndexedBy reports whether a query has INDEXED BY. Such a query runs only if the database has the
// index, and a schema lists none.
func hasIndexedBy(q *sqlast.Query) bool {
	return sqlast.Contains(q, func(t *sqlast.Table) bool { return strings.HasPrefix(t.Indexed, "INDEXED BY") })
}

// form returns the normal form of a query, or nil if it does not parse or resolve or its form is too large.
func (s *Schema) form(sql string) (result *form) {
	q, b := s.tree(sql)
	if q == nil {
		return nil
	}
	f := &former{
		schema: s, b: b, root: q, anyLimit: s.AnyLimit, inlined: map[sqlast.Source]bool{}, scalars: map[sqlast.Source]block{}, names: map[sqlast.Source]name{}, classes: map[columnKey]*class{},
		outputs: map[*sqlast.ResultColumn]string{}, merged: map[sqlast.Source]sqlast.Source{}, ctes: map[*sqlast.CTE]string{},
	}
	defer raise.Catch[*SyntaxError](new(error)) // a panic with errTooLarge leaves the result nil
	return f.query(q, true)
}

// match compares the forms of a prediction and a gold: part by part, in
// FROM, and as a whole. A nil form is a query without a tree; it equals no query.
func (f *form) match(gold *form) (parts [NumParts]Counts, tables, all bool) {
	if gold == nil {
		return parts, false, false
	}
	if f == nil {
		f = &form{} // its text is empty, unlike that of any query
	}
	same := f.text == gold.text
	for p := range NumParts {
		parts[p] = Counts{Gold: len(gold.parts[p]), Pred: len(f.parts[p]), Same: same || slices.Equal(f.parts[p], gold.parts[p])}
	}
	return parts, f.tables == gold.tables, same
}

// A former computes the normal form of one query. While it works on a query, it names the
// sources and columns of that query and of those around it, independently of aliases.
type former struct {
	schema     *Schema
	b          *sqlast.Binding
	root       *sqlast.Query                   // the whole query
	anyLimit   bool                            // the numbers of LIMIT are values
	inlined    map[sqlast.Source]bool          // entries of FROM whose query was inlined
	scalars    map[sqlast.Source]block         // entries of FROM that were replaced by subqueries used as values
	merged     map[sqlast.Source]sqlast.Source // entries of FROM with the one that has the same rows
	depth      int                             // nesting of the current query
	sources    []sqlast.Source                 // FROM of the current SELECT
	outer      bool                            // the current SELECT has an outer join
	inHaving   bool                            // the current condition is of HAVING
	inCompound bool                            // the current SELECT is one of several that a set operation joins
	inFilter   bool                            // the current condition chooses rows, so false and NULL are the same
	names      map[sqlast.Source]name
	classes    map[columnKey]*class
	outputs    map[*sqlast.ResultColumn]string // names of result columns of queries in FROM
	ctes       map[*sqlast.CTE]string          // digests of their normal forms
	withs      []*sqlast.With                  // of the current query and those around it
	size       int                             // bytes of text so far
}

// A name is what the normal form calls an entry of FROM.
type name struct {
	text  string
	depth int // nesting of its query
}

// A columnKey identifies a column of an entry of FROM.
type columnKey struct {
	source sqlast.Source
	column string // in lower case
}

// A class is a set of columns that the joins of a query equate.
type class struct {
	members []columnKey
	text    string // the least of their names
}

// checkSize returns text unchanged and adds its length to the size of the form. It panics with errTooLarge, which form
// recovers, if the size exceeds maxForm.
func (f *former) checkSize(text string) string {
	if f.size += len(text); f.size > maxForm {
		panic(errTooLarge)
	}
	return text
}

// join concatenates parts of a form.
func (f *former) join(parts ...string) string { return f.checkSize(strings.Join(parts, "")) }

// list joins parts by commas. The caller has sorted them if their order does not count.
func (f *former) list(parts []string) string { return f.checkSize(strings.Join(parts, ",")) }

// nestedForm returns the form of a query within the current one, in parentheses. If asSet is set, the reader takes the
// rows as a set, as IN does: then DISTINCT and ORDER BY of the query change nothing, unless it has LIMIT.
func (f *former) nestedForm(q *sqlast.Query, asSet bool) string {
	if asSet = asSet && q.Limit == nil; asSet && q.OrderBy != nil {
		unordered := *q
		unordered.OrderBy = nil
		q = &unordered
	}
	inCompound := f.inCompound
	f.inCompound = false
	f.depth++
	text := f.query(q, !asSet).text
	f.depth--
	f.inCompound = inCompound
	return f.join("(", text, ")")
}

// query returns the form of a query; distinct is whether its DISTINCT counts. ORDER
// BY and LIMIT of a set operation belong to the whole.
func (f *former) query(q *sqlast.Query, distinct bool) *form {
	if q.With != nil {
		f.withs = append(f.withs, q.With)
		for _, c := range q.With.Tables {
			f.ctes[c] = f.digest(f.nestedForm(c.Query, false))
		}
		defer func() { f.withs = f.withs[:len(f.withs)-1] }()
	}
	q = f.joinSets(q)
	if len(q.Compound) == 0 {
		c := f.core(block{q.Select, q.OrderBy, q.Limit}, distinct)
		return c.form(f, "")
	}
	distinctUnion := distinct // for mergeUnion, whose one SELECT must drop the duplicates itself
	// Only UNION ALL keeps duplicates, so DISTINCT counts only with it.
	distinct = distinct && slices.ContainsFunc(q.Compound, func(c *sqlast.Compound) bool { return c.Op == sqlast.UnionAll })
	f.inCompound = true
	cores := []*core{f.core(block{Select: q.Select}, distinct)}
	for _, c := range q.Compound {
		cores = append(cores, f.core(block{Select: c.Select}, distinct))
	}
	f.inCompound = false
	if c := f.mergeUnion(q, cores, distinctUnion); c != nil {
		return c.form(f, "")
	}
	// The form does not depend on the order of the result columns: all queries are sorted by the same permutation.
	first, places := cores[0], alignColumns(f, cores)
	set := setForm{queries: []string{first.text}}
	var further, words []string // the queries after the first with their operations, and the words of these
	for i, c := range q.Compound {
		text := cores[i+1].text
		set = set.with(f, c.Op, text)
		further = append(further, string(c.Op)+" "+text)
		words = append(words, strings.ToLower(string(c.Op)))
	}
	for i, col := range q.Select.Columns {
		f.outputs[col] = strconv.Itoa(places[i])
	}
	whole := &core{} // ORDER BY and LIMIT of the set operation, which count as those of its first query
	whole.orderBy(f, block{q.Select, q.OrderBy, q.Limit}, places)
	first.order, first.limit = whole.order, whole.limit
	first.words = slices.Concat(first.words, words, whole.words)
	result := first.form(f, f.list(further))
	result.text = f.join(set.text(f), " ", whole.tail(f))
	return result
}

// A setForm holds the forms of queries that one set operation joins.
type setForm struct {
	op      sqlast.SetOp // empty for one query
	queries []string
}

// with returns the set with the form of a further query. Operations group from the left: A UNION B UNION C
// is one list of three, but A EXCEPT B EXCEPT C is (A EXCEPT B) EXCEPT C.
func (s setForm) with(f *former, op sqlast.SetOp, query string) setForm {
	if len(s.queries) == 1 || op == s.op && op != sqlast.Except {
		return setForm{op, append(s.queries, query)}
	}
	return setForm{op, []string{s.text(f), query}}
}

// text returns the form of the set. The order of the queries does not count, except for EXCEPT.
func (s setForm) text(f *former) string {
	queries := slices.Clone(s.queries)
	if s.op != sqlast.Except {
		slices.Sort(queries)
	}
	return f.join(string(s.op), "(", f.list(queries), ")")
}
