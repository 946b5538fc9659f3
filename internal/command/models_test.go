package command

import "testing"

func TestHumanBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 915: "915 B", 999: "999 B", 1000: "1 kB", 231508: "232 kB",
		999499: "999 kB", 999500: "1 MB", 45179315: "45.2 MB", 437999999: "438 MB", 12e9: "12 GB",
	} {
		if got := humanBytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
