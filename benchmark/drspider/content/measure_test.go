package content_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
)

func TestMeasure(t *testing.T) {
	dir := os.Getenv("TP_DIR")
	if dir == "" {
		t.Skip()
	}
	var log []string
	reasons := map[string]int{}
	cats := map[string]int{}
	catDBs := map[string]map[string]bool{}
	records, dbs, variants, mentionedEx := 0, map[string]bool{}, 0, map[int]bool{}
	subs := map[string]int{}
	for u, err := range dataset.Units(dir, "dev") {
		if err != nil {
			t.Log(err)
			continue
		}
		var examples []*perturb.Example
		for _, ex := range u.Examples {
			e, err := perturb.NewExample(u.DB, ex)
			if err != nil {
				t.Log(err)
				continue
			}
			examples = append(examples, e)
		}
		pass := &perturb.Pass{Context: t.Context(), DB: u.DB, Examples: examples, Samples: 5}
		db, err := sqlite.Open(t.Context(), u.DB.SQLite)
		if err != nil {
			t.Log(err)
		} else if empty, _ := db.Empty(t.Context()); !empty {
			pass.Content, err = perturb.OpenContent(t.Context(), u.DB, u.DB.SQLite)
			if err != nil {
				t.Fatal(err)
			}
		}
		var vs []perturb.Variant
		pass.Report = func(v perturb.Variant) { vs = append(vs, v) }
		pass.Reject = func(ex *perturb.Example, s int, r string) {
			reasons["perturbation: "+r]++
			log = append(log, fmt.Sprintf("REJECT %s | %s | %s", u.DB.ID, r, ex.Query))
		}
		pass.Seed(seedOf(), content.Equivalence)
		if err := content.Equivalence.Run(pass); err != nil {
			t.Fatal(err)
		}
		unitRecords := 0
		before := map[int]*sqlite.Result{}
		for _, v := range vs {
			variants++
			after, err := perturb.ApplySchema(u.DB, v.Edits)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "x.sqlite")
			if err := perturb.ApplyContent(t.Context(), u.DB.SQLite, path, v.Edits); err != nil {
				reasons["content: "+err.Error()] += len(v.Examples)
				continue
			}
			post, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			for _, ex := range v.Examples {
				q, err := perturb.RewriteGold(ex, v.Edits, after)
				if err != nil {
					reasons["rewrite: "+err.Error()]++
					log = append(log, fmt.Sprintf("REFUSED %s | %s | %s", u.DB.ID, err, ex.Query))
					continue
				}
				if before[ex.Index] == nil {
					if before[ex.Index], err = db.Query(t.Context(), ex.Query, sqlite.Limits{}); err != nil {
						t.Log(err)
						continue
					}
				}
				want, err := perturb.Expected(ex, v.Edits, before[ex.Index])
				if err != nil {
					reasons["expected: "+err.Error()]++
					log = append(log, fmt.Sprintf("EXPECTED %s | %s | %s", u.DB.ID, err, ex.Query))
					continue
				}
				got, err := post.Query(t.Context(), q, sqlite.Limits{})
				if err != nil {
					reasons["run: "+err.Error()]++
					log = append(log, fmt.Sprintf("RUN %s | %s | %s", u.DB.ID, err, q))
					continue
				}
				if !perturb.Holds(ex.Gold, want, got) {
					reasons["answer changed"]++
					log = append(log, fmt.Sprintf("CHANGED %s | %s\n    %s\n %.200v\n %.200v", u.DB.ID, ex.Query, q, want.Rows, got.Rows))
					continue
				}
				records++
				unitRecords++
				mentionedEx[ex.Index] = true
				dbs[after.ID] = true
				for _, e := range v.Edits {
					r := e.(perturb.RecodeColumn)
					cats[string(r.Category)]++
					if catDBs[string(r.Category)] == nil {
						catDBs[string(r.Category)] = map[string]bool{}
					}
					catDBs[string(r.Category)][after.ID] = true
					var n []string
					for _, i := range r.Into {
						n = append(n, i.Name)
					}
					subs[u.DB.ID+" "+r.Table+"."+r.Column+" -> "+strings.Join(n, ", ")+" ["+string(r.Category)+"]"]++
				}
				log = append(log, fmt.Sprintf("OK %s bites=%v | %s\n    Q: %s\n    %s", u.DB.ID, perturb.Bites(got), ex.Question, ex.Gold, q))
			}
			post.Close()
		}
		t.Logf("%s: %d variants, %d records", u.DB.ID, len(vs), unitRecords)
	}
	t.Logf("variants %d, records %d, examples %d, distinct databases %d", variants, records, len(mentionedEx), len(dbs))
	for _, m := range []map[string]int{reasons, cats, subs} {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			t.Logf("%5d %d  %s", m[k], len(catDBs[k]), k)
		}
	}
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
	os.WriteFile("/tmp/tp/p3/log.txt", []byte(strings.Join(log, "\n")), 0o666)
}

func seedOf() uint64 { var n uint64; fmt.Sscan(os.Getenv("TP_SEED"), &n); return n }
