package suite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/sqlast"
)

var update = flag.Bool("update", false, "write the golden files")

// farm is the schema of the golden queries.
func farm() *dataset.Database {
	number := func(name string) dataset.Column { return dataset.Column{Original: name, Type: dataset.Number} }
	text := func(name string) dataset.Column { return dataset.Column{Original: name, Type: dataset.Text} }
	return &dataset.Database{
		ID: "farm",
		Tables: []dataset.Table{
			{Original: "farm", Columns: []dataset.Column{number("id"), text("name"), number("acres")}},
			{Original: "animal", Columns: []dataset.Column{number("id"), text("kind"), number("age"), number("farm_id")}},
		},
		PrimaryKeys: []dataset.ColumnRef{{Table: 0, Column: 0}, {Table: 1, Column: 0}},
		ForeignKeys: []dataset.ForeignKey{{Column: dataset.ColumnRef{Table: 1, Column: 3}, Target: dataset.ColumnRef{Table: 0, Column: 0}}},
	}
}

func schemaOf(tb testing.TB, db *dataset.Database) *schema {
	tb.Helper()
	s, err := readSchema(tb.Context(), db)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func parse(tb testing.TB, sql string) *sqlast.Query {
	tb.Helper()
	q, err := sqlast.Parse(sql)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return q
}

var goldenQueries = []string{
	"SELECT name FROM farm WHERE acres >= 34 AND name LIKE '%green%'",
	"SELECT count(*), avg(acres) FROM farm WHERE acres BETWEEN 1.5 AND 10",
	"SELECT DISTINCT T1.name FROM farm AS T1 JOIN animal AS T2 ON T1.id = T2.farm_id WHERE T2.kind = \"cow\"",
	"SELECT farm_id, count(*) FROM animal GROUP BY farm_id HAVING count(*) > 1 ORDER BY count(*) DESC, farm_id LIMIT 3",
	"SELECT name FROM farm WHERE id NOT IN (SELECT DISTINCT farm_id FROM animal WHERE age < 5 OR kind IN ('hen', 'cow', 'pig'))",
	"SELECT name FROM farm EXCEPT SELECT kind FROM animal WHERE age = (SELECT max(age) FROM animal)",
	"SELECT name FROM farm WHERE EXISTS (SELECT kind, age FROM animal WHERE farm_id = farm.id)",
	"SELECT kind FROM animal WHERE kind LIKE 'cow' ORDER BY age - 1 LIMIT 1 OFFSET 2",
}

// TestNeighboursGolden compares the neighbours of queries of all kinds with a
// golden file.
func TestNeighboursGolden(t *testing.T) {
	s := schemaOf(t, farm())
	var out bytes.Buffer
	kinds := map[Kind]int{}
	for _, sql := range goldenQueries {
		found, err := Neighbours(parse(t, sql), s, seededRand(1, sql))
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		fmt.Fprintf(&out, "%s\n", sql)
		for _, n := range found {
			kinds[n.Kind]++
			fmt.Fprintf(&out, "  %-8s %s\n", n.Kind, n.SQL)
		}
	}
	for _, k := range []Kind{Number, String, Operator, Column, Drop} {
		if kinds[k] == 0 {
			t.Errorf("no neighbour of kind %s among %v", k, slices.Sorted(maps.Keys(kinds)))
		}
	}
	path := filepath.Join("testdata", "neighbours.golden")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("neighbours (-want +got):\n%s", diff)
	}
}

// TestLargeConstant edits a constant whose tenfold no integer holds.
func TestLargeConstant(t *testing.T) {
	sql := "SELECT name FROM farm WHERE acres > 1000000000000000000"
	found, err := Neighbours(parse(t, sql), schemaOf(t, farm()), seededRand(1, sql))
	if err != nil || !slices.ContainsFunc(found, func(n Neighbour) bool { return strings.HasSuffix(n.SQL, "1000000000000000001") }) {
		t.Errorf("%v, error %v, expected the constant's neighbours", found, err)
	}
}

