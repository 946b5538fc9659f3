package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/nli"
)

func (a *app) nliCmd() *cobra.Command {
	return withCommands(&cobra.Command{
		Use:     "nli",
		Short:   "Score pairs of column names",
		Example: "  tabperturb nli score --in pairs.tsv",
	}, a.nliScoreCmd())
}

func (a *app) nliScoreCmd() *cobra.Command {
	var k knowledge
	var in, out string
	cmd := &cobra.Command{
		Use:   "score",
		Short: "Score column pairs in both directions",
		Long: `score reads pairs, one a line: entity, a, b, type, separated by tabs, without a
header; entity and type may be empty. It writes a row a pair, in order: e1, e2
(entailment of b by a and of a by b), then the three-way scores of each direction.`,
		Example: "  tabperturb nli score --in pairs.tsv --out scores.tsv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := a.openVectors(cmd.Context(), k.vectors)
			if err != nil {
				return err
			}
			c, closer, err := k.openClassifier(a, v)
			if err != nil {
				return err
			}
			defer closer()
			return a.pipe(in, out, func(r io.Reader, w io.Writer) error { return a.scorePairs(cmd.Context(), c, in, r, w) })
		},
	}
	k.modelFlags(cmd)
	ioFlags(cmd, &in, &out)
	return cmd
}

// ioFlags are those of commands that turn a TSV file into another.
func ioFlags(cmd *cobra.Command, in, out *string) {
	cmd.Flags().StringVar(in, "in", "-", "file to read; - is standard input")
	cmd.Flags().StringVar(out, "out", "-", "file to write; - is standard output")
	writes(cmd, "out")
}

// pipe runs f between two files, where "-" is a standard stream. The output
// file appears whole or not at all.
func (a *app) pipe(in, out string, f func(io.Reader, io.Writer) error) error {
	r := a.stdin
	if in != "-" {
		file, err := os.Open(in)
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
	}
	if out == "-" {
		w := bufio.NewWriter(a.stdout)
		if err := f(r, w); err != nil {
			return err
		}
		return w.Flush()
	}
	if err := checkOut(out); err != nil {
		return err
	}
	return outdir.WriteFile(out, func(w io.Writer) error { return f(r, w) })
}

// scoreBatch is how many pairs are held at once.
const scoreBatch = 4096

func (a *app) scorePairs(ctx context.Context, c nli.Classifier, name string, r io.Reader, w io.Writer) error {
	fmt.Fprintln(w, "e1\te2\tforward_entailment\tforward_neutral\tforward_contradiction\tbackward_entailment\tbackward_neutral\tbackward_contradiction")
	var pairs []nli.Pair
	flush := func() error {
		judgments, err := nli.Score(ctx, c, pairs)
		if err != nil {
			return err
		}
		for _, j := range judgments {
			f, b := j.Forward, j.Backward
			fmt.Fprintf(w, "%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", f.Entailment, b.Entailment,
				f.Entailment, f.Neutral, f.Contradiction, b.Entailment, b.Neutral, b.Contradiction)
		}
		pairs = pairs[:0]
		return nil
	}
	err := eachRow(name, r, func(row int, fields []string) error {
		if len(fields) != 4 {
			return fmt.Errorf("%s:%d: %d fields, expected 4: entity, a, b, type, separated by tabs", name, row, len(fields))
		}
		t := dataset.Type(fields[3])
		pairs = append(pairs, nli.Pair{Entity: fields[0], Premise: fields[1], Hypothesis: fields[2], PremiseType: t, HypothesisType: t})
		if len(pairs) == scoreBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// maxLine bounds a line of a TSV file, in bytes.
const maxLine = 1 << 20

// eachRow calls f with the fields of every line; rows count from 1.
func eachRow(name string, r io.Reader, f func(row int, fields []string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	row := 0
	for s.Scan() {
		row++
		if !utf8.Valid(s.Bytes()) {
			return fmt.Errorf("%s:%d: text is not UTF-8, expected UTF-8", name, row)
		}
		if err := f(row, strings.Split(strings.TrimSuffix(s.Text(), "\r"), "\t")); err != nil {
			return err
		}
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: line is longer than %d MiB, expected less", name, row+1, maxLine>>20)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", name, row+1, err)
	}
	return nil
}
