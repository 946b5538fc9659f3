package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/tools/train/questions"
)

// questionsCmd returns the command that trains the model of questions.
func questionsCmd(seed *uint64) *cobra.Command {
	var src questions.Sources
	var out string
	cmd := &cobra.Command{
		Use:   "questions",
		Short: "Train the model of whole questions (nli/question)",
		Long: `questions makes the weights of the model that judges paraphrases, from pairs of
questions with equal gold SQL, from questions that people reworded, and from
questions whose meaning it changes itself. It prints how well pairs of databases
are told apart that were held out.`,
		Example: "  train questions --spider train_spider.json --spider-syn Spider-Syn/train_spider.json --tables tables.json --out weights.json.zst",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			weights, report, err := questions.Train(cmd.Context(), src, questions.Options{Seed: *seed})
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), report)
			return write(out, weights)
		},
	}
	f := cmd.Flags()
	f.StringVar(&src.Spider, "spider", "", "questions with gold SQL: JSON or JSON lines of db_id, question, query")
	f.StringVar(&src.SpiderSyn, "spider-syn", "", "reworded questions in Spider-Syn's form")
	f.StringVar(&src.Tables, "tables", "", "tables.json")
	f.StringVar(&src.Written, "written", "", "pairs of questions written by hand: db_id, question, 1 or 0, kind, question, with tabs between")
	f.StringVar(&out, "out", "weights.json.zst", "file to write")
	require(cmd, "spider", "spider-syn", "tables")
	return cmd
}
