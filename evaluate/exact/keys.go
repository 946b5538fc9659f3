package exact

import "fmt"

// SelectKeys returns the key by which Spider's first execution metric identifies each item of the select
// list: its columns and the operator between them, without the aggregate in front. The error is why the
// official parser refuses the query.
func (s *Schema) SelectKeys(sql string) ([]string, error) {
	q, err := s.parse(sql)
	if err != nil {
		return nil, err
	}
	q.fold(s, q.tables)
	return q.selectKeys(), nil
}

// SelectKeys returns the keys of the items in the select list of the gold, see [Schema.SelectKeys], or the error of its parse.
func (g *Gold) SelectKeys() ([]string, error) {
	if g.problem != nil {
		return nil, g.problem
	}
	return g.query.selectKeys(), nil
}

// selectKeys returns the keys of the select list of a folded query, see [Schema.SelectKeys].
func (q *query) selectKeys() []string {
	keys := make([]string, len(q.selects))
	for i, item := range q.selects {
		u := item.unit
		keys[i] = fmt.Sprint(u.a.agg, u.a.column)
		if u.pair {
			keys[i] = fmt.Sprint(u.op, u.a.agg, u.a.column, u.b.agg, u.b.column)
		}
	}
	return keys
}
