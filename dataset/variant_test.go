package dataset

import (
	"crypto/sha256"
	"testing"
)

func TestOriginalID(t *testing.T) {
	variant := VariantID("shop", sha256.Sum256([]byte("edits")))
	for id, want := range map[string]string{
		variant: "shop", "shop": "shop", "old__shop": "old__shop", "shop__0123456789": "shop", "a__b__0123456789": "a__b",
		"shop__012345678g": "shop__012345678g", "__0123456789": "__0123456789", "": "",
	} {
		if got := OriginalID(id); got != want {
			t.Errorf("%q: %q, expected %q", id, got, want)
		}
	}
}
