package dataset_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sample"
)

// A data directory is read as databases, each with its questions.
func ExampleUnits() {
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := sample.WriteData(context.Background(), dir); err != nil {
		fmt.Println(err)
		return
	}
	units, err := dataset.Units(dir, "dev", func(problem error) { fmt.Println(problem) })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, unit := range units[:2] {
		fmt.Printf("%s: %d tables, %d questions\n", unit.DB.ID, len(unit.DB.Tables), len(unit.Examples))
	}
	fmt.Println(units[0].Examples[0].Question, units[0].Examples[0].Query)
	// Output:
	// town_library: 4 tables, 16 questions
	// harbor_clinic: 4 tables, 15 questions
	// How many books does the library hold? SELECT count(*) FROM books
}
