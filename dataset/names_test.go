package dataset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifiers(t *testing.T) {
	got := Identifiers([]string{"year", "year number", "year", "", "1st", "select", "naïve user's", "id"}, [][]string{{"number", "list"}, nil, {"number"}, nil, nil, nil, nil, nil}, "id", "agg")
	want := []string{"year", "year_number_2", "year_2", "column_4", "n_1st", "select_", "naive_users", "id_2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzIdentifiers(f *testing.F) {
	f.Add("a\x1fa\x1fa 2\x1f#\x1f\x1ft1")
	f.Fuzz(func(t *testing.T, joined string) {
		headers := strings.Split(joined, "\x1f")
		seen := map[string]bool{}
		for _, id := range Identifiers(headers, nil) {
			if seen[id] || id == "" || needsQuotes(id) || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Errorf("%q of %q is no plain name of its own", id, headers)
			}
			seen[id] = true
		}
	})
}
