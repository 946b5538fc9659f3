//go:build quality

package quality

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/dataset"
	migrating "github.com/tabperturb/tabperturb/evaluate/migration"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestMigrateCheck checks the golden questions of Spider dev: of five databases by a migration of each statement and one of twenty,
// of which none fails but that which inserts rows again; and all questions by a migration of each database, in 20 seconds.
func TestMigrateCheck(t *testing.T) {
	units, err := dataset.Units(spiderData(t), "dev", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	check := func(script func(*dataset.Unit) []string, only ...string) string {
		c := &migrating.Config{Scripts: map[string]*given.Script{}, Scratch: t.TempDir(), Seed: 1, Workers: 2, Step: func() {}}
		c.Report = func(err error) {
			if !strings.Contains(err.Error(), "UNIQUE constraint failed") { // of rows that are inserted again
				t.Error(err)
			}
		}
		for _, u := range units {
			if len(only) > 0 && u.DB.ID != only[0] {
				continue
			}
			path := filepath.Join(c.Scratch, u.DB.ID+".sql")
			writeText(t, path, strings.Join(script(u), ";\n"))
			if c.Scripts[u.DB.ID], err = given.ReadScript(path); err != nil {
				t.Fatal(err)
			}
			c.Units = append(c.Units, u)
		}
		r, err := migrating.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var counts []string
		for _, v := range migrating.Verdicts {
			counts = append(counts, fmt.Sprintf("%d %s", r.Counts[v], v))
		}
		return strings.Join(counts, ", ")
	}
	var report strings.Builder
	for _, id := range []string{"car_1", "concert_singer", "dog_kennels", "student_transcripts_tracking", "world_1"} {
		fmt.Fprintf(&report, "# %s\n", id)
		for i := range 12 {
			name := ""
			counts := check(func(u *dataset.Unit) []string {
				m := migrationsOf(u.DB)[i]
				name = m.name
				return m.statements
			}, id)
			fmt.Fprintf(&report, "%s: %s\n", name, counts)
		}
	}
	begun := time.Now()
	counts := check(func(u *dataset.Unit) []string {
		first := &u.DB.Tables[0]
		return []string{"ALTER TABLE " + sqldata.QuoteName(first.Original) + " RENAME TO first_table", "ALTER TABLE first_table ADD COLUMN note text"}
	})
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("all questions took %v, expected at most 20 s", took)
	}
	fmt.Fprintf(&report, "# all databases, the first table renamed and widened\n%s\n", counts)
	golden(t, "migratecheck", report.String())
}
