package heading

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPhrases reads the embedded phrases, which must be without faults: wordings that
// are filled have the slot for it, and no other.
func TestPhrases(t *testing.T) {
	f, err := data.Open("data/asked.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := ReadPhrases(f, "data/asked.txt", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	slot := regexp.MustCompile(`\{[a-z]*\}`)
	check := func(heading, field string, wordings []string, needs string, allowed ...string) {
		for _, w := range wordings {
			if needs != "" && strings.Count(w, needs) != 1 {
				t.Errorf("%s: %s: %q, expected %s once", heading, field, w, needs)
			}
			for _, s := range slot.FindAllString(w, -1) {
				if s != needs && !slices.Contains(allowed, s) {
					t.Errorf("%s: %s: %q has %s, expected %s and %v", heading, field, w, s, needs, allowed)
				}
			}
		}
	}
	for heading, list := range p {
		for _, a := range list {
			check(heading, "how", a.How, "{}", "{be}", "{was}", "{do}", "{have}")
			for field, wordings := range map[string][]string{"is": a.Is, "more": a.More, "less": a.Less} {
				check(heading, field, wordings, "{v}")
			}
			for field, wordings := range map[string][]string{"most": a.Most, "least": a.Least, "up": a.Up, "down": a.Down, "say": a.Say, "flag": a.Flag, "not": a.Not} {
				check(heading, field, wordings, "")
			}
		}
	}
}

// TestReadPhrases checks that ill-formed lines are told with what was expected.
func TestReadPhrases(t *testing.T) {
	var faults []string
	p, err := ReadPhrases(strings.NewReader("how: when\nage\n  rows: {person}\n  how: how old {be} {}; \n  colour: red\n  more: older than {v}\nage, size\n  say: size\n"), "f", func(err error) { faults = append(faults, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) != 3 || !strings.Contains(faults[0], "expected headings") || !strings.Contains(faults[1], "expected wordings") || !strings.Contains(faults[2], "expected headings") {
		t.Errorf("faults %q", faults)
	}
	if a := p.Of("Ages", "{person}"); a == nil || len(a.More) != 1 {
		t.Errorf("age of persons: %+v", a)
	}
	if a := p.Of("age", "{thing}"); a == nil || !slices.Equal(a.Say, []string{"size"}) {
		t.Errorf("age of things: %+v", a)
	}
}
