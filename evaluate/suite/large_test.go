package suite

import (
	"context"
	"slices"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestLargeContentLast tries a schema's content as it is and as large content, which is
// tried behind the random databases and kept all the same.
func TestLargeContentLast(t *testing.T) {
	units, _ := sampleUnits(t)
	u := units[0]
	forward := func(rows, databases int) (*Schema, []candidate) {
		s := schemaOf(t, u.DB)
		for len(s.content[0]) < rows {
			s.content[0] = append(s.content[0], make([]sqldata.Value, len(s.tables[0].columns)))
		}
		c := Config{Databases: databases, Depth: 1, Seed: 1, Workers: 1, Nulls: NullsObserved}
		c.lanes = semaphore.NewWeighted(1)
		result := &Schema{ID: u.DB.ID}
		kept, err := c.forwardPass(context.Background(), s, u, result)
		if err != nil {
			t.Fatal(err)
		}
		return result, kept
	}
	small, _ := forward(0, 40)
	large, kept := forward(largeContent+1, 40)
	if first := large.Curve[0].Left; first != large.Neighbours || small.Curve[0].Left == small.Neighbours {
		t.Errorf("before random databases %d of %d neighbours are left on large content, %d of %d on small", first, large.Neighbours, small.Curve[0].Left, small.Neighbours)
	}
	if kept[0].tried != 0 || kept[0].rows == nil {
		t.Errorf("the first kept is database %d, want the own content", kept[0].tried)
	}
	for databases := range 4 {
		large, _ := forward(largeContent+1, databases)
		behind := func(p, before Point) int { return p.Tried - before.Tried - 1 } // negative where it is not
		if c := large.Curve; !slices.IsSortedFunc(c, behind) || c[len(c)-1].Tried > databases {
			t.Errorf("the curve of %d databases is %v, expected a point for each number", databases, c)
		}
	}
}
