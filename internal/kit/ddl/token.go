package ddl

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// tokenPattern matches a name or string in quotes, a word or number, or one other character.
var tokenPattern = lazyregexp.New("\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|'(?:[^']|'')*'|[\\pL\\pM\\pN_$]+|\\S")

// begins reports whether the statement begins with a keyword.
func (s *script) begins(keyword string) bool {
	return len(s.kept) >= len(keyword) && strings.EqualFold(string(s.kept[:len(keyword)]), keyword)
}

// tokens returns the tokens of the statement, names and strings with their quotes.
func (s *script) tokens() []string {
	return tokenPattern.FindAllString(strings.ToValidUTF8(string(s.kept), "\ufffd"), -1)
}

// unquote returns the name that a token spells, without quotes.
func unquote(token string) string {
	if len(token) < 2 || !strings.Contains("\"`'", token[:1]) {
		return token
	}
	quote := token[:1]
	return strings.ReplaceAll(token[1:len(token)-1], quote+quote, quote)
}

// isName reports whether a token can be a name: a word or in quotes, no number and no other character.
func isName(token string) bool {
	return strings.Trim(token, "0123456789") != "" && (isWord(token[0]) || len(token) > 1) // else in quotes
}

// is returns a function that reports whether a token is one of some keywords, in any case.
func is(keywords ...string) func(token string) bool {
	return func(token string) bool {
		return slices.ContainsFunc(keywords, func(k string) bool { return strings.EqualFold(k, token) })
	}
}

// skip returns tokens without those at the beginning that are one of the keywords.
func skip(tokens []string, keywords ...string) []string {
	for startsWith(tokens, keywords...) {
		tokens = tokens[1:]
	}
	return tokens
}

// startsWith reports whether the first token is one of the keywords.
func startsWith(tokens []string, keywords ...string) bool { return is(keywords...)(at(tokens, 0)) }

// isIdentifier reports whether a token is a name and no string.
func isIdentifier(token string) bool { return isName(token) && token[0] != '\'' }

// at returns token i, "" beyond the last one.
func at(tokens []string, i int) string {
	if i < len(tokens) {
		return tokens[i]
	}
	return ""
}

// tableName returns the table's name at the beginning of tokens without its schema, full, its name
// with its schema in lower case (".public.users"), and the tokens after it.
func tableName(tokens []string) (name, full string, rest []string) {
	rest = skip(tokens, "IF", "NOT", "EXISTS", "ONLY")
	for isName(at(rest, 0)) {
		name = unquote(rest[0])
		full += "." + strings.ToLower(name)
		if at(rest, 1) != "." {
			return name, full, rest[1:]
		}
		rest = rest[2:]
	}
	return name, full, rest
}

// split returns the parts of a list that commas separate, up to the parenthesis that closes it, and
// reports whether there is one.
func split(tokens []string) (parts [][]string, closed bool) {
	depth, start := 0, 0
	for i, t := range tokens {
		switch {
		case t == "(", t == "[": // of an array
			depth++
		case depth > 0 && (t == ")" || t == "]"):
			depth--
		case t == ")", t == "," && depth == 0:
			parts, start = append(parts, tokens[start:i]), i+1
			if t == ")" {
				return parts, true
			}
		}
	}
	return append(parts, tokens[start:]), false
}
