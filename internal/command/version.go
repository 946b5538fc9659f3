package command

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// buildVersion is what a program knows of how it was built.
type buildVersion struct {
	Version  string        `json:"version"`
	Commit   string        `json:"commit,omitempty"`
	Modified bool          `json:"modified"` // the working tree had changes
	Go       string        `json:"go"`
	OS       string        `json:"os"`
	Arch     string        `json:"arch"`
	SQLite   sqlite.Engine `json:"sqlite"`
}

// readVersion returns what the build stored in the program: module version, commit, Go version.
func readVersion() buildVersion {
	v := buildVersion{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// version returns the version of the module, "(devel)" if the build does not know it.
func version() string { return readVersion().Version }

// versionCmd returns the command version.
func (a *app) versionCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Version, commit, Go version, platform and SQL engine of this program",
		Example: "  tabperturb version\n  tabperturb version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			var err error
			v.SQLite, err = sqlite.ReadEngine()
			return a.printResult(v, err)
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// WriteText writes the version for people.
func (v buildVersion) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "tabperturb %s, %s, %s/%s\nSQLite %s, with the modules %s\n", v.Version, v.Go, v.OS, v.Arch, v.SQLite.Version, strings.Join(v.SQLite.Modules, ", "))
	return err
}
