package command

import (
	"embed"
	"strings"
)

//go:embed help
var helpTexts embed.FS

// help returns the long description of a command: help/NAME.txt up to its examples. The parts, such as the list of formats, replace
// its "%s" in order.
func help(name string, parts ...string) string {
	long, _, _ := strings.Cut(helpText(name), examplesHeading)
	for _, part := range parts {
		long = strings.Replace(long, "%s", part, 1)
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
