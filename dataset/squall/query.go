package squall

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// token is a token of Squall's SQL.
type token struct {
	kind, text string
	words      json.RawMessage   // the words of the question that it is linked to
	further    []json.RawMessage // any elements after words, kept as they are
}

// The kinds of tokens that Squall has.
const (
	keyword       = "Keyword"
	columnToken   = "Column"
	numberLiteral = "Literal.Number"
	stringLiteral = "Literal.String"
)

// MarshalJSON writes [kind, text, words], and after them the further elements of the source, if any.
func (t token) MarshalJSON() ([]byte, error) {
	parts := []any{t.kind, t.text}
	if t.words != nil {
		parts = append(parts, t.words)
	}
	for _, r := range t.further {
		parts = append(parts, r)
	}
	return json.Marshal(parts)
}

// decodeTokens decodes tokens [kind, text, words, …].
func decodeTokens(raw [][]json.RawMessage) ([]token, error) {
	tokens := make([]token, len(raw))
	for i, parts := range raw {
		t := &tokens[i]
		isToken := len(parts) > 1 && json.Unmarshal(parts[0], &t.kind) == nil && json.Unmarshal(parts[1], &t.text) == nil
		if !isToken {
			return nil, fmt.Errorf(`"sql" has the token %d that is no [kind, text, words], expected it`, i+1)
		}
		if len(parts) > 2 {
			t.words, t.further = parts[2], parts[3:]
		}
	}
	if len(tokens) == 0 {
		return nil, errors.New(`"sql" is empty, expected tokens`)
	}
	return tokens, nil
}

// joinTokens returns the SQL of tokens. names maps Squall's column names, folded, to those in
// the SQL.
func joinTokens(tokens []token, names map[string]string) (string, error) {
	texts := make([]string, len(tokens))
	for i, t := range tokens {
		texts[i] = t.text
		if t.kind == columnToken {
			name, ok := names[strings.ToLower(t.text)]
			if !ok {
				return "", fmt.Errorf(`"sql" has the column %q, expected one of the table`, dataset.Clip(t.text))
			}
			texts[i] = name
		}
	}
	return strings.Join(texts, " "), nil
}

// tokenPattern matches a token of SQL, with a group each for a string, a quoted name, a number
// and a word; any other match is an operator or a mark. A string or name without its closing
// quote ends with the text.
var tokenPattern = lazyregexp.New(`('(?:[^']|'')*(?:'|$))` +
	`|("(?:[^"]|"")*(?:"|$)|\x60(?:[^\x60]|\x60\x60)*(?:\x60|$))` +
	`|([0-9][._0-9A-Za-z[:^ascii:]]*|\.[0-9][._0-9A-Za-z[:^ascii:]]*)` +
	`|([_A-Za-z[:^ascii:]][_0-9A-Za-z[:^ascii:]]*)` +
	`|<=|>=|<>|!=|==|\|\||<<|>>|[^ \t\r\n]`)

// splitTokens splits SQL on a schema into tokens with Squall's names. names maps the SQL names of columns, folded, to Squall's;
// table is the SQL name of the table, which is w in Squall.
func splitTokens(sql string, names map[string]string, table string) []token {
	var tokens []token
	for _, span := range tokenPattern.FindAllStringSubmatchIndex(sql, -1) {
		text := sql[span[0]:span[1]]
		// The groups of tokenPattern; a group that does not match has the position -1.
		isString, isQuoted, isNumber, isWord := span[2] >= 0, span[4] >= 0, span[6] >= 0, span[8] >= 0
		switch {
		case isString:
			tokens = append(tokens, token{kind: stringLiteral, text: text})
		case isQuoted:
			quote := text[:1]
			name := strings.ReplaceAll(strings.TrimSuffix(text[1:], quote), quote+quote, quote)
			tokens = append(tokens, wordToken(text, name, names, table))
		case isNumber:
			tokens = append(tokens, token{kind: numberLiteral, text: text})
		case isWord:
			columns := names
			if strings.HasPrefix(strings.TrimLeft(sql[span[1]:], " \t\r\n"), "(") {
				columns = nil // a function, for there is a column length
			}
			tokens = append(tokens, wordToken(text, text, columns, table))
		default:
			tokens = append(tokens, token{kind: keyword, text: text})
		}
	}
	return tokens
}

// wordToken returns the token of a word; written is its spelling in the SQL, name is it without
// quotes. For names and table see [splitTokens].
func wordToken(written, name string, names map[string]string, table string) token {
	key := strings.ToLower(name)
	if col, ok := names[key]; ok {
		return token{kind: columnToken, text: col}
	}
	if strings.EqualFold(name, table) {
		return token{kind: keyword, text: tableName}
	}
	if written == name { // no quotes: Squall writes words in lower case
		written = key
	}
	return token{kind: keyword, text: written}
}

// updateTokens returns the tokens of gold SQL. source has the tokens of the record, with the new names of columns. The tokens
// at its beginning and end that did not change stay, with the words of the question that they are linked to; before and
// after are their numbers. The tokens between are linked to no word. For names and table see [splitTokens].
func updateTokens(sql string, names map[string]string, table string, source []token) (tokens []token, before, after int) {
	newTokens := splitTokens(sql, names, table)
	// A token of the source may be several of splitTokens, which parts has for each; its column keeps Squall's name.
	parts := make([][]token, len(source))
	for i, t := range source {
		var own map[string]string
		if t.kind == columnToken {
			own = map[string]string{strings.ToLower(t.text): t.text}
		}
		parts[i] = splitTokens(t.text, own, tableName)
	}
	// The new tokens are the same before lo, and from hi on.
	lo := 0
	for before < len(source) && lo+len(parts[before]) <= len(newTokens) && sameTokens(parts[before], newTokens[lo:lo+len(parts[before])]) {
		lo += len(parts[before])
		before++
	}
	hi := len(newTokens)
	for before+after < len(source) {
		p := parts[len(source)-1-after]
		if hi-len(p) < lo || !sameTokens(p, newTokens[hi-len(p):hi]) {
			break
		}
		hi -= len(p)
		after++
	}
	tokens = append(tokens, source[:before]...)
	for _, t := range newTokens[lo:hi] {
		t.words = json.RawMessage("[]")
		tokens = append(tokens, t)
	}
	return append(tokens, source[len(source)-after:]...), before, after
}

// sameTokens reports whether tokens have the same kinds and texts.
func sameTokens(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.kind == y.kind && x.text == y.text })
}
