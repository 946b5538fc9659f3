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
		long := strings.Split(helpText(strings.TrimSuffix(e.Name(), ".txt")), examplesHeading)[0]
		around := strings.Split(long, "%s") // parts of other packages replace %s
		isOf := func(description string) bool {
			return strings.HasPrefix(description, around[0]) && strings.HasSuffix(description, around[len(around)-1])
		}
		if around[0] == "" || !slices.ContainsFunc(descriptions, isOf) {
			t.Errorf("help/%s describes no command", e.Name())
		}
	}
	for _, d := range descriptions {
		if strings.Contains(d, "%s") {
			t.Errorf("a description lacks a part:\n%s", d)
		}
	}
}
