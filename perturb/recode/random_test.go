package recode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/perturb/recode"
)

// TestRecodeRandom rewrites random queries over random maps of random content:
// the answer is always the expected one, and no small share is rewritten at all.
func TestRecodeRandom(t *testing.T) {
	const databases, queries = 8, 100
	rewritten, refused := 0, map[string]int{}
	for seed := range uint64(databases) {
		g := newGenerator(seed)
		src, dst := filepath.Join(t.TempDir(), "before.sqlite"), filepath.Join(t.TempDir(), "after.sqlite")
		if err := sqlite.Create(t.Context(), src, dataset.SQLiteTables(school()), g.rows); err != nil {
			t.Fatal(err)
		}
		edits := g.edits()
		after, err := perturb.ApplySchema(school(), edits)
		if err != nil {
			t.Fatal(err)
		}
		if err := perturb.ApplyContent(t.Context(), src, dst, edits); err != nil {
			t.Fatal(err)
		}
		for range queries {
			query := g.query()
			ex := example(t, school(), query)
			got, err := perturb.RewriteGold(ex, edits, after)
			if r, ok := errors.AsType[*perturb.Refusal](err); ok {
				refused[r.Error()]++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, query, err)
			}
			rewritten++
			want, err := perturb.Expected(ex, edits, perturbtest.Query(t, src, query))
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, query, err)
			}
			if res := perturbtest.Query(t, dst, got); !perturb.Holds(ex.Gold, want, res) {
				t.Errorf("seed %d:\n%s\n%s\nanswers %v\nwant    %v", seed, query, got, res.Rows, want.Rows)
			}
		}
	}
	if share := float64(rewritten) / (databases * queries); share < 0.5 {
		t.Errorf("%.0f%% of the queries are rewritten, want at least half; refused: %v", 100*share, refused)
	}
	t.Logf("%d rewritten; refused: %v", rewritten, refused)
}

// A generator draws content, maps and queries for [school].
type generator struct {
	*rand.Rand
	rows [][][]sqldata.Value
}

var (
	genNames   = []string{"Al Day", "Al Fox", "Bo Day", "Bo Ash Fox", "Cy", "Di Fox"}
	genSexes   = []string{"F", "M", "X"}
	genDegrees = []string{"BA", "MA", "PhD"}
	genKinds   = []string{"cat", "dog"}
	genHeights = []float64{1.5, 1.62, 1.75, 1.8, 1.91}
)

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	var students, pets [][]sqldata.Value
	for id := range 6 + g.IntN(6) {
		students = append(students, []sqldata.Value{
			g.orNull(value(pick(g, genNames))), value(id + 1), value(pick(g, genSexes)), value(18 + g.IntN(6)), value(fmt.Sprint(2012 + g.IntN(5))),
			g.orNull(value(pick(g, genDegrees))), g.orNull(value(pick(g, genHeights))),
		})
	}
	for id := range 4 + g.IntN(6) {
		pets = append(pets, []sqldata.Value{
			value(id + 1), value(1 + g.IntN(len(students))), value(pick(g, genNames)), value(16 + g.IntN(6)), value(pick(g, genKinds)),
		})
	}
	g.rows = [][][]sqldata.Value{students, pets}
	return g
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) orNull(v sqldata.Value) sqldata.Value {
	if g.IntN(5) == 0 {
		return sqldata.Value{}
	}
	return v
}

// edits draws recodings of some columns, in which one map may serve two.
func (g *generator) edits() []perturb.Edit {
	splitMap := recode.Map{}
	for _, name := range genNames {
		first, last, _ := strings.Cut(name, " ")
		splitMap.Cells = append(splitMap.Cells, recode.Cell{Old: value(name), New: []sqldata.Value{value(first), value(last)}})
	}
	slices.SortFunc(splitMap.Cells, func(a, b recode.Cell) int { return strings.Compare(a.Old.Bytes(), b.Old.Bytes()) })
	shared := g.number(0)
	choices := [][]perturb.RecodeColumn{
		{recoding("student", "name", recode.TextToTexts, splitMap, "n1 text", "n2 text"), recoding("student", "name", recode.TextToBoolean, g.permuted(genNames), "n number")},
		{recoding("pet", "called", recode.TextToTexts, splitMap, "c1 text", "c2 text")},
		{recoding("student", "sex", recode.TextToBoolean, g.permuted(genSexes), "s number"), recoding("student", "sex", recode.TextToBooleans, flags(genSexes), "s1 boolean", "s2 boolean", "s3 boolean")},
		{recoding("student", "age", recode.NumberToNumber, shared, "a number"), recoding("student", "age", recode.NumberToNumber, g.number(0), "a number")},
		{recoding("pet", "years", recode.NumberToNumber, shared, "y number"), recoding("pet", "years", recode.NumberToNumber, g.number(0), "y number")},
		{recoding("student", "since", recode.NumberToNumber, g.number(4), "w number")},
		{recoding("student", "degree", recode.TextToBooleans, flags(genDegrees), "d1 boolean", "d2 boolean", "d3 boolean"), recoding("student", "degree", recode.TextToBoolean, g.permuted(genDegrees), "d number")},
		{recoding("student", "height", recode.NumberToNumber, recode.Map{Linear: &recode.Linear{Scale: 1 + g.Int64N(200), Over: pick(g, []int64{0, 10, 1000})}}, "h number")},
		{recoding("pet", "kind", recode.TextToBooleans, flags(genKinds), "k1 boolean", "k2 boolean"), recoding("pet", "kind", recode.TextToBoolean, g.permuted(genKinds), "k number")},
	}
	var out []perturb.Edit
	for _, of := range choices {
		if g.IntN(2) == 0 {
			out = append(out, pick(g, of))
		}
	}
	if len(out) == 0 {
		return g.edits()
	}
	return out
}

