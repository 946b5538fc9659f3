// Package cluster is all that an engine needs which runs tabperturb on many machines: what a
// command line writes, one share of its work, and the merge.
//
// A [Job] is divided into shares that need nothing of each other. Each is done once, anywhere,
// by [Job.Do], and leaves a part in the folder [PartPath] next to the output; a share that fails
// or is killed is done again, alone. When all parts lie next to each other, [Job.Merge] makes of
// them what an undivided run writes, byte by byte. Engines differ in how a share comes to a
// machine and a part to the others: on a folder that all see there is nothing to move, elsewhere
// the engine copies inputs and parts and gives Do and Merge local paths.
//
// The folder beam has a pipeline of Apache Beam that does so.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/internal/command"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Job is a command line of tabperturb whose work is divided into shares.
type Job struct {
	// Args are the command line without the program's name and without --shard, as
	// "build", "--data", "spider", "--perturb", "drspider", "--out", "robust".
	Args   []string
	Shares int // from 1
}

// Out returns the path that the job writes, or what is wrong with its command line: an unknown
// flag, or a command whose work cannot be divided. It reads no input.
func (j Job) Out() (string, error) {
	out, _, err := j.plan()
	return out, err
}

// plan returns where the job writes and how its parts are merged.
func (j Job) plan() (out string, merge []string, err error) {
	switch {
	case j.Shares < 1, j.Shares > outdir.MaxShares:
		return "", nil, fmt.Errorf("%d shares: expected 1 to %d", j.Shares, outdir.MaxShares)
	case len(j.Args) == 0:
		return "", nil, errors.New("no command, expected one with its flags, as build --data DIR --out DIR")
	}
	return command.Divisible(j.Args)
}

// Do does share i, from 1, and leaves its part at [PartPath]. It goes on if one was
// interrupted, and keeps a part that is there already, whole and of the same inputs and flags.
// What the command prints goes to log. A share at which another process is at work is an error;
// records that cannot be used are told of and are none.
func (j Job) Do(ctx context.Context, i int, log io.Writer) error {
	share := outdir.Share{I: i, N: j.Shares}
	err := command.Do(ctx, log, log, slices.Concat(j.Args, []string{"--shard", share.String(), "--resume", "--quiet"}))
	if err != nil {
		return fmt.Errorf("share %s: %w", share, err)
	}
	return nil
}

// Missing returns the shares, in order, that have left no finished part next to the output.
func (j Job) Missing() (missing []int, err error) {
	out, err := j.Out()
	for i := 1; i <= j.Shares && err == nil; i++ {
		if _, err := os.Stat(filepath.Join(PartPath(out, i, j.Shares), PartFile)); err != nil {
			missing = append(missing, i)
		}
	}
	return missing, err
}

// Merge makes the output of all parts, which lie next to it. The error names every share that is
// to be done again.
func (j Job) Merge(ctx context.Context, log io.Writer) error {
	_, merge, err := j.plan()
	if err != nil {
		return err
	}
	return command.Do(ctx, log, log, merge)
}

// PartPath returns the folder that share i of n, from 1, of an output leaves: OUT.part-I-of-N.
func PartPath(out string, i, n int) string { return outdir.Share{I: i, N: n}.Path(out) }

// PartFile is the file by which a finished part is known: it identifies run and share.
const PartFile = outdir.PartFile
