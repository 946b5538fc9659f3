package command

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/report"
)

// suggestion is a command line that a user can run next as it is.
type suggestion struct {
	purpose string
	args    []string // those that are empty are left out
}

// suggest returns the suggestion of a command line.
func suggest(purpose string, args ...string) suggestion { return suggestion{purpose, args} }

// maxAligned is the length of a command line up to which its purpose is aligned with the others.
const maxAligned = 100

// printNext prints suggestions under the heading "Next", nothing without suggestions. Every command that suggests another does it
// here.
func (a *app) printNext(w io.Writer, all ...suggestion) error {
	if len(all) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "\n%s\n", a.bold("Next"))
	for _, s := range all {
		line, gap := report.Command(s.args...), "\t"
		if len(line) > maxAligned { // without a tab it does not widen the column of the others
			gap = "   "
		}
		fmt.Fprintf(t, "  %s%s# %s\n", line, gap, s.purpose)
	}
	return t.Flush()
}

// afterBuild returns the suggestions for the build in out, none if it has no records. Prompts show rows of its databases, so
// they are suggested if the databases exist or can be made from the data directory data ("" if that is unknown).
func afterBuild(m *benchmark.Manifest, out, data string) []suggestion {
	_, built, err := benchmark.ReadResults(out, nil)
	if err != nil {
		return nil
	}
	all := []suggestion{suggest("look at records", "show", out, "-n", "1")}
	switch {
	case benchmark.CheckDatabases(out, built) == nil: // they exist
	case m.Plan.Databases == benchmark.DatabasesNone && data != "":
		all = append(all, suggest("make its databases, which SQL is run on", append([]string{"materialize", out, "--data", data}, splitFlag(m.Split)...)...))
	default:
		return all
	}
	return append(all, suggest("write prompts for a model; --victim asks one", "predict", "--build", out, "--prompts", "prompts.jsonl"))
}

// seedFlag returns the flag --seed for a seed other than its default.
func seedFlag(seed uint64) []string {
	if seed == 1 {
		return nil
	}
	return []string{"--seed", strconv.FormatUint(seed, 10)}
}

// splitFlag returns the flag --split for a split other than its default.
func splitFlag(split string) []string {
	if split == "dev" {
		return nil
	}
	return []string{"--split", split}
}
