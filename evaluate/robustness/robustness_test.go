package robustness

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/evaluate/sides"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var sameNumber = cmp.Comparer(func(a, b stats.Number) bool { return a == b || !a.Defined() && !b.Defined() })

const (
	right, wrong, unjudged = verdict.Right, verdict.Wrong, verdict.Unjudged
)

// groups are those of Dr.Spider's perturbations that the tests add.
var groups = map[string]string{
	"drspider/schema-synonym": "DB", "drspider/schema-abbreviation": "DB", "drspider/dbcontent-equivalence": "DB", "drspider/column-value": "NLQ", "drspider/sort-order": "SQL",
}

// add counts n records.
func add(t *Tally, n int, name, db string, pre, post verdict.Verdict) {
	for range n {
		t.Add(Record{Perturbation: name, Group: groups[name], DB: db, Pre: pre, Post: post})
	}
}

// benchmarkTally is a benchmark of three families in which each thing occurs
// once: groups of one and of several, a family of several groups, nothing right
// before, nothing judged.
func benchmarkTally() *Tally {
	rng := rand.New(rand.NewPCG(3, 4))
	t := NewTally("exec", nil)
	verdict := func(p float64) verdict.Verdict {
		if rng.Float64() < p {
			return right
		}
		return wrong
	}
	for _, c := range []struct {
		name      string
		records   int
		pre, post float64
	}{
		{"adveta/replace", 400, 0.7, 0.5},
		{"drspider/schema-synonym", 260, 0.65, 0.45},
		{"drspider/column-value", 60, 0.74, 0.53},
		{"adveta/add", 300, 0.7, 0.6},
		{"drspider/dbcontent-equivalence", 40, 0.8, 0.12},
		{"drspider/sort-order", 30, 0, 0.7},
	} {
		for i := range c.records {
			t.Add(Record{Perturbation: c.name, Group: groups[c.name], DB: fmt.Sprintf("db%d", i%12), Pre: verdict(c.pre), Post: verdict(c.post)})
		}
	}
	add(t, 7, "adveta/add", "db3", unjudged, right)
	add(t, 2, "drspider/schema-synonym", "db0", right, unjudged)
	add(t, 3, "spidersyn/substitution", "db0", unjudged, unjudged)
	return t
}

