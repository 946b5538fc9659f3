package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/tools/train/names"
)

// namesCmd returns the command that trains the model of column names.
func namesCmd(seed *uint64) *cobra.Command {
	var src names.Sources
	var heldOut, out string
	cmd := &cobra.Command{
		Use:   "names",
		Short: "Train the model of column names (nli/compact)",
		Long: `names makes the weights of the compact NLI model from pairs of column names that
it derives from WordNet, paraphrases and the headers of tables, and from names
that people wrote. It cross-validates the last stage, prints how well names are
told apart that it did not see, and calibrates on them.`,
		Example: "  train names --synsets oewn-synsets.tsv.gz --senses oewn-senses.tsv.gz --tabfact all_csv.tar.gz --out weights.bin",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if heldOut != "" {
				f, err := os.Open(heldOut)
				if err != nil {
					return err
				}
				defer f.Close()
				if src.HeldOut, err = names.ReadHeldOut(f); err != nil {
					return fmt.Errorf("%s: %w", heldOut, err)
				}
			}
			weights, report, err := names.Train(cmd.Context(), compact.Embedded(), src, names.Options{Seed: *seed})
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), report)
			return write(out, weights)
		},
	}
	f := cmd.Flags()
	f.StringVar(&src.Synsets, "synsets", "", "Open English WordNet synsets (TSV)")
	f.StringVar(&src.Senses, "senses", "", "Open English WordNet senses (TSV)")
	f.StringSliceVar(&src.Paraphrases, "paraphrases", nil, "lines of a word and its paraphrases (PPDB)")
	f.StringSliceVar(&src.Antonyms, "antonyms", nil, "lines of a word and its antonym")
	f.StringSliceVar(&src.TabFact, "tabfact", nil, "TabFact tables (tar)")
	f.StringSliceVar(&src.WTQ, "wtq", nil, "WikiTableQuestions tables (tar)")
	f.StringSliceVar(&src.FeTaQA, "fetaqa", nil, "FeTaQA (JSON lines)")
	f.StringSliceVar(&src.InfoTabs, "infotabs", nil, "InfoTabs (tar)")
	f.StringSliceVar(&src.Spider, "spider", nil, "schemas (tables.json)")
	f.StringSliceVar(&src.Columns, "columns", nil, "columns with names that people wrote (lines \"entity: column = name ! name\")")
	f.StringSliceVar(&src.Words, "words", nil, "pairs of words with grades (TSV)")
	f.StringVar(&src.Replace, "adveta-replace", "", "ADVETA's names to replace columns (JSON)")
	f.StringVar(&src.Add, "adveta-add", "", "ADVETA's names to add (JSON)")
	f.StringSliceVar(&src.Exclude, "exclude", nil, "test sets, of whose pairs none is trained from: lines of two words, or TSV of premise and hypothesis")
	f.StringVar(&heldOut, "held-out", "", "file of table and database names not to train from, one a line")
	f.StringVar(&out, "out", "weights.bin", "file to write")
	require(cmd, "synsets", "senses")
	return cmd
}
