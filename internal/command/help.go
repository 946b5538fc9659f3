package command

import (
	"embed"
	"strings"
)

//go:embed help
var helpTexts embed.FS

// help returns the long description of a command, help/NAME.txt. It panics without that file, which is part of the program.
func help(name string) string {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}
