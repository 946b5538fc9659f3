package report

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/suite"
)

// suite makes the section of a folder that `suite distill` wrote.
func (s *Section) suite(dir string) error {
	m, err := suite.ReadManifest(dir)
	if err != nil {
		return err
	}
	if m.Tried < 0 || m.Tried > maxTried {
		return fmt.Errorf("%s: %d databases tried, expected 0 to %d", filepath.Join(dir, suite.ManifestFile), m.Tried, maxTried)
	}
	for _, schema := range m.Schemas {
		for i, p := range schema.Curve {
			if p.Tried < 0 || p.Tried > m.Tried || i > 0 && p.Tried <= schema.Curve[i-1].Tried {
				return fmt.Errorf("%s: the curve of %s has the point %d, expected points that rise to %d", filepath.Join(dir, suite.ManifestFile), clean(schema.ID, maxLabel), p.Tried, m.Tried)
			}
		}
	}
	s.Title = "Test suite"
	s.add(Part{Title: "Summary", Table: facts("What the suite was made of and what it tells apart",
		row(Cell{Text: "examples"}, count(m.Examples)), row(Cell{Text: "distinct gold queries"}, count(m.Golds)),
		row(Cell{Text: "gold queries that fail"}, count(m.Failing)), row(Cell{Text: "gold queries that are empty on every database"}, count(m.Empty)),
		row(Cell{Text: "neighbours"}, count(m.Neighbours)), row(Cell{Text: "neighbours not told apart"}, count(m.Left)),
		Row{Strong: true, Cells: []Cell{{Text: "told apart, %"}, share(stats.Share(m.Neighbours-m.Left, m.Neighbours))}},
		row(Cell{Text: "databases kept"}, count(m.Kept)), row(Cell{Text: "their size, bytes"}, count(int(m.Bytes))),
	)})
	s.curve(m)
	s.schemas(m)
	s.golds(m)
	p := Part{Title: "How to reproduce", Text: []string{"DATA is the data directory, whose files have the hashes below."}, Table: hashes(),
		Code: Command("suite", "distill", "--data", "DATA", "--databases", fmt.Sprint(m.Tried), "--depth", fmt.Sprint(m.Depth), "--nulls", string(m.Nulls), "--seed", fmt.Sprint(m.Seed), "--out", "OUT")}
	for _, in := range m.Inputs {
		p.Table.Rows = append(p.Table.Rows, row(label(in.Name), Cell{Text: "what the suite was made of"}, prose(in.SHA256)))
	}
	s.add(p)
	return nil
}

// maxTried bounds the databases tried, and with them the work on the curve.
const maxTried = 1 << 20

// curve adds the share of neighbours left after each number of databases, where it
// falls; the table has at most [maxCurve] of these.
func (s *Section) curve(m *suite.Manifest) {
	all := m.Curve()
	var at []int
	for t := range all {
		if t == 0 || t == len(all)-1 || all[t] != all[t-1] {
			at = append(at, t)
		}
	}
	if len(at) > maxCurve {
		kept := make([]int, maxCurve)
		for i := range kept {
			kept[i] = at[i*(len(at)-1)/(maxCurve-1)]
		}
		at = kept
	}
	t := &Table{Caption: "Neighbours left after databases tried", Columns: columns("databases tried", "neighbours left", "of all, %")}
	plot := &Plot{Kind: Steps, Title: "Neighbours left after databases tried", Axis: "neighbours left, %", Labels: []string{"random databases tried"},
		Desc: "The share of wrong neighbours of the gold queries that no database has told apart yet; it falls with each database.", Series: []Series{{Name: "left"}}}
	for _, n := range at {
		left := stats.Share(all[n], m.Neighbours)
		t.Rows = append(t.Rows, row(count(n), count(all[n]), share(left)))
		p := point(float64(left))
		p.X = float64(n)
		plot.Series[0].Points = append(plot.Series[0].Points, p)
	}
	s.add(Part{Title: "The curve", Plot: plot, Table: t})
}

// Bounds of the suite's tables.
const (
	maxCurve    = 40
	maxSchemas  = 300
	maxBadGolds = 40
)

func (s *Section) schemas(m *suite.Manifest) {
	t := &Table{Caption: "By schema", Columns: columns("schema", "gold queries", "neighbours", "left", "databases")}
	for i := range m.Schemas {
		schema := &m.Schemas[i]
		left := 0
		for _, g := range schema.Golds {
			left += len(g.Left)
		}
		if i < maxSchemas {
			t.Rows = append(t.Rows, row(label(schema.ID), count(len(schema.Golds)), count(schema.Neighbours), count(left), count(len(schema.Databases))))
		}
	}
	t.Rows = append(t.Rows, Row{Strong: true, Cells: []Cell{{Text: "all"}, count(m.Golds), count(m.Neighbours), count(m.Left), count(m.Kept)}})
	s.add(Part{Title: "By schema", Table: t, Text: cutOff(len(m.Schemas), maxSchemas, "schemas")})
}

// golds adds the gold queries that the suite serves badly.
func (s *Section) golds(m *suite.Manifest) {
	t := &Table{Caption: "Gold queries that fail, are empty on every database, or have most neighbours left",
		Columns: []Column{{Name: "schema"}, {Name: "gold SQL", Code: true, Long: true}, {Name: "neighbours", Numeric: true}, {Name: "left", Numeric: true}, {Name: "problem", Long: true}}}
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
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return len(b.Left) - len(a.Left)
	})
	for i, g := range bad {
		if i == maxBadGolds {
			break
		}
		problem := g.Problem
		if problem == "" && g.Empty {
			problem = "empty on every database"
		}
		t.Rows = append(t.Rows, row(label(g.db), prose(g.SQL), count(g.Neighbours), count(len(g.Left)), prose(problem)))
	}
	if len(bad) > 0 {
		s.add(Part{Title: "Gold queries to look at", Table: t, Text: cutOff(len(bad), maxBadGolds, "such queries")})
	}
}
