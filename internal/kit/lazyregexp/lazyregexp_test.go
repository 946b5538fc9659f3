package lazyregexp

import "testing"

// TestNew sees that tests find a wrong pattern before it is used, and that the program
// compiles none that it does not use.
func TestNew(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	if !panics(func() { New("(") }) {
		t.Error("a wrong pattern passes in a test")
	}
	defer func(was bool) { tested = was }(tested)
	tested = false
	r := New("(")
	if r.compiled != nil || !panics(func() { r.MatchString("") }) {
		t.Error("a wrong pattern is compiled before it is used, or never")
	}
	if got := New("b+").FindString("abbc"); got != "bb" {
		t.Errorf("b+ finds %q in abbc", got)
	}
}
