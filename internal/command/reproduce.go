package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/internal/study/reproduce"
)

type reproduceFlags struct {
	data, split, train, out string
	pred, input             []string
	list, dryRun            bool
}

// reproduceCmd returns the command reproduce.
func (a *app) reproduceCmd() *cobra.Command {
	var f reproduceFlags
	cmd := &cobra.Command{
		Use:     "reproduce EXPERIMENT...",
		Short:   "Tables of the papers, each by the commands that give it",
		Long:    help("reproduce"),
		Example: examples("reproduce"),
		RunE:    func(cmd *cobra.Command, names []string) error { return a.reproduce(cmd.Context(), &f, names) },
	}
	fl := cmd.Flags()
	a.optionalDataFlags(cmd, &f.data, &f.split)
	fl.StringVar(&f.train, "train", "", "data directory with train.json, for experiments that train")
	fl.StringArrayVar(&f.pred, "pred", nil, "predictions of a model for the split, for experiments on metrics; repeatable")
	fl.StringArrayVar(&f.input, "input", nil, "a file of a paper's release or of a model's answers as NAME=PATH, for experiments that read it; repeatable")
	fl.StringVar(&f.out, "out", "reproduced", "folder to write; experiments share what the same commands write")
	fl.BoolVar(&f.list, "list", false, "print the experiments")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the commands and run none")
	markInputs(cmd, "train", "pred", "input")
	markOutputs(cmd, "out")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// reproduce runs experiments and prints the table of each.
func (a *app) reproduce(ctx context.Context, f *reproduceFlags, names []string) error {
	if f.list {
		return a.listExperiments()
	}
	if len(names) == 0 {
		return errors.New("expected the names of experiments, which --list prints")
	}
	experiments, err := mapEach(names, reproduce.Find)
	if err != nil {
		return err
	}
	inputs, err := f.inputs()
	if err != nil {
		return err
	}
	r := &reproduce.Runner{
		Dir: f.out, Inputs: inputs, Global: []string{fmt.Sprintf("--seed=%d", a.seed)},
		Command: func(ctx context.Context, args []string, stdout io.Writer) error {
			return Do(ctx, stdout, a.stderr, append(args, fmt.Sprintf("--workers=%d", a.workers), fmt.Sprintf("--quiet=%t", a.quiet)))
		},
		Note: func(line string) { fmt.Fprintln(a.stderr, line) },
	}
	if f.dryRun {
		return a.printCommands(r, experiments)
	}
	results, err := mapEach(experiments, func(e *reproduce.Experiment) (*reproduce.Result, error) { return r.Run(ctx, e) })
	if err != nil {
		return err
	}
	return a.print(results, func(w io.Writer) error { return reproduce.WriteText(w, results) })
}

// inputs returns the inputs that the commands of experiments refer to, by name: those of the flags, and the files of --input.
func (f *reproduceFlags) inputs() (reproduce.Inputs, error) {
	in := reproduce.Inputs{"split": {f.split}}
	for name, value := range map[string]string{"data": f.data, "train": f.train} {
		if value != "" {
			in[name] = []string{value}
		}
	}
	for _, pred := range f.pred { // the arguments of a command that takes all predictions
		in["pred"] = append(in["pred"], "--pred", pred)
	}
	for _, input := range f.input {
		name, path, ok := strings.Cut(input, "=")
		if !ok || name == "" || path == "" || in[name] != nil {
			return nil, fmt.Errorf("--input %q: expected NAME=PATH, with a name that no other flag gives", input)
		}
		in[name] = []string{path}
	}
	return in, nil
}

// listExperiments prints the experiments, each with the flags for its inputs.
func (a *app) listExperiments() error {
	all, err := reproduce.All()
	if err != nil {
		return err
	}
	t := table.New("", "experiment", "table", "reads")
	t.Columns[1].Numeric, t.Columns[2].Numeric = false, false
	for _, e := range all {
		t.Add(e.Name, e.Title, strings.Join(lists.Map(e.Needs, reproduce.Flag), " "))
	}
	return a.print(all, func(w io.Writer) error { return (&table.Page{Tables: []*table.Table{t}}).Write(w, "text") })
}

// printCommands prints the command lines of experiments, without running them.
func (a *app) printCommands(r *reproduce.Runner, experiments []*reproduce.Experiment) error {
	for _, e := range experiments {
		lines, err := r.Lines(e)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	}
	return nil
}
