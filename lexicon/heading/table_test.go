package heading

import (
	"slices"
	"testing"
)

func TestTables(t *testing.T) {
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"customers", []string{"clients", "custs"}},
		{"car makers", []string{"car manufacturers"}},
		{"staff department assignments", []string{"employee department assignments", "staff member department assignments"}},
		{"web client accelerator", nil}, // the client is no customer
		{"students", nil},
		{"", nil},
	} {
		if got := Default().Tables(tt.name); !slices.Equal(got, tt.want) {
			t.Errorf("%q may be called %q, want %q", tt.name, got, tt.want)
		}
	}
}