// TestEquivalents looks for neighbours that the rules leave out and for those next
// to them, which are to be there.
func TestEquivalents(t *testing.T) {
	s := schemaOf(t, farm())
	s.nulls = NullsAllowed
	join := "FROM farm AS T1 JOIN animal AS T2 ON T1.id = T2.farm_id"
	for _, c := range []struct{ gold, withoutRange, with string }{
		{"SELECT T1.id " + join, "SELECT T2.farm_id " + join, "SELECT T2.id " + join},
		{"SELECT T1.id " + join, "", "SELECT T1.id FROM farm AS T1 JOIN animal AS T2 ON T2.farm_id = T2.farm_id"},
		{"SELECT T1.id FROM farm AS T1 LEFT JOIN animal AS T2 ON T1.id = T2.farm_id", "", "SELECT T2.farm_id FROM farm AS T1 LEFT JOIN animal AS T2 ON T1.id = T2.farm_id"},
		{"SELECT T1.id FROM farm AS T1 JOIN animal AS T2 ON T1.id = T2.farm_id OR T1.acres = T2.age", "", "SELECT T2.farm_id FROM farm AS T1 JOIN animal AS T2 ON T1.id = T2.farm_id OR T1.acres = T2.age"},
		{"SELECT T1.id FROM farm AS T1, animal AS T2 WHERE T1.id = T2.farm_id AND T2.age > 3", "SELECT T2.farm_id FROM farm AS T1, animal AS T2 WHERE T1.id = T2.farm_id AND T2.age > 3", ""},
		{"SELECT kind FROM animal GROUP BY kind HAVING count(*) > 1", "SELECT kind FROM animal GROUP BY kind HAVING count(*) != 1", "SELECT kind FROM animal GROUP BY kind HAVING count(*) >= 1"},
		{"SELECT count(*) FROM animal HAVING count(*) > 1", "", "SELECT count(*) FROM animal HAVING count(*) != 1"},
		{"SELECT kind FROM animal GROUP BY kind HAVING count(*) = 0", "SELECT kind FROM animal GROUP BY kind HAVING count(*) < 0", "SELECT kind FROM animal GROUP BY kind HAVING count(*) >= 0"},
		{"SELECT DISTINCT name FROM farm UNION SELECT kind FROM animal", "SELECT name FROM farm UNION SELECT kind FROM animal", "SELECT DISTINCT name FROM farm EXCEPT SELECT kind FROM animal"},
		{"SELECT DISTINCT name FROM farm UNION ALL SELECT kind FROM animal", "", "SELECT name FROM farm UNION ALL SELECT kind FROM animal"},
		{"SELECT max(DISTINCT age) FROM animal", "SELECT max(age) FROM animal", "SELECT avg(DISTINCT age) FROM animal"},
		{"SELECT name FROM farm WHERE name LIKE '%green%'", "", "SELECT name FROM farm WHERE name LIKE 'green%'"},
		{"SELECT name FROM farm WHERE name LIKE '%green%'", "", "SELECT name FROM farm WHERE name LIKE '%green'"},
		{"SELECT name FROM farm WHERE name LIKE \"%green%\"", "SELECT name FROM farm WHERE name LIKE '%green%'", "SELECT name FROM farm WHERE name LIKE '%green'"},
		{"SELECT name FROM farm WHERE name LIKE 'green%'", "", "SELECT name FROM farm WHERE name LIKE '%green%'"},
		{"SELECT avg(acres) FROM farm", "", "SELECT total(acres) / count(*) FROM farm"},
		{"SELECT avg(acres) FROM farm WHERE acres > 3", "SELECT total(acres) / count(*) FROM farm WHERE acres > 3", "SELECT avg(acres) FROM farm WHERE acres > 2"},
		{"SELECT avg(id) FROM farm", "SELECT total(id) / count(*) FROM farm", ""},
		{"SELECT count(name) FROM farm", "", "SELECT count(*) FROM farm"},
		{"SELECT count(id) FROM farm", "SELECT count(*) FROM farm", ""},
		{"SELECT id FROM farm WHERE name != 'a'", "", "SELECT id FROM farm WHERE name IS NOT 'a'"},
		{"SELECT id FROM farm WHERE name != 'a' AND name != 'b'", "SELECT id FROM farm WHERE name IS NOT 'a' AND name != 'b'", ""},
		{"SELECT id FROM farm WHERE name IS NOT NULL", "", "SELECT id FROM farm WHERE name != ''"},
		{"SELECT id FROM farm WHERE name IS NULL", "", "SELECT id FROM farm WHERE name = ''"},
		{"SELECT id FROM farm WHERE acres IS NOT NULL", "SELECT id FROM farm WHERE acres != ''", ""},
		{"SELECT name FROM farm WHERE acres = (SELECT max(acres) FROM farm)", "", "SELECT name FROM farm WHERE acres = (SELECT max(acres) FROM farm) LIMIT 1"},
		{"SELECT name FROM farm WHERE id = (SELECT max(id) FROM farm)", "SELECT name FROM farm WHERE id = (SELECT max(id) FROM farm) LIMIT 1", ""},
		{"SELECT max(acres) FROM farm", "SELECT max(acres) FROM farm LIMIT 1", ""},
		{"SELECT name FROM farm ORDER BY name ASC", "SELECT name FROM farm ORDER BY name", "SELECT name FROM farm ORDER BY name DESC"},
	} {
		found, err := Neighbours(parse(t, c.gold), s, seededRand(1))
		if err != nil {
			t.Fatalf("%s: %v", c.gold, err)
		}
		has := func(sql string) bool {
			return slices.ContainsFunc(found, func(n Neighbour) bool { return n.SQL == sql })
		}
		if c.withoutRange != "" && has(c.withoutRange) {
			t.Errorf("%s: has the equivalent neighbour %s", c.gold, c.withoutRange)
		}
		if c.with != "" && !has(c.with) {
			t.Errorf("%s: lacks the neighbour %s", c.gold, c.with)
		}
	}
}

