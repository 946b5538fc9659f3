package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/tools/train/validity"
)

// validityCmd returns the command that trains the model of which names people accept.
func validityCmd() *cobra.Command {
	var in, out string
	cmd := &cobra.Command{
		Use:   "validity",
		Short: "Train the model of which names people accept (augment)",
		Long: `validity makes the weights of the model that predicts whether people accept a name, from
names that were judged blind, and prints how well they were predicted by models that
had not seen their tables. judged.jsonl.gz has a line for each verdict of a judge, some
lines more than once. It leaves out one judge's refusals of each "customer identifier"
for customer_id: the other judges accept nearly all such names.`,
		Example: "  train validity --names train/validity/judged.jsonl.gz --out ../augment/validity.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := os.Open(in)
			if err != nil {
				return err
			}
			defer f.Close()
			plain, err := packed.Plain(f)
			if err != nil {
				return fmt.Errorf("%s: %w", in, err)
			}
			names, err := validity.Read(plain)
			if err != nil {
				return fmt.Errorf("%s: %w", in, err)
			}
			predicted, err := validity.CrossValidate(names)
			if err != nil {
				return err
			}
			validity.Report(cmd.OutOrStdout(), predicted)
			weights, err := validity.Fit(names)
			if err != nil {
				return err
			}
			data, err := json.MarshalIndent(weights, "", " ")
			if err != nil {
				return err
			}
			return write(out, append(data, '\n'))
		},
	}
	cmd.Flags().StringVar(&in, "names", "", "judged names with their features, JSON lines, also .gz: what proposals writes")
	cmd.Flags().StringVar(&out, "out", "validity.json", "file to write")
	require(cmd, "names")
	return cmd
}

// proposalsCmd returns the command that writes the names proposed for a data set, to be judged.
func proposalsCmd(seed *uint64) *cobra.Command {
	var data, split, grades, out string
	var apart bool
	cmd := &cobra.Command{
		Use:   "proposals",
		Short: "Write the names proposed for a data set with what is known of them",
		Long: `proposals writes a line for each name that the pipeline proposes and has a bucket for,
with the features that the model of validity sees. With --grades only names that were
judged are written, with their grades: lines of db_id, table, column, replace or add,
name and grade, with tabs between them.`,
		Example: "  train proposals --data tables --grades grades.tsv --out judged.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			graded, err := readGrades(grades)
			if err != nil {
				return err
			}
			aug, err := embeddedAugmenter(*seed)
			if err != nil {
				return err
			}
			report := func(err error) { fmt.Fprintln(os.Stderr, "train:", err) }
			units, err := dataset.Units(data, split, report)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			for _, u := range units {
				if err := dataset.AddSamples(cmd.Context(), u.DB, report); err != nil {
					report(err)
				}
				err := validity.Propose(cmd.Context(), aug, u, func(n validity.Name) error {
					n.Apart = apart
					n.Grade = graded[gradeKey(n.DB, n.Table, n.Column, string(n.Side), n.Name)]
					if grades != "" && n.Grade == "" {
						return nil
					}
					return enc.Encode(n)
				})
				if err != nil {
					return err
				}
			}
			return write(out, b.Bytes())
		},
	}
	f := cmd.Flags()
	f.StringVar(&data, "data", "", "data directory")
	f.StringVar(&split, "split", "dev", "which SPLIT.json of it")
	f.StringVar(&grades, "grades", "", "file of grades")
	f.BoolVar(&apart, "apart", false, "nothing was developed on these tables")
	f.StringVar(&out, "out", "names.jsonl", "file to write")
	require(cmd, "data")
	return cmd
}

// gradeKey returns the key of a grade: db_id, table, column, bucket and name.
func gradeKey(fields ...string) string { return fmt.Sprintf("%q", fields) }

// readGrades reads a file of grades by [gradeKey]; none for "".
func readGrades(path string) (map[string]string, error) {
	grades := map[string]string{}
	if path == "" {
		return grades, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = '\t', 6, true
	for {
		row, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return grades, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w, expected db_id, table, column, bucket, name and grade", path, err)
		}
		grades[gradeKey(row[:5]...)] = row[5]
	}
}

// embeddedAugmenter is the product's own, with what is embedded in it.
func embeddedAugmenter(seed uint64) (*augment.Augmenter, error) {
	vectors := lexicon.Default()
	classifier, err := compact.New(compact.Embedded())
	if err != nil {
		return nil, err
	}
	reranker := &rerank.Reranker{Vectors: vectors}
	return &augment.Augmenter{
		Sources: augment.Sources(),
		Resources: augment.Resources{
			Dictionary: lexicon.DefaultDictionary(), Selector: rerank.NewSelector(reranker), Seed: seed,
		},
		Classifier: classifier, Policy: nli.Paper(),
		Entities: &nli.EntityPredictor{Classifier: classifier, Cues: nli.DefaultEntityCues()},
		Validity: &augment.Validity{},
	}, nil
}
