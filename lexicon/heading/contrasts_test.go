package heading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

func TestContrasts(t *testing.T) {
	th := Default()
	for _, tt := range []struct {
		column Column
		want   []string
	}{
		{Column{Name: "max speed"}, []string{"min speed"}},
		{Column{Name: "valid from"}, []string{"valid to"}},
		{Column{Name: "billing city"}, []string{"shipping city", "billing state"}},
		{Column{Name: "created at", Other: []string{"updated at"}}, []string{"deleted at"}}, // what the table has is not named
		{Column{Name: "order date", Other: []string{"shipment date"}}, nil},
		{Column{Name: "shipment date"}, nil}, // one way
		{Column{Name: "credits"}, nil},
	} {
		var got []string
		for _, n := range th.Names(tt.column).Add {
			if n.Contrast {
				got = append(got, n.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.column, diff)
		}
	}
}

func TestReadContrasts(t *testing.T) {
	th := newThesaurus(&Classes{terms: map[string]map[string]bool{}})
	var faults []string
	err := th.readContrasts(normal{}, "pairs", strings.NewReader("alone\nmin {}, max {}\nA b, c\n"), func(err error) { faults = append(faults, err.Error()) })
	if err != nil || len(faults) != 2 {
		t.Errorf("faults %q, error %v; want two faults: a heading alone, and a capital", faults, err)
	}
	ctx := th.context(Column{Name: "max load"})
	got := lists.Map(th.withContrasts(ctx, th.forms("max load"), Names{}), func(n Name) string { return n.Text })
	if diff := cmp.Diff([]string{"min load"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
