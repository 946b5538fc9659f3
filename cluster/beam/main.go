// Command tabperturb-beam runs a command of tabperturb as a pipeline of Apache Beam: elements are
// shares of its work, and what runs them is any runner of Beam.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	// Buckets of S3; those of Google Cloud Storage come with the runners.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"

	"github.com/tabperturb/tabperturb/cluster"
)

var (
	shares = flag.Int("shares", 16, "elements of the pipeline: shares that the work is divided into")
	pool   = flag.Int("pool", 0, "run workers for runners on this machine, at the given port, until interrupted; for --environment_type external")
)

const usage = `tabperturb-beam [flags of Beam] [--shares N] COMMAND [flags of the command]

runs a command of tabperturb that has --shard as a pipeline of Apache Beam:

  tabperturb-beam --shares 16 build --data /shared/spider --perturb drspider --out /shared/robust
  tabperturb-beam --runner universal --endpoint localhost:8073 --environment_type loopback \
    build --data /shared/spider --perturb drspider --out /shared/robust
  tabperturb-beam --runner dataflow --project P --region R --staging_location gs://bucket/staging \
    build --data gs://bucket/spider --perturb drspider --out gs://bucket/robust

Each element is a share. A share leaves a part beside the output, the last step merges them; the
output has the bytes of one run. The same command again does only what is missing. Paths are on a
folder that all workers see, in absolute form, or in buckets, gs:// and s3://.

Flags:
`

// main runs a pipeline, or workers for others; in a worker of Beam it runs that.
func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	beam.Init() // does not return in a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tabperturb-beam:", err)
		os.Exit(1)
	}
}

// run runs the pipeline of the command line, or the workers of --pool.
func run(ctx context.Context) error {
	if *pool != 0 {
		return serve(ctx, *pool)
	}
	job := cluster.Job{Args: flag.Args(), Shares: *shares}
	p, err := pipeline(job)
	if err != nil {
		return err
	}
	if err := chooseWorker(); err != nil {
		return err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return fmt.Errorf("%w\n%s", err, undone(job))
	}
	return nil
}

// undone describes the work that a failed run left.
func undone(job cluster.Job) string {
	out, err := job.Out()
	if err != nil || inBucket.MatchString(out) {
		return "the same command goes on: shares that are done are not done again"
	}
	missing, err := job.Missing()
	if err != nil || len(missing) == 0 {
		return "all shares are done; the same command merges them"
	}
	return fmt.Sprintf("shares that are not done: %s; the same command does these alone", strings.Trim(fmt.Sprint(missing), "[]"))
}

// chooseWorker has the runner send this program to its workers, where Beam would compile it
// anew. Workers that run already take none.
func chooseWorker() (err error) {
	switch env := strings.ToLower(*jobopts.EnvironmentType); {
	case *jobopts.WorkerBinary != "" || env == "loopback":
	case env == "external":
		*jobopts.WorkerBinary = os.DevNull
	default:
		*jobopts.WorkerBinary, err = os.Executable()
	}
	return err
}

// serve runs workers in this process for runners of this machine.
func serve(ctx context.Context, port int) error {
	s, err := extworker.StartLoopback(ctx, port)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return s.Stop(context.WithoutCancel(ctx))
}
