package robustness_test

import (
	"fmt"
	"os"

	"github.com/tabperturb/tabperturb/evaluate/robustness"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
)

func Example() {
	tally := robustness.NewTally("exec", nil)
	for i := range 100 {
		post := verdict.Right
		if i%4 == 0 {
			post = verdict.Wrong
		}
		tally.Add(robustness.Record{
			Perturbation: "adveta/replace", DB: fmt.Sprint("db", i%7),
			Pre: verdict.Right, Post: post,
		})
	}
	if err := robustness.Write(os.Stdout, "text", []*robustness.Table{tally.Table(stats.Bootstrap{Seed: 1})}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// exec
	//         perturbation  #    pre                   post               change                relative           p
	// adveta  replace       100  100.0 [100.0, 100.0]  75.0 [73.0, 77.6]  -25.0 [-27.0, -22.4]  75.0 [73.0, 77.6]  <0.001
	//
	// accuracy in % with its 95% interval by database (2000 draws, seed 1); relative: of the right before, the right after;
	// averages are over perturbations; p: McNemar's test, pooled in averages, which takes records as independent
}
