package suite

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

func lines(t *testing.T, p string) []string {
	f, err := os.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		out = append(out, strings.TrimSpace(strings.Split(sc.Text(), "\t")[0]))
	}
	return out
}

type pr struct {
	run                *sqlite.Prepared
	file, ex           int
	sql                string
	badSuite, badFresh int
	g                  *gold
	when               int
}

func TestEscape(t *testing.T) {
	files := []string{"dail-sql_gpt-4.txt", "codes-1b.txt", "graphix_via_dail-sql.txt"}
	var preds [][]string
	for _, f := range files {
		preds = append(preds, lines(t, "/work/shared/data/predictions/spider-dev/"+f))
	}
	fresh := 1000
	fmt.Sscan(os.Getenv("FRESH"), &fresh)
	nulls := NullsObserved
	if v := os.Getenv("NULLS"); v != "" {
		nulls = Nulls(v)
	}
	c := &Config{Databases: 1000, Depth: depth(), Seed: 1, Nulls: nulls}
	fmt.Sscan(os.Getenv("N"), &c.Databases)
	totalRight, totSuite, totFresh, esc, ndb := 0, 0, 0, 0, 0
	for u, err := range dataset.Units("/tmp/tp/spider", "dev") {
		if err != nil {
			t.Fatal(err)
		}
		s, err := readSchema(t.Context(), u.DB)
		if err != nil {
			t.Fatal(err)
		}
		res := &Schema{}
		kept, err := c.forward(t.Context(), s, u, res)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("BACK") != "" {
			kept, err = c.backward(t.Context(), s, u, kept, res)
			if err != nil {
				t.Fatal(err)
			}
		}
		ndb += len(kept)
		f, err := newFuzzer(s, readGolds(s, u, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		byEx := map[int]*gold{}
		var mats []*material
		for _, g := range f.golds {
			g.pending = nil
			f.compile(g)
			for _, e := range g.examples {
				byEx[e] = g
			}
			if g.problem == "" {
				mats = append(mats, g.material)
			}
		}
		var ps []*pr
		for fi := range preds {
			seen := map[string]bool{}
			for ex, g := range byEx {
				sql := preds[fi][ex]
				if g.problem != "" || sql == g.sql || seen[g.sql+sql] {
					continue
				}
				seen[g.sql+sql] = true
				run, err := f.scratch.Prepare(sql)
				if err != nil {
					continue
				}
				ps = append(ps, &pr{run: run, file: fi, ex: ex, sql: sql, g: g})
			}
		}
		check := func(k candidate, bad func(*pr)) {
			if err := f.load(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			ans := map[*gold]*sqlite.Result{}
			for _, p := range ps {
				a, ok := ans[p.g]
				if !ok {
					a = f.answer(p.g)
					ans[p.g] = a
				}
				if a != nil && f.apart(p.g, a, &neighbour{run: p.run}) {
					bad(p)
				}
			}
		}
		n := 0
		if s.content != nil {
			check(candidate{rows: s.content}, func(p *pr) { p.badSuite = -1 })
		}
		keep := ps[:0]
		for _, p := range ps {
			if p.badSuite == 0 {
				keep = append(keep, p)
			}
		}
		ps = keep
		totalRight += len(ps)
		for _, k := range kept {
			check(k, func(p *pr) { p.badSuite++ })
		}
		sm := newSampler(s, mats, c.Nulls)
		for n = 0; n < fresh; n++ {
			rng := keyed(77, u.DB.ID, n)
			foc := make([]*material, pick(rng, 1, 1, 2, 3, 8))
			for i := range foc {
				foc[i] = mats[rng.IntN(len(mats))]
			}
			check(candidate{tried: 5, rows: sm.rows(rng, foc)}, func(p *pr) {
				if p.badFresh == 0 {
					p.when = n
				}
				p.badFresh++
			})
		}
		for _, p := range ps {
			if p.badSuite > 0 {
				totSuite++
			}
			if p.badFresh > 0 {
				totFresh++
			}
			if p.badFresh > 0 && p.badSuite == 0 {
				esc++
				fmt.Println("ESC", u.DB.ID, p.badFresh, p.when, "\n  G", p.g.sql, "\n  P", p.sql)
			}
			if p.badSuite > 0 && p.badFresh == 0 {
				fmt.Println("ONLYSUITE", u.DB.ID, "\n  G", p.g.sql, "\n  P", p.sql)
			}
			if os.Getenv("ALL") != "" && p.badSuite > 0 {
				fmt.Println("WRONG", u.DB.ID, p.badSuite, "\n  G", p.g.sql, "\n  P", p.sql)
			}
		}
	}
	fmt.Println("right on content", totalRight, "wrong on suite", totSuite, "wrong on fresh", totFresh, "escaped", esc, "dbs", ndb)
}