// sampleUnits writes the embedded sample and returns its units and folder.
func sampleUnits(tb testing.TB) ([]*dataset.Unit, string) {
	tb.Helper()
	dir := tb.TempDir()
	if err := sample.WriteData(tb.Context(), dir); err != nil {
		tb.Fatal(err)
	}
	return unitsOf(tb, dir), dir
}

// TestNeighboursOfSample makes the neighbours of all golds of the sample: each
// parses, prints as it is, resolves, differs from all others, and compiles or says
// why; and the same seed makes the same ones.
func TestNeighboursOfSample(t *testing.T) {
	units, _ := sampleUnits(t)
	made, failed := 0, 0
	for _, u := range units {
		s := schemaOf(t, u.DB)
		scratch, err := sqlite.NewScratch(s.layout)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range u.Examples {
			q := parse(t, ex.Query)
			found, err := Neighbours(q, s, seededRand(1, ex.Query))
			if err != nil {
				t.Fatalf("%s: %v", ex.Query, err)
			}
			again, _ := Neighbours(q, s, seededRand(1, ex.Query))
			if !slices.Equal(found, again) {
				t.Errorf("%s: neighbours differ from run to run", ex.Query)
			}
			seen := map[string]bool{q.String(): true}
			for _, n := range found {
				if text := parse(t, n.SQL).String(); text != n.SQL || seen[text] {
					t.Errorf("%s: neighbour %s prints as %s, or is there twice", ex.Query, n.SQL, text)
				}
				seen[n.SQL] = true
				made++
				if p, err := scratch.Prepare(n.SQL); err != nil {
					failed++
				} else {
					p.Close()
				}
			}
		}
		scratch.Close()
	}
	if made < 1000 || 20*failed > made {
		t.Errorf("%d neighbours, %d of them do not compile; want 1000 or more, at most a twentieth of them", made, failed)
	}
}

