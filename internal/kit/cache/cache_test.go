package cache

import "testing"

// TestCache checks that a full cache starts afresh and keeps its answers.
func TestCache(t *testing.T) {
	var c Cache[string]
	computed := 0
	get := func(k Key) string {
		return c.Get(k, 2, func(k Key) string {
			computed++
			return k.Before + k.Text + "!"
		})
	}
	for _, k := range []Key{{"", "a"}, {"", "a"}, {"b", "a"}, {"", "c"}, {"", "a"}} {
		if got := get(k); got != k.Before+k.Text+"!" {
			t.Errorf("%q for %q", got, k)
		}
		if len(c.values) > 2 {
			t.Errorf("%d values, expected at most 2", len(c.values))
		}
	}
	if computed != 4 {
		t.Errorf("computed %d times, expected 4", computed)
	}
	if c.Clear(); get(Key{"", "a"}) != "a!" || computed != 5 {
		t.Errorf("computed %d times after all values were dropped, expected 5", computed)
	}
}
