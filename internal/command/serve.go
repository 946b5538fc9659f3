package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/serve"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// tokenEnv is the environment variable that can hold the token, as others on the machine can read
// a command line.
const tokenEnv = "TABPERTURB_TOKEN"

// serveMemory is the soft limit in bytes of the program's own memory; the SQL engine's is not in
// it.
const serveMemory = 1 << 30

type serveFlags struct {
	judgeFlags
	tables, db, addr, token               string
	stdio                                 bool
	maxRows, maxMemory, maxBody, maxBatch int
}

// serveCmd returns the command serve.
func (a *app) serveCmd() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Give the verdicts of eval as a service, over HTTP or a pipe",
		Long:    help("serve", tokenEnv),
		Example: examples("serve"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withContent(cmd.Context(), &f.db, new(string), func() error { return a.serve(cmd.Context(), &f) })
		},
	}
	f.addModes(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.db, "db", "", "folder of DB_ID/DB_ID.sqlite, or the address of the PostgreSQL database DB_ID, with --tables")
	fl.StringVar(&f.tables, "tables", "", "schemas (default: tables.json in the folder of the databases or beside it)")
	fl.StringVar(&f.addr, "addr", "127.0.0.1:8787", "address to listen at; port 0 is any that is free")
	fl.StringVar(&f.token, "token", "", "what a client must send, as Authorization: Bearer TOKEN")
	fl.BoolVar(&f.stdio, "stdio", false, "answer lines of standard input instead")
	fl.IntVar(&f.maxRows, "max-rows", 0, "rows that a query may answer (default 200000)")
	fl.IntVar(&f.maxMemory, "max-memory", 0, "MiB that a query may take (default 128 for its answer, 256 on the way to it)")
	fl.IntVar(&f.maxBody, "max-body", 0, fmt.Sprintf("MiB of a request (default %d)", serve.DefaultLimits.Body>>20))
	fl.IntVar(&f.maxBatch, "max-batch", 0, fmt.Sprintf("requests in a list (default %d)", serve.DefaultLimits.Batch))
	markInputs(cmd, "db", "suite", "tables")
	require(cmd, "db")
	return cmd
}

// serve answers requests, over a pipe or over HTTP, until ctx ends.
func (a *app) serve(ctx context.Context, f *serveFlags) error {
	defer debug.SetGCPercent(debug.SetGCPercent(patientGC))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(serveMemory))
	o, err := f.service(a)
	if err != nil {
		return err
	}
	s := serve.New(o)
	defer s.Close()
	if f.stdio {
		return s.Pipe(ctx, a.stdin, a.stdout)
	}
	l, err := s.Listen(f.addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", f.addr, err)
	}
	fmt.Fprintf(a.stdout, "listening at http://%s for %s; Ctrl-C ends it\n", l.Addr(), table.Count(len(o.Evaluate.Databases), "database"))
	return s.Serve(ctx, l)
}

// service checks the flags and returns the options of the service.
func (f *serveFlags) service(a *app) (o serve.Options, err error) {
	for _, limit := range []struct {
		flag string
		n    int
	}{{"max-rows", f.maxRows}, {"max-memory", f.maxMemory}, {"max-body", f.maxBody}, {"max-batch", f.maxBatch}} {
		if limit.n < 0 || limit.n > 1<<30 {
			return o, fmt.Errorf("--%s %d: expected 1 to %d", limit.flag, limit.n, 1<<30)
		}
	}
	f.metrics = []string{string(serve.Exact), string(serve.Exec)}
	if o.Evaluate, err = f.options(a); err != nil {
		return o, err
	}
	if !dataset.IsDir(f.db) {
		return o, fmt.Errorf("--db %s: is not there, expected a folder of DB_ID/DB_ID.sqlite", f.db)
	}
	o.Evaluate.Content = f.db
	if o.Evaluate.Databases, err = f.schemas(a); err != nil {
		return o, err
	}
	limits := &o.Evaluate.Execution.Limits
	limits.Rows, limits.Bytes, limits.Work = f.maxRows, int64(f.maxMemory)<<20, int64(f.maxMemory)<<20
	// A verdict has time for four queries: gold and prediction run twice each if the gold is looked at for ties.
	o.Limits = serve.Limits{Body: int64(f.maxBody) << 20, Batch: f.maxBatch, Verdict: max(serve.DefaultLimits.Verdict, 4*f.timeout)}
	o.Token = cmp.Or(f.token, os.Getenv(tokenEnv))
	o.Report = a.warn
	return o, nil
}

// schemas reads the schemas of --tables, by default of a tables.json in the folder of the databases or the folder above it.
func (f *serveFlags) schemas(a *app) (map[string]*dataset.Database, error) {
	db := filepath.Clean(f.db)
	for _, dir := range []string{db, filepath.Dir(db)} {
		for _, name := range []string{"tables.json", "tables.json.gz"} {
			if path := filepath.Join(dir, name); f.tables == "" && exists(path) {
				f.tables = path
			}
		}
	}
	if f.tables == "" {
		return nil, fmt.Errorf("--db %s: has no tables.json, nor is one beside it, expected the schemas; --tables names another file", f.db)
	}
	return dataset.Schemas(f.tables, a.warn)
}
