package indicator

import (
	"strings"
	"testing"
)

// TestKeywordPhrases checks the list of phrases: known keywords, no phrase twice
// in a line, lower case, and the indicators of Dr.Spider's table 5 in their places.
func TestKeywordPhrases(t *testing.T) {
	known := " > < >= <= between count sum avg max min asc desc asc limit desc limit distinct "
	for phrase, senses := range keywordPhrases().senses {
		if phrase != strings.ToLower(phrase) || strings.ContainsAny(phrase, "|();:") {
			t.Errorf("phrase %q: expected lower-case words", phrase)
		}
		for _, s := range senses {
			if !strings.Contains(known, " "+s.keyword+" ") {
				t.Errorf("phrase %q: keyword %q is unknown", phrase, s.keyword)
			}
		}
	}
	for phrase, keyword := range map[string]string{
		"more than": ">", "heavier than": ">", "below": "<", "lighter than": "<", "at least": ">=", "# or more": ">=", "at most": "<=", "# or less": "<=",
		"number": "count", "total": "sum", "mean": "avg", "highest": "max", "lowest": "min", "ascending": "asc", "from old to young": "desc",
		"fewest number": "asc limit", "greatest amount": "desc limit", "in reversed lexicographical order": "desc",
	} {
		found := false
		for _, s := range keywordPhrases().senses[phrase] {
			found = found || s.keyword == keyword && !s.carrier
		}
		if !found {
			t.Errorf("phrase %q is no indicator of %s", phrase, keyword)
		}
	}
}

func TestAttributes(t *testing.T) {
	for _, test := range []struct {
		column, word string
		want         bool
	}{
		{"age", "oldest", true}, {"pet age", "younger", true}, {"surface area", "largest", true}, {"name", "oldest", false}, {"cost of treatment", "cheapest", true},
	} {
		found := false
		for _, w := range Attributes(test.column) {
			found = found || w == test.word
		}
		if found != test.want {
			t.Errorf("%s implies %s: %t, want %t", test.word, test.column, found, test.want)
		}
	}
}
