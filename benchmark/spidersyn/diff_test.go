package spidersyn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/lexicon"
)

// Replacement is a stretch of a question, in lower case, that gave way to another;
// one of the two may be empty.
type Replacement struct{ Was, With string }

// Replacements returns the stretches in which two questions differ, in order: what
// is left of them without a longest common subsequence of their words.
func Replacements(before, after string) []Replacement {
	a, b := lowerTokens(before), lowerTokens(after)
	longest := subsequences(a, b)
	var out []Replacement
	var was, with []string
	flush := func() {
		if len(was)+len(with) > 0 {
			out = append(out, Replacement{strings.Join(was, " "), strings.Join(with, " ")})
		}
		was, with = nil, nil
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			i, j = i+1, j+1
		case j == len(b), i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			was = append(was, a[i])
			i++
		default:
			with = append(with, b[j])
			j++
		}
	}
	flush()
	return out
}

// normal returns the replacement without the words that both sides begin or end
// with, and without number: "last names" for "family names" is "last" for
// "family".
func (r Replacement) normal() Replacement {
	was, with := strings.Fields(lexicon.Normal(r.Was)), strings.Fields(lexicon.Normal(r.With))
	for len(was) > 0 && len(with) > 0 && was[0] == with[0] {
		was, with = was[1:], with[1:]
	}
	for len(was) > 0 && len(with) > 0 && was[len(was)-1] == with[len(with)-1] {
		was, with = was[:len(was)-1], with[:len(with)-1]
	}
	return Replacement{strings.Join(was, " "), strings.Join(with, " ")}
}

// parts returns the replacement and, where both sides have as many words, those
// of each word, all in normal form: neighbours that changed alike stand in a diff
// as one.
func (r Replacement) parts() []Replacement {
	whole := r.normal()
	out := []Replacement{whole}
	was, with := strings.Fields(whole.Was), strings.Fields(whole.With)
	if len(was) == len(with) && len(was) > 1 {
		for i := range was {
			out = append(out, Replacement{was[i], with[i]})
		}
	}
	return out
}

func TestReplacements(t *testing.T) {
	for _, tt := range []struct {
		before, after string
		want          []Replacement
	}{
		{"the last names of singers", "The family names of the vocalists", []Replacement{{"last", "family"}, {"singers", "the vocalists"}}},
		{"a car maker", "a vehicle manufacturer", []Replacement{{"car maker", "vehicle manufacturer"}}},
		{"same", "same", nil},
		{"", "all new", []Replacement{{"", "all new"}}},
	} {
		if diff := cmp.Diff(tt.want, Replacements(tt.before, tt.after)); diff != "" {
			t.Errorf("%q to %q (-want +got):\n%s", tt.before, tt.after, diff)
		}
	}
	parts := Replacement{"car makers", "vehicle manufacturer"}.parts()
	if diff := cmp.Diff([]Replacement{{"car maker", "vehicle manufacturer"}, {"car", "vehicle"}, {"maker", "manufacturer"}}, parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}
