package query

import (
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/internal/language/english"
)

func TestTakesArticle(t *testing.T) {
	for _, test := range []struct {
		question, was, text string
		want                bool
	}{
		{"models built in the usa?", "usa", "uk", true},
		{"models built in the usa?", "usa", "United Kingdom", true},
		{"models built in the usa?", "usa", "australia", false},
		{"models built in australia?", "australia", "usa", false},
		{"models built in australia?", "australia", "france", true},
		{"models built in usa?", "usa", "uk", true}, // as the question has it
		{"cars not built by the Ford Motor Company", "Ford Motor Company", "Toyota", false},
		{"cars not built by the Ford Motor Company", "Ford Motor Company", "American Motor Company", true},
		{"the Ford Motor Company and others", "Ford Motor Company", "Toyota", false},
		{"readers living in the Old Town", "Old Town", "Out of Town", false},
		{"the country of the Alton airport", "Alton", "Amarillo", true}, // the airport's article
		{"the math courses", "math", "db", true},
		{"songs called \"the usa\"", "usa", "france", false},
		{"the \"usa\"", "usa", "france", true},
		{"the usa's cars", "usa", "france", false},
	} {
		q := &question{Sentence: english.NewSentence(test.question)}
		start := strings.Index(test.question, test.was)
		if got := q.fitsArticle(english.Token{Start: start, End: start + len(test.was)}, test.text); got != test.want {
			t.Errorf("%q: %s for %s: %v, want %v", test.question, test.text, test.was, got, test.want)
		}
	}
}
