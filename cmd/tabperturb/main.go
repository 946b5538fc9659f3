// Command tabperturb perturbs the tables of text-to-SQL data sets, proves by
// execution that each perturbation kept its promise, and writes benchmarks.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"
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

// findings is the error of a check, by whether it found anything.
func findings(found bool) error {
	if found {
		return errFindings
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	out := &output{Writer: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	a.tellMore()
	if err == nil || errors.Is(err, errFindings) {
		err = cmp.Or(out.failed(), err, a.outcome())
	}
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

// oneLine keeps an error to one line: paths and records in messages may hold
// anything.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), unicode.IsControl), " ")
}
