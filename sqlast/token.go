package sqlast

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// Pos is a place in the source, both counts from 1, columns in bytes. It is
// zero for a node that was not parsed.
type Pos struct{ Line, Col int }

// Position returns p; nodes get it by embedding.
func (p Pos) Position() Pos { return p }

// SyntaxError is where and why a text is not a query.
type SyntaxError struct {
	Line, Col int
	Msg       string
}

// Error implements [error].
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// syntaxErrorf returns a syntax error at a position.
func syntaxErrorf(at Pos, format string, args ...any) *SyntaxError {
	return &SyntaxError{Line: at.Line, Col: at.Col, Msg: fmt.Sprintf(format, args...)}
}

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokWord             // a bare word: a name, a keyword or either
	tokQuoted           // "x", `x` or [x]
	tokString           // 'x'
	tokNumber
	tokBlob
	tokParam
	tokOp
)

// A token is one lexeme. Its text is as written, but without quotes, and for
// tokOp in one spelling ("> =" reads as ">=").
type token struct {
	kind  tokenKind
	quote byte   // of tokQuoted and tokString
	class class  // of tokWord
	sym   string // of tokWord: the keyword, upper-case, or ""; of tokOp: the text
	text  string
	pos   Pos
}

// String returns the token for a message.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of query"
	case tokString, tokQuoted:
		return Ident{t.text, t.quote}.String()
	}
	return fmt.Sprintf("%q", t.text)
}

// A lexer splits a query into tokens.
type lexer struct {
	d         *Dialect
	src       string
	offset    int // offset of the next byte
	line      int
	lineStart int // offset of the line's first byte
}

// position returns the line and column of an offset in the current line.
func (l *lexer) position(offset int) Pos { return Pos{Line: l.line, Col: offset - l.lineStart + 1} }

// tokenize splits src into tokens, the last of which is a tokEOF.
func (d *Dialect) tokenize(src string) ([]token, error) {
	l := &lexer{d: d, src: src, line: 1}
	toks := make([]token, 0, len(src)/4+2)
	for {
		t, err := l.nextToken()
		if err != nil {
			return nil, err
		}
		toks = append(toks, t)
		if t.kind == tokEOF {
			return toks, nil
		}
	}
}

// nextToken reads one token after skipping spaces and comments.
func (l *lexer) nextToken() (token, error) {
	if err := l.skipSpace(); err != nil {
		return token{}, err
	}
	start := l.offset
	t := token{pos: l.position(start)}
	if start == len(l.src) {
		return t, nil
	}
	c, second := l.src[start], l.byteAt(start+1)
	switch {
	case byteInfo[c].beginsWord:
		if second == '\'' && strings.IndexByte(l.d.stringLetters, byteInfo[c].lower) >= 0 {
			return l.readLetterString(t, byteInfo[c].lower)
		}
		l.skip(isWordByte)
		t.kind, t.text = tokWord, l.src[start:l.offset]
		t.sym, t.class = l.d.lookupKeyword(t.text)
		if l.d.postgresSyntax && l.offset == start+1 && l.atUnicodeQuote() {
			return t, syntaxErrorf(t.pos, "U& before a quote is not read, expected E'…' for escapes")
		}
	case isDigit(c), c == '.' && isDigit(second):
		return l.readNumber(t)
	case strings.IndexByte(l.d.quotes, c) >= 0:
		return l.readQuoted(t)
	case c == '$' && l.d.dollarStrings && !isDigit(second):
		return l.readDollarString(t)
	case strings.IndexByte(l.d.params, c) < 0: // no parameter
		return l.readSigns(t)
	case c == '?': // ? or ?1
		l.offset++
		l.skip(isDigit)
		t.kind, t.text = tokParam, l.src[start:l.offset]
	case isWordByte(second): // :name
		l.offset++
		l.skip(isWordByte)
		t.kind, t.text = tokParam, l.src[start:l.offset]
	default:
		return l.readSigns(t)
	}
	return t, nil
}

