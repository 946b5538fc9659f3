package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// readSuite fills the section from a folder that `suite distill` wrote.
func (s *Section) readSuite(path string, _ *Options) error {
	m, err := suite.ReadManifest(filepath.Dir(path))
	switch {
	case err != nil:
		return err
	case m.Tried < 0, m.Tried > maxTried:
		return fmt.Errorf("%s: %d databases tried, expected 0 to %d", path, m.Tried, maxTried)
	}
	for _, schema := range m.Schemas {
		last := -1
		for _, p := range schema.Curve {
			if p.Tried <= last || p.Tried > m.Tried {
				return fmt.Errorf("%s: the curve of %s has the point %d, expected points that rise to %d", path, cleanLabel(schema.ID), p.Tried, m.Tried)
			}
			last = p.Tried
		}
	}
	s.Title = "Test suite"
	sum := figureTable("What the suite was made of and what it tells apart")
	sum.Add("examples", m.Examples)
	sum.Add("distinct gold queries", m.Golds)
	sum.Add("gold queries that fail", m.Failing)
	sum.Add("gold queries without a determined answer that has rows", m.Empty)
	sum.Add("neighbours", m.Neighbours)
	sum.Add("neighbours not told apart", m.Left)
	sum.AddStrong("told apart, %", stats.Share(m.Neighbours-m.Left, m.Neighbours))
	sum.Add("databases kept", m.Kept)
	sum.Add("their size, bytes", int(m.Bytes))
	s.add(Part{Title: "Summary", Table: sum})
	s.addCurve(m)
	s.addSchemas(m)
	s.addGolds(m)
	p := Part{Title: "How to reproduce", Text: []string{"DATA is the data directory, whose files have the hashes below."}, Table: hashTable(),
		Code: Command("suite", "distill", "--data", "DATA", "--databases", fmt.Sprint(m.Tried), "--depth", fmt.Sprint(m.Depth), "--nulls", string(m.Nulls), "--seed", fmt.Sprint(m.Seed), "--out", "OUT")}
	for _, in := range m.Inputs {
		p.Table.Add(cleanLabel(in.Name), "what the suite was made of", cleanText(in.SHA256))
	}
	s.add(p)
	return nil
}

// maxTried bounds the databases tried, and with them the work on the curve.
const maxTried = 1 << 20

// addCurve adds the share of neighbours left after a number of databases, as a table and a plot. Its points are the numbers at which
// the share falls, at most [maxCurve] of them, evenly chosen with both ends.
func (s *Section) addCurve(m *suite.Manifest) {
	all := m.Curve()
	var steps []int // the numbers of databases tried at which the curve falls, and both ends
	for t := range all {
		if t == 0 || t == len(all)-1 || all[t] != all[t-1] {
			steps = append(steps, t)
		}
	}
	if len(steps) > maxCurve {
		thinned := make([]int, maxCurve)
		for i := range thinned {
			thinned[i] = steps[i*(len(steps)-1)/(maxCurve-1)]
		}
		steps = thinned
	}
	t := table.New("Neighbours left after databases tried", "databases tried", "neighbours left", "of all, %")
	for _, n := range steps {
		t.Add(n, all[n], stats.Share(all[n], m.Neighbours))
	}
	plot := plotColumns(t, Plot{Kind: Steps, Title: "Neighbours left after databases tried", Axis: "neighbours left, %",
		Desc: "The share of wrong neighbours of the gold queries that no database has told apart yet; it falls with each database.", Series: seriesNamed("left")}, 2) // the column in percent
	plot.Labels = []string{"random databases tried"}
	for i, n := range steps {
		plot.Series[0].Points[i].X = float64(n)
	}
	s.add(Part{Title: "The curve", Plot: plot, Table: t})
}

// Bounds of the suite's tables.
const (
	maxCurve    = 40
	maxSchemas  = 300
	maxBadGolds = 40
)

// addSchemas adds the table of the schemas of a suite.
func (s *Section) addSchemas(m *suite.Manifest) {
	t := table.New("By schema", "schema", "gold queries", "neighbours", "left", "databases")
	for _, schema := range m.Schemas[:min(len(m.Schemas), maxSchemas)] {
		left := lists.Sum(schema.Golds, func(g suite.Gold) int { return len(g.Left) })
		t.Add(cleanLabel(schema.ID), len(schema.Golds), schema.Neighbours, left, len(schema.Databases))
	}
	t.AddStrong("all", m.Golds, m.Neighbours, m.Left, m.Kept)
	s.add(Part{Title: "By schema", Table: t, Text: cutOff(len(m.Schemas), maxSchemas, "schemas")})
}

// addGolds adds a table of the gold queries to look at: first those that fail, then those without a determined answer that has rows,
// then those with neighbours left, the most first.
func (s *Section) addGolds(m *suite.Manifest) {
	t := &table.Table{Caption: "Gold queries that fail, have no determined answer with rows, or have most neighbours left",
		Columns: []table.Column{{Name: "schema"}, {Name: "gold SQL", Code: true, Long: true}, {Name: "neighbours", Numeric: true}, {Name: "left", Numeric: true}, {Name: "problem", Long: true}}}
	type gold struct {
		db string
		*suite.Gold
	}
	var bad []gold
	for i := range m.Schemas {
		for j := range m.Schemas[i].Golds {
			if g := &m.Schemas[i].Golds[j]; g.Problem != "" || g.Empty || len(g.Left) > 0 {
				bad = append(bad, gold{m.Schemas[i].ID, g})
			}
		}
	}
	rank := func(g gold) int {
		switch {
		case g.Problem != "":
			return 0
		case g.Empty:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(bad, func(a, b gold) int {
		return cmp.Or(rank(a)-rank(b), len(b.Left)-len(a.Left))
	})
	for _, g := range bad[:min(len(bad), maxBadGolds)] {
		problem := g.Problem
		if problem == "" && g.Empty {
			problem = "no determined answer with rows"
		}
		t.Add(cleanLabel(g.db), cleanText(g.SQL), g.Neighbours, len(g.Left), cleanText(problem))
	}
	if len(bad) > 0 {
		s.add(Part{Title: "Gold queries to look at", Table: t, Text: cutOff(len(bad), maxBadGolds, "such queries")})
	}
}
