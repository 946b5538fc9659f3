package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/evaluate/suite"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/remote/predict"
	"github.com/tabperturb/tabperturb/internal/study/attack"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/retriever"
)

// sharded holds the flag --shard of commands whose work can be divided.
type sharded struct{ shard string }

// flag adds --shard to a command.
func (s *sharded) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.shard, "shard", "", "do one share of the work, I/N as 3/16, and leave it in OUT.part-I-of-N; merge puts all together")
}

// share parses --shard. It refuses a share whose part would replace an input.
func (s *sharded) share(a *app, out string) (outdir.Share, error) {
	share, err := outdir.ParseShare(s.shard)
	if err != nil {
		return share, fmt.Errorf("--shard %w", err)
	}
	return share, a.inputs.CheckOutput(share.Path(out))
}

// printPart prints how many units, such as "database", a part holds, and suggests to merge the parts once all exist. data is the
// data directory, which some kinds of merge read. If the share failed, printPart only returns err.
func (a *app) printPart(p *outdir.Part, err error, out, data, unit string) error {
	if err != nil {
		return err
	}
	if p.Failed > 0 {
		a.skip(fmt.Errorf("share %s: %d times there was no answer; the same command with --resume asks again", p.Share, p.Failed))
	}
	return a.print(p, func(w io.Writer) error {
		fmt.Fprintf(w, "share %s: %d of %s\nwrote %s\n", p.Share, len(p.Mine), table.Count(p.Units, unit), p.Share.Path(out))
		if _, missing := outdir.Parts(out); missing != nil {
			_, err := fmt.Fprintf(w, "once all %d shares are done, merge puts their parts together\n", p.Share.N)
			return err
		}
		return a.printNext(w, suggest("put all parts together", mergeArgs(p.Kind, out, data)...))
	})
}

// mergeArgs returns the command line that merges the parts of the output out, of a kind.
func mergeArgs(kind, out, data string) []string {
	args := []string{"merge", out}
	if data != "" && slices.Contains(mergedWithData, kind) {
		args = append(args, "--data", data)
	}
	return args
}

// mergedWithData lists the kinds of parts whose merge reads the data directory.
var mergedWithData = []string{augment.PartKind, attack.PartKind}

// merging holds the flags and the argument of merge.
type merging struct {
	out     string
	explain string // file of rejected names
	data    string // data directory
}

// merges returns, by the kind of parts, the function that merges them and prints the result.
func (a *app) merges() map[string]func(context.Context, *merging, []*outdir.Part) error {
	return map[string]func(context.Context, *merging, []*outdir.Part) error{
		benchmark.PartKind: func(ctx context.Context, f *merging, parts []*outdir.Part) error {
			m, err := benchmark.Merge(ctx, f.out, parts, a.strength, a.report)
			if err != nil {
				return err
			}
			b := &built{Manifest: m} // without counts of requests: merge asks no model
			return a.print(b, func(w io.Writer) error { return a.printBuild(w, b, f.out, "") })
		},
		suite.PartKind: func(ctx context.Context, f *merging, parts []*outdir.Part) error {
			m, err := suite.Merge(ctx, f.out, parts, a.report)
			return a.printSuite(m, err, "wrote "+f.out)
		},
		augment.PartKind:   a.mergeCandidates,
		predict.PartKind:   a.mergePredictions,
		attack.PartKind:    a.mergeAttack,
		retriever.PartKind: a.mergeCorpus,
	}
}

// mergeCandidates writes the names of all parts to one file. With --data it also stores the entities of their tables in the data
// directory; without it a note reports that they are lost.
func (a *app) mergeCandidates(_ context.Context, f *merging, parts []*outdir.Part) error {
	written := candidatesFlags{out: f.out, explain: f.explain}
	if err := cmp.Or(filecheck.Distinct(written.files()...), filecheck.Writable(f.out)); err != nil {
		return err
	}
	s, err := augment.Merge(parts, augment.Config{Out: f.out, Explain: f.explain, Report: a.report})
	if err != nil {
		return err
	}
	switch {
	case len(s.Entities) > 0 && f.data == "":
		a.warn(fmt.Errorf("what %s are about is not kept, expected --data with the data directory that has it in %s", table.Count(len(s.Entities), "table"), nli.EntitiesFile))
	case len(s.Entities) > 0:
		if err := nli.ReadEntities(filepath.Join(f.data, nli.EntitiesFile), a.report).Write(s.Entities); err != nil {
			a.warn(err)
		}
	}
	return a.print(s, func(w io.Writer) error { return printSummary(w, s, written.files()) })
}

// mergeCmd returns the command merge.
func (a *app) mergeCmd() *cobra.Command {
	var f merging
	cmd := &cobra.Command{
		Use:     "merge OUT",
		Short:   "Put the parts of a divided run together",
		Long:    help("merge"),
		Example: examples("merge"),
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.out = args[0]
			return a.merge(cmd.Context(), &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.explain, "explain", "", "of candidates: file to write every rejected name to, with its reason (JSON lines)")
	fl.StringVar(&f.data, "data", "", "data directory: of candidates, whose entities.json keeps what tables without a name are about; of attack, to build from")
	markInputs(cmd, "data")
	markOutputs(cmd, "explain")
	a.jsonFlag(cmd, "print what the undivided command prints with --json")
	return cmd
}

// merge merges the parts of f.out by the function for their kind. It refuses flags that are for parts of another kind.
func (a *app) merge(ctx context.Context, f *merging) error {
	parts, err := outdir.Parts(f.out)
	if err != nil {
		return err
	}
	kind, merges := parts[0].Kind, a.merges()
	switch {
	case merges[kind] == nil:
		return fmt.Errorf("the parts are of a command that this version does not know, expected those of %s", strings.Join(slices.Sorted(maps.Keys(merges)), ", "))
	case f.explain != "" && kind != augment.PartKind:
		return errors.New("--explain: is of the names of candidates, expected none")
	case f.data != "" && !slices.Contains(mergedWithData, kind):
		return fmt.Errorf("--data: is of %s, expected none for parts of %s", strings.Join(mergedWithData, " and "), kind)
	}
	return merges[kind](ctx, f, parts)
}

// Divisible parses a command line that starts with the name of its command. It returns the output and the command line that
// merges its parts. It is an error if the command has no --shard, if that flag is set, or if a required flag is missing.
func Divisible(args []string) (out string, merge []string, err error) {
	cmd, flags, err := Root().Find(args)
	if err != nil {
		return "", nil, err
	}
	shard, place := cmd.Flags().Lookup("shard"), cmd.Flags().Lookup("out")
	if shard == nil || place == nil {
		return "", nil, fmt.Errorf("%s: cannot be divided, expected a command that has --shard", cmd.CommandPath())
	}
	if err := cmd.ParseFlags(flags); err != nil {
		return "", nil, err
	}
	switch {
	case shard.Changed:
		return "", nil, errors.New("--shard: is set for each share, expected a command line without it")
	case place.Value.String() == "":
		return "", nil, errors.New("--out is empty, expected a file or folder to write")
	}
	data := ""
	if flag := cmd.Flags().Lookup("data"); flag != nil {
		data = flag.Value.String()
	}
	return place.Value.String(), mergeArgs(cmd.Name(), place.Value.String(), data), cmd.ValidateRequiredFlags()
}
