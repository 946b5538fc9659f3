package disjoint

import "testing"

func TestSets(t *testing.T) {
	s := Sets[string]{}
	s.Join("a", "b")
	s.Join("c", "d")
	s.Join("d", "a")
	for _, x := range []string{"a", "b", "c", "d"} {
		if got := s.Find(x); got != "b" {
			t.Errorf("the representative of %s is %s, expected b", x, got)
		}
	}
	if got := s.Find("e"); got != "e" {
		t.Errorf("the representative of e, which was never joined, is %s", got)
	}
}
