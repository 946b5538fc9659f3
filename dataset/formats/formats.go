// Package formats lists the formats of data sets and converts one into another.
package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/bird"
	"github.com/tabperturb/tabperturb/dataset/folder"
	"github.com/tabperturb/tabperturb/dataset/interaction"
	"github.com/tabperturb/tabperturb/dataset/squall"
	"github.com/tabperturb/tabperturb/dataset/wikisql"
	"github.com/tabperturb/tabperturb/dataset/wtq"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// All lists the formats; the first is the data directory that every command but
// convert works on.
var All = []*dataset.Format{Spider, wikisql.Format, wtq.Format, squall.Format, interaction.SParC, interaction.CoSQL, bird.Format, folder.Format}

// Names returns the names of the formats, in their order.
func Names() []string {
	return lists.Map(All, func(f *dataset.Format) string { return f.Name })
}

// Find returns the format of a name; the error lists those that there are.
func Find(name string) (*dataset.Format, error) {
	i := slices.IndexFunc(All, func(f *dataset.Format) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("format %q is unknown, expected one of %s", dataset.Clip(name), strings.Join(Names(), ", "))
	}
	return All[i], nil
}
