package given

import (
	"io"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// maxScript bounds a migration, in bytes.
const maxScript = 16 << 20

// statement is a statement of a script without its semicolon.
type statement struct {
	line int // on which it begins, from 1
	text string
}

// readScript returns the statements of a script.
func readScript(path string) ([]statement, error) {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxScript+1))
	if err == nil && len(data) > maxScript {
		err = &dataset.FileError{File: path, Err: errTooLarge}
	}
	return statements(strings.TrimPrefix(string(data), "\ufeff")), err
}

// token matches what a semicolon does not end a statement in: a string, a quoted name, a comment, a body between
// dollar signs; else a semicolon, or a run of other text. What is not closed goes to the end of the script.
var token = lazyregexp.New(`(?s)^(?:'(?:[^']|'')*(?:'|$)|"[^"]*(?:"|$)|` + "`[^`]*(?:`|$)" + `|--[^\n]*|/\*.*?(?:\*/|$)|;|[^'"` + "`" + `;/$-]+|.)`)

// dollar matches the beginning of a text between dollar signs.
var dollar = lazyregexp.New(`^\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$`)

// statements splits a script. Comments before a statement are left out.
func statements(script string) (all []statement) {
	line := 1
	current := statement{}
	add := func(text string) {
		if current.text == "" {
			trimmed := strings.TrimLeft(text, " \t\r\n\f")
			if trimmed == "" || strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*") {
				return
			}
			current.line = line + strings.Count(text[:len(text)-len(trimmed)], "\n")
			text = trimmed
		}
		current.text += text
	}
	for script != "" {
		part := token.FindString(script)
		if tag := dollar.FindString(script); tag != "" {
			part = tag
			if end := strings.Index(script[len(tag):], tag); end >= 0 {
				part = script[:len(tag)+end+len(tag)]
			}
		}
		if part == ";" {
			if current.text != "" {
				all = append(all, current)
			}
			current = statement{}
		} else {
			add(part)
		}
		line += strings.Count(part, "\n")
		script = script[len(part):]
	}
	if current.text != "" {
		all = append(all, current)
	}
	return all
}
