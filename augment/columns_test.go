package augment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
)

func TestTrimNear(t *testing.T) {
	add := func() Column {
		return Column{Bucket: dataset.Bucket{Add: []dataset.Candidate{
			{Name: "venue", Validity: 0.95, Association: 0.1},
			{Name: "director", Validity: 0.82, Association: 0.1, Support: 9},
			{Name: "end date", Validity: 0.9, Association: 0.9},
			{Name: "unknown", Validity: 0.85},
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

// TestRejectFar spares a far name only if a table supports it or if it is plausible.
func TestRejectFar(t *testing.T) {
	for _, tt := range []struct {
		names []dataset.Candidate
		want  string
	}{
		{[]dataset.Candidate{{Name: "phone", Association: 0.04}}, ""},
		{[]dataset.Candidate{{Name: "phone", Association: 0.04}, {Name: "fax", Association: 0.2}, {Name: "email", Association: 0.3}}, "fax"},
		{[]dataset.Candidate{{Name: "fax", Association: 0.2}, {Name: "phone", Association: 0.04, Support: 9}}, "phone"},
		{[]dataset.Candidate{{Name: "phone", Association: 0.04}, {Name: "icon", Association: 0.9}}, "icon"},
	} {
		c := Column{Bucket: dataset.Bucket{Add: slices.Clone(tt.names)}}
		c.rejectFar()
		if got := strings.Join(names(c.Bucket.Add), " "); got != tt.want {
			t.Errorf("of %v remain %q, expected %q", tt.names, got, tt.want)
		}
	}
}

// TestRejectUnsure holds that a bucket keeps a doubtful name only where it has no better one.
func TestRejectUnsure(t *testing.T) {
	names := func(validities ...float64) (out []dataset.Candidate) {
		for _, v := range validities {
			out = append(out, dataset.Candidate{Name: fmt.Sprint(v), Validity: v})
		}
		return out
	}
	for _, tt := range []struct {
		validities []float64
		want       int
	}{
		{[]float64{0.9, 0.85, 0.6}, 2},
		{[]float64{0.6, 0.55}, 1},
		{[]float64{0.6, 0.9}, 1},
		{[]float64{0, 0}, 2}, // not predicted
		{nil, 0},
	} {
		c := Column{Bucket: dataset.Bucket{Add: names(tt.validities...)}}
		c.rejectUnsure()
		if len(c.Bucket.Add) != tt.want || len(c.Bucket.Add)+len(c.Rejected) != len(tt.validities) {
			t.Errorf("of %v are kept %v, want %d", tt.validities, c.Bucket.Add, tt.want)
		}
	}
}

func TestIsKeyOfRows(t *testing.T) {
	table := &dataset.Table{Name: "purchase orders"}
	for _, tt := range []struct {
		column, name string
		want         bool
	}{
		{"id", "order id", true}, {"id", "purchase order id", true}, {"id", "customer id", false}, {"order number", "order id", false},
	} {
		if got := isKeyOfRows(table, tt.column, tt.name); got != tt.want {
			t.Errorf("%q for %q: %v, want %v", tt.name, tt.column, got, tt.want)
		}
	}
}

func TestReplacedWords(t *testing.T) {
	for _, tt := range []struct{ column, name, from, to string }{
		{"tax form id", "tax form identifier", "id", "identifier"},
		{"customer ids", "client id", "customer", "client"},
		{"date of birth", "date of death", "birth", "death"},
		{"order id", "order id number", "", ""}, // only adds a word
		{"name", "title", "", ""},
		{"sub total", "net amount", "", ""},
	} {
		if from, to := replacedWords(tt.column, tt.name); from != tt.from || to != tt.to {
			t.Errorf("%q for %q: %q becomes %q, want %q becomes %q", tt.name, tt.column, from, to, tt.from, tt.to)
		}
	}
}
