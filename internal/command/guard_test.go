package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plainFlags are the flags with text that names no file or folder.
var plainFlags = strings.Fields(`addr annotator api attacker databases exclude-split format goal id judge judge-model licence
	max-disk metric mirror model moves nulls only paraphraser perturb policy prefer proposer query refusal scope role search shard split strategy table title to
	token train-split truth without words`)

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
					t.Errorf("%s --%s: names an input, an output or neither? See markInputs and markOutputs.", cmd.CommandPath(), f.Name)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(Root())
}

// TestGuardLinks gives each command an output that is one of its inputs, for every pair of flags, through links of
// files and folders: the command refuses it, and the input keeps its bytes.
func TestGuardLinks(t *testing.T) {
	makeLinks(t)
	pairs := 0
	var check func(path []string, cmd *cobra.Command)
	check = func(path []string, cmd *cobra.Command) {
		var inputs, outputs []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.(type) {
			case inputFlag:
				inputs = append(inputs, "--"+f.Name)
			case outputFlag:
				outputs = append(outputs, "--"+f.Name)
			}
		})
		if cmd.Args != nil && cmd.Args(cmd, []string{"data"}) == nil {
			inputs = append(inputs, "") // an argument
		}
		for _, in := range inputs {
			for _, out := range outputs {
				pairs++
				checkLinks(t, path, in, out)
			}
		}
		for _, sub := range cmd.Commands() {
			check(append(slices.Clone(path), sub.Name()), sub)
		}
	}
	check(nil, Root())
	if pairs < 100 {
		t.Errorf("%d pairs of an input and an output checked, expected those of all commands", pairs)
	}
}

// content is what the files of [makeLinks] hold.
const content = "SQLite format 3"

// makeLinks changes to a folder with a folder data, of which most is links.
func makeLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"real/lib.sqlite", "schemas/tables.json", "own.sqlite", "data/database/plain/plain.sqlite", "up.sqlite"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"data/database/lib":       "../../real",             // a folder
		"data/dev.json":           "../schemas/tables.json", // a file
		"data/database/up":        here,                     // a folder that holds the input itself
		"data/database/again":     "../database",            // a circle
		"outside":                 "data/database",          // the folder above, from elsewhere
		"alias.json":              "schemas/tables.json",    // the output is a link too
		"data/database/way.sqlit": "../../alias.json",       // over two links
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	if err := os.Link("own.sqlite", "data/database/plain/hard.sqlite"); err != nil {
		t.Fatal(err)
	}
}

// checkLinks runs the guard of a command with the folder data as the value of a flag for inputs, and each path of
// the files that are read through data as the value of a flag for outputs.
func checkLinks(t *testing.T, path []string, in, out string) {
	for _, output := range []string{
		"real/lib.sqlite", "real", "schemas/tables.json", "schemas", "own.sqlite", "up.sqlite", "alias.json",
		"data/database/lib/lib.sqlite", "data/dev.json", "outside/plain/plain.sqlite", "outside/lib/lib.sqlite",
	} {
		root := Root()
		args := append(slices.Clone(path), out, output)
		if in != "" {
			args = append(args, in)
		}
		root.SetArgs(append(args, "data"))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.Execute(); err == nil {
			t.Errorf("tabperturb %s: no error, expected the output to be refused", strings.Join(append(args, "data"), " "))
		}
		cmd, rest, err := Root().Find(append(args, "data"))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := (&app{}).guard(cmd, cmd.Flags().Args()); err == nil {
			t.Errorf("tabperturb %s: the guard lets it pass, expected the output to be refused", strings.Join(append(args, "data"), " "))
		}
	}
	for _, file := range []string{"real/lib.sqlite", "schemas/tables.json", "own.sqlite", "up.sqlite", "data/database/plain/plain.sqlite"} {
		if data, err := os.ReadFile(file); err != nil || string(data) != content {
			t.Errorf("tabperturb %s %s %s: %s is %.20q, %v; expected it unchanged", strings.Join(path, " "), in, out, file, data, err)
		}
	}
}
