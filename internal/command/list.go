package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/formats"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/retriever"
)

// listing is what list prints as JSON.
type listing struct {
	Perturbations []listed `json:"perturbations"`
	Reasons       []listed `json:"reasons"`
	Metrics       []listed `json:"metrics"`
	Sources       []listed `json:"sources"`
	Backends      []listed `json:"backends"`
	Formats       []listed `json:"formats"`
}

// listed is one thing with its documentation.
type listed struct {
	Name     string `json:"name"`
	Doc      string `json:"doc"`
	Relation string `json:"relation,omitempty"`
	Paper    string `json:"paper,omitempty"`
	Needs    string `json:"needs,omitempty"` // the flag of build without which it makes nothing
	Files    string `json:"files,omitempty"` // of a format: what lies in a data set's folder
}

// everything returns all that list prints.
func everything() listing {
	return listing{
		Perturbations: lists.Map(benchmark.Catalog(), func(p *perturb.Perturbation) listed {
			return listed{Name: p.Name, Doc: p.Doc, Relation: string(p.Relation), Paper: p.Paper, Needs: p.Needs}
		}),
		Reasons: lists.Map(perturb.Reasons(), func(r perturb.DescribedReason) listed { return listed{Name: string(r.Code), Doc: r.Text} }),
		Metrics: lists.Map(evaluate.Metrics(), func(m evaluate.Metric) listed { return listed{Name: m.Name, Doc: m.Doc, Paper: m.Paper} }),
		Sources: lists.Map(augment.Sources(), func(s augment.Source) listed { return listed{Name: s.Name, Doc: s.Doc, Paper: s.Paper} }),
		Backends: []listed{
			{Name: "compact", Doc: "The embedded NLI model over column names.", Paper: "ADVETA, section 4.4"},
			{Name: "cybertron", Doc: "A BERT or RoBERTa sequence classifier: a local folder, or a model that `models pull` fetched.", Paper: "ADVETA, section 4.4"},
		},
		Formats: lists.Map(formats.All, func(f *dataset.Format) listed { return listed{Name: f.Name, Doc: f.Doc, Files: f.Files} }),
	}
}

// listCmd returns the command list.
func (a *app) listCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "Every perturbation, reason for rejection, metric, source of names, NLI backend and format",
		Example: "  tabperturb list\n  tabperturb list --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printResult(everything(), nil) },
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// WriteText writes a table for each part of the listing.
func (l listing) WriteText(w io.Writer) error {
	for _, part := range []struct {
		title string
		rows  []listed
	}{{"perturbations", l.Perturbations}, {"reasons why an example yields no record", l.Reasons}, {"metrics", l.Metrics}, {"sources of names", l.Sources}, {"NLI backends", l.Backends}, {"formats of data sets", l.Formats}} {
		t := table.Table{Caption: part.title}
		for _, r := range part.rows {
			doc := r.Doc
			if r.Needs != "" {
				doc += " Needs --" + r.Needs + "."
			}
			t.Add("  "+r.Name, r.Relation, doc)
		}
		fmt.Fprint(w, &t)
	}
	_, err := fmt.Fprintln(w, "kinds of web tables\n  "+strings.Join(retriever.Kinds(), "\n  "))
	return err
}
