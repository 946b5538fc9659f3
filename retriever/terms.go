package retriever

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
)

// analyzer turns text into index terms: English words without stop words and
// possessives, in lower case, Porter stems. Tables and queries share it.
type analyzer struct{ english analysis.Analyzer }

func newAnalyzer() (analyzer, error) {
	english := mapping.NewIndexMapping().AnalyzerNamed(en.AnalyzerName)
	if english == nil {
		return analyzer{}, fmt.Errorf("no text analyzer %q", en.AnalyzerName)
	}
	return analyzer{english}, nil
}

// terms appends the terms of s to dst.
func (a analyzer) terms(dst []string, s string) []string {
	for _, token := range a.english.Analyze([]byte(splitWords(s))) {
		dst = append(dst, string(token.Term))
	}
	return dst
}

// splitWords parts the words of identifiers: "home_team" and "homeTeam" become
// "home team" and "home Team".
func splitWords(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	lower := false
	for _, r := range s {
		switch {
		case r == '_', r == '/', r == '.':
			r = ' '
		case lower && unicode.IsUpper(r):
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}
