package sqlast_test
import ("testing";"fmt";"strings";"maps";"slices"
"github.com/tabperturb/tabperturb/internal/shared"
"github.com/tabperturb/tabperturb/sqlast")
func TestZZ(t *testing.T) {
	golds := readGold(t, "data", "spider", "dev_gold.sql")
	queries := map[string][]string{}
	seen := map[string]bool{}
	for _, f := range predictionFiles(t) {
		for i, q := range predictions(t, f) {
			if _, err := sqlast.Parse(q); err == nil && !seen[golds[i].db+q] && !strings.Contains(q, "sqlite_") { seen[golds[i].db+q]=true; queries[golds[i].db] = append(queries[golds[i].db], q) }
		}
	}
	zz(t, "dev", queries)
}
func TestZZTrain(t *testing.T) {
	queries := byDB(readGold(t, "data", "spider", "train_gold.sql.gz"))
	for db, l := range queries { slices.Sort(l); l = slices.Compact(l); 
		l = slices.DeleteFunc(l, func(q string) bool { _, err := sqlast.Parse(q); return err != nil })
		queries[db]=l }
	zz(t, "train", queries)
}
func zz(t *testing.T, split string, queries map[string][]string) {
	dir := shared.Untar(t, "data", "spider", "databases_"+split+".tar.gz")
	n, m := 0, 0
	for _, db := range slices.Sorted(maps.Keys(queries)) {
		t.Run(db, func(t *testing.T) {
			c := openDB(t, dir, db)
			if c == nil { t.Skip() }
			before, after, wide := newLive(t, c), newLive(t, copyDB(t, dir, db)), newLive(t, copyDB(t, dir, db))
			r := sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}}
			for i, table := range before.names {
				r.Tables[table] = before.names[(i+1)%len(before.names)]
				for j, c := range before.columns[strings.ToLower(table)] { r.Columns[sqlast.BaseColumn{Table: table, Column: c}] = fmt.Sprintf("c%d", j) }
			}
			after.rename(t, r)
			after = newLive(t, after.db)
			for _, table := range before.names {
				have := map[string]bool{}
				for _, c := range before.columns[strings.ToLower(table)] { have[strings.ToLower(c)] = true }
				for _, o := range before.names { for _, c := range before.columns[strings.ToLower(o)] {
					if !have[strings.ToLower(c)] && len(have) < 60 { have[strings.ToLower(c)] = true; wide.exec(t, `ALTER TABLE "%s" ADD COLUMN "%s" DEFAULT 'added'`, table, c) }
				}}
			}
			wide = newLive(t, wide.db)
			for _, q := range queries[db] {
				if _, err := program(c, q); err != nil { continue }
				if strings.Contains(q, ",") && strings.Count(strings.ToUpper(q), "JOIN") > 6 { continue }
				if zzedit(t, before, after, q, func(q *sqlast.Query, b *sqlast.Binding) (*sqlast.Query, error) { return sqlast.Rename(q, b, r) }) { n++ }
				if zzedit(t, before, wide, q, func(q *sqlast.Query, b *sqlast.Binding) (*sqlast.Query, error) { return sqlast.Qualify(q, b, wide) }) { m++ }
			}
		})
	}
	t.Log(split, n, m)
}
func zzedit(t *testing.T, before, after *live, query string, f func(*sqlast.Query, *sqlast.Binding) (*sqlast.Query, error)) bool {
	q, err := sqlast.Parse(query)
	if err != nil { t.Error(query, err); return false }
	b, err := sqlast.Resolve(q, before)
	if err != nil || len(b.Problems) > 0 { t.Error(query, err, b.Problems); return false }
	e, err := f(q, b)
	if err != nil { t.Error(query, err); return false }
	limit := "SELECT * FROM (%s) LIMIT 2000"
	want, err := rows(before.db, fmt.Sprintf(limit, strings.TrimRight(query, "; ")))
	if err != nil { t.Log(query, err); return false }
	got, err := rows(after.db, fmt.Sprintf(limit, e.String()))
	if err != nil || len(got) < 2000 && !equalBags(got, want) { t.Errorf("%s\nbecame %s\nerr %v %.300v want %.300v", query, e, err, got, want) }
	return true
}
