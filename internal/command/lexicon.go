package command

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/console"
	"github.com/tabperturb/tabperturb/lexicon"
)

// lexiconCmd returns the command lexicon.
func (a *app) lexiconCmd() *cobra.Command {
	return group("lexicon", "Word vectors and dictionaries: compare, import, lint", "lexicon similarity --in pairs.tsv",
		a.similarityCmd(), a.importCmd(), a.lintCmd(), a.annotateCmd())
}

// similarityCmd returns the command lexicon similarity.
func (a *app) similarityCmd() *cobra.Command {
	var vectors, in, out string
	cmd := &cobra.Command{
		Use:     "similarity",
		Short:   "Cosine of pairs of words or phrases",
		Long:    help("lexicon_similarity"),
		Example: examples("lexicon_similarity"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.openVectors(cmd.Context(), vectors)
			if err != nil {
				return err
			}
			rows, unknown := 0, 0
			err = a.pipe(in, out, func(r io.Reader, w io.Writer) (err error) {
				rows, unknown, err = lexicon.Similarities(v, in, r, w)
				return err
			})
			if err != nil {
				return err
			}
			if unknown > 0 {
				a.warn(fmt.Errorf("%d of %d pairs have a side without a vector", unknown, rows))
			}
			return nil
		},
	}
	vectorFlag(cmd, &vectors)
	ioFlags(cmd, &in, &out)
	return cmd
}

// importCmd returns the command lexicon import.
func (a *app) importCmd() *cobra.Command {
	var in, out string
	cmd := &cobra.Command{
		Use:     "import",
		Short:   "Turn word2vec or Numberbatch text into a compact file",
		Example: "  tabperturb lexicon import --in numberbatch-en-19.08.txt.gz --out numberbatch.tpv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := lexicon.Import(cmd.Context(), in, out, a.skip)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d terms of %d components; %d repeated, %d skipped, %d bad lines\nwrote %s\n",
				report.Terms, report.Dim, report.Repeated, report.Skipped, report.Bad, out)
			return nil
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "text vectors, also .gz")
	cmd.Flags().StringVar(&out, "out", "", "file to write (.tpv)")
	markInputs(cmd, "in")
	markOutputs(cmd, "out")
	require(cmd, "in", "out")
	return cmd
}

// lintCmd returns the command lexicon lint.
func (a *app) lintCmd() *cobra.Command {
	var file string
	var abbreviations, contrasts, attributes bool
	cmd := &cobra.Command{
		Use:     "lint",
		Short:   "Check a dictionary that people edit",
		Example: "  tabperturb lexicon lint --in synonyms.txt",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer f.Close()
			lint := lexicon.LintDictionary
			switch {
			case abbreviations:
				lint = lexicon.LintAbbreviations
			case contrasts:
				lint = lexicon.LintContrasts
			case attributes:
				lint = lexicon.LintAttributes
			}
			found := false
			err = lint(file, f, func(err error) {
				found = true
				fmt.Fprintln(&console.Visible{W: a.stdout}, err)
			})
			return cmp.Or(err, findingsError(found))
		},
	}
	cmd.Flags().StringVar(&file, "in", "", "text file of synonyms")
	cmd.Flags().BoolVar(&abbreviations, "abbreviations", false, "the file holds abbreviations")
	cmd.Flags().BoolVar(&contrasts, "contrasts", false, "the file holds sets of terms that exclude each other")
	cmd.Flags().BoolVar(&attributes, "attributes", false, "the file holds entities with the attributes of their tables")
	cmd.MarkFlagsMutuallyExclusive("abbreviations", "contrasts", "attributes")
	markInputs(cmd, "in")
	require(cmd, "in")
	return cmd
}
