package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tabperturb/tabperturb/dataset"
)

// app is what all commands share: the streams and the flags of the root.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	quiet   bool
	workers int
	seed    uint64

	mu      sync.Mutex
	skipped int
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "tabperturb",
		Short: "Perturb text-to-SQL data sets, prove each perturbation by execution, write benchmarks",
		Long: `tabperturb makes robustness benchmarks for text-to-SQL.

The way of the data: web tables and a dictionary propose names for each column
(candidates), an NLI model and a policy sort them into REPLACE and ADD buckets,
perturbations apply them, and every perturbed example is run before and after
and must keep its promise (build). Predictions of a model, before and after, are scored
by exact set match, execution and distilled test suites (eval).`,
		Example:       "  tabperturb demo\n  tabperturb candidates --data spider --out buckets.json\n  tabperturb build --data spider --buckets buckets.json --out benchmark",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	f := root.PersistentFlags()
	f.BoolVar(&a.quiet, "quiet", false, "no progress on standard error")
	f.IntVar(&a.workers, "workers", runtime.GOMAXPROCS(0), "units worked on at once; never changes the output")
	f.Uint64Var(&a.seed, "seed", 1, "seed of all random choices")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if a.workers < 1 {
			return fmt.Errorf("--workers %d: expected 1 or more", a.workers)
		}
		return nil
	}
	root.AddCommand(a.demoCmd(), a.corpusCmd(), a.candidatesCmd(), a.buildCmd(), a.mixCmd(), a.evalCmd(), a.linkCmd(), a.suiteCmd(), a.compareCmd(), a.reviewCmd(), a.reportCmd(), a.doctorCmd(), a.statsCmd(), a.nliCmd(), a.lexiconCmd(), a.modelsCmd(), a.convertCmd(), a.listCmd())
	return root
}

// version is that of the module, as far as the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// skip reports a record that cannot be used; the rest of the work goes on.
func (a *app) skip(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skipped++
	fmt.Fprintln(a.stderr, "tabperturb:", oneLine(err))
}

// warn reports what is odd but does no harm.
func (a *app) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(a.stderr, "tabperturb: note:", oneLine(err))
}

// report skips or warns.
func (a *app) report(err error) {
	if dataset.IsNote(err) {
		a.warn(err)
	} else {
		a.skip(err)
	}
}

// outcome is the error a command ends with once its work is done.
func (a *app) outcome() error {
	if a.skipped > 0 {
		return errSkipped
	}
	return nil
}

// terminal reports whether progress may be shown on standard error.
func (a *app) terminal() bool {
	file, ok := a.stderr.(*os.File)
	return !a.quiet && ok && term.IsTerminal(int(file.Fd()))
}

// start shows a progress bar on standard error where that is a terminal. Each
// call of the returned function is one step of total (-1: unknown).
func (a *app) start(what string, total int) (step func(), done func()) {
	if !a.terminal() {
		return func() {}, func() {}
	}
	bar := progressbar.NewOptions(total,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(a.stderr),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
	return func() { bar.Add(1) }, func() { bar.Finish() }
}

// checkOut tells early that a file cannot be written, before the work for it is
// done.
func checkOut(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder, expected a file to write", path)
	}
	return os.MkdirAll(filepath.Dir(path), 0o777)
}

// bold marks a heading where standard output is a terminal that wants colours.
func (a *app) bold(s string) string {
	file, ok := a.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("NO_COLOR") != "" {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// printJSON writes v, indented, to standard output.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
