package command

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed help
var helpTexts embed.FS

// help returns the long description of a command, which help/NAME.txt begins with. What other packages know, as the names of
// formats, stands in it in the places of "%s", in the order of parts.
func help(name string, parts ...any) string {
	long, _, _ := strings.Cut(helpText(name), examplesHeading)
	if len(parts) > 0 {
		return fmt.Sprintf(long, parts...)
	}
	return long
}

// examples returns the examples of a command, which help/NAME.txt ends with.
func examples(name string) string {
	_, examples, _ := strings.Cut(helpText(name), examplesHeading)
	return examples
}

// examplesHeading divides the two parts of a file.
const examplesHeading = "\n\nExamples:\n"

// helpText returns help/NAME.txt. It panics without that file, which is part of the program.
func helpText(name string) string {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}
