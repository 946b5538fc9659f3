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

// statements splits a script. Comments before a statement are left out.
func statements(script string) (all []statement) {
	line, begun, inBody, lineBegins := 1, 1, false, true
	var current strings.Builder
	add := func(text string) {
		if current.Len() == 0 {
			trimmed := strings.TrimLeft(text, " \t\r\n\f")
			if trimmed == "" || strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
				return
			}
			begun = line + strings.Count(text[:len(text)-len(trimmed)], "\n")
			text = trimmed
		}
		current.WriteString(text)
		inBody = inBody || bodyStart.MatchString(text) && triggerStart.MatchString(current.String())
	}
	end := func() {
		if current.Len() > 0 {
			all = append(all, statement{begun, current.String()})
		}
		current.Reset()
		inBody = false
	}
	bodyEnds := func() bool {
		text := current.String()
		return bodyEnd.MatchString(text[max(0, len(text)-64):])
	}
	for script != "" {
		part := token.FindString(script)
		if tag := dollar.FindString(script); tag != "" {
			part = script
			if closing := strings.Index(script[len(tag):], tag); closing >= 0 {
				part = script[:len(tag)+closing+len(tag)]
			}
		}
		comment := ""
		if lineBegins {
			comment = hashComment.FindString(script)
		}
		switch {
		case comment != "":
			part = comment
		case part == ";" && (!inBody || bodyEnds()):
			end()
		default:
			add(part)
		}
		lastLine := part[strings.LastIndex(part, "\n")+1:]
		lineBegins = (lineBegins || len(lastLine) < len(part)) && strings.TrimSpace(lastLine) == ""
		line += strings.Count(part, "\n")
		script = script[len(part):]
	}
	end()
	return all
}
