package command

import (
	"slices"
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
		text, err := helpTexts.ReadFile("help/" + e.Name())
		if err != nil || !slices.Contains(descriptions, string(text[:len(text)-1])) {
			t.Errorf("help/%s describes no command: %v", e.Name(), err)
		}
	}
}
