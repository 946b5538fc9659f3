package benchmark_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/benchmark/drspider/content"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

// TestContentAnswers counts the records of Spider dev whose gold SQL, over the recoded
// database, answers in another unit, format or flag than before. There must be none: the
// rows are the same text, but for blanks and commas where a name came apart.
func TestContentAnswers(t *testing.T) {
	data := spiderDev(t)
	c := sampleConfig(t)
	c.Perturbations, c.Buckets, c.Report = content.All, nil, func(err error) { t.Log(err) }
	out, m := mustBuild(t, data, c)
	files := map[string]string{}
	for _, u := range perturbtest.Units(t, data) {
		files[u.DB.ID] = u.DB.SQLite
	}
	post := filepath.Join(out, content.Equivalence.Name, "post", "database")
	other := 0
	records := readRecords(t, out)
	for _, r := range records {
		before := perturbtest.Query(t, files[r.DBPre], r.QueryPre)
		after := perturbtest.Query(t, filepath.Join(post, r.DBPost, r.DBPost+".sqlite"), r.QueryPost)
		if !slices.Equal(bareRows(before), bareRows(after)) {
			other++
			t.Errorf("example %d: %s\nnow: %s", r.Example, r.QueryPre, r.QueryPost)
		}
	}
	t.Logf("%d of %d records answer in another unit, format or flag; %v", other, len(records), m.Perturbations[0].Rejected)
	if len(records) < 100 {
		t.Errorf("%d records, want at least 100", len(records))
	}
}

// bareRows returns the rows as text without blanks and commas, sorted.
func bareRows(answer *sqldata.Result) []string {
	var rows []string
	for _, row := range answer.Rows {
		var text strings.Builder
		for _, v := range row {
			text.WriteString(v.String())
		}
		rows = append(rows, strings.NewReplacer(" ", "", ",", "").Replace(text.String()))
	}
	slices.Sort(rows)
	return rows
}
