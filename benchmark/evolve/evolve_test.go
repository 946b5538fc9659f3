package evolve

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestGolden(t *testing.T) { perturbtest.GoldenAll(t, All) }

func TestValid(t *testing.T) {
	if err := perturb.Validate(All); err != nil {
		t.Error(err)
	}
}

// TestCut checks that a table is split near its middle, that columns of one kind or group stay together, and that names stay.
func TestCut(t *testing.T) {
	for columns, want := range map[string]int{
		"name,age,city,team":                                        2,
		"first name,last name,age,email":                            2,
		"title,city,first name,last name":                           0,
		"rank,points,street,city,phone":                             2,
		"make,model,start date,end date,price":                      2,
		"support rate,consider rate,oppose rate,unsure rate":        0,
		"name,age,city":                                             0,
		"number,name,origin,destination,time,interval":              4,
		"id,name,head office,sales usd,profit usd,assets usd,notes": 3,
	} {
		got := cut(dataset.Table{Name: "offer"}, lists.Map(strings.Split(columns, ","), func(name string) dataset.Column { return dataset.Column{Name: name} }))
		if got != want {
			t.Errorf("cut(%s) = %d, want %d", columns, got, want)
		}
	}
}

func TestAreNumbered(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"meter 100", "meter 200", true}, {"meter 100", "meter 100", false}, {"meter 100", "lap 200", false}, {"100", "200", false}, {"home score", "away score", false},
	} {
		if got := areNumbered(dataset.Column{Name: tt.a}, dataset.Column{Name: tt.b}); got != tt.want {
			t.Errorf("%q, %q: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
