//go:build quality

package quality

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/realise"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
	"github.com/tabperturb/tabperturb/perturb"
)

// gold is a gold SQL of a database.
type gold struct{ DB, Query string }

// TestRealised says the distinct gold SQLs of several data sets as questions. Spider's
// training databases are in two parts: of two thirds the names were read when the
// phrasebook was written, of every third, in the order of the alphabet, nothing was.
func TestRealised(t *testing.T) {
	spider := databases(t, shared.File(t, "data", "spider", "tables.json"))
	var read, apart []gold
	train := trainGolds(t)
	for i, db := range slices.Sorted(maps.Keys(train)) {
		if i%3 == 2 {
			apart = append(apart, train[db]...)
		} else {
			read = append(read, train[db]...)
		}
	}
	birds := converted(t, bird.Format, shared.File(t, "data", "bird"), "mini_dev", formats.Spider)
	var report strings.Builder
	fmt.Fprintf(&report, "%-34s %6s %9s %11s\n", "distinct gold SQL of", "golds", "realised", "questions")
	why := map[string]int{}
	for _, set := range []struct {
		name  string
		dbs   map[string]*dataset.Database
		golds []gold
		least float64
	}{
		{"Spider train, names read", spider, read, 0.84},
		{"Spider train, apart", spider, apart, 0.82},
		{"Spider dev", spider, goldsOf(t, shared.File(t, "data", "spider", "dev.json")), 0.75},
		{"SParC dev, single turns", spider, turns(t, "sparc/dev.json.gz"), 0.70},
		{"CoSQL dev, single turns", spider, turns(t, "cosql/dev.json.gz"), 0.70},
		{"BIRD mini-dev", databases(t, filepath.Join(birds, "tables.json")), goldsOf(t, filepath.Join(birds, "mini_dev.json")), 0.45},
		{"defog", defogDatabases(t), defogGolds(t), 0.55},
	} {
		all, said, questions := 0, 0, 0
		seen := map[gold]bool{}
		for _, g := range set.golds {
			db := set.dbs[g.DB]
			if seen[g] || db == nil {
				continue
			}
			seen[g] = true
			ex, err := perturb.NewExample(db, &dataset.Example{DB: g.DB, Query: g.Query})
			if err != nil {
				continue
			}
			all++
			list, err := realise.Questions(db, ex.Gold, ex.Binding, "", nil, rand.New(rand.NewPCG(1, uint64(all))), 8)
			var abstained *realise.Unsupported
			switch {
			case errors.As(err, &abstained):
				why[quoted.ReplaceAllString(abstained.Why, "…")]++
			case err != nil:
				t.Errorf("%s: %s: %v", g.DB, g.Query, err)
			default:
				said, questions = said+1, questions+len(list)
			}
		}
		fmt.Fprintf(&report, "%-34s %6d %8.1f%% %11d\n", set.name, all, 100*float64(said)/float64(all), questions)
		if share := float64(said) / float64(all); share < set.least {
			t.Errorf("%s: %.3f realised, expected %.2f at least", set.name, share, set.least)
		}
	}
	fmt.Fprintf(&report, "\nnot realised, the commonest reasons of all sets together:\n")
	reasons := slices.SortedFunc(maps.Keys(why), func(x, y string) int { return cmp.Or(why[y]-why[x], strings.Compare(x, y)) })
	for _, r := range reasons[:min(12, len(reasons))] {
		fmt.Fprintf(&report, "%5d %s\n", why[r], r)
	}
	golden(t, "realised", report.String())
}

var quoted = regexp.MustCompile(`"[^"]*"`)

func databases(t *testing.T, path string) map[string]*dataset.Database {
	t.Helper()
	all := map[string]*dataset.Database{}
	for db, err := range streamtest.File(dataset.ReadTables, path) {
		if err != nil && !dataset.IsNote(err) {
			t.Fatal(err)
		}
		if db != nil {
			all[db.ID] = db
		}
	}
	return all
}

// trainGolds returns the gold SQLs of Spider's training set by database.
func trainGolds(t *testing.T) map[string][]gold {
	all := map[string][]gold{}
	lines := bufio.NewScanner(text(t, "spider/train_spider_min.jsonl.gz"))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			DB    string `json:"db_id"`
			Query string `json:"query"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all[r.DB] = append(all[r.DB], gold{r.DB, r.Query})
	}
	return all
}

// goldsOf returns the gold SQLs of a file of examples.
func goldsOf(t *testing.T, path string) []gold {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		DB    string `json:"db_id"`
		Query string
	}
	if err := json.Unmarshal(raw, &records); err != nil {
		t.Fatal(err)
	}
	var all []gold
	for _, r := range records {
		all = append(all, gold{r.DB, r.Query})
	}
	return all
}

// turns returns the gold SQLs of the turns of interactions.
func turns(t *testing.T, name string) []gold {
	var records []struct {
		DB          string `json:"database_id"`
		Interaction []struct{ Query string }
	}
	if err := json.NewDecoder(text(t, name)).Decode(&records); err != nil {
		t.Fatal(err)
	}
	var all []gold
	for _, r := range records {
		for _, turn := range r.Interaction {
			all = append(all, gold{r.DB, turn.Query})
		}
	}
	return all
}