// atUnicodeQuote reports whether the letter just read begins U&'…' or U&"…", strings and names with escapes of their own.
func (l *lexer) atUnicodeQuote() bool {
	rest := l.src[l.offset-1:]
	return len(rest) > 2 && strings.EqualFold(rest[:2], "u&") && strings.IndexByte(l.d.quotes, rest[2]) >= 0
}

// readSigns reads an operator into t.
func (l *lexer) readSigns(t token) (token, error) {
	c := l.src[l.offset]
	t.kind, t.text = tokOp, l.readOperator()
	t.sym = t.text
	if t.text == "" {
		return t, syntaxErrorf(t.pos, "character %q is not SQL", rune(c))
	}
	return t, nil
}

// skipSpace skips white space and comments. As in SQLite, the end of the text ends a comment.
func (l *lexer) skipSpace() error {
	for l.offset < len(l.src) {
		switch c := l.src[l.offset]; {
		case c == '\n':
			l.offset++
			l.countLine()
		case strings.IndexByte(" \t\r\f", c) >= 0:
			l.offset++
		case strings.HasPrefix(l.src[l.offset:], "--"):
			l.skip(func(c byte) bool { return c != '\n' })
		case strings.HasPrefix(l.src[l.offset:], "/*"):
			l.skipComment()
		case c == 0:
			return syntaxErrorf(l.position(l.offset), "NUL byte in query")
		default:
			return nil
		}
	}
	return nil
}

// skipComment skips a comment that begins with "/*", and those in it where the dialect nests them.
func (l *lexer) skipComment() {
	for depth := 0; l.offset < len(l.src); l.offset++ {
		switch rest := l.src[l.offset:]; {
		case strings.HasPrefix(rest, "*/"): // the loop skips one of the two bytes
			if l.offset++; !l.d.nestedComments || depth == 1 {
				l.offset++
				return
			}
			depth--
		case strings.HasPrefix(rest, "/*") && (depth == 0 || l.d.nestedComments):
			depth++
			l.offset++
		case rest[0] == '\n':
			l.line++
			l.lineStart = l.offset + 1
		}
	}
	l.offset = len(l.src)
}

// countLine begins a new line at the current offset.
func (l *lexer) countLine() { l.line++; l.lineStart = l.offset }

// byteAt returns a byte of the source, or 0 after its end.
func (l *lexer) byteAt(i int) byte {
	if i < len(l.src) {
		return l.src[i]
	}
	return 0
}

// skip moves to the first byte for which accepts returns false.
func (l *lexer) skip(accepts func(byte) bool) {
	for l.offset < len(l.src) && accepts(l.src[l.offset]) {
		l.offset++
	}
}

// readQuoted reads a quoted name or a string into t. A doubled quote is one quote of the text,
// but not within brackets.
func (l *lexer) readQuoted(t token) (token, error) {
	start := l.offset
	open := l.src[start]
	end := open
	if open == '[' {
		end = ']'
	}
	doubled := false
	for l.offset++; l.offset < len(l.src); l.offset++ {
		switch c := l.src[l.offset]; {
		case c == '\n':
			l.line++
			l.lineStart = l.offset + 1
		case c == 0:
			return t, syntaxErrorf(l.position(l.offset), "NUL byte in query")
		case c == end && end != ']' && l.byteAt(l.offset+1) == end:
			doubled = true
			l.offset++
		case c == end:
			t.kind, t.quote, t.text = tokQuoted, open, l.src[start+1:l.offset]
			if open == '\'' {
				t.kind = tokString
			}
			if doubled {
				t.text = strings.ReplaceAll(t.text, string(end)+string(end), string(end))
			}
			l.offset++
			return t, nil
		}
	}
	return t, syntaxErrorf(t.pos, "quote %c is not closed", open)
}

// readLetterString reads a string that a letter precedes into t: a blob x'0aff', or in PostgreSQL bits b'01' and
// a string with escapes e'\n'.
func (l *lexer) readLetterString(t token, letter byte) (token, error) {
	switch {
	case letter == 'e':
		return l.readEscapes(t)
	case letter == 'b', l.d.postgresSyntax: // b'01', and PostgreSQL's x'0af', which is bits too: any number of digits
		start := l.offset
		l.offset++
		t, err := l.readQuoted(t)
		t.kind, t.quote, t.text = tokBlob, 0, l.src[start:l.offset]
		if err == nil && strings.Trim(t.text[2:len(t.text)-1], "0123456789abcdefABCDEF") != "" {
			return t, syntaxErrorf(t.pos, "malformed bits %s, expected digits", t.text)
		}
		return t, err
	}
	return l.readBlob(t)
}

