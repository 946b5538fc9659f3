package defence

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/tabperturb/tabperturb/evaluate/linking"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Set is a set of questions with their number.
type Set struct {
	Name      string `json:"name"`
	Questions int    `json:"questions"`
}

// Row is what linkers reach that were trained on the same data.
type Row struct {
	Data    string           `json:"data"`
	Covered int              `json:"covered"` // questions with a perturbed one
	Columns []stats.Estimate `json:"columns"` // by set: F1, mean over seeds
	Tables  []stats.Estimate `json:"tables"`
	// Columns and Tables by set: against the originals, on the same questions and seeds.
	ColumnGain []stats.Estimate `json:"column_gain"`
	TableGain  []stats.Estimate `json:"table_gain"`
	// WonBack is the share of what the first attack costs linkers of originals in columns that
	// this data wins back.
	WonBack stats.Estimate `json:"won_back"`

	tallies [][]*linking.Tally  // by seed, set
	scores  [][][]linking.Score // by seed, set, database
}

// Test compares two rows under an attack.
type Test struct {
	Data    string         `json:"data"`
	Against string         `json:"against"`
	Set     string         `json:"set"`
	Gain    stats.Estimate `json:"gain"` // of the column F1
	Differs bool           `json:"differs"`
}

// Settings are those of a comparison that its figures depend on.
type Settings struct {
	Seeds      int     `json:"seeds"`
	Samples    int     `json:"samples"`
	Epochs     int     `json:"epochs"`
	Weight     float64 `json:"weight"`
	Rounds     int     `json:"rounds"`
	Candidates int     `json:"candidates"`
	Seed       uint64  `json:"seed"`
	Databases  int     `json:"databases"` // trained on
	Asked      int     `json:"asked"`     // databases that are asked about
	Given
}

// Given describes the inputs of a comparison, for readers of its table.
type Given struct {
	Names  string `json:"names"`  // that CTA's row is trained on
	Attack string `json:"attack"` // names that attack
	NLI    string `json:"nli"`    // by which CTA finds names and linkers compare words
	Masked string `json:"masked,omitempty"`
}

// Table is what was compared.
type Table struct {
	Settings
	Sets  []Set  `json:"sets"`
	Rows  []Row  `json:"rows"`
	Tests []Test `json:"tests"`
	// Missing lists sources that are left out, and why.
	Missing []string `json:"missing,omitempty"`
}

// kind selects the counts of columns or of tables.
type kind func(linking.Score) linking.Counts

// columns and tables are the kinds.
func columns(d linking.Score) linking.Counts { return d.Columns }

// tables returns the counts of the links to tables.
func tables(d linking.Score) linking.Counts { return d.Tables }

// count sets the scores of a row from its tallies: by seed, set and database, in the order of databases. A database without questions
// in a set has zero scores.
func (r *Row) count(databases []string) {
	r.scores = make([][][]linking.Score, len(r.tallies))
	for seed, tallies := range r.tallies {
		r.scores[seed] = make([][]linking.Score, len(tallies))
		for set, t := range tallies {
			scores := make([]linking.Score, len(databases))
			for _, d := range t.Databases() {
				scores[slices.Index(databases, d.DB)] = d.Score
			}
			r.scores[seed][set] = scores
		}
	}
}

// drawn holds how often a bootstrap sample takes each database and each seed.
type drawn struct{ databases, seeds []int }

// mean returns the F1 of a row on a set in a bootstrap sample: for each seed the F1 over the drawn databases, then the mean over the
// drawn seeds.
func (r *Row) mean(set int, counts kind, d drawn) float64 {
	sum := 0.0
	for seed, sets := range r.scores {
		if d.seeds[seed] == 0 {
			continue
		}
		var c linking.Counts
		for i, score := range sets[set] {
			c.Add(counts(score), d.databases[i])
		}
		sum += float64(d.seeds[seed]) * c.F1()
	}
	return sum / float64(len(r.scores)) // as many seeds are drawn as there are
}

// estimate returns a statistic with its bootstrap interval over databases and seeds. f computes the statistic of a sample, in which
// linkers of different rows with the same seed are drawn together.
func (t *Table) estimate(databases []string, f func(drawn) float64) stats.Estimate {
	return stats.Bootstrap{Seed: 1, Draws: 10_000}.EstimateCrossed(len(databases), t.Seeds, func(times, seeds []int) float64 {
		return f(drawn{times, seeds})
	})
}

// compare computes the figures of all rows, each with an interval by samples drawn of databases and seeds, and the tests between all pairs
// of rows under each attack. The first row is trained on the originals alone; set 0 is unperturbed, set 1 the first attack.
func (t *Table) compare(databases []string) {
	for i := range t.Rows {
		t.Rows[i].count(databases)
	}
	first := &t.Rows[0]
	for i := range t.Rows {
		r := &t.Rows[i]
		for s := range t.Sets {
			for _, k := range []struct {
				counts      kind
				value, gain *[]stats.Estimate
			}{{columns, &r.Columns, &r.ColumnGain}, {tables, &r.Tables, &r.TableGain}} {
				*k.value = append(*k.value, t.estimate(databases, func(d drawn) float64 { return r.mean(s, k.counts, d) }))
				*k.gain = append(*k.gain, t.estimate(databases, func(d drawn) float64 {
					return r.mean(s, k.counts, d) - first.mean(s, k.counts, d)
				}))
			}
		}
		r.WonBack = t.estimate(databases, func(d drawn) float64 { // the gain under the attack, as a share of what the attack costs
			was := first.mean(1, columns, d)
			return (r.mean(1, columns, d) - was) / (first.mean(0, columns, d) - was)
		})
	}
	for i := 1; i < len(t.Rows); i++ {
		for j := range i {
			for s := 1; s < len(t.Sets); s++ {
				t.Tests = append(t.Tests, t.test(&t.Rows[i], &t.Rows[j], s, databases))
			}
		}
	}
}

