package question

import (
	"strings"
	"testing"
)

func TestSwapConditions(t *testing.T) {
	for rule, list := range swapLists() {
		for _, w := range list {
			for _, c := range w.conditions {
				if conditions[strings.TrimPrefix(c, "!")] == nil {
					t.Errorf("%s: condition %q is unknown, expected one of keyword.go", rule, c)
				}
			}
		}
	}
}
