package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plainFlags are the flags with text that names no file or folder.
var plainFlags = strings.Fields(`addr annotator api attacker databases exclude-split format goal id judge judge-model licence
	max-disk metric mirror model moves nulls only paraphraser perturb policy proposer query scope search shard split strategy table title to
	token train-split truth`)

// TestFlagTypes checks that the type of every flag with text says whether the text names inputs, an
// output, or neither.
func TestFlagTypes(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			switch value := f.Value.(type) {
			case inputFlag:
				if _, twice := value.Value.(inputFlag); twice {
					t.Errorf("%s --%s: declared twice as an input", cmd.CommandPath(), f.Name)
				}
			case outputFlag:
			default:
				isText := strings.HasPrefix(f.Value.Type(), "string")
				models := cmd.CommandPath() == "tabperturb eval consistency" && f.Name == "model" // paths after a name
				if isText && (models || !slices.Contains(plainFlags, f.Name)) {
					t.Errorf("%s --%s: names an input, an output or neither? See reads and writes.", cmd.CommandPath(), f.Name)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(Root())
}
