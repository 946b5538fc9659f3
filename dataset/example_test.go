package dataset_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/sample"
)

// A data directory is read a database at a time, each with its questions.
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
	for unit, err := range dataset.Units(dir, "dev") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d tables, %d questions\n", unit.DB.ID, len(unit.DB.Tables), len(unit.Examples))
		fmt.Println(unit.Examples[0].Question, unit.Examples[0].Query)
		break
	}
	// Output:
	// town_library: 4 tables, 16 questions
	// How many books does the library hold? SELECT count(*) FROM books
}
