package suite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/sqlast"
)

// singers is a schema of one table.
type singers struct{}

func (singers) Columns(table string) ([]string, bool) {
	return []string{"name", "age"}, strings.EqualFold(table, "singer")
}

func (singers) Type(table, column string) string {
	if strings.EqualFold(column, "age") {
		return "INTEGER"
	}
	return "TEXT"
}

// Neighbours differ from a query in one place. A suite keeps the databases on
// which they answer otherwise.
func ExampleNeighbours() {
	q, err := sqlast.Parse("SELECT name FROM singer WHERE age > 40")
	if err != nil {
		fmt.Println(err)
		return
	}
	neighbours, err := suite.Neighbours(q, singers{}, rand.New(rand.NewPCG(1, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range neighbours[:3] {
		fmt.Println(n.Kind, n.SQL)
	}
	// Output:
	// drop SELECT name FROM singer
	// column SELECT age FROM singer WHERE age > 40
	// operator SELECT name FROM singer WHERE age = 40
}
