package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/internal/atomicfile"
	"github.com/tabperturb/tabperturb/nli/question/train"
)

func (a *app) nliTrainQuestionsCmd() *cobra.Command {
	var src train.Sources
	var out string
	cmd := &cobra.Command{
		Use:   "train-questions",
		Short: "Train the weights of the model of whole questions",
		Long: `train-questions makes the weights of the model that judges paraphrases, from pairs
of questions with equal gold SQL, from questions that people reworded, and from
questions whose meaning it changes itself. It prints how well pairs of databases
are told apart that were held out. The same inputs and seed give the same bytes.`,
		Example: "  tabperturb nli train-questions --spider train_spider.json --spider-syn Spider-Syn/train_spider.json --tables tables.json --out weights.json.gz",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			weights, report, err := train.Train(cmd.Context(), src, train.Options{Seed: a.seed})
			if err != nil {
				return err
			}
			fmt.Fprint(a.stdout, report)
			return atomicfile.WriteFile(out, func(w io.Writer) error { _, err := w.Write(weights); return err })
		},
	}
	f := cmd.Flags()
	f.StringVar(&src.Spider, "spider", "", "questions with gold SQL: JSON or JSON lines of db_id, question, query")
	f.StringVar(&src.SpiderSyn, "spider-syn", "", "reworded questions in Spider-Syn's form")
	f.StringVar(&src.Tables, "tables", "", "tables.json")
	f.StringVar(&out, "out", "weights.json.gz", "file to write")
	for _, name := range []string{"spider", "spider-syn", "tables"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}
