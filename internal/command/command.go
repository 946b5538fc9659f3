// Package command has the commands of tabperturb, thin over the packages: flags, messages, what
// is printed. It is a package so that others than the program can do what a command does.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/console"
)

// Exit codes: the contract that scripts rely on.
const (
	exitDone        = 0
	exitFindings    = 1   // a check that was asked for failed
	exitBadInput    = 2   // usage or bad input; what could be done was done
	exitInterrupted = 130 // as shells have it
)

// errSkipped ends a command whose work is done but for records that were
// reported on standard error.
var errSkipped = errors.New("some records were skipped")

// errFindings ends a command whose check failed after its findings were printed.
var errFindings = errors.New("the check found something")

// findingsError returns errFindings if a check found something, else nil.
func findingsError(found bool) error {
	if found {
		return errFindings
	}
	return nil
}

// Root returns the tree of all commands, to look at.
func Root() *cobra.Command { return (&app{}).root() }

// Run runs one command line and returns its exit code. It prints the error, unless skipped records or findings were printed instead.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	err := execute(ctx, stdin, stdout, stderr, args)
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errSkipped):
		return exitBadInput
	case errors.Is(err, errFindings):
		return exitFindings
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "tabperturb: interrupted; run it again to go on, with --resume where it has that flag")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "tabperturb:", oneLine(err))
	return exitBadInput
}

// Do runs one command line without standard input. Skipped records are printed on stderr and are no
// error.
func Do(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	err := execute(ctx, strings.NewReader(""), stdout, stderr, args)
	if errors.Is(err, errSkipped) {
		return nil
	}
	return err
}

// execute runs one command line. It returns errSkipped if the work was done but for records that were skipped. An error of
// standard output comes before any other.
func execute(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	out := &console.Output{Writer: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	a.reportUnshown()
	return cmp.Or(out.Err(), err, a.outcome())
}

// oneLine returns the message of an error on one line, without control characters that paths and
// records may hold.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), unicode.IsControl), " ")
}
