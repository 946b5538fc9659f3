package perturb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// draw returns the beginning of a pass's stream for keys.
func draw(seed uint64, name string, version int, db string, keys ...string) [4]uint64 {
	p := &perturb.Pass{DB: &dataset.Database{ID: db}}
	p.Seed(seed, &perturb.Perturbation{Name: name, Version: version})
	rng := p.Rand(keys...)
	return [4]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64()}
}

// TestRand checks that a stream depends on all that it should.
func TestRand(t *testing.T) {
	streams := [][4]uint64{
		draw(1, "f/a", 1, "db", "x", "y"),
		draw(2, "f/a", 1, "db", "x", "y"),
		draw(1, "f/b", 1, "db", "x", "y"),
		draw(1, "f/a", 2, "db", "x", "y"),
		draw(1, "f/a", 1, "db2", "x", "y"),
		draw(1, "f/a", 1, "db", "y", "x"),
		draw(1, "f/a", 1, "db", "xy"),
		draw(1, "f/a", 1, "db", "xy", ""),
		draw(1, "f/a", 1, "db", "", "xy"),
		draw(1, "f/a", 1, "db"),
	}
	for i, s := range streams {
		if j := slices.Index(streams, s); j != i {
			t.Errorf("streams %d and %d are the same", j, i)
		}
	}
	if again := draw(1, "f/a", 1, "db", "x", "y"); again != streams[0] {
		t.Error("the same seed and keys give another stream")
	}
}

// TestRandOrder checks that a stream does not depend on what was drawn before.
func TestRandOrder(t *testing.T) {
	p := &perturb.Pass{DB: &dataset.Database{ID: "db"}}
	p.Seed(1, &perturb.Perturbation{Name: "f/a", Version: 1})
	first := p.Rand("a").Uint64()
	for range 3 {
		p.Rand("b").Uint64()
	}
	if again := p.Rand("a").Uint64(); again != first {
		t.Errorf("stream a begins with %d after other draws, want %d", again, first)
	}
}

func TestValidate(t *testing.T) {
	run := func(*perturb.Pass) error { return nil }
	good := perturb.Perturbation{Name: "f/a", Doc: "d", Paper: "p", Version: 1, Relation: perturb.Renamed, Run: run}
	with := func(change func(*perturb.Perturbation)) []*perturb.Perturbation {
		other, changed := good, good
		other.Name = "f/other"
		change(&changed)
		return []*perturb.Perturbation{&other, &changed}
	}
	for _, test := range []struct {
		list []*perturb.Perturbation
		want string // "" where the list is valid
	}{
		{nil, ""},
		{with(func(*perturb.Perturbation) {}), ""},
		{with(func(p *perturb.Perturbation) { p.Name = "f/other" }), "named twice"},
		{with(func(p *perturb.Perturbation) { p.Name = "a" }), "expected family/name"},
		{with(func(p *perturb.Perturbation) { p.Name = "/a" }), "expected family/name"},
		{with(func(p *perturb.Perturbation) { p.Name = "f/" }), "expected family/name"},
		{with(func(p *perturb.Perturbation) { p.Doc = "" }), "lacks"},
		{with(func(p *perturb.Perturbation) { p.Paper = "" }), "lacks"},
		{with(func(p *perturb.Perturbation) { p.Version = 0 }), "lacks"},
		{with(func(p *perturb.Perturbation) { p.Run = nil }), "lacks"},
		{with(func(p *perturb.Perturbation) { p.Relation = "similar" }), `relation "similar" is unknown`},
	} {
		err := perturb.Validate(test.list)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestHolds(t *testing.T) {
	answer := func(rows ...string) *sqldata.Result {
		r := &sqldata.Result{Columns: []string{"a"}}
		for _, row := range rows {
			r.Rows = append(r.Rows, []sqldata.Value{sqldata.NewText(row)})
		}
		return r
	}
	renamed := answer("x", "y")
	renamed.Columns = []string{"b"}
	wider := &sqldata.Result{Columns: []string{"a", "b"}}
	for _, test := range []struct {
		name          string
		query         string
		before, after *sqldata.Result
		want          bool
	}{
		{"bag", "SELECT a FROM t", answer("x", "y"), answer("y", "x"), true},
		{"list", "SELECT a FROM t ORDER BY a", answer("x", "y"), answer("y", "x"), false},
		{"equal list", "SELECT a FROM t ORDER BY a", answer("x", "y"), answer("x", "y"), true},
		{"order inside orders nothing", "SELECT a FROM (SELECT a FROM t ORDER BY a)", answer("x", "y"), answer("y", "x"), true},
		{"ordered union", "SELECT a FROM t UNION SELECT a FROM u ORDER BY a", answer("x", "y"), answer("y", "x"), false},
		{"how often counts", "SELECT a FROM t", answer("x", "x", "y"), answer("x", "y", "y"), false},
		{"a row less", "SELECT a FROM t", answer("x", "y"), answer("x"), false},
		{"another row", "SELECT a FROM t", answer("x"), answer("z"), false},
		{"names of result columns do not count", "SELECT a FROM t", answer("x", "y"), renamed, true},
		{"their number does", "SELECT * FROM t", answer(), wider, false},
	} {
		q, err := sqlast.Parse(test.query)
		if err != nil {
			t.Fatal(err)
		}
		if got := perturb.Holds(q, test.before, test.after); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}
