package benchmark

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestSelection: what is selected is in the order of the split, and no interaction is cut.
func TestSelection(t *testing.T) {
	units := []*dataset.Unit{
		{DB: &dataset.Database{ID: "a"}, Examples: []*dataset.Example{
			{Index: 0, DB: "a", ID: "x0"}, {Index: 3, DB: "a", Interaction: 1, Turn: 1, ID: "x3"}, {Index: 4, DB: "a", Interaction: 1, Turn: 2, ID: "7"},
		}},
		{DB: &dataset.Database{ID: "b"}, Examples: []*dataset.Example{{Index: 1, DB: "b"}, {Index: 2, DB: "b"}, {Index: 7, DB: "b"}}},
	}
	for _, c := range []struct {
		name string
		s    Selection
		file string
		want []int // nil for an error
	}{
		{"all", Selection{}, "", []int{0, 1, 2, 3, 4, 7}},
		{"limit over databases", Selection{Limit: 3}, "", []int{0, 1, 2}},
		{"limit within an interaction", Selection{Limit: 4}, "", []int{0, 1, 2}},
		{"limit after an interaction", Selection{Limit: 5}, "", []int{0, 1, 2, 3, 4}},
		{"limit within the first interaction", Selection{Limit: 1}, "x3\n", nil},
		{"databases", Selection{Databases: []string{"b"}, Limit: 2}, "", []int{1, 2}},
		{"another database", Selection{Databases: []string{"c"}}, "", nil},
		{"ids and positions", Selection{}, "x0\n\n#7\n", []int{0, 7}},
		{"a turn brings the others", Selection{}, "7\n", []int{3, 4}},
		{"a position that is no id", Selection{}, "1\n", nil},
		{"nothing", Selection{}, "\n", nil},
	} {
		if c.file != "" {
			c.s.File = filepath.Join(t.TempDir(), "examples.txt")
			if err := os.WriteFile(c.s.File, []byte(c.file), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		some, word, err := c.s.Pick(units)
		var got []int
		for _, ex := range inOrder(some) {
			got = append(got, ex.Index)
		}
		if (err != nil) != (c.want == nil) || !slices.Equal(got, c.want) || err == nil && (word == "") != (len(got) == 6) {
			t.Errorf("%s: got %v %q (%v), want %v", c.name, got, word, err, c.want)
		}
	}
}
