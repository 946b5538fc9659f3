package exact

import "fmt"

// SelectKeys returns what Spider's first execution metric knows each item of the
// select list by: its columns and the operator between them, without the aggregate
// in front. The error is why the official parser refuses the query.
func (s *Schema) SelectKeys(sql string) ([]string, error) {
	q, err := s.parse(sql)
	if err != nil {
		return nil, err
	}
	q.fold(s, q.tables)
	return q.selectKeys(), nil
}

// SelectKeys is [Schema.SelectKeys] of the gold.
func (g *Gold) SelectKeys() ([]string, error) {
	if g.problem != nil {
		return nil, g.problem
	}
	return g.query.selectKeys(), nil
}

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
