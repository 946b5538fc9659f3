package retriever

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestInferType(t *testing.T) {
	for _, tc := range []struct {
		cells string // parted by |
		want  dataset.Type
	}{
		{"", dataset.Text},
		{"-|n/a|", dataset.Text},
		{"1|2|-3.5|+4|$1,200.50|45 %|12*", dataset.Number},
		{"1990|1991", dataset.Number},
		{"1|2|3|4|draw", dataset.Number},
		{"1|2|3|draw|draw", dataset.Text},
		{"1.2.3|4.5.6", dataset.Text},
		{"6-4|7-5", dataset.Text},
		{"1-2-3x|x", dataset.Text},
		{"yes|No|Y", dataset.Boolean},
		{"yes|no|maybe", dataset.Text},
		{"2001-02-03|2001/02/03|3.2.2001|2/13/2001", dataset.Time},
		{"May 3, 2014|9 June 2014|Sep 1999|12 March", dataset.Time},
		{"08:15|9:05 PM|10:15:20", dataset.Time},
		{"2001-02-03T04:05:06Z", dataset.Time},
		{"2001-99-03|x2001-02-03", dataset.Text},
		{"March of 1999|May", dataset.Text},
		{"Oslo|Bergen", dataset.Text},
		{"٣|४", dataset.Text},
	} {
		if got := InferType(strings.Split(tc.cells, "|")); got != tc.want {
			t.Errorf("InferType(%s) = %s, want %s", tc.cells, got, tc.want)
		}
	}
}
