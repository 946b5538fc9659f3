//go:build quality

package quality

import (
	"context"
	"io"
	"strings"
	"testing"

	cli "github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/study/reproduce"
)

// TestReproduce runs the experiments of the papers that read Spider dev alone, by the commands that they list. The
// metrics of test suites have TestSuite.
func TestReproduce(t *testing.T) {
	ctx := context.Background()
	r := &reproduce.Runner{
		Dir: t.TempDir(), Inputs: reproduce.Inputs{"data": {spiderData(t)}, "split": {"dev"}}, Note: func(line string) { t.Log(line) },
		Command: func(ctx context.Context, args []string, stdout io.Writer) error {
			return cli.Do(ctx, stdout, io.Discard, append(args, "--quiet"))
		},
	}
	all, err := reproduce.All()
	if err != nil {
		t.Fatal(err)
	}
	var results []*reproduce.Result
	for _, e := range all {
		if len(e.Needs) > 1 {
			continue
		}
		result, err := r.Run(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	var report strings.Builder
	if err := reproduce.WriteText(&report, results); err != nil {
		t.Fatal(err)
	}
	golden(t, "reproduce", report.String())
}
