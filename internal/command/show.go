package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/report"
)

// defaultShown is how many records of each perturbation are shown.
const defaultShown = 3

type showFlags struct {
	perturb, ids []string
	most         int
	mostSet      bool
}

func (a *app) showCmd() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show BUILD",
		Short: "Records of a build as a diff",
		Long: `show prints records of a build: question and gold SQL before and after, the tables
that changed, and the first rows of those whose cells did. Of each perturbation it shows
-n records, spread evenly, or with --id all that it names:

  12          the records of example 12, the position in the split from 0
  12/0        that of its first sample
  shop        the records of a database, by the db_id before or after

Lines that begin with - are before, those with + after; on a terminal they have colours,
and what differs is underlined (NO_COLOR turns that off).`,
		Example: "  tabperturb show benchmark\n" +
			"  tabperturb show benchmark --perturb adveta/add,drspider -n 1\n" +
			"  tabperturb show benchmark --id 12/0 --json",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.mostSet = cmd.Flags().Changed("number")
			list, err := a.show(cmd.Context(), args[0], &f)
			if err != nil {
				return err
			}
			if a.json {
				return table.JSON(a.stdout, list)
			}
			return a.printShown(list)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.perturb, "perturb", nil, "perturbations or families of the build (default: all); repeatable or comma-separated")
	fl.IntVarP(&f.most, "number", "n", defaultShown, "records of each perturbation; with --id all by default")
	fl.StringSliceVar(&f.ids, "id", nil, "examples, their samples, or databases; repeatable or comma-separated")
	a.jsonFlag(cmd, "print the records as JSON")
	return cmd
}

func (a *app) show(ctx context.Context, build string, f *showFlags) ([]report.Shown, error) {
	if f.most < 1 {
		return nil, fmt.Errorf("-n %d: expected 1 or more", f.most)
	}
	if !benchmark.IsBuild(build) {
		return nil, fmt.Errorf("%s: holds no build, expected a folder that build wrote", build)
	}
	m, err := benchmark.ReadManifest(build)
	if err != nil {
		return nil, err
	}
	_, built, err := readBuild(build, f.perturb)
	if err != nil {
		return nil, err
	}
	wanted := report.Wanted{IDs: f.ids, Most: f.most}
	if len(f.ids) > 0 && !f.mostSet {
		wanted.Most = 0
	}
	for _, r := range built {
		wanted.Perturbations = append(wanted.Perturbations, r.Name)
	}
	return report.Show(ctx, build, m, wanted, a.report)
}

// printShown prints records; all their texts are free of control characters.
func (a *app) printShown(list []report.Shown) error {
	w := bufio.NewWriter(a.stdout)
	p := shownPrinter{w, a.colours()}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		p.record(&list[i])
	}
	return w.Flush()
}

// The colours of a diff: of lines before and after, and of what differs in them.
const (
	red, green = "31", "32"
	underlined = "4"
)

type shownPrinter struct {
	w       io.Writer
	colours bool
}

// styled writes a text in a style of the terminal.
func (p *shownPrinter) styled(text string, style ...string) string {
	if !p.colours || len(style) == 0 {
		return text
	}
	return "\x1b[" + strings.Join(style, ";") + "m" + text + "\x1b[0m"
}

// labelWidth is that of the words before the texts.
const labelWidth = 9

func (p *shownPrinter) record(r *report.Shown) {
	db := r.DB
	if r.DBPost != r.DB {
		db += " → " + r.DBPost
	}
	fmt.Fprintf(p.w, "%s  example %d, sample %d, %s\n", p.styled(r.Perturbation, "1"), r.Example, r.Sample, db)
	for _, c := range r.Changes {
		what, isTable := strings.CutPrefix(c.What, "table ")
		if isTable {
			what = "table"
		} else if what == "order of tables" {
			what = "tables"
		}
		if c.Same() {
			p.line(" ", what, c.Before, "")
			continue
		}
		p.line("-", what, c.Before, red)
		p.line("+", what, c.After, green)
		if isTable {
			p.rows(r, strings.TrimPrefix(c.What, "table "))
		}
	}
	if r.RowsProblem != "" {
		fmt.Fprintf(p.w, "  %-*s %s\n", labelWidth, "rows", "not shown: "+r.RowsProblem)
	}
}

// line prints one side of a change; one that has no text, as of a table that is new, is none.
func (p *shownPrinter) line(mark, what string, spans []report.Span, colour string) {
	if len(spans) == 0 {
		return
	}
	fmt.Fprintf(p.w, "%s %-*s ", p.styled(mark, colour), labelWidth, what)
	for _, s := range spans {
		switch {
		case s.Changed:
			fmt.Fprint(p.w, p.styled(s.Text, colour, underlined))
		case colour != "":
			fmt.Fprint(p.w, p.styled(s.Text, colour))
		default:
			fmt.Fprint(p.w, s.Text)
		}
	}
	fmt.Fprintln(p.w)
}

// rows prints the rows of a table, if they are shown.
func (p *shownPrinter) rows(r *report.Shown, name string) {
	for _, rows := range r.Rows {
		if rows.Table != name {
			continue
		}
		for _, side := range []struct {
			mark, colour string
			rows         [][]string
		}{{"-", red, rows.Before}, {"+", green, rows.After}} {
			for _, cells := range side.rows {
				p.line(side.mark, "row", []report.Span{{Text: strings.Join(cells, " | ")}}, side.colour)
			}
		}
	}
}
