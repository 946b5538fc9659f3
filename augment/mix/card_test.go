package mix

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCard compares two cards, of a mix with all that may be said and of one with
// little, with their golden files; -update, a flag of perturbtest, writes them.
func TestCard(t *testing.T) {
	rate := 0.25
	for _, test := range []struct {
		name string
		m    mixer
	}{
		{"adaptive", mixer{
			Config: Config{Licence: "cc-by-sa-4.0", Command: "tabperturb mix --data spider --build one --build two --strategy adaptive --consistency rates.json --seed 7"},
			manifest: Manifest{
				Version: Version, Seed: 7, Strategy: Adaptive, Originals: 7000, Drawn: 6000, Rows: 13000, Databases: 2140,
				Data: &Source{Name: "spider", Split: "train", Inputs: []Input{{"tables.json", "01"}, {"train.json", "02"}}},
				Builds: []Source{
					{Name: "one", Split: "train", Inputs: []Input{{"manifest.json", "03"}, {"records.parquet", "04"}}, From: []Input{{"train.json", "02"}, {"wordnet", ""}}},
					{Name: "two", Split: "train", Inputs: []Input{{"manifest.json", "05"}, {"records.parquet", "06"}}},
				},
				Rates:     &Input{"rates.json", "07"},
				Exclude:   []Source{{Name: "spider", Split: "dev", Databases: 20}},
				Relations: []Relation{{"adveta/add", "invariant", 7000, 6900, &rate, 3000, 4000}, {"adveta/replace", "renamed", 5000, 4000, &rate, 2000, 2000}},
			},
		}},
		{"all", mixer{
			Config: Config{Command: "tabperturb mix --build one --strategy all --seed 1"},
			manifest: Manifest{
				Version: Version, Seed: 1, Strategy: All, Originals: 6, Drawn: 7, Rows: 13, Databases: 2,
				Builds:    []Source{{Name: "one", Split: "dev", Inputs: []Input{{"manifest.json", "01"}, {"records.parquet", "02"}}}},
				Relations: []Relation{{Name: "adveta/add", Relation: "invariant", Records: 8, Distinct: 7, First: 7, Drawn: 7}},
			},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.m.card()
			golden := filepath.Join("testdata", test.name+".golden.md")
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("card (-want +got):\n%s", diff)
			}
		})
	}
}
