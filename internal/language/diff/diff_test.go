package diff_test

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/language/diff"
)

// FuzzTexts checks that the spans of each side make up its text, and that what is
// common is the same on both sides but for space.
func FuzzTexts(f *testing.F) {
	f.Add("the old dog barks", "the new cat barks")
	f.Add("a<=b", "a< =b")
	f.Add(" x ", "\xff x y")
	f.Fuzz(func(t *testing.T, before, after string) {
		was, now := diff.Texts(before, after)
		sides := [2]string{}
		for i, spans := range [][]diff.Span{was, now} {
			whole := ""
			for _, s := range spans {
				whole += s.Text
				if !s.Changed {
					sides[i] += s.Text
				}
			}
			if want := []string{before, after}[i]; whole != want {
				t.Fatalf("spans make up %q, want %q", whole, want)
			}
		}
		plain := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if plain(sides[0]) != plain(sides[1]) {
			t.Fatalf("%q and %q have %q and %q in common", before, after, sides[0], sides[1])
		}
	})
}
