package lexicon

import (
	"slices"
	"strings"
	"testing"
)

func TestOneSense(t *testing.T) {
	d, err := ReadThesaurus("test", strings.NewReader("film = movie = picture\ndoc: document, doctor\ndocument: doc\nland = ground\nland: country\n"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"Film", []string{"movie", "picture"}},
		{"movie", []string{"film", "picture"}},
		{"doc", nil},
		{"document", nil},
		{"ground", nil}, // land is a country too
		{"none", nil},
	} {
		if got := OneSense(d, tt.name); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
