//go:build quality

package names_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/retriever"
)

// web is the headers of TabFact and WTQ: those with a letter.
type web struct {
	tables  [][]string
	names   []string    // distinct, sorted
	vectors [][]float32 // of names; nil where no word is known
}

func newWeb(t *testing.T) *web {
	w := &web{}
	distinct := map[string]bool{}
	skipped := 0
	for _, s := range [][]string{{"tabfact", "tabfact", "all_csv.tar.gz"}, {"csv", "wtq", "csv.tar.gz"}} {
		tables, err := retriever.Open(s[0], shared.File(t, "data", s[1], s[2]), retriever.Limits{Rows: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = tables(func(error) { skipped++ }, func(table *retriever.Table) error {
			headers := slices.DeleteFunc(table.Headers(), func(n string) bool { return !hasLetter(n) })
			if len(headers) > 0 {
				w.tables = append(w.tables, headers)
			}
			for _, n := range headers {
				distinct[n] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.names = slices.Sorted(maps.Keys(distinct))
	for _, n := range w.names {
		v, _, _ := lexicon.Phrase(lexicon.Default(), n)
		w.vectors = append(w.vectors, v)
	}
	t.Logf("%d tables with %d distinct headers, %d without a header", len(w.tables), len(w.names), skipped)
	return w
}

// nearest returns the headers nearest to a name by the embedded vectors, without
// the name itself.
func (w *web) nearest(name string, limit int) []string {
	target, _, _ := lexicon.Phrase(lexicon.Default(), name)
	if target == nil {
		return nil
	}
	cosines := make([]float32, len(w.names))
	order := make([]int, len(w.names))
	for i, v := range w.vectors {
		order[i], cosines[i] = i, -1
		if v != nil {
			cosines[i] = lexicon.Dot(target, v)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
	seen := map[string]bool{fold(name): true}
	var out []string
	for _, i := range order {
		if f := fold(w.names[i]); !seen[f] && len(out) < limit {
			seen[f] = true
			out = append(out, w.names[i])
		}
	}
	return out
}

// columnPool draws columns of Spider.
type columnPool struct {
	rng     *rand.Rand
	columns []column
}

func otherColumns(t *testing.T) *columnPool {
	dbs, err := dataset.Schemas(shared.File(t, "data", "spider", "tables.json"), func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	p := &columnPool{rng: rand.New(rand.NewPCG(1, 1))}
	for _, id := range slices.Sorted(maps.Keys(dbs)) {
		for _, table := range dbs[id].Tables {
			for _, c := range table.Columns {
				p.columns = append(p.columns, column{id, table.Name, c.Name})
			}
		}
	}
	return p
}

// draw returns a column of another database than target's and another name.
func (p *columnPool) draw(target column) string {
	for {
		if c := p.columns[p.rng.IntN(len(p.columns))]; c.db != target.db && fold(c.column) != fold(target.column) {
			return c.column
		}
	}
}
