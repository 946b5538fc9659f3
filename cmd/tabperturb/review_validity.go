package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/table"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/review"
)

func (a *app) reviewSampleCmd() *cobra.Command {
	var o review.SheetOptions
	var split, out string
	cmd := &cobra.Command{
		Use:   "sample DATA=BUCKETS[=LABEL]...",
		Short: "Draw names for a blind sheet, to judge how many are valid",
		Long: `sample draws names and writes the folder of a sheet: sheet.txt for judges, key.jsonl for
"review validity". Each argument is a data directory, a file of buckets for it (a
buckets.json, or one of ADVETA's) and a label of who made the names, by default the
file's name. Files of one label and data directory are joined.

Of each label it draws --size REPLACE names and as many ADD names, evenly from its data
directories, and of each column one before a second. The names of all labels are
shuffled, and sheet.txt has nothing of label, source, rank or score: only the table with
its columns, some cells, and questions whose gold SQL uses the column. It begins with
what a judge has to do.`,
		Example: "  tabperturb review sample spider=buckets.json --out sheet\n" +
			"  tabperturb review sample spider=buckets.json=ours spider=spider-rpl.json=ADVETA spider=spider-add.json=ADVETA --size 60 --seed 7 --out sheet",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Seed = a.seed
			return a.reviewSample(cmd.Context(), args, split, out, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&split, "split", "dev", "which SPLIT.json of the data directories: only its databases are drawn from")
	fl.IntVar(&o.Size, "size", 150, "names of each label and bucket")
	fl.BoolVar(&o.First, "first", false, "draw the first name of a column only")
	fl.StringVar(&out, "out", "", "folder of the sheet to write")
	a.jsonFlag(cmd, "print what was drawn as JSON")
	require(cmd, "out")
	_ = cmd.MarkFlagDirname("out")
	return cmd
}

// sampledNames is what was drawn of a label and data directory.
type sampledNames struct {
	Label   string `json:"label"`
	Data    string `json:"data"`
	Replace int    `json:"replace"`
	Add     int    `json:"add"`

	files []string
}

func (a *app) reviewSample(ctx context.Context, args []string, split, out string, o review.SheetOptions) error {
	if o.Size < 1 {
		return fmt.Errorf("--size %d: expected 1 or more", o.Size)
	}
	if out == "" {
		return errors.New("--out is empty, expected a folder")
	}
	sampled, err := parseNames(args)
	if err != nil {
		return err
	}
	var entries []review.Entry
	for _, s := range sampled {
		if err := checkData(s.Data, split); err != nil {
			return err
		}
		data, err := review.LoadData(s.Data, split, s.files, nli.Paper(), a.report)
		if err != nil {
			return err
		}
		entries = append(entries, review.Entry{Dir: s.Data, Label: s.Label, Data: data})
	}
	names := review.DrawSheet(entries, o)
	if len(names) == 0 {
		return errors.New("the buckets have no name, expected some to judge")
	}
	if err := review.WriteSheet(ctx, out, names, a.report); err != nil {
		return err
	}
	for _, n := range names {
		s := sampled[slices.IndexFunc(sampled, func(s *sampledNames) bool { return s.Label == n.Label && s.Data == n.Data })]
		if n.Bucket == dataset.Add {
			s.Add++
		} else {
			s.Replace++
		}
	}
	return a.print(sampled, func(w io.Writer) error {
		t := table.New("", "label", "data", "REPLACE", "ADD")
		for _, s := range sampled {
			t.Add(s.Label, s.Data, s.Replace, s.Add)
		}
		_, err := fmt.Fprintf(w, "%s\nwrote %s of %s\n", t, out, table.Count(len(names), "name"))
		return err
	})
}

// parseNames reads arguments DATA=BUCKETS and DATA=BUCKETS=LABEL.
func parseNames(args []string) (all []*sampledNames, err error) {
	for _, arg := range args {
		parts := strings.Split(arg, "=")
		if len(parts) == 2 {
			parts = append(parts, filepath.Base(parts[1]))
		}
		if len(parts) != 3 || slices.Contains(parts, "") {
			return nil, fmt.Errorf("%q: expected DATA=BUCKETS or DATA=BUCKETS=LABEL", arg)
		}
		data, file, label := filepath.Clean(parts[0]), parts[1], parts[2]
		i := slices.IndexFunc(all, func(s *sampledNames) bool { return s.Label == label && s.Data == data })
		if i < 0 {
			i, all = len(all), append(all, &sampledNames{Label: label, Data: data})
		}
		all[i].files = append(all[i].files, file)
	}
	return all, nil
}

func (a *app) reviewValidityCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validity SHEET VERDICTS...",
		Short: "How many names of a blind sheet are valid, by its judges",
		Long: `validity reads the folder that "review sample" wrote, and for each judge a file of lines
NUMBER TAB GRADE: y valid, Y valid and close (ADD names), b doubtful; s, u, n, o, e, d or
i invalid, for the reason that sheet.txt gives.

For each bucket it prints the share of valid names, without and with the doubtful ones,
with Wilson's 95% interval, the share of close ones among the valid, and how often which
reason was given: of all names, then by label, data directory and source. Of two judges
or more it prints Cohen's kappa, the mean over each two; on closeness they are compared
where both find a name valid.

Where the names have a predicted validity it is compared with the judged one, in ten bins
of equal size.`,
		Example: "  tabperturb review validity sheet ann.tsv bob.tsv\n" +
			"  tabperturb review validity sheet ann.tsv --json",
		Args: cobra.MinimumNArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.reviewValidity(args[0], args[1:]) },
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

func (a *app) reviewValidity(sheet string, paths []string) error {
	key, err := review.ReadKey(sheet, a.report)
	if err != nil {
		return err
	}
	var judges []*review.Judge
	for i, path := range paths {
		if err := spare(path, paths[:i]...); err != nil {
			return fmt.Errorf("%s: is given twice, expected a file of each judge", path)
		}
		j, err := review.ReadGrades(path, key, a.report)
		if err != nil {
			return err
		}
		judges = append(judges, j)
	}
	v := review.Judged(key, judges)
	return a.print(v, v.WriteText)
}
