// Command tabperturb perturbs the tables of text-to-SQL data sets, proves by
// execution that each perturbation kept its promise, and writes benchmarks.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/tabperturb/tabperturb/internal/command"
)

// main runs the command line and exits with its status.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command.Run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}
