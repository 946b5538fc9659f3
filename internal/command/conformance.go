package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/evaluate/conformance"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

func (a *app) conformanceCmd() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "The known faults of public evaluators, put to the metrics of eval",
		Long: `conformance runs the metrics of eval, in both modes, on pairs of gold and
prediction that public evaluators are known to get wrong, and shows the verdicts
beside theirs. A verdict that is not as expected is marked with ! and makes the
exit code 1.

--out writes the pairs in the layout of the official evaluators, for running
another one on them: tables.json, database/, and for each of exact, execution and
bird a gold file, a prediction file and expected.tsv, line by line. A pair whose
official verdict is "aborts" ends the official run. Each pair has a database of its
own, since some predictions destroy it.`,
		Example: "  tabperturb eval conformance\n  tabperturb eval conformance --out conformance",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.conformance(cmd.Context(), out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write the pairs and their databases to")
	writes(cmd, "out")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// conformed is a pair with our verdicts, as conformance prints it.
type conformed struct {
	Pair      string              `json:"pair"`
	Metric    string              `json:"metric"`
	Evaluator string              `json:"evaluator"`
	Thread    string              `json:"thread,omitempty"`
	Shows     string              `json:"shows"`
	Gold      string              `json:"gold"`
	Pred      string              `json:"pred"`
	Official  conformance.Verdict `json:"official"`
	Parity    ourVerdict          `json:"parity"`
	Strict    ourVerdict          `json:"strict"`
}

type ourVerdict struct {
	Verdict  conformance.Verdict `json:"verdict"`
	Flagged  bool                `json:"flagged,omitempty"`
	Reason   string              `json:"reason,omitempty"`
	Detail   string              `json:"detail,omitempty"`
	Expected conformance.Verdict `json:"expected"`
	Met      bool                `json:"met"`
}

func newOurVerdict(o conformance.Outcome) ourVerdict {
	return ourVerdict{Verdict: o.Verdict, Flagged: o.Flagged, Reason: o.Reason, Detail: o.Detail, Expected: o.Want, Met: o.Met()}
}

// String returns the verdict for a cell of the table.
func (v ourVerdict) String() string {
	s := string(v.Verdict)
	if v.Flagged {
		s += ", flagged"
	}
	if !v.Met {
		s += " !"
	}
	return s
}

func (a *app) conformance(ctx context.Context, out string) error {
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	dir := out
	if dir == "" {
		tmp, err := os.MkdirTemp("", "tabperturb-conformance-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = filepath.Join(tmp, "suite")
	}
	if err := suite.Write(ctx, dir); err != nil {
		return err
	}
	rows := make([]conformed, len(suite.Pairs()))
	for i, p := range suite.Pairs() {
		rows[i] = conformed{Pair: p.ID, Metric: p.Case.Metric, Evaluator: p.Case.Evaluator, Thread: p.Case.Thread, Shows: p.Case.Shows, Gold: p.Gold, Pred: p.Pred, Official: p.Official}
	}
	missed := 0
	for _, strict := range []bool{false, true} {
		outcomes, err := suite.Run(ctx, dir, strict, conformance.Ours(strict))
		if err != nil {
			return err
		}
		for i, o := range outcomes {
			v := newOurVerdict(o)
			if !v.Met {
				missed++
			}
			if strict {
				rows[i].Strict = v
			} else {
				rows[i].Parity = v
			}
		}
	}
	if err := a.print(rows, func(w io.Writer) error { return printConformance(w, suite, rows, missed) }); err != nil {
		return err
	}
	return findings(missed > 0)
}

func printConformance(w io.Writer, suite *conformance.Suite, rows []conformed, missed int) error {
	t := table.New("", "pair", "metric", "fault of", "official", "parity", "strict", "parity's reason")
	for _, r := range rows {
		t.Add(r.Pair, r.Metric, r.Evaluator, r.Official, r.Parity, r.Strict, r.Parity.Reason)
	}
	_, err := fmt.Fprintf(w, "%s\n%d cases, %d pairs, two modes: %d of %d verdicts as expected\n",
		t, len(suite.Cases), len(rows), 2*len(rows)-missed, 2*len(rows))
	return err
}
