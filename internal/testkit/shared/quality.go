package shared

import "testing"

// Whole reports whether this is `make quality`.
func Whole() bool { return quality }

// Quality skips a test that `make quality` runs, which has the build tag quality:
// one of whole public data sets, too long for every `make test`.
func Quality(tb testing.TB) {
	tb.Helper()
	if !quality {
		tb.Skip("skipped: of make quality")
	}
}

// Every returns n, or 1 in `make quality`: a test that looks at each n-th of
// many inputs looks there at all.
func Every(n int) int {
	if quality {
		return 1
	}
	return n
}
