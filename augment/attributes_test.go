package augment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/rerank"
)

func attributed() *Augmenter {
	r := Resources{Selector: rerank.NewSelector(&rerank.Reranker{Vectors: lexicon.Default()}), Seed: 1}
	return &Augmenter{Sources: []Source{attributesSource}, Resources: r}
}

// ofColumn returns the proposals for a column.
func ofColumn(proposed []Judged, column int) []Judged {
	return slices.DeleteFunc(slices.Clone(proposed), func(j Judged) bool { return j.Column != column })
}

// TestAttributedSample pins what is proposed for a table of each database of the
// sample.
func TestAttributedSample(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, sample.Data()); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, u := range perturbtest.Units(t, dir) {
		proposed, err := attributed().Propose(t.Context(), u, 1)
		if err != nil {
			t.Fatal(err)
		}
		table := &u.DB.Tables[1]
		fmt.Fprintf(&got, "%s.%s\n", u.DB.ID, table.Original)
		for i, column := range table.Columns {
			fmt.Fprintf(&got, "  %s\n", column.Name)
			for _, c := range ofColumn(proposed, i) {
				fmt.Fprintf(&got, "    %s (%s: %s)\n", c.Name, c.Type, strings.Join(c.Cells[:2], ", "))
			}
		}
	}
	golden := filepath.Join("testdata", "attributed.golden")
	if flag.Lookup("update").Value.String() == "true" { // the flag of perturbtest
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func TestAttributed(t *testing.T) {
	unit := func(table string, columns ...string) *dataset.Unit {
		db := &dataset.Database{ID: "d", Tables: []dataset.Table{{Name: table, Original: "T"}}}
		for _, c := range columns {
			db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: c, Original: c})
		}
		return &dataset.Unit{DB: db}
	}
	for _, tt := range []struct {
		name     string
		unit     *dataset.Unit
		evidence string // "" for no proposals
	}{
		{"by name", unit("pop singers", "title", "net worth"), "pop singers"},
		{"not by its first column", unit("table 1-2", "film id", "year"), ""},
		{"unknown", unit("qqqzzz", "foo", "singer"), ""},
		{"no columns", unit("table 1-2"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := attributed()
			proposed, err := a.Propose(t.Context(), tt.unit, 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tt.unit.DB.Tables[0].Columns {
				list := ofColumn(proposed, i)
				if want := maxAttributes; tt.evidence == "" && len(list) != 0 || tt.evidence != "" && len(list) != want {
					t.Errorf("column %d: %d proposals, want %d", i, len(list), want)
				}
				for _, c := range list {
					if c.Source != "attributes" || c.Evidence != tt.evidence || len(c.Cells) < 2 || c.Type == "" {
						t.Errorf("proposal %+v, want one of %q with type and cells", c, tt.evidence)
					}
				}
			}
			again, _ := a.Propose(t.Context(), tt.unit, 0)
			if diff := cmp.Diff(proposed, again, cmpopts.IgnoreUnexported(Judged{})); diff != "" {
				t.Errorf("proposed again (-first +second):\n%s", diff)
			}
		})
	}
}

// What a table has is not proposed again, and what is has one set of values.
func TestAttributedBesideColumns(t *testing.T) {
	a := attributed()
	table := dataset.Table{Name: "singer", Original: "singer", Columns: []dataset.Column{
		{Name: "name", Original: "name"}, {Name: "net worths", Original: "NetWorth"},
	}}
	proposed, err := a.Propose(t.Context(), &dataset.Unit{DB: &dataset.Database{ID: "d", Tables: []dataset.Table{table}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string][]string{}
	for _, c := range proposed {
		if c.Name == "name" || c.Name == "net worth" {
			t.Errorf("%s is proposed, which the table has", c.Name)
		}
		if before := cells[c.Name]; before != nil && !slices.Equal(before, c.Cells) {
			t.Errorf("%s has the values %q and %q", c.Name, before, c.Cells)
		}
		cells[c.Name] = c.Cells
		if seen := slices.Compact(slices.Sorted(slices.Values(c.Cells))); len(seen) != len(c.Cells) {
			t.Errorf("%s has a value twice: %q", c.Name, c.Cells)
		}
	}
	if len(cells) < 10 {
		t.Errorf("%d attributes of a singer, want more", len(cells))
	}
}

// Whatever the classes say that a table is about has attributes.
func TestEntityClassesAreKnown(t *testing.T) {
	for _, class := range nli.EntityClasses() {
		if lexicon.DefaultAttributes().Of(class) == nil {
			t.Errorf("no attributes of %q", class)
		}
	}
}
