package given

import (
	"fmt"
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// The bounds of a migration: bytes, and changes of the schema.
const maxScript, maxChanges = 16 << 20, 1000

// statement is a statement of a script without its semicolon.
type statement struct {
	line int // on which it begins, from 1
	text string
}

// readScript returns the statements of a script file.
func readScript(path string) ([]statement, error) {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err == nil && len(data) > maxScript {
		err = &dataset.FileError{File: path, Err: fmt.Errorf("script is larger than %d MiB, expected less", maxScript>>20)}
	}
	if err != nil {
		return nil, err
	}
	return statements(strings.TrimPrefix(string(data), "\ufeff")), nil
}

// token matches what a semicolon does not end a statement in: a string, a quoted name, a comment, a body between
// dollar signs; else a semicolon, or a run of other text. What is not closed goes to the end of the script.
var token = lazyregexp.New(`(?s)^(?:'(?:[^']|'')*(?:'|$)|"[^"]*(?:"|$)|` + "`[^`]*(?:`|$)" + `|--[^\n]*|/\*.*?(?:\*/|$)|;|[^'"` + "`" + `;/$#-]+|.)`)

// dollar matches the beginning of a text between dollar signs.
var dollar = lazyregexp.New(`^\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$`)

// hashComment matches MySQL's comment, which the line begins with here; PostgreSQL has operators that begin with its sign.
var hashComment = lazyregexp.New(`^#(?:[^>#-][^\n]*)?(?:\n|$)`)

// A trigger may have a body of statements: the word BEGIN in a trigger begins it, and the word END after a semicolon ends it.
var (
	triggerStart = lazyregexp.New(`(?i)^CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TRIGGER\b`)
	bodyStart    = lazyregexp.New(`(?i)\bBEGIN\b`)
	bodyEnd      = lazyregexp.New(`(?i);\s*END\s*$`)
)

// splitter splits a script into statements.
type splitter struct {
	all     []statement
	current strings.Builder // the statement that is read
	line    int             // of what is read
	begun   int             // the line on which current begins
	inBody  bool            // current is a trigger whose body has begun
}

// statements splits a script into its statements. It leaves out comments before a statement, and MySQL's comments everywhere.
func statements(script string) []statement {
	s := &splitter{line: 1, begun: 1}
	atLineStart := true // but for white space
	for script != "" {
		part, comment := nextPart(script), ""
		if atLineStart {
			comment = hashComment.FindString(script)
		}
		switch {
		case comment != "":
			part = comment
		case part == ";" && s.mayEnd():
			s.end()
		default:
			s.add(part)
		}
		// The next part begins a line if only white space follows the last line break, in this part or before it.
		lastLine := part[strings.LastIndex(part, "\n")+1:]
		atLineStart = (atLineStart || len(lastLine) < len(part)) && strings.TrimSpace(lastLine) == ""
		s.line += strings.Count(part, "\n")
		script = script[len(part):]
	}
	s.end()
	return s.all
}

// nextPart returns the first token of a script: a text between dollar tags, such as $body$, with its tags, or else what token
// matches. A text without a closing tag goes to the end of the script.
func nextPart(script string) string {
	tag := dollar.FindString(script)
	if tag == "" {
		return token.FindString(script)
	}
	if closing := strings.Index(script[len(tag):], tag); closing >= 0 {
		return script[:len(tag)+closing+len(tag)]
	}
	return script
}

// add adds text to the current statement. It drops white space and comments before the statement, and notes when the body of a trigger
// begins (inBody), whose semicolons do not end the statement.
func (s *splitter) add(text string) {
	if s.current.Len() == 0 {
		trimmed := strings.TrimLeft(text, " \t\r\n\f")
		if trimmed == "" || strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
			return
		}
		s.begun = s.line + strings.Count(text[:len(text)-len(trimmed)], "\n")
		text = trimmed
	}
	s.current.WriteString(text)
	s.inBody = s.inBody || bodyStart.MatchString(text) && triggerStart.MatchString(s.current.String())
}

// mayEnd reports whether a semicolon ends the current statement: in the body of a trigger only after END.
func (s *splitter) mayEnd() bool {
	text := s.current.String()
	return !s.inBody || bodyEnd.MatchString(text[max(0, len(text)-64):]) // a short tail, to keep the work linear
}

// end ends the current statement.
func (s *splitter) end() {
	if s.current.Len() > 0 {
		s.all = append(s.all, statement{s.begun, s.current.String()})
	}
	s.current.Reset()
	s.inBody = false
}
