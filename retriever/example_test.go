package retriever_test

import (
	"context"
	"fmt"

	"github.com/tabperturb/tabperturb/internal/engine/sample"
	"github.com/tabperturb/tabperturb/retriever"
)

// The web table nearest to a table, in the embedded sample of a corpus.
func Example() {
	tables, err := retriever.OpenFS(sample.Corpus(), "jsonl", ".", retriever.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	index, _, err := retriever.BuildTemp(context.Background(), tables, retriever.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer index.Close()
	hits, err := index.Search(context.Background(), retriever.Query{Name: "singer", Headers: []string{"name", "age", "country"}}, 1)
	for _, hit := range hits {
		fmt.Println(hit.Table.Caption, hit.Table.Headers())
	}
	fmt.Println(err)
	// Output:
	// Singers and their voices [Singer Voice type Country of birth Born Age Debut]
	// <nil>
}