// number draws a linear map to whole numbers, whose sums are exact.
func (g *generator) number(digits int) recode.Map {
	l := &recode.Linear{Scale: pick(g, []int64{-3, -1, 1, 12}), Offset: pick(g, []int64{0, 7, 2018}), Digits: digits}
	return recode.Map{Linear: l}
}

// permuted maps texts to numbers in random order.
func (g *generator) permuted(texts []string) recode.Map {
	var m recode.Map
	order := g.Perm(len(texts))
	sorted := slices.Sorted(slices.Values(texts))
	for i, s := range sorted {
		m.Cells = append(m.Cells, recode.Cell{Old: value(s), New: []sqldata.Value{value(order[i])}})
	}
	return m
}

// flags maps texts to a boolean each.
func flags(texts []string) recode.Map {
	var m recode.Map
	for i, s := range texts {
		row := make([]sqldata.Value, len(texts))
		for j := range row {
			row[j] = value(map[bool]int{true: 1, false: 0}[i == j])
		}
		m.Cells = append(m.Cells, recode.Cell{Old: value(s), New: row})
	}
	return m
}

// A genColumn is a column with how constants of it are drawn.
type genColumn struct {
	name     string
	constant func(*generator) string
	nulls    bool // it may hold NULL
	number   bool
}

func textColumn(name string, values []string, nulls bool) genColumn {
	return genColumn{name, func(g *generator) string { return "'" + pick(g, values) + "'" }, nulls, false}
}

func numberColumn(name string, from, n int) genColumn {
	return genColumn{name, func(g *generator) string { return fmt.Sprint(from + g.IntN(n)) }, false, true}
}

var (
	studentColumns = []genColumn{
		textColumn("student.name", genNames, true), textColumn("student.sex", genSexes, false), numberColumn("student.age", 17, 8),
		{"student.since", func(g *generator) string { return pick(g, []string{"2012", "'2014'", "2016", "2013"}) }, false, true},
		textColumn("student.degree", genDegrees, true),
		{"student.height", func(g *generator) string { return fmt.Sprint(pick(g, genHeights)) }, true, true},
	}
	petColumns = []genColumn{
		textColumn("pet.called", genNames, false), numberColumn("pet.years", 15, 8), textColumn("pet.kind", genKinds, false),
	}
)

// query draws a query of Spider's grammar whose answer ties leave determined.
func (g *generator) query() string {
	switch g.IntN(8) {
	case 0: // sets
		a, b := g.core("student", studentColumns[:1]), g.core("pet", petColumns[:1])
		if g.IntN(2) == 0 {
			a, b = g.core("student", studentColumns[2:3]), g.core("pet", petColumns[1:2])
		}
		return a + pick(g, []string{" UNION ", " INTERSECT ", " EXCEPT "}) + b
	case 1: // groups
		c := pick(g, studentColumns)
		return fmt.Sprintf("SELECT %s, %s FROM student%s GROUP BY %s%s", c.name, g.aggregate(studentColumns), g.where(studentColumns), c.name, g.having())
	case 2: // order
		return g.ordered()
	case 3: // a join
		list := slices.Concat(studentColumns, petColumns)
		on := pick(g, []string{"student.id = pet.owner", "student.name = pet.called", "student.age = pet.years", "student.age > pet.years"})
		return "SELECT " + pick(g, list).name + ", " + pick(g, list).name + " FROM student JOIN pet ON " + on + g.where(list)
	case 4: // a derived table
		c := pick(g, studentColumns)
		return fmt.Sprintf("SELECT %s(x) FROM (SELECT %s AS x FROM student%s)", pick(g, []string{"min", "max", "count", "avg"}), c.name, g.where(studentColumns))
	case 5: // aggregates
		return fmt.Sprintf("SELECT %s, %s FROM student%s", g.aggregate(studentColumns), g.aggregate(studentColumns), g.where(studentColumns))
	case 6: // EXISTS
		return "SELECT id FROM student WHERE EXISTS (SELECT * FROM pet WHERE owner = student.id AND " + g.condition(petColumns) + ")"
	}
	return g.core("student", studentColumns)
}