// FuzzNeighbours makes neighbours of whatever resolves: it must not fail, and what
// it makes must parse.
func FuzzNeighbours(f *testing.F) {
	for i, sql := range goldenQueries {
		f.Add(sql, uint64(i))
	}
	db := farm()
	s, err := readSchema(f.Context(), db)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sql string, seed uint64) {
		q, err := sqlast.Parse(sql)
		if err != nil || len(sql) > 1000 {
			t.Skip()
		}
		found, err := Neighbours(q, s, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Skip()
		}
		if len(found) > MaxNeighbours {
			t.Errorf("%d neighbours, want at most %d", len(found), MaxNeighbours)
		}
		for _, n := range found {
			if _, err := sqlast.Parse(n.SQL); err != nil {
				t.Errorf("%s: neighbour %s: %v", sql, n.SQL, err)
			}
		}
		b, err := sqlast.Resolve(q, s)
		if err != nil {
			t.Fatal(err)
		}
		newHints(s, q, b)
		if low, high, ok := probes(q, b); ok {
			parse(t, low.String())
			parse(t, high.String())
		}
	})
}

// TestProbes runs golds with ties and checks on which contents they are taken to
// be determined.
func TestProbes(t *testing.T) {
	s := schemaOf(t, farm())
	rows := func(acres ...int64) [][][]sqldata.Value {
		farms := make([][]sqldata.Value, len(acres))
		for i, a := range acres {
			farms[i] = []sqldata.Value{sqldata.NewInt(int64(i)), sqldata.NewText(string(rune('a' + i))), sqldata.NewInt(a)}
		}
		return [][][]sqldata.Value{farms, nil}
	}
	for _, c := range []struct {
		sql        string
		acres      []int64
		determined bool
	}{
		{"SELECT name FROM farm ORDER BY acres LIMIT 1", []int64{1, 1, 2}, false},
		{"SELECT name FROM farm ORDER BY acres DESC LIMIT 1", []int64{1, 1, 2}, true},
		{"SELECT acres FROM farm ORDER BY acres LIMIT 1", []int64{1, 1, 2}, true},
		{"SELECT name FROM farm ORDER BY acres", []int64{1, 1, 2}, false},
		{"SELECT name FROM farm", []int64{1, 1, 2}, true},
		{"SELECT name FROM farm LIMIT 2", []int64{1, 1, 2}, false},
		{"SELECT count(*) FROM farm WHERE name = (SELECT name FROM farm ORDER BY acres LIMIT 1)", []int64{1, 1, 2}, true},
		{"SELECT id FROM farm WHERE name = (SELECT name FROM farm ORDER BY acres LIMIT 1)", []int64{1, 1, 2}, false},
		{"SELECT name, count(*) FROM farm GROUP BY acres", []int64{1, 1, 2}, false},
		{"SELECT name, count(*) FROM farm GROUP BY acres", []int64{1, 3, 2}, true},
		{"SELECT name, max(acres) FROM farm GROUP BY acres > 1", []int64{1, 3, 2}, true},
		{"SELECT acres FROM farm UNION SELECT id FROM farm ORDER BY acres LIMIT 2", []int64{1, 1, 2}, true},
	} {
		f, err := newFuzzer(t.Context(), s, []*gold{newGold(s, "farm", c.sql, 1)}, 1, semaphore.NewWeighted(1))
		if err != nil {
			t.Fatal(err)
		}
		g := f.golds[0]
		if err := f.compileGold(g); err != nil || g.problem != "" {
			t.Fatalf("%s: %v %s", c.sql, err, g.problem)
		}
		if err := g.lane.scratch.Load(rows(c.acres...)); err != nil {
			t.Fatal(err)
		}
		if got := f.answer(g) != nil; got != c.determined {
			t.Errorf("%s on %v: determined %v, want %v", c.sql, c.acres, got, c.determined)
		}
		f.close()
	}
}

