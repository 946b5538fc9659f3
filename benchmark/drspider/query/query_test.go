package query_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/drspider/query"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) {
	perturbtest.GoldenAll(t, query.All)
}

func TestValid(t *testing.T) {
	if err := perturb.Validate(query.All); err != nil {
		t.Error(err)
	}
}

// key names a variant by what it was made from.
type key struct {
	example, sample int
}

// TestDrawsIndependent checks that an example's variants depend neither on the
// other examples nor on their order, and that samples count from 0.
func TestDrawsIndependent(t *testing.T) {
	for _, u := range perturbtest.Units(t, perturbtest.WriteSample(t)) {
		for _, p := range query.All {
			examples := perturbtest.Examples(t, u)
			all := editsOf(t, p, u.DB, examples)
			for k := range all {
				if k.sample > 0 && all[key{k.example, k.sample - 1}] == nil {
					t.Errorf("%s: example %d has sample %d and not the one before", p.Name, k.example, k.sample)
				}
			}
			slices.Reverse(examples)
			for k, got := range editsOf(t, p, u.DB, examples[:len(examples)/2]) {
				if diff := cmp.Diff(all[k], got); diff != "" {
					t.Errorf("%s: example %d, sample %d among fewer examples (-all +fewer):\n%s", p.Name, k.example, k.sample, diff)
				}
			}
		}
	}
}

func editsOf(t *testing.T, p *perturb.Perturbation, db *dataset.Database, examples []*perturb.Example) map[key][]perturb.Edit {
	t.Helper()
	variants, _ := perturbtest.Run(t, p, db, examples, nil, 5, 1)
	edits := map[key][]perturb.Edit{}
	for _, v := range variants {
		k := key{v.Examples[0].Index, v.Sample}
		if edits[k] != nil || v.Sample >= 5 {
			t.Errorf("%s: example %d has sample %d twice, or too many", p.Name, k.example, k.sample)
		}
		edits[k] = v.Edits
	}
	return edits
}

// TestReal runs the perturbations on databases of Spider dev, two in `make test`: every variant
// asks another question, its spans hold, and its SQL resolves, differs and runs.
func TestReal(t *testing.T) {
	dir := t.TempDir()
	for name, target := range map[string]string{
		"dev.json":    shared.File(t, "data", "spider", "dev.json"),
		"tables.json": shared.File(t, "data", "spider", "tables.json"),
		"database":    filepath.Join(shared.Untar(t, "data", "spider", "databases_dev.tar.gz"), "database"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]int{}
	some, least := []string{"concert_singer", "pets_1", "car_1", "network_1", "world_1"}, 20
	if !shared.Whole() {
		some, least = some[:2], 0
	}
	for _, u := range perturbtest.Units(t, dir) {
		if !slices.Contains(some, u.DB.ID) {
			continue
		}
		content, err := sqlite.Open(t.Context(), u.DB.SQLite)
		if err != nil {
			t.Fatal(err)
		}
		defer content.Close()
		for _, p := range query.All {
			variants, _ := perturbtest.Run(t, p, u.DB, perturbtest.Examples(t, u), nil, 2, 1)
			found[p.Name] += len(variants)
			for _, v := range variants {
				if err := check(t, p, u.DB, content, v); err != nil {
					t.Errorf("%s: %s:%d: %v", p.Name, u.DB.ID, v.Examples[0].Index, err)
				}
			}
		}
	}
	for _, p := range query.All {
		if found[p.Name] < least {
			t.Errorf("%s: %d variants, want %d and more", p.Name, found[p.Name], least)
		}
	}
}

func check(t *testing.T, p *perturb.Perturbation, db *dataset.Database, content *sqlite.DB, v perturb.Variant) error {
	if err := p.Relation.Allows(v.Edits); err != nil {
		return err
	}
	was, now := v.Examples[0], perturbtest.Apply(t, db, v).Examples[0]
	switch {
	case now.Question == was.Question:
		return fmt.Errorf("the question stays: %s", was.Question)
	case now.Query == was.Gold.String():
		return fmt.Errorf("the gold SQL stays: %s", now.Query)
	}
	if _, err := perturb.NewExample(db, now); err != nil {
		return err
	}
	_, err := content.Query(t.Context(), now.Query, sqldata.Limits{})
	return err
}

// FuzzQuestion perturbs any question, beside SQL with every kind of site.
func FuzzQuestion(f *testing.F) {
	db := league(f)
	queries := []string{
		`SELECT Club_Name FROM Club WHERE Founded < 1910 AND Town = "Arden" AND Capacity BETWEEN 5 AND 20`,
		"SELECT Town FROM Club WHERE Stadium LIKE '%Park%' GROUP BY Town HAVING count(*) >= 2 ORDER BY count(*) DESC LIMIT 3",
		"SELECT Town FROM Club WHERE 3 < Capacity OR Capacity > (SELECT avg(Capacity) FROM Club) OR Founded IN (1910, -3.5) ORDER BY Founded",
	}
	f.Add("Clubs of Arden founded before 1910 with a capacity between 5 and twenty?")
	f.Add("Towns with 2 or more 'Park' clubs; the 3 most recent from the oldest to the youngest in reverse alphabetical order")
	f.Add("a greater \xff capacity than 3, an -3.5 an Arden's ‘Park’ than")
	passes := map[*perturb.Perturbation]*perturb.Pass{}
	for _, p := range query.All {
		passes[p] = perturbtest.NewPass(f, p, db, nil, 5, 1)
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, p := range query.All {
			for _, q := range queries {
				ex, err := perturb.NewExample(db, &dataset.Example{DB: db.ID, Question: question, Query: q})
				if err != nil {
					t.Fatal(err)
				}
				pass := passes[p]
				pass.Examples = []*perturb.Example{ex}
				pass.Report = func(v perturb.Variant) {
					after, err := perturb.ApplyQuestion(question, v.Edits)
					if err != nil || after == question {
						t.Errorf("%s: %q becomes %q: %v", p.Name, question, after, err)
					}
				}
				if err := p.Run(pass); err != nil && !strings.Contains(err.Error(), "context canceled") {
					t.Fatal(err)
				}
			}
		}
	})
}
