package perturb

import (
	"errors"
	"testing"
)

// TestMemoize computes a value once for all that share a memo, anew without one, and stores no failure.
func TestMemoize(t *testing.T) {
	type key struct{ name string }
	calls := 0
	count := func() (int, error) { calls++; return calls, nil }
	memo := new(Memo)
	for range 2 {
		if n, err := Memoize(memo, key{"a"}, count); n != 1 || err != nil {
			t.Errorf("the value is %d, %v, expected 1", n, err)
		}
	}
	if n, _ := Memoize(nil, key{"a"}, count); n != 2 {
		t.Errorf("without a memo the value is %d, expected a new one", n)
	}
	failure := errors.New("failure")
	if _, err := Memoize(memo, key{"b"}, func() (int, error) { return 0, failure }); err != failure {
		t.Errorf("the error is %v, expected the failure", err)
	}
	if n, err := Memoize(memo, key{"b"}, count); n != 3 || err != nil {
		t.Errorf("after a failure the value is %d, %v, expected a new one", n, err)
	}
}
