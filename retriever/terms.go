package retriever

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
)

// analyzer splits text into index terms: the Porter stems of English words in lower case,
// without stop words and possessives. Tables and queries share it.
type analyzer struct{ english analysis.Analyzer }

// headings is an analyzer that caches the terms of headers, as tables share most headers. It
// is not safe for concurrent use.
type headings struct {
	analyzer
	known map[string][]string
}

// The bounds of the cache of headings.
const (
	maxHeadings      = 1 << 16
	maxHeadingLength = 64 // bytes
)

// terms appends the terms of a header to dst.
func (h *headings) terms(dst []string, name string) []string {
	if terms, ok := h.known[name]; ok {
		return append(dst, terms...)
	}
	terms := h.analyzer.terms(nil, name)
	if len(name) <= maxHeadingLength && len(h.known) < maxHeadings {
		if h.known == nil {
			h.known = map[string][]string{}
		}
		h.known[strings.Clone(name)] = terms
	}
	return append(dst, terms...)
}

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

// splitWords separates the words of identifiers by blanks: "home_team" → "home team",
// "homeTeam" → "home Team".
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
