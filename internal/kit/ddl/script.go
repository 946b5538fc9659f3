package ddl

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// maxStatement bounds the bytes that are kept of a statement.
const maxStatement = 1 << 20

// script splits an SQL script into statements, in the dialects of SQLite, PostgreSQL and MySQL.
type script struct {
	r    *bufio.Reader
	line int    // of the last byte read, from 1
	err  error  // why no more bytes can be read: io.EOF at the end
	kept []byte // the statement without comments, escaped characters and strings in dollars

	// mysql is set once the script has shown to be MySQL's, in whose strings a backslash escapes
	// and which has no strings in dollars: by a name in `, by /*! or by DELIMITER.
	mysql bool
}

// next reads a statement up to its semicolon. It reports false at the end of the script.
func (s *script) next() bool {
	s.kept = s.kept[:0]
	for {
		c := s.read()
		// whether the statement begins here, the byte before c in it, and the byte after c
		begins, before, ahead := len(s.kept) == 0, s.lastKept(1), s.ahead(1)
		switch {
		case s.err != nil:
			return s.err == io.EOF && !begins
		case c == ';':
			return true
		case c == '-' && ahead == "-", c == '#' && ahead != ">" && ahead != "-": // #> and #- are operators of PostgreSQL
			s.skipLine()
		case begins && (c == '\\' || c == '.'): // a command of psql or sqlite3
			s.skipLine()
		case begins && strings.EqualFold(string(c)+s.ahead(len("elimiter ")), "delimiter "): // a command of mysql
			s.mysql = true
			s.skipLine()
		case c == '/' && ahead == "*":
			s.mysql = s.mysql || s.ahead(2) == "*!" // a comment that mysql executes
			s.read()
			s.skipTo("*/")
		case c == '$' && !s.mysql && !isWord(before) && s.skipDollars(): // a string $$…$$ of PostgreSQL
		case c == '\'', c == '"':
			s.quote(c, c, s.mysql || before|0x20 == 'e' && !isWord(s.lastKept(2))) // E'…' of PostgreSQL
		case c == '`':
			s.mysql = true
			s.quote(c, c, false)
		case c == '[' && !isWord(before) && before != ']': // else an array
			s.quote('"', ']', false)
		default:
			s.keep(c)
		}
	}
}

// read reads a byte; it is 0 if there is none.
func (s *script) read() byte {
	c, err := s.r.ReadByte()
	if err != nil {
		s.err = err
	}
	if c == '\n' {
		s.line++
	}
	return c
}

// ahead returns the next n bytes without reading them, fewer at the end.
func (s *script) ahead(n int) string {
	head, _ := s.r.Peek(n)
	return string(head)
}

// keep appends a byte to the statement, unless that has maxStatement bytes or the byte is a blank at its beginning.
func (s *script) keep(c byte) {
	if len(s.kept) < maxStatement && (c > ' ' || len(s.kept) > 0) {
		s.kept = append(s.kept, c)
	}
}

// lastKept returns byte n of the statement from its end, from 1, and 0 before its beginning.
func (s *script) lastKept(n int) byte {
	if n > len(s.kept) {
		return 0
	}
	return s.kept[len(s.kept)-n]
}

// isWord reports whether a byte is one of a name or keyword.
func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c >= 0x80
}

// quote keeps a string or a name up to the byte closing, and writes it between quote marks. If escapes is set, a
// backslash and the next byte are dropped. A doubled closing mark ends the string and begins another, which is enough to
// find its end.
func (s *script) quote(quote, closing byte, escapes bool) {
	s.keep(quote)
	for s.err == nil {
		switch c := s.read(); {
		case c == '\\' && escapes:
			s.read()
		case c == closing:
			s.keep(quote)
			return
		case c == quote: // within [a"b]: doubled, as SQL writes it
			s.keep(c)
			fallthrough
		default:
			s.keep(c)
		}
	}
}

// tagPattern matches the tag of a string in dollars, after its first one.
var tagPattern = lazyregexp.New(`^(?:[\pL_][\pL\pN_]*)?\$`)

// maxTag bounds the bytes of a tag.
const maxTag = 64

// skipDollars skips a string of PostgreSQL, $$…$$ or $tag$…$tag$, whose first dollar is read. It
// reports false if there is none.
func (s *script) skipDollars() bool {
	tag := tagPattern.FindString(s.ahead(maxTag)) // with its second dollar: "$" or "tag$"
	if tag != "" {
		s.skipTo(tag)
		s.skipTo("$" + tag)
	}
	return tag != ""
}

// skipTo reads up to the end of the next occurrence of text, and keeps a blank in place of what it read.
func (s *script) skipTo(text string) {
	var last []byte // as many bytes as text has
	for s.err == nil && string(last) != text {
		last = append(last, s.read())
		last = last[max(0, len(last)-len(text)):]
	}
	s.keep(' ')
}

// skipLine skips the rest of a line and reports whether it is the one that ends the rows of a COPY.
func (s *script) skipLine() (endsRows bool) {
	head, err := s.r.ReadSlice('\n')
	endsRows = string(bytes.TrimSpace(head)) == `\.`
	for err == bufio.ErrBufferFull {
		_, err = s.r.ReadSlice('\n')
	}
	s.line++
	s.err = err
	s.keep(' ')
	return endsRows
}

// skipRows skips the rows that follow a COPY … FROM stdin.
func (s *script) skipRows() {
	s.skipLine()
	for s.err == nil && !s.skipLine() {
	}
}