// readBlob reads a literal such as x'0aff' into t.
func (l *lexer) readBlob(t token) (token, error) {
	start := l.offset
	l.offset += 2
	l.skip(isHexDigit)
	if l.byteAt(l.offset) != '\'' || (l.offset-start)%2 != 0 {
		return t, syntaxErrorf(t.pos, "malformed blob, expected X'…' with pairs of hex digits")
	}
	l.offset++
	t.kind, t.text = tokBlob, l.src[start:l.offset]
	return t, nil
}

// numberForm matches an integer, hexadecimal integer or float. Digits may have "_" between them.
var numberForm = lazyregexp.New(`^(0[xX][0-9a-fA-F]+|[0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9][0-9_]*)?)`)

// readNumber reads a number into t.
func (l *lexer) readNumber(t token) (token, error) {
	start := l.offset
	l.offset += len(numberForm.FindString(l.src[start:]))
	if isWordByte(l.byteAt(l.offset)) {
		l.skip(isWordByte)
		return t, syntaxErrorf(t.pos, "malformed number %q", l.src[start:l.offset])
	}
	t.kind, t.text = tokNumber, l.src[start:l.offset]
	return t, nil
}

// operators are those of several bytes, a longer one before one that it begins with;
// of comparisons, blanks may part the bytes, as tokenized SQL has them.
var (
	operators   = []string{"->>", "::", "->", "||", "<<", ">>", "<=", ">=", "<>", "!=", "=="}
	comparisons = []string{"<=", ">=", "<>", "!="}
)

// readOperator reads an operator and returns its spelling in the tree, or "" if there is none.
func (l *lexer) readOperator() string {
	rest := l.src[l.offset:]
	if l.d.operatorBytes != "" {
		op := l.longestOperator(rest)
		l.offset += len(op)
		return cmp.Or(canonicalOps[op], op)
	}
	if strings.IndexByte("+*/%&~(),.;", rest[0]) >= 0 { // no longer operator begins with these
		l.offset++
		return rest[:1]
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.offset += len(op)
			return cmp.Or(canonicalOps[op], op)
		}
	}
	spaced := strings.TrimLeft(rest[1:], " ") // "> =" is an operator too
	for _, op := range comparisons {
		if rest[0] == op[0] && strings.HasPrefix(spaced, op[1:]) {
			l.offset += len(rest) - len(spaced) + 1
			return cmp.Or(canonicalOps[op], op)
		}
	}
	if strings.IndexByte("-|<>=", rest[0]) < 0 {
		return ""
	}
	l.offset++
	return rest[:1]
}

// canonicalOps has the spelling that the tree uses for operators that can be written in two ways.
var canonicalOps = map[string]string{"==": "=", "<>": "!="}

// byteInfo has the class of each byte in SQL. Bytes of characters beyond ASCII are letters
// without cases.
var byteInfo = func() (all [256]struct {
	lower, upper                            byte
	isDigit, isHexDigit, beginsWord, inWord bool
}) {
	for i := range all {
		c, b := byte(i), &all[i]
		b.lower, b.upper = c, c
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if letter {
			b.lower, b.upper = c|0x20, c&^0x20
		}
		b.isDigit = '0' <= c && c <= '9'
		b.isHexDigit = b.isDigit || letter && c|0x20 <= 'f'
		b.beginsWord = letter || c == '_' || c >= 0x80
		b.inWord = b.beginsWord || b.isDigit || c == '$'
	}
	return all
}()

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return byteInfo[c].isDigit }

// isHexDigit reports whether c is a hexadecimal digit.
func isHexDigit(c byte) bool { return byteInfo[c].isHexDigit }

// isWordByte reports whether c can be part of a word.
func isWordByte(c byte) bool { return byteInfo[c].inWord }
