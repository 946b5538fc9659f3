package sqlast

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// longestOperator returns the operator at the beginning of text by PostgreSQL's rules: as many signs as there are, but
// no begin of a comment, and no + or - at the end of one that has none of ~!@#%^&|`?.
func (l *lexer) longestOperator(text string) string {
	switch {
	case strings.HasPrefix(text, "::"):
		return "::"
	case strings.IndexByte("(),.;[]:", text[0]) >= 0:
		return text[:1]
	}
	signs := text[:len(text)-len(strings.TrimLeft(text, l.d.operatorBytes))]
	signs, _, _ = strings.Cut(signs, "--")
	signs, _, _ = strings.Cut(signs, "/*")
	if signs == "" || strings.ContainsAny(signs, "~!@#%^&|`?") {
		return signs
	}
	return signs[:1] + strings.TrimRight(signs[1:], "+-")
}

// dollarTag matches the tag that begins and ends a string between dollars.
var dollarTag = lazyregexp.New(`^\$([A-Za-z_\x{80}-\x{10FFFF}][A-Za-z0-9_\x{80}-\x{10FFFF}]*)?\$`)

// readDollarString reads $tag$ … $tag$ into t.
func (l *lexer) readDollarString(t token) (token, error) {
	tag := dollarTag.FindString(l.src[l.offset:])
	if tag == "" {
		return t, syntaxErrorf(t.pos, "character '$' is not SQL")
	}
	text, _, closed := strings.Cut(l.src[l.offset+len(tag):], tag)
	switch {
	case !closed:
		return t, syntaxErrorf(t.pos, "string %s is not closed", tag)
	case strings.IndexByte(text, 0) >= 0:
		return t, syntaxErrorf(t.pos, "NUL byte in query")
	}
	l.consume(len(text) + 2*len(tag))
	t.kind, t.quote, t.text = tokString, '\'', text
	return t, nil
}

// consume moves over n bytes, which may have line ends.
func (l *lexer) consume(n int) {
	for end := l.offset + n; l.offset < end; {
		l.offset++
		if l.src[l.offset-1] == '\n' {
			l.countLine()
		}
	}
}

// readEscapes reads a string such as e'a\tb' into t, whose text has what the escapes stand for.
func (l *lexer) readEscapes(t token) (token, error) {
	var text strings.Builder
	for i := l.offset + 2; i < len(l.src); {
		rest := l.src[i:]
		switch {
		case strings.HasPrefix(rest, "''"):
			text.WriteByte('\'')
			i += 2
		case rest[0] == '\'':
			t.kind, t.quote, t.text = tokString, '\'', text.String()
			if !utf8.ValidString(t.text) || strings.IndexByte(t.text, 0) >= 0 {
				return t, syntaxErrorf(t.pos, "escapes make no text")
			}
			l.consume(i + 1 - l.offset)
			return t, nil
		case rest[0] == '\\' && len(rest) > 1:
			s, n := unescape(rest[1:])
			if n == 0 {
				return t, syntaxErrorf(t.pos, "malformed escape \\%c", rest[1])
			}
			text.WriteString(s)
			i += 1 + n
		default:
			text.WriteByte(rest[0])
			i++
		}
	}
	return t, syntaxErrorf(t.pos, "quote ' is not closed")
}

// escapeForm matches an escape by a number: octal, hexadecimal, or a code point of four or eight digits.
var escapeForm = lazyregexp.New(`^([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})`)

// unescape returns what the text after a backslash stands for, and how many bytes of it belong to the escape: 0 for a
// malformed one.
func unescape(text string) (string, int) {
	form := escapeForm.FindString(text)
	switch {
	case form == "" && strings.IndexByte("xuU", text[0]) >= 0: // too few digits
		if text[0] == 'x' {
			return "x", 1
		}
		return "", 0
	case form == "": // a control character, or a character for itself
		if i := strings.IndexByte("bfnrt", text[0]); i >= 0 {
			return "\b\f\n\r\t"[i : i+1], 1
		}
		return text[:1], 1
	case form[0] == 'x':
		code, _ := strconv.ParseUint(form[1:], 16, 8)
		return string([]byte{byte(code)}), len(form)
	case form[0] == 'u', form[0] == 'U':
		code, err := strconv.ParseUint(form[1:], 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return "", 0
		}
		return string(rune(code)), len(form)
	}
	code, _ := strconv.ParseUint(form, 8, 16) // \777 keeps its low byte
	return string([]byte{byte(code)}), len(form)
}
