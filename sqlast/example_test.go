package sqlast_test

import (
	"fmt"

	"github.com/tabperturb/tabperturb/sqlast"
)

func Example() {
	q, err := sqlast.Parse("select T1.name from singer T1 where age > 20 and country = \"USA\"")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q)
	b, err := sqlast.Resolve(q, testCatalog)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Columns(), b.Problems)
	renamed, err := sqlast.Rename(q, b, sqlast.Renaming{
		Columns: map[sqlast.BaseColumn]string{{Table: "singer", Column: "name"}: "Stage Name"},
	})
	fmt.Println(renamed, err)
	// Output:
	// SELECT T1.name FROM singer AS T1 WHERE age > 20 AND country = "USA"
	// [{Singer Name} {Singer age} {Singer country}] []
	// SELECT T1."Stage Name" FROM singer AS T1 WHERE age > 20 AND country = "USA" <nil>
}

// A column gives way to an expression; parentheses come where they are needed.
func ExampleRewrite() {
	q, err := sqlast.Parse("SELECT name FROM singer WHERE age * 2 > 40 ORDER BY age ASC LIMIT 3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sqlast.Rewrite(q, func(n sqlast.Node) sqlast.Node {
		switch n := n.(type) {
		case *sqlast.ColumnRef:
			if n.Column.Is("age") {
				year := &sqlast.ColumnRef{Column: sqlast.NewIdent("birth year")}
				return &sqlast.Binary{Op: "-", X: &sqlast.Literal{Text: "2024"}, Y: year}
			}
		case *sqlast.Literal:
			if n.Text == "40" {
				return &sqlast.Literal{Text: "50"}
			}
		case *sqlast.OrderTerm:
			return &sqlast.OrderTerm{Expr: n.Expr, Dir: sqlast.Desc}
		case *sqlast.Limit:
			return nil
		}
		return n
	}))
	// Output:
	// SELECT name FROM singer WHERE (2024 - "birth year") * 2 > 50 ORDER BY age DESC
}
