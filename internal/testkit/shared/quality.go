package shared

import "testing"

// Whole reports whether this is `make quality`.
func Whole() bool { return quality }

// Quality skips a test unless `make quality` runs it, with the build tag quality: a
// test of whole public data sets takes too long for every `make test`.
func Quality(tb testing.TB) {
	tb.Helper()
	if !quality {
		tb.Skip("skipped: of make quality")
	}
}

// Every returns n, or 1 in `make quality`, where a test that otherwise looks at every
// n-th of many inputs looks at all of them.
func Every(n int) int {
	if quality {
		return 1
	}
	return n
}
