package main

import "testing"

func TestWanted(t *testing.T) {
	for path, want := range map[string]bool{
		"strings": true, "net/http": true, "main": true, module: true, module + "/sqlast": true, module + "x/y": false, "modernc.org/sqlite/lib": false,
	} {
		if got := wanted([]string{"-o", "x", "-p", path, "-trimpath"}); got != want {
			t.Errorf("%s: %v, expected %v", path, got, want)
		}
	}
}
