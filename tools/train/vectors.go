package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/tools/train/vectors"
)

// vectorsCmd returns the command that makes the word vectors.
func vectorsCmd(seed *uint64) *cobra.Command {
	var src vectors.Sources
	var opt vectors.Options
	var out string
	var headers []string
	cmd := &cobra.Command{
		Use:   "vectors",
		Short: "Build the word vectors (lexicon/embedded)",
		Long: `vectors makes word vectors from WordNet, paraphrases and the headers of tables.
Lines that it cannot read are passed over and named on standard error.`,
		Example: "  train vectors --synsets oewn-synsets.tsv.gz --senses oewn-senses.tsv.gz --paraphrases ppdb-xl.txt.gz --out vectors.tpv.zst",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.Log = func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
			opt.Seed = *seed
			var err error
			if src.Headers, err = distinctHeaders(headers); err != nil {
				return fmt.Errorf("--headers %w", err)
			}
			data, stats, err := vectors.Build(cmd.Context(), src, opt, func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), err) })
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d terms of %d components from %d features, %d bytes (%d inflated)\n",
				stats.Terms, stats.Dim, stats.Features, stats.Compressed, stats.Raw)
			return write(out, data)
		},
	}
	f := cmd.Flags()
	f.StringVar(&src.Synsets, "synsets", "", "Open English WordNet synsets (TSV)")
	f.StringVar(&src.Senses, "senses", "", "Open English WordNet senses (TSV)")
	f.StringVar(&src.Paraphrases, "paraphrases", "", "lines of a word and its paraphrases (PPDB-XL)")
	f.StringVar(&src.Synonyms, "synonyms", "", "lines of two synonyms")
	f.StringSliceVar(&src.Antonyms, "antonyms", nil, "lines of two antonyms")
	f.StringArrayVar(&headers, "headers", nil, "KIND:PATH of web tables whose column names count; repeatable")
	f.StringVar(&src.Aliases, "aliases", "", "lines of an abbreviation, a tab, and its expansions")
	f.IntVar(&opt.Dim, "dim", 0, "components (default 320)")
	f.IntVar(&opt.Rows, "rows", 0, "terms (default 44000)")
	f.StringVar(&out, "out", "vectors.tpv.zst", "file to write")
	require(cmd, "synsets", "senses")
	return cmd
}

// distinctHeaders returns the different headers of web tables, each the column
// names of a table.
func distinctHeaders(sources []string) ([][]string, error) {
	tables, err := retriever.OpenAll(sources, retriever.Limits{})
	if err != nil {
		return nil, err
	}
	headers := map[string][]string{}
	err = tables(func(error) {}, func(t *retriever.Table) error {
		names := t.Headers()
		headers[strings.Join(names, "\t")] = names
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := lists.Map(slices.Sorted(maps.Keys(headers)), func(key string) []string { return headers[key] })
	return out, nil
}
