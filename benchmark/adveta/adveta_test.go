package adveta_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/benchmark/adveta"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, adveta.All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(adveta.All); err != nil {
		t.Error(err)
	}
}

// key names a record: an example under a sample.
type key struct{ example, sample int }

// editsOf returns the edits that each record of a run met.
func editsOf(t *testing.T, p *perturb.Perturbation, db *dataset.Database, examples []*perturb.Example, buckets dataset.Buckets) map[key][]perturb.Edit {
	variants, _ := perturbtest.Run(t, p, db, examples, buckets, 5, 1)
	edits := map[key][]perturb.Edit{}
	for _, v := range variants {
		for _, ex := range v.Examples {
			edits[key{ex.Index, v.Sample}] = v.Edits
		}
	}
	return edits
}

// TestDrawsIndependent checks that an example's perturbations depend neither on
// the other examples nor on their order.
func TestDrawsIndependent(t *testing.T) {
	units := perturbtest.Units(t, perturbtest.WriteSample(t))
	buckets := perturbtest.Buckets(t, "testdata/buckets.json", units)
	for _, p := range adveta.All {
		for _, u := range units {
			examples := perturbtest.Examples(t, u)
			all := editsOf(t, p, u.DB, examples, buckets)
			slices.Reverse(examples)
			for k, got := range editsOf(t, p, u.DB, examples[:len(examples)/2], buckets) {
				if diff := cmp.Diff(all[k], got); diff != "" {
					t.Errorf("%s: example %d, sample %d among fewer examples (-all +fewer):\n%s", p.Name, k.example, k.sample, diff)
				}
			}
		}
	}
}

// TestTied checks that columns of one name that a key ties get one name, also where only one has names.
func TestTied(t *testing.T) {
	db := &dataset.Database{ID: "d", Tables: []dataset.Table{
		{Name: "drug", Original: "drug", Columns: []dataset.Column{{Name: "drug id", Original: "drug_id"}, {Name: "price", Original: "price"}}},
		{Name: "order", Original: "orders", Columns: []dataset.Column{{Name: "drug id", Original: "drug_id"}}},
	}}
	key := func(table int) dataset.ColumnRef { return dataset.ColumnRef{Table: table} }
	db.ForeignKeys = []dataset.ForeignKey{{Column: key(1), Target: key(0)}}
	ex, err := perturb.NewExample(db, &dataset.Example{DB: "d", Question: "?", Query: "SELECT price FROM drug JOIN orders ON drug.drug_id = orders.drug_id"})
	if err != nil {
		t.Fatal(err)
	}
	names := func(all ...string) (b dataset.Bucket) {
		for _, n := range all {
			b.Replace = append(b.Replace, dataset.Candidate{Name: n})
		}
		return b
	}
	for _, second := range []dataset.Bucket{{}, names("medicine key", "medicine id", "medicine number", "medicine code"), names("ordered drug")} {
		buckets := dataset.Buckets{db.ColumnID(key(0)).Key(): names("medicine id", "medicine key", "medicine code", "medicine number"), db.ColumnID(key(1)).Key(): second}
		variants, _ := perturbtest.Run(t, adveta.Replace, db, []*perturb.Example{ex}, buckets, 4, 1)
		if len(variants) != 4 {
			t.Fatalf("%d variants, want 4", len(variants))
		}
		for _, v := range variants {
			if len(v.Edits) != 2 || v.Edits[0].(perturb.RenameColumn).Name != v.Edits[1].(perturb.RenameColumn).Name {
				t.Errorf("edits %v, want one name for both columns", v.Edits)
			}
		}
	}
}
