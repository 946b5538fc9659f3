package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/atomicfile"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/vecbuild"
	"github.com/tabperturb/tabperturb/retriever"
)

func (a *app) lexiconCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "lexicon",
		Short:   "Word vectors and dictionaries: compare, import, build, lint",
		Example: "  tabperturb lexicon similarity --in pairs.tsv",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.similarityCmd(), a.importCmd(), a.vectorsCmd(), a.lintCmd(), a.annotateCmd())
	return cmd
}

func (a *app) similarityCmd() *cobra.Command {
	var vectors, in, out string
	cmd := &cobra.Command{
		Use:   "similarity",
		Short: "Cosine of pairs of words or phrases",
		Long: `similarity reads pairs, one a line: a, b, separated by a tab, without a header. It
writes a header and a row a pair: a, b, cosine. The cosine is 0 where a side is
unknown; how many are is said on standard error.`,
		Example: "  tabperturb lexicon similarity --in pairs.tsv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.openVectors(cmd.Context(), vectors)
			if err != nil {
				return err
			}
			rows, unknown := 0, 0
			err = a.pipe(in, out, func(r io.Reader, w io.Writer) error {
				fmt.Fprintln(w, "a\tb\tcosine")
				return eachRow(in, r, func(row int, fields []string) error {
					if len(fields) != 2 {
						return fmt.Errorf("%s:%d: %d fields, expected 2: a, b, separated by a tab", in, row, len(fields))
					}
					x, _, _ := lexicon.Phrase(v, fields[0])
					y, _, _ := lexicon.Phrase(v, fields[1])
					cosine := 0.0
					rows++
					if x == nil || y == nil {
						unknown++
					} else {
						cosine = lexicon.Cosine(x, y)
					}
					_, err := fmt.Fprintf(w, "%s\t%s\t%.4f\n", fields[0], fields[1], cosine)
					return err
				})
			})
			if err != nil {
				return err
			}
			if unknown > 0 {
				a.warn(fmt.Errorf("%d of %d pairs have a side without a vector", unknown, rows))
			}
			return a.outcome()
		},
	}
	vectorFlag(cmd, &vectors)
	ioFlags(cmd, &in, &out)
	return cmd
}

func (a *app) importCmd() *cobra.Command {
	var in, out string
	cmd := &cobra.Command{
		Use:     "import",
		Short:   "Turn word2vec or Numberbatch text into a compact file",
		Example: "  tabperturb lexicon import --in numberbatch-en-19.08.txt.gz --out numberbatch.tpv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := lexicon.Import(cmd.Context(), in, out)
			for _, p := range report.Problems {
				a.skip(errors.New(p.String()))
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d terms of %d components; %d repeated, %d skipped, %d bad lines\nwrote %s\n",
				report.Terms, report.Dim, report.Repeated, report.Skipped, report.Bad, out)
			return a.outcome()
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "text vectors, also .gz")
	cmd.Flags().StringVar(&out, "out", "", "file to write (.tpv)")
	_ = cmd.MarkFlagRequired("in")
	_ = cmd.MarkFlagRequired("out")
	return cmd
}

func (a *app) vectorsCmd() *cobra.Command {
	var src vecbuild.Sources
	var opt vecbuild.Options
	var out string
	var headers []string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build the embedded word vectors",
		Long: `build makes word vectors from WordNet, paraphrases and the headers of tables. The
same inputs give the same bytes. NOTICE names what the embedded table came from.`,
		Example: "  tabperturb lexicon build --synsets oewn-synsets.tsv.gz --senses oewn-senses.tsv.gz --paraphrases ppdb-xl.txt.gz --out vectors.tpv.gz",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !a.quiet {
				opt.Log = func(line string) { fmt.Fprintln(a.stderr, line) }
			}
			opt.Seed = a.seed
			if len(headers) > 0 {
				temp, err := a.headerFile(headers)
				if err != nil {
					return err
				}
				defer os.Remove(temp)
				src.Headers = temp
			}
			var report vecbuild.Report
			err := atomicfile.WriteFile(out, func(w io.Writer) (err error) {
				report, err = vecbuild.Build(cmd.Context(), w, src, opt)
				return err
			})
			for _, p := range report.Problems {
				a.skip(errors.New(p.String()))
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d terms of %d components from %d features, %d bytes (%d inflated)\nwrote %s\n",
				report.Terms, report.Dim, report.Features, report.Compressed, report.Raw, out)
			return a.outcome()
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
	f.StringVar(&out, "out", "vectors.tpv.gz", "file to write")
	for _, name := range []string{"synsets", "senses"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}

// headerFile writes the distinct headers of web tables to a temporary file, as
// [vecbuild.Sources] wants them: the column names of a table on each line,
// separated by tabs.
func (a *app) headerFile(sources []string) (path string, err error) {
	tables, err := openSources(sources)
	if err != nil {
		return "", err
	}
	lines := map[string]bool{}
	for t, err := range tables {
		if _, ok := errors.AsType[*retriever.TableError](err); ok {
			continue
		}
		if err != nil {
			return "", err
		}
		lines[strings.Join(t.Headers(), "\t")] = true
	}
	f, err := os.CreateTemp("", "headers-*.tsv")
	if err != nil {
		return "", err
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if _, err = fmt.Fprintln(f, line); err != nil {
			break
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

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
			problems, err := lint(file, f)
			if err != nil {
				return err
			}
			for _, p := range problems {
				fmt.Fprintln(a.stdout, p)
			}
			if len(problems) > 0 {
				return errFindings
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "in", "", "text file of synonyms")
	cmd.Flags().BoolVar(&abbreviations, "abbreviations", false, "the file holds abbreviations")
	cmd.Flags().BoolVar(&contrasts, "contrasts", false, "the file holds sets of terms that exclude each other")
	cmd.Flags().BoolVar(&attributes, "attributes", false, "the file holds entities with the attributes of their tables")
	cmd.MarkFlagsMutuallyExclusive("abbreviations", "contrasts", "attributes")
	_ = cmd.MarkFlagRequired("in")
	return cmd
}
