package augment

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestTrimNear(t *testing.T) {
	add := func() Column {
		return Column{Bucket: dataset.Bucket{Add: []dataset.Candidate{
			{Name: "venue", Validity: 0.95, Association: 0.1},
			{Name: "director", Validity: 0.7, Association: 0.1, Support: 9},
			{Name: "end date", Validity: 0.8, Association: 0.9},
			{Name: "unknown", Validity: 0.75},
		}}}
	}
	for _, tt := range []struct {
		prefer dataset.Prefer
		want   []string
	}{
		{dataset.Near, []string{"end date", "director", "unknown"}},
		{dataset.Even, []string{"venue", "end date", "unknown", "director"}},
	} {
		c := add()
		(&Augmenter{Prefer: tt.prefer, Validity: &Validity{}}).trim(&c)
		if diff := cmp.Diff(tt.want, names(c.Bucket.Add)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.prefer, diff)
		}
		if len(c.Rejected)+len(c.Bucket.Add) != 4 {
			t.Errorf("%s: %d names rejected, want all others", tt.prefer, len(c.Rejected))
		}
	}
}
