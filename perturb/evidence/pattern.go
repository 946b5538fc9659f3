package evidence

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

//go:embed data/patterns.txt
var patternLines string

// textPattern is a pattern of data/patterns.txt: the tokens before a word, the nearest
// first, and those after it.
type textPattern struct {
	not           bool // what fits the pattern is rejected
	before, after []tokenPattern
}

// tokenPattern is one token of a pattern.
type tokenPattern struct {
	any      []string // the token is one of these words or kinds
	optional bool
}

// textPatterns returns the patterns by name.
var textPatterns = sync.OnceValue(func() map[string][]textPattern {
	patterns, lists := map[string][]textPattern{}, map[string][]string{}
	for line := range wordfile.Lines(patternLines) {
		name, text, _ := strings.Cut(line, ": ")
		if name[0] == '$' {
			lists[name] = strings.Fields(text)
			continue
		}
		name, not := strings.CutSuffix(name, ", not")
		before, after, _ := strings.Cut(text, "_")
		p := textPattern{not: not, before: readTokens(before, lists), after: readTokens(after, lists)}
		slices.Reverse(p.before)
		patterns[name] = append(patterns[name], p)
	}
	return patterns
})

// readTokens parses one side of a pattern: "a|b c?" is a or b, and then c or nothing. The name of a list ("$MEANS") is any of its words,
// and "~" is a blank within an operator.
func readTokens(text string, lists map[string][]string) (tokens []tokenPattern) {
	for item := range strings.FieldsSeq(text) {
		item, optional := strings.CutSuffix(item, "?")
		t := tokenPattern{optional: optional}
		for word := range strings.SplitSeq(item, "|") {
			if list, ok := lists[word]; ok {
				t.any = append(t.any, list...)
				continue
			}
			t.any = append(t.any, strings.ReplaceAll(word, "~", " "))
		}
		tokens = append(tokens, t)
	}
	return tokens
}

// matches reports whether the token at i fits the patterns of a name in data/patterns.txt, such
// as "predicate".
func (l *linker) matches(i int, name string) bool {
	_, ok := l.matched(i, name)
	return ok
}

// matched reports whether the token at i fits the patterns of a name, as matches does, and returns the position of the first
// token after the pattern. The first pattern that matches decides; one marked not decides against.
func (l *linker) matched(i int, name string) (next int, ok bool) {
	for _, p := range textPatterns()[name] {
		if _, ok := l.match(i, p.before, -1); !ok {
			continue
		}
		if next, ok := l.match(i, p.after, 1); ok {
			return next, !p.not
		}
	}
	return i, false
}

// match compares the tokens next to i with those of a pattern: the following ones with step 1,
// the preceding ones with step -1.
func (l *linker) match(i int, tokens []tokenPattern, step int) (next int, ok bool) {
	i += step
	for _, t := range tokens {
		switch {
		case slices.ContainsFunc(t.any, func(kind string) bool { return l.isKind(i, kind) }):
			i += step
		case !t.optional:
			return i, false
		}
	}
	return i, true
}

// tokenForms are the kinds of tokens that patterns name and a form ([textToken.form]) decides.
var tokenForms = map[string]*lazyregexp.Regexp{
	"ANY":        lazyregexp.New(``),
	"BY":         lazyregexp.New(`^.BY$`),
	"FROM":       lazyregexp.New(`^.FROM$`),
	"WITH":       lazyregexp.New(`^.WITH$`),
	"COMPARISON": lazyregexp.New(`^o[<>!]`),
	"OPERATOR":   lazyregexp.New(`^o([^(]|$)`),
	"SMALL":      lazyregexp.New(`^w[^\p{Lu}]*$`),
	"PROPER":     lazyregexp.New(`^w(.*\p{Lu}.*\p{Ll}|.*\p{Ll}.*\p{Lu})`),
}

// isKind reports whether the token at i is a word, or of a kind such as VALUE, that a pattern
// names.
func (l *linker) isKind(i int, kind string) bool {
	if form, ok := tokenForms[kind]; ok {
		return form.MatchString(l.token(i).form)
	}
	switch kind {
	case "VALUE":
		return l.isValue(i)
	case "COLUMN":
		return l.isColumn(i)
	case "LISTED": // a name that was linked to a column
		return i >= 0 && l.listed[i]
	case "CALL":
		return l.isOneOf(i, "(") && l.opensCall(i)
	case "ARGUMENT":
		return l.isOneOf(i, ",") && l.separatesArguments(i)
	case "SIGN": // after a blank
		return l.isOneOf(i, "+", "-") && l.token(i).start > l.token(i-1).end
	case "END":
		return i >= len(l.tokens)
	}
	return l.isOneOf(i, kind)
}