func TestGolden(t *testing.T) {
	tables := []*Table{benchmarkTally().Table(stats.Bootstrap{Draws: 200, Seed: 1})}
	exact := NewTally("exact", nil)
	add(exact, 3, "adveta/replace", "zoo", right, right)
	add(exact, 1, "adveta/replace", "zoo", right, wrong)
	tables = append(tables, exact.Table(stats.Bootstrap{Seed: 1}))
	tables[1].How = "official exact set match"
	for _, format := range table.Formats() {
		var got bytes.Buffer
		if err := Write(&got, format, tables); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "table."+format+".golden")
		if *update {
			if err := os.MkdirAll("testdata", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if err := Write(new(bytes.Buffer), "xml", tables); err == nil || err.Error() != `format "xml", expected text, md, csv, json` {
		t.Errorf("format xml: %v", err)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	tables := []*Table{benchmarkTally().Table(stats.Bootstrap{Draws: 50})}
	var data bytes.Buffer
	if err := Write(&data, "json", tables); err != nil {
		t.Fatal(err)
	}
	var back []*Table
	if err := json.Unmarshal(data.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tables, back, sameNumber); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

// By hand: of ten records on two databases, eight are judged, six are right
// before, four of these and one more after.
func TestFigures(t *testing.T) {
	tally := NewTally("exec", nil)
	add(tally, 3, "adveta/add", "zoo", right, right)
	add(tally, 1, "adveta/add", "farm", right, right)
	add(tally, 2, "adveta/add", "farm", right, wrong)
	add(tally, 1, "adveta/add", "zoo", wrong, right)
	add(tally, 1, "adveta/add", "zoo", wrong, wrong)
	add(tally, 1, "adveta/add", "zoo", unjudged, wrong)
	add(tally, 1, "adveta/add", "farm", right, unjudged)
	table := tally.Table(stats.Bootstrap{})
	if len(table.Rows) != 1 {
		t.Fatalf("%d rows, want one and no average", len(table.Rows))
	}
	got := table.Rows[0]
	// With two databases a draw is one of three: zoo, farm, both.
	want := Row{
		Group: "adveta", Perturbation: "adveta/add", Perturbations: 1, Databases: 2, Records: 8, Unjudged: 2,
		Pre:      estimate(6./8, 3./5, 1),
		Post:     estimate(5./8, 1./3, 4./5),
		Change:   estimate(-1./8, -2./3, 1./5),
		Relative: estimate(4./6, 1./3, 1),
		Broken:   2, Fixed: 1, McNemar: 1,
	}
	if diff := cmp.Diff(want, got, sameNumber); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func estimate(value, low, high stats.Number) stats.Estimate {
	return stats.Estimate{Value: value, Interval: stats.Interval{Low: low, High: high}}
}

func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name string
		fill func(*Tally)
		want string // pre, post, change, relative, p
	}{
		{"nothing right before", func(t *Tally) {
			add(t, 2, "adveta/add", "zoo", wrong, wrong)
			add(t, 2, "adveta/add", "farm", wrong, right)
		}, "[0.0 [0.0, 0.0] 50.0 [0.0, 100.0] 50.0 [0.0, 100.0] - 0.500]"},
		{"one database", func(t *Tally) {
			add(t, 3, "adveta/add", "zoo", right, right)
			add(t, 1, "adveta/add", "zoo", right, wrong)
		}, "[100.0 75.0 -25.0 75.0 1.000]"},
		{"nothing judged", func(t *Tally) {
			add(t, 3, "adveta/add", "zoo", unjudged, right)
			add(t, 3, "adveta/add", "farm", right, unjudged)
		}, "[- - - - -]"},
		{"gold against gold", func(t *Tally) {
			add(t, 3, "adveta/add", "zoo", right, right)
			add(t, 3, "adveta/add", "farm", right, right)
		}, "[100.0 [100.0, 100.0] 100.0 [100.0, 100.0] 0.0 [0.0, 0.0] 100.0 [100.0, 100.0] 1.000]"},
	} {
		tally := NewTally("exec", nil)
		c.fill(tally)
		row := tally.Table(stats.Bootstrap{}).Rows[0]
		if got := fmt.Sprint(row.cells(nil)[3:]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	var empty bytes.Buffer
	if table := NewTally("exec", nil).Table(stats.Bootstrap{}); len(table.Rows) != 0 {
		t.Errorf("an empty tally has rows: %v", table.Rows)
	} else if err := Write(&empty, "json", []*Table{table}); err != nil || !bytes.Contains(empty.Bytes(), []byte(`"rows": []`)) {
		t.Errorf("%v: %s", err, &empty)
	}
}

// The averages of table 3 for RATSQL, from its figures for the perturbations of
// the database.
func TestMacroAverage(t *testing.T) {
	tally := NewTally("exec", nil)
	for _, p := range []struct {
		name      string
		pre, post int // of 1000
	}{{"schema-synonym", 657, 454}, {"schema-abbreviation", 670, 442}, {"dbcontent-equivalence", 798, 120}} {
		name := "drspider/" + p.name
		add(tally, p.post, name, "zoo", right, right)
		add(tally, p.pre-p.post, name, "zoo", right, wrong)
		add(tally, 1000-p.pre, name, "zoo", wrong, wrong)
	}
	rows := tally.Table(stats.Bootstrap{}).Rows
	if len(rows) != 4 {
		t.Fatalf("%d rows, want three and one average, for the group is all there is", len(rows))
	}
	average := rows[3]
	if average.Perturbation != "" || average.Group != "" || average.Perturbations != 3 || average.Records != 3000 {
		t.Fatalf("row 3 is no average: %+v", average)
	}
	if pre, post := average.Pre.Value.Percent(), average.Post.Value.Percent(); pre != "70.8" || post != "33.9" {
		t.Errorf("average %s, %s; want 70.8, 33.9", pre, post)
	}
}

func TestSeed(t *testing.T) {
	table := func(seed uint64) *Table { return benchmarkTally().Table(stats.Bootstrap{Draws: 100, Seed: seed}) }
	if diff := cmp.Diff(table(1), table(1), sameNumber); diff != "" {
		t.Errorf("one seed, two tables:\n%s", diff)
	}
	if cmp.Equal(table(1).Rows, table(2).Rows, sameNumber) {
		t.Error("two seeds give the same intervals")
	}
	for i, r := range table(1).Rows {
		s := table(2).Rows[i]
		if diff := cmp.Diff([]stats.Number{r.Pre.Value, r.Relative.Value, r.McNemar}, []stats.Number{s.Pre.Value, s.Relative.Value, s.McNemar}, sameNumber); diff != "" {
			t.Errorf("the seed changes a figure:\n%s", diff)
		}
	}
}

// Turns that stand unchanged are in no figure, and counted apart.
func TestUnchanged(t *testing.T) {
	tally := NewTally("exec", nil)
	add(tally, 3, "family/one", "a", right, wrong)
	tally.Add(Record{Perturbation: "family/one", DB: "a", Position: sides.Position{Unchanged: true}, Pre: right, Post: right})
	table := tally.Table(stats.Bootstrap{Seed: 1})
	if r := table.Rows[0]; r.Records != 3 || r.Unchanged != 1 || r.Unjudged != 0 || r.Post.Value != 0 {
		t.Errorf("row %+v", r)
	}
	if got, want := fmt.Sprint(table.leftOut()), "[exec: left out 1, for they are turns that stand unchanged beside perturbed ones]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Counting every record k times changes no figure and no interval: copies are
// no evidence when databases are drawn. McNemar's p does shrink.
func TestCopiesAreNoEvidence(t *testing.T) {
	once, often := NewTally("exec", nil), NewTally("exec", nil)
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 200 {
		r := Record{Perturbation: "adveta/replace", DB: fmt.Sprint(i % 15), Pre: wrong, Post: wrong}
		if rng.Float64() < 0.7 {
			r.Pre = right
		}
		if rng.Float64() < 0.5 {
			r.Post = right
		}
		once.Add(r)
		add(often, 5, r.Perturbation, r.DB, r.Pre, r.Post)
	}
	a, b := once.Table(stats.Bootstrap{}).Rows[0], often.Table(stats.Bootstrap{}).Rows[0]
	if a.Pre != b.Pre || a.Post != b.Post || a.Change != b.Change || a.Relative != b.Relative {
		t.Errorf("copies change the figures:\n%+v\n%+v", a, b)
	}
	if b.McNemar >= a.McNemar {
		t.Errorf("McNemar's p %v does not shrink to %v", a.McNemar, b.McNemar)
	}
}

// With one database there is no interval, and p compares questions: five versions of each
// of six questions are six cases, not thirty.
func TestOneDatabase(t *testing.T) {
	for databases, want := range map[int]stats.Number{1: stats.McNemar(6, 0), 2: stats.McNemar(30, 0)} {
		tally := NewTally("exec", nil)
		for i := range 30 {
			tally.Add(Record{Perturbation: "adveta/add", DB: fmt.Sprint(i % databases), Gold: fmt.Sprint("SELECT ", i%6), Pre: right, Post: wrong})
		}
		table := tally.Table(stats.Bootstrap{})
		r := table.Rows[0]
		if r.McNemar != want || r.Pre.Low.Defined() != (databases > 1) || r.Broken != 30 {
			t.Errorf("%d databases: p %v and row %+v, want p %v", databases, r.McNemar, r, want)
		}
		var out strings.Builder
		if err := Write(&out, "text", []*Table{table}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "with one database: no interval") != (databases == 1) {
			t.Errorf("%d databases: prints\n%s", databases, &out)
		}
	}
}

func BenchmarkTable(b *testing.B) {
	t := NewTally("exec", nil)
	rng := rand.New(rand.NewPCG(1, 1))
	for p := range 20 {
		for i := range 4000 {
			t.Add(Record{
				Perturbation: fmt.Sprintf("family%d/p%d", p/5, p), DB: fmt.Sprint(i % 150),
				Pre: verdict.Verdict(1 + rng.IntN(2)), Post: verdict.Verdict(1 + rng.IntN(2)),
			})
		}
	}
	for b.Loop() {
		t.Table(stats.Bootstrap{})
	}
}
