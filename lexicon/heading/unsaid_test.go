package heading

import "testing"

func TestIsUnsaid(t *testing.T) {
	for _, test := range []struct {
		name, other string
		want        bool
	}{
		{"learner id", "student id", true}, {"given name", "first name", false}, {"class name", "class title", false}, {"town", "city", true},
	} {
		if got := IsUnsaid(test.name, test.other); got != test.want {
			t.Errorf("%q for %q: %v, want %v", test.name, test.other, got, test.want)
		}
	}
}