func (g *generator) core(table string, columns []genColumn) string {
	distinct := pick(g, []string{"", "DISTINCT "})
	list := pick(g, columns).name
	if len(columns) > 1 {
		list += ", " + pick(g, columns).name
	}
	if table == "pet" {
		return "SELECT " + distinct + list + " FROM pet" + g.where(petColumns)
	}
	return "SELECT " + distinct + list + " FROM student" + g.where(studentColumns)
}

// ordered orders by columns without NULL, which a decreasing map would put at the
// other end, and by the key in the end where rows are cut off.
func (g *generator) ordered() string {
	var terms []string
	dir := pick(g, []string{"", " ASC", " DESC"})
	for range 1 + g.IntN(2) {
		if c := pick(g, studentColumns); !c.nulls {
			terms = append(terms, c.name+dir)
		}
	}
	if g.IntN(2) == 0 || len(terms) == 0 {
		return "SELECT " + pick(g, studentColumns).name + ", id FROM student" + g.where(studentColumns) + " ORDER BY " + strings.Join(append(terms, "id"+dir), ", ") + " LIMIT 3"
	}
	return "SELECT " + pick(g, studentColumns).name + " FROM student" + g.where(studentColumns) + " ORDER BY " + strings.Join(terms, ", ")
}

func (g *generator) aggregate(columns []genColumn) string {
	c := pick(g, columns)
	return pick(g, []string{"min", "max", "count", "avg", "sum"}) + "(" + pick(g, []string{"", "", "DISTINCT "}) + c.name + ")"
}

func (g *generator) having() string {
	if g.IntN(2) == 0 {
		return ""
	}
	return pick(g, []string{" HAVING count(*) > 1", " HAVING avg(student.age) >= 20", " HAVING min(student.since) < '2014'", " HAVING max(student.since) >= 2014", " HAVING max(student.age) < '22'", " HAVING max(student.height) > 1.7"})
}

func (g *generator) where(columns []genColumn) string {
	switch g.IntN(4) {
	case 0:
		return ""
	case 1:
		return " WHERE " + g.condition(columns) + pick(g, []string{" AND ", " OR "}) + g.condition(columns)
	case 2:
		return " WHERE " + g.condition(columns) + " AND " + g.condition(columns) + " OR " + g.condition(columns)
	}
	return " WHERE " + g.condition(columns)
}

func (g *generator) condition(columns []genColumn) string {
	c := pick(g, columns)
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.name, c.constant(g), c.constant(g))
	case 1:
		return fmt.Sprintf("%s %sIN (%s)", c.name, pick(g, []string{"", "NOT "}), c.constant(g)+pick(g, []string{"", ", " + c.constant(g)}))
	case 2:
		if strings.Contains(columns[0].name, "name") || strings.Contains(columns[0].name, "called") {
			c = columns[0]
		}
		return fmt.Sprintf("%s %sLIKE '%s'", c.name, pick(g, []string{"", "NOT "}), pick(g, []string{"%Fox%", "al%", "%Day", "c%", "%o%"}))
	case 3:
		if c.number {
			agg := pick(g, []string{"min", "max", "avg"})
			if c.name == "student.height" { // the last bits of its average are noise
				agg = "max"
			}
			return fmt.Sprintf("%s %s (SELECT %s(%s) FROM %s)", c.name, g.operator(), agg, c.name, c.name[:strings.Index(c.name, ".")])
		}
	case 4:
		if columns[0].name == "student.name" {
			return pick(g, []string{"age", "age NOT"}) + " IN (SELECT years FROM pet AS p2)"
		}
	case 5:
		return c.constant(g) + " " + g.operator() + " " + c.name
	case 6:
		return c.name + pick(g, []string{" IS NULL", " IS NOT NULL"})
	}
	return c.name + " " + pick(g, []string{"=", "!=", g.operator()}) + " " + c.constant(g)
}

func (g *generator) operator() string { return pick(g, []string{"<", "<=", ">", ">=", "=", "!="}) }