// TestStore stores values in columns of many declared types and compares what
// SQLite makes of them with what the package expects.
func TestStore(t *testing.T) {
	types := []string{"INTEGER", "VARCHAR(9)", "", "REAL", "NUMERIC", "DATETIME", "BOOLEAN", "double precision", "BIGINT", "BLOB", "FLOATING POINT"}
	values := []sqldata.Value{
		{}, sqldata.NewInt(3), sqldata.NewInt(-1 << 40), sqldata.NewFloat(2), sqldata.NewFloat(2.5), sqldata.NewText("12"), sqldata.NewText(" 12 "),
		sqldata.NewText("1.50"), sqldata.NewText("3.0"), sqldata.NewText("x"), sqldata.NewText(""), sqldata.NewText("1e3"), sqldata.NewText("2001-02-03"), sqldata.NewText("+5"), sqldata.NewText("."), sqldata.NewBlob("b"),
	}
	for _, typ := range types {
		s := sqlite.NewLayout([]sqldata.Table{{Name: "t", Columns: []sqldata.Column{{Name: "n", Type: "INTEGER"}, {Name: "v", Type: typ}}}})
		scratch, err := sqlite.NewScratch(s)
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]sqldata.Value
		for i, v := range values {
			rows = append(rows, []sqldata.Value{sqldata.NewInt(int64(i)), v})
		}
		if err := scratch.Load([][][]sqldata.Value{rows}); err != nil {
			t.Fatal(err)
		}
		p, err := scratch.Prepare("SELECT v FROM t ORDER BY n")
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Run(randomBudget, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if got, want := applyAffinity(sqlite.AffinityOf(typ), v), res.Rows[i][0]; got != want {
				t.Errorf("%v in a column of type %q: stored as %v of kind %d, want %v of kind %d", v, typ, got, got.Kind(), want, want.Kind())
			}
		}
		p.Close()
		scratch.Close()
	}
}

// TestMaterial lists what contents for a query are made of.
func TestMaterial(t *testing.T) {
	s := schemaOf(t, farm())
	for sql, want := range map[string]string{
		"SELECT name FROM farm WHERE acres > 3 AND name = \"x\"":                                           "farm.acres=3 farm.name=x",
		"SELECT count(*) FROM animal GROUP BY farm_id HAVING count(*) >= 2 AND avg(age) < 7 LIMIT 5":       "animal.age=7 counts [2 5]",
		"SELECT name FROM farm WHERE acres = '12' OR acres BETWEEN -1 AND 2.5 OR name IN ('a', 'b')":       "farm.acres=-1 farm.acres=12 farm.acres=2.5 farm.name=a farm.name=b",
		"SELECT name FROM farm WHERE acres IN (SELECT max(age) FROM animal) AND name LIKE '%a_b%'":         "farm.acres~animal.age farm.name=axb",
		"SELECT name FROM farm INTERSECT SELECT kind FROM animal":                                          "farm.name~animal.kind",
		"SELECT 1 FROM farm AS f JOIN animal AS a ON f.acres = a.age WHERE f.acres > (SELECT 3 FROM farm)": "farm.acres~animal.age",
	} {
		q := parse(t, sql)
		b, err := sqlast.Resolve(q, s)
		if err != nil {
			t.Fatal(err)
		}
		m := newHints(s, q, b)
		name := func(p columnIndex) string {
			return s.tables[p.table].name + "." + s.tables[p.table].columns[p.column].name
		}
		var got []string
		for _, c := range m.constants {
			got = append(got, name(c.index)+"="+c.matchingValue().String())
		}
		for _, l := range m.pairs {
			got = append(got, name(l[0])+"~"+name(l[1]))
		}
		slices.SortFunc(got, cmp.Compare[string])
		if len(m.counts) > 0 {
			got = append(got, fmt.Sprint("counts ", m.counts))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", sql, text, want)
		}
	}
}

// TestLanes shares the lanes of the workers between schemas: the first takes those that it has
// golds for, the next waits until one is free.
func TestLanes(t *testing.T) {
	s := &schema{}
	free := semaphore.NewWeighted(3)
	first, err := newFuzzer(t.Context(), s, make([]*gold, 0), 1, free)
	if err != nil || len(first.lanes) != 1 {
		t.Fatalf("without golds: %v, expected a lane", err)
	}
	var golds []*gold
	for range 5 * laneGolds {
		golds = append(golds, &gold{})
	}
	second, err := newFuzzer(t.Context(), s, golds, 1, free)
	if err != nil || len(second.lanes) != 2 {
		t.Fatalf("with many golds: %v, expected the two lanes that are left", err)
	}
	waiting, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newFuzzer(waiting, s, golds, 1, free); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while none is free: %v", err)
	}
	first.close()
	second.close()
	if !free.TryAcquire(3) {
		t.Error("lanes are not given back")
	}
}
