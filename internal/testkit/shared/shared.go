// Package shared finds the folder of public data that tests and benchmarks read
// where a checkout has one beside it. The product never needs it.
package shared

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the folder shared next to the checkout, which holds the public data. Without it, it skips the test.
func Dir(tb testing.TB) string {
	tb.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared")
	if _, err := os.Stat(filepath.Join(dir, "data", "README.md")); err != nil {
		tb.Skipf("skipped: no public data at ../shared beside the checkout")
	}
	return dir
}

// File returns the path of a file below the shared folder, or skips the test.
func File(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{Dir(tb)}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("skipped: ../shared lacks %s", filepath.Join(elem...))
	}
	return path
}
