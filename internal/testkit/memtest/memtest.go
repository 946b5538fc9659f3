// Package memtest measures the memory of tests.
package memtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ForgetPeak resets the peak memory of this process, which [Peak] returns, where the system can do that.
func ForgetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // without it the peak is too high, never too low
}

// Peak returns the peak resident memory of a process in bytes; 0 if the system lacks /proc or the process is gone. The
// process is its number, or "self".
func Peak(process string) int64 {
	status, err := os.ReadFile(filepath.Join("/proc", process, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}
