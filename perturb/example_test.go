package perturb_test

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// Edits are data. They are applied to the schema, and the gold SQL follows.
func Example() {
	db := &dataset.Database{ID: "music", Tables: []dataset.Table{{
		Name: "singer", Original: "singer",
		Columns: []dataset.Column{
			{Name: "name", Original: "name", Type: dataset.Text},
			{Name: "age", Original: "age", Type: dataset.Number},
		},
	}}}
	ex, err := perturb.NewExample(db, &dataset.Example{
		DB:       "music",
		Question: "Which singers are over 40?",
		Query:    "SELECT name FROM singer WHERE age > 40",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	edits := []perturb.Edit{perturb.RenameColumn{Table: "singer", Column: "name", Name: "stage_name", Natural: "stage name"}}
	after, err := perturb.ApplySchema(db, edits)
	if err != nil {
		fmt.Println(err)
		return
	}
	gold, err := perturb.RewriteGold(ex, edits, after)
	fmt.Println(after.Tables[0].Columns[0].Original)
	fmt.Println(gold, err)
	// Output:
	// stage_name
	// SELECT stage_name FROM singer WHERE age > 40 <nil>
}
