package evaluate_test

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
)

// Exact set match needs the schema alone.
func ExampleRun() {
	db := &dataset.Database{ID: "music", Tables: []dataset.Table{{
		Name: "singer", Original: "singer",
		Columns: []dataset.Column{
			{Name: "name", Original: "name", Type: dataset.Text},
			{Name: "age", Original: "age", Type: dataset.Number},
		},
	}}}
	gold := &dataset.Example{DB: "music", Query: "SELECT name FROM singer WHERE age > 40"}
	pairs := func(_ func(error), each func(*dataset.Pair) error) error {
		for _, prediction := range []string{
			"SELECT T1.name FROM singer AS T1 WHERE T1.age > 40",
			"SELECT name FROM singer",
		} {
			if err := each(&dataset.Pair{Example: gold, Prediction: prediction}); err != nil {
				return err
			}
		}
		return nil
	}
	o := evaluate.Options{Metrics: evaluate.Metrics()[:1], Databases: map[string]*dataset.Database{"music": db}}
	err := evaluate.Run(context.Background(), pairs, o, func(r *evaluate.Record) error {
		fmt.Printf("%s: %v %q\n", o.Metrics[0].Name, r.Scores[0].Verdict, r.Scores[0].Reason)
		return nil
	})
	fmt.Println(err)
	// Output:
	// exact: right ""
	// exact: wrong "other clauses"
	// <nil>
}
