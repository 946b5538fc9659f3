package retriever

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/tabperturb/tabperturb/internal/kit/cache"
)

// analyzer splits text into index terms: the Porter stems of English words in lower case,
// without stop words and possessives. Tables and queries share it.
type analyzer struct{ english analysis.Analyzer }

// headings is an analyzer that caches the terms of headers, as tables share most headers.
type headings struct {
	analyzer
	cached cache.Cache[[]string]
}

// The bounds of the cache of headings.
const (
	maxHeadings      = 1 << 16
	maxHeadingLength = 64 // bytes
)

// terms appends the terms of a header to dst, from the cache unless the header is long.
func (h *headings) terms(dst []string, header string) []string {
	if len(header) > maxHeadingLength {
		return h.analyzer.terms(dst, header)
	}
	return append(dst, h.cached.Get(cache.Key{Text: header}, maxHeadings, func(k cache.Key) []string {
		return h.analyzer.terms(nil, k.Text)
	})...)
}

// newAnalyzer returns the library's analyzer of English.
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
