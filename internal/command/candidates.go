package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/benchmark/baseline"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/perturb"
)

type candidatesFlags struct {
	knowledge
	endpoints
	data, split, out, format, explain string
	attacker, masked                  string
	resume                            bool
	databases                         int // use only the first ones; 0 for all
	ablation                          bool
	sharded
}

// defaultCandidates returns the defaults of the flags.
func defaultCandidates() candidatesFlags {
	return candidatesFlags{knowledge: defaultKnowledge(), out: "buckets.json", format: "tabperturb"}
}

// candidatesCmd returns the command candidates.
func (a *app) candidatesCmd() *cobra.Command {
	f := defaultCandidates()
	cmd := &cobra.Command{
		Use:     "candidates",
		Short:   "Find REPLACE and ADD names for the columns of a data set",
		Long:    help("candidates"),
		Example: examples("candidates"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runCandidates(cmd.Context(), &f) },
	}
	f.addFlags(a, cmd)
	return cmd
}

// addFlags adds the flags of candidates, and those that it shares with other commands, to the command.
func (f *candidatesFlags) addFlags(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	f.knowledge.flags(cmd)
	f.endpoints.flags(cmd)
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringVar(&f.out, "out", f.out, "file to write")
	fl.StringVar(&f.format, "format", f.format, "form of the file: tabperturb or adveta")
	fl.StringVar(&f.explain, "explain", "", "file to write every rejected name to, with its reason (JSON lines)")
	markOutputs(cmd, "out", "explain")
	fl.BoolVar(&f.resume, "resume", false, "go on where an interrupted run with the same flags stopped")
	f.sharded.flag(cmd)
	fl.BoolVar(&f.ablation, "ablate", false, "write nothing and print what names by all parts are worth, and without each part (see --without): columns covered, predicted validity, cost to linkers")
	a.jsonFlag(cmd, "print the summary as JSON")
	fl.StringVar(&f.attacker, "attacker", "", "names by an attacker that ADVETA compares with, without corpus, dictionary and NLI: "+strings.Join(attackers(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("attacker", cobra.FixedCompletions(attackers(), cobra.ShellCompDirectiveNoFileComp))
	maskedFlag(cmd, &f.masked)
}

// runCandidates finds names and prints a summary. The flags choose another run: --ablate compares the pipeline without each
// part, --attacker lets an attacker find the names, --dry-run only counts requests to models, --shard does a share.
func (a *app) runCandidates(ctx context.Context, f *candidatesFlags) error {
	if f.ablation {
		return a.ablate(ctx, f)
	}
	if f.attacker != "" {
		return a.attackerNames(ctx, f)
	}
	if f.dryRun {
		return a.dryRun(ctx, f)
	}
	share, err := f.share(a, f.out)
	if err != nil {
		return err
	}
	if !share.All() {
		return a.candidatesPart(ctx, f, share)
	}
	s, err := a.candidates(ctx, f, nil)
	if err != nil {
		return err
	}
	return a.print(s, func(w io.Writer) error { return printSummary(w, s, f.files()) })
}

// attackers returns the names that --attacker takes.
func attackers() []string {
	return lists.Map(baseline.Attackers(), func(at *baseline.Attacker) string { return at.Name })
}

// attackerNames lets an attacker of [baseline] find names, and writes the file of buckets.
func (a *app) attackerNames(ctx context.Context, f *candidatesFlags) error {
	i := slices.Index(attackers(), f.attacker)
	switch {
	case i < 0:
		return fmt.Errorf("--attacker %q: expected one of %s", f.attacker, strings.Join(attackers(), ", "))
	case f.format != "tabperturb", f.explain != "", f.resume, f.shard != "":
		return errors.New("--attacker: writes buckets.json at once, expected no --format, --explain, --resume and --shard")
	case f.endpoints != endpoints{}:
		return errors.New("--attacker: asks no model, expected no --proposer, --judge, --record and --dry-run")
	}
	if err := errors.Join(checkData(f.data, f.split), filecheck.Writable(f.out)); err != nil {
		return err
	}
	var res perturb.Resources
	var err error
	if res.Vectors, err = a.openVectors(ctx, f.vectors); err != nil {
		return err
	}
	if res.Masked, err = openMasked(f.masked); err != nil {
		return err
	}
	units, err := dataset.Units(f.data, f.split, a.report)
	if err != nil {
		return err
	}
	buckets, err := baseline.Buckets(ctx, baseline.Attackers()[i], units, res, a.seed)
	if err != nil {
		return fmt.Errorf("--attacker %s: %w", f.attacker, err)
	}
	dbs := dataset.Databases(units)
	err = outdir.WriteFile(f.out, func(w io.Writer) error { return dataset.WriteBuckets(w, a.seed, dbs, buckets) })
	if err != nil {
		return err
	}
	replace, add := 0, 0
	for _, b := range buckets {
		replace, add = replace+len(b.Replace), add+len(b.Add)
	}
	fmt.Fprintf(a.stdout, "%s: %d REPLACE and %d ADD names for the columns of %s\nwrote %s\n", f.attacker, replace, add, table.Count(len(dbs), "database"), f.out)
	return nil
}

// dataFlags adds the flags of a command that needs a data directory.
func (a *app) dataFlags(cmd *cobra.Command, data, split *string) {
	a.optionalDataFlags(cmd, data, split)
	require(cmd, "data")
}

// optionalDataFlags adds the flags of a command that may read a data directory.
func (a *app) optionalDataFlags(cmd *cobra.Command, data, split *string) {
	cmd.Flags().StringVar(data, "data", "", "data directory: tables.json, SPLIT.json and, where there is content, database/DB_ID/DB_ID.sqlite")
	markInputs(cmd, "data")
	cmd.Flags().StringVar(split, "split", "dev", "which SPLIT.json of the data directory")
}

// files returns the paths of the files that the command writes: one of buckets, or ADVETA's two, and that of --explain.
func (f *candidatesFlags) files() []string {
	files := []string{f.out}
	if f.format == "adveta" {
		ext := filepath.Ext(f.out)
		stem := strings.TrimSuffix(f.out, ext)
		files = []string{stem + "-rpl" + ext, stem + "-add" + ext}
	}
	if f.explain != "" {
		files = append(files, f.explain)
	}
	return files
}

// augmenter opens the sources of names, and the clients of the models that propose and judge (nil without a record). The
// caller must call closer.
func (a *app) augmenter(ctx context.Context, f *candidatesFlags) (_ *augment.Augmenter, _ *asking, closer func() error, err error) {
	if err := errors.Join(checkData(f.data, f.split), f.endpoints.check(f.policy)); err != nil {
		return nil, nil, nil, err
	}
	asked, err := f.endpoints.open(a)
	if err != nil {
		return nil, nil, nil, err
	}
	aug, closeKnowledge, err := f.knowledge.open(ctx, a, asked)
	if err != nil {
		return nil, nil, nil, errors.Join(err, asked.close())
	}
	if isCompact(f.nli) { // cues help a model that knows only names of columns
		aug.Entities.Cues = nli.DefaultEntityCues()
	}
	aug.Known = nli.ReadEntities(filepath.Join(f.data, nli.EntitiesFile), a.report) // what tables without a name are about
	return aug, asked, func() error { return errors.Join(closeKnowledge(), asked.close()) }, nil
}

// candidates finds the names and writes their files. It passes every column to each, which may be nil.
func (a *app) candidates(ctx context.Context, f *candidatesFlags, each func(augment.Column) error) (s *augment.Summary, err error) {
	if err := filecheck.Distinct(append(f.files(), f.record)...); err != nil {
		return nil, err
	}
	for _, path := range f.files() {
		if err := cmp.Or(a.inputs.CheckOutput(path), filecheck.Writable(path)); err != nil {
			return nil, err
		}
	}
	err = a.withCandidates(ctx, f, func(aug *augment.Augmenter, asked *asking, units []*dataset.Unit, c augment.Config) (err error) {
		c.Each = each
		if f.format == "adveta" {
			c.ADVETA = [2]string(f.files()[:2]) // for REPLACE and ADD names
		}
		if s, err = aug.Run(ctx, units, c); err == nil {
			asked.addCounts(a, &f.endpoints, s)
		}
		return err
	})
	return s, err
}

// candidatesPart finds the names for one share of the databases and writes its part. It refuses flags that cannot be combined with
// --shard.
func (a *app) candidatesPart(ctx context.Context, f *candidatesFlags, share outdir.Share) error {
	switch {
	case f.asks():
		return errors.New("--shard: an endpoint is asked by one run, expected no --proposer and --judge with it, or --record alone with what they answered")
	case f.format != "tabperturb":
		return errors.New("--shard: merge writes buckets.json, expected no --format with it")
	case f.explain != "":
		return errors.New("--shard: each share explains its own names, expected --explain at merge")
	}
	return a.withCandidates(ctx, f, func(aug *augment.Augmenter, _ *asking, units []*dataset.Unit, c augment.Config) error {
		part, err := aug.RunPart(ctx, units, share, c)
		return a.printPart(part, err, f.out, f.data, "database")
	})
}

// withCandidates validates the flags, opens the sources of names and passes them to find, with the units and the configuration
// of the run.
func (a *app) withCandidates(ctx context.Context, f *candidatesFlags, find func(*augment.Augmenter, *asking, []*dataset.Unit, augment.Config) error) (err error) {
	if err := oneOf("format", f.format, "tabperturb", "adveta"); err != nil {
		return err
	}
	aug, asked, closer, err := a.augmenter(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer()) }()
	fingerprint, err := f.knowledge.fingerprint(aug.Classifier.Key())
	if err != nil {
		return err
	}
	answers, err := f.endpoints.fingerprint(asked)
	if err != nil {
		return err
	}
	inputs, err := dataInputs(f.data, f.split)
	if err != nil {
		return err
	}
	step, done := a.start("candidates", unknownTotal)
	defer done()
	units, err := dataset.Units(f.data, f.split, a.report)
	if err != nil {
		return err
	}
	if f.databases > 0 {
		units = units[:min(f.databases, len(units))]
	}
	return find(aug, asked, units, augment.Config{
		Seed: a.seed, Workers: a.workers, Out: f.out, Explain: f.explain, Resume: f.resume, Without: strings.Join(f.without, ","),
		Fingerprint: fmt.Sprint(fingerprint, answers, inputs, a.seed, aug.Known.Fingerprint()), Report: a.report, Step: step,
	})
}

// dataInputs returns the hashes of the files of a data directory that results depend on.
func dataInputs(data, split string) ([]benchmark.Input, error) {
	if err := checkData(data, split); err != nil {
		return nil, err
	}
	return benchmark.HashData(data, split)
}

// checkData refuses values of --data and --split that cannot name a data directory and a split. For a folder in another format
// the error names the command that converts it.
func checkData(data, split string) error {
	switch {
	case data == "":
		return errors.New("--data is empty, expected a data directory")
	case split == "", split != filepath.Base(split):
		return fmt.Errorf("--split %q: expected a name without folders and ending, as dev of dev.json", split)
	}
	if has, format := formats.Guess(data); format != "" {
		hint := ""
		if format == "folder" { // SQLite files with questions
			hint = ", \"tabperturb init\" does all that comes first"
		}
		return fmt.Errorf("--data %s: has %s and no tables.json, expected a data directory; \"tabperturb convert --from %s:%s --to spider --out DIR\" makes one%s", data, has, format, data, hint)
	}
	return nil
}

// printSummary prints the counts of the names, and the files that were written.
func printSummary(w io.Writer, s *augment.Summary, files []string) error {
	fmt.Fprintf(w, "%s of %s: %d have REPLACE names (%d), %d have ADD names (%d); %d names rejected\n",
		table.Count(s.Columns, "column"), table.Count(s.Databases, "database"), s.WithReplace, s.Replace, s.WithAdd, s.Add, s.Rejected)
	printAsked(w, s)
	_, err := fmt.Fprintln(w, "wrote "+strings.Join(files, "\nwrote "))
	return err
}