// test compares the column F1 of two rows on a set. They differ if the interval of the gain does not hold 0.
func (t *Table) test(a, b *Row, set int, databases []string) Test {
	gain := t.estimate(databases, func(d drawn) float64 {
		return a.mean(set, columns, d) - b.mean(set, columns, d)
	})
	return Test{a.Data, b.Data, t.Sets[set].Name, gain, gain.Low > 0 || gain.High < 0}
}

// Write writes the table as text, and sentences with its conclusions.
func (t *Table) Write(w io.Writer) error {
	heads := []string{"trained on", "perturbed"}
	for _, kind := range []string{"col", "tab"} {
		for _, s := range t.Sets {
			heads = append(heads, kind+" "+s.Name)
		}
	}
	out := table.New("", append(heads, "won back")...)
	for i, r := range t.Rows {
		cells := []any{r.Data, r.Covered}
		for _, e := range slices.Concat(r.Columns, r.Tables) {
			cells = append(cells, e.Percent())
		}
		won := "-" // for the originals
		if i > 0 {
			won = r.WonBack.Percent()
		}
		out.Add(append(cells, won)...)
	}
	if _, err := fmt.Fprint(w, out); err != nil {
		return err
	}
	over := "databases and seeds"
	if t.Seeds == 1 {
		over = "databases"
	}
	fmt.Fprintf(w, "\nDatabases to train on: %d, asked about: %d. F1 in percent, mean of %d seeds by --seed %d, with its 95%% interval over %s; %d samples of each question under an attack.\n", t.Databases, t.Asked, t.Seeds, t.Seed, over, t.Samples)
	fmt.Fprintf(w, "Each row has the originals and as many examples beside them, which count %v each, for %d epochs: perturbed ones, and originals again where there are none.\n", t.Weight, t.Epochs)
	fmt.Fprintf(w, "Names that CTA's row is trained on: %s. Names that attack: %s. NLI model: %s.\n", t.Names, t.Attack, t.NLI)
	if t.Rounds > 0 {
		fmt.Fprintf(w, "Own attacks: the worst of %d versions by each perturbation.\n", t.Candidates)
	}
	fmt.Fprintf(w, "won back: the share of what %s costs linkers of originals in columns.\n", t.Sets[1].Name)
	for _, m := range t.Missing {
		fmt.Fprintln(w, m)
	}
	fmt.Fprintln(w)
	return t.writeConclusions(w)
}

// writeConclusions writes a sentence for each row and set: does its training data help, compared with the originals? Then it writes
// the paired tests between the other rows.
func (t *Table) writeConclusions(w io.Writer) error {
	for _, r := range t.Rows[1:] {
		for s := range t.Sets {
			g := r.ColumnGain[s]
			verdict := "does not differ from originals alone"
			switch {
			case g.Low > 0:
				verdict = "helps"
			case g.High < 0:
				verdict = "does harm"
			}
			fmt.Fprintf(w, "%s on %s: %s in columns (%s points).\n", r.Data, t.Sets[s].Name, verdict, g.Points())
		}
	}
	tests := table.New(fmt.Sprintf("paired, columns, each of %d tests by itself", len(t.Tests)), "trained on", "against", "on", "points", "differs")
	for _, x := range t.Tests {
		if x.Against != t.Rows[0].Data { // the sentences compare with the first row
			tests.Add(x.Data, x.Against, x.Set, x.Gain.Points(), yes(x.Differs))
		}
	}
	if len(tests.Rows) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s", tests)
	return err
}

// yes returns "yes" or "no".
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// shades are the colours of the sets in a drawing, distinct also in print.
var shades = []color.Color{color.Gray{60}, color.RGBA{70, 120, 180, 255}, color.RGBA{220, 140, 60, 255}, color.RGBA{120, 170, 110, 255}}

// Plot writes the F1 of columns as a drawing in SVG: a group of bars for each training set.
func (t *Table) Plot(w io.Writer) error {
	p := plot.New()
	p.Title.Text = "Column F1 by training data"
	p.Y.Label.Text = "F1 in percent"
	p.Y.Min = 0
	p.Legend.Top = true
	width := vg.Points(60 / float64(len(t.Sets)))
	for s, set := range t.Sets {
		values := make(plotter.Values, len(t.Rows))
		for i, r := range t.Rows {
			values[i] = 100 * float64(r.Columns[s].Value)
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		bars.Offset = width * vg.Length(s) * 1.1
		bars.Color = shades[s%len(shades)]
		p.Add(bars)
		p.Legend.Add(set.Name, bars)
	}
	p.NominalX(lists.Map(t.Rows, func(r Row) string { return r.Data })...)
	p.X.Tick.Label.Rotation = .4
	p.X.Tick.Label.XAlign = -1
	out, err := p.WriterTo(vg.Points(110*float64(len(t.Rows))), vg.Points(360), "svg")
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}
