package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/counts"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

type statsFlags struct {
	data, split string
	buckets     []string
}

// statistics is what stats prints as JSON.
type statistics struct {
	Data    counts.Data   `json:"data"`
	Replace *counts.Names `json:"replace,omitempty"`
	Add     *counts.Names `json:"add,omitempty"`
}

func (a *app) statsCmd() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count tables, questions, columns and words of a data set, and the names found for it",
		Long: `stats counts what tables 1 and 11 of ADVETA do: the tables of the databases that
the split asks about, its questions, columns per table, different names of columns
and the different words in them; with --buckets also the columns that have REPLACE
or ADD names, names per such column, and the different names and words of these
columns and their names together.

Names compare without case, and words end where letters and digits do.`,
		Example: "  tabperturb stats --data spider\n" +
			"  tabperturb stats --data spider --buckets spider-rpl-candidates.json --buckets spider-add-candidates.json --json",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := a.statistics(&f)
			if err != nil {
				return err
			}
			return a.print(s, s.writeText)
		},
	}
	fl := cmd.Flags()
	a.dataFlags(cmd, &f.data, &f.split)
	fl.StringSliceVar(&f.buckets, "buckets", nil, "files of names: buckets.json, or ADVETA's with rpl or add in their name; repeatable or comma-separated")
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

func (a *app) statistics(f *statsFlags) (*statistics, error) {
	if err := checkData(f.data, f.split); err != nil {
		return nil, err
	}
	units, err := dataset.Units(f.data, f.split, a.report)
	if err != nil {
		return nil, err
	}
	var counter counts.DataCounter
	for _, u := range units {
		counter.Add(u)
	}
	s := &statistics{Data: counter.Data()}
	if len(f.buckets) == 0 {
		return s, nil
	}
	merged, _, err := benchmark.ReadBuckets(f.buckets, units, a.report)
	if err != nil {
		return nil, fmt.Errorf("--buckets: %w", err)
	}
	dbs := dataset.Databases(units)
	replace, add := counts.OfBuckets(dbs, merged, dataset.Replace), counts.OfBuckets(dbs, merged, dataset.Add)
	s.Replace, s.Add = &replace, &add
	return s, nil
}

func (s *statistics) writeText(w io.Writer) error {
	d := s.Data
	fmt.Fprintf(w, "%d databases, %d tables, %d columns (%.2f a table), %d different names of %d words\n",
		d.Databases, d.Tables, d.Columns, d.PerTable, d.UniqueColumns, d.UniqueWords)
	questions := []string{fmt.Sprintf("%d questions", d.Questions)}
	if d.Interactions > 0 {
		questions = append(questions, fmt.Sprintf("%d interactions", d.Interactions))
	}
	if d.Finals > 0 {
		questions = append(questions, fmt.Sprintf("%d final questions", d.Finals))
	}
	fmt.Fprintln(w, strings.Join(questions, ", "))
	if s.Replace == nil {
		return nil
	}
	t := table.New("", "", "columns with names", "a table", "names", "a column", "different names", "words", "of these columns alone", "words")
	for _, row := range []struct {
		side  dataset.Side
		names *counts.Names
	}{{dataset.Replace, s.Replace}, {dataset.Add, s.Add}} {
		n := row.names
		t.Add(strings.ToUpper(string(row.side)), n.Perturbed, fmt.Sprintf("%.2f", n.PerTable), n.Candidates, fmt.Sprintf("%.2f", n.PerColumn), n.UniqueColumns, n.UniqueWords, n.Originals, n.OriginalWords)
	}
	_, err := fmt.Fprint(w, t)
	return err
}
