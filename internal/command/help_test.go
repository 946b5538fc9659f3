package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp checks that every text of the folder help is the long description of a command.
func TestHelp(t *testing.T) {
	var descriptions []string
	var collect func(cmd *cobra.Command)
	collect = func(cmd *cobra.Command) {
		descriptions = append(descriptions, cmd.Long)
		for _, sub := range cmd.Commands() {
			collect(sub)
		}
	}
	collect(Root())
	entries, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text := helpText(strings.TrimSuffix(e.Name(), ".txt"))
		start, _, _ := strings.Cut(strings.Split(text, examplesHeading)[0], "%s") // what other packages know comes in its place
		if !slices.ContainsFunc(descriptions, func(d string) bool { return strings.HasPrefix(d, start) }) {
			t.Errorf("help/%s describes no command", e.Name())
		}
	}
}
