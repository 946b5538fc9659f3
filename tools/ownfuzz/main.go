// Command ownfuzz wraps the compiler of "go test -fuzz" (-toolexec) so that only this repository and the standard library are
// instrumented. The fuzzer clears and compares every counter of the
// program at each input; with those of the SQL engine, C translated to Go, that is a hundred times
// the work of most targets.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	module     = "github.com/tabperturb/tabperturb"
	instrument = "-d=libfuzzer"
)

// main runs the tool of Go that its arguments name, and exits with 1 if that fails.
func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "ownfuzz: expected a tool of Go and its arguments, as go test -toolexec gives them")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			fmt.Fprintln(os.Stderr, "ownfuzz:", err)
		}
		os.Exit(1)
	}
}

// run runs a tool of Go, without the flag for instrumentation if the package is not wanted.
func run(tool string, args []string) error {
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	if slices.Contains(args, "-V=full") {
		// The version is part of the key of the build cache, which must not give back what was
		// compiled without this program.
		version, err := cmd.Output()
		fmt.Printf("%s ownfuzz\n", bytes.TrimSpace(version))
		return err
	}
	if strings.TrimSuffix(filepath.Base(tool), ".exe") == "compile" && !wanted(args) {
		cmd.Args = slices.DeleteFunc(cmd.Args, func(arg string) bool { return arg == instrument })
	}
	cmd.Stdout = os.Stdout
	return cmd.Run()
}

// wanted reports whether the package that a command line of the compiler names (-p) should be instrumented.
func wanted(args []string) bool {
	i := slices.Index(args, "-p")
	if i < 0 || i+1 == len(args) {
		return true
	}
	first, _, _ := strings.Cut(args[i+1], "/")
	return !strings.Contains(first, ".") || args[i+1] == module || strings.HasPrefix(args[i+1], module+"/")
}
