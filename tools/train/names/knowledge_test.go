//go:build quality

package names_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/nli"
	"github.com/tabperturb/tabperturb/nli/compact"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
	"github.com/tabperturb/tabperturb/tools/train/names"
)

// TestKnowledge prints what the embedded vectors and the embedded model are
// worth, with the goal and the paper's figure beside each. The weights are
// trained anew, which takes minutes: what they say of ADVETA's names is of
// networks that had not seen those, unlike the embedded ones.
func TestKnowledge(t *testing.T) {
	ctx := context.Background()
	model, err := compact.New(compact.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	web := newWeb(t)
	var f figures
	held, unseen := retrained(t, ctx)
	f.adveta(held, unseen)
	f.vectors(t, web)
	f.substitutes(t, ctx, model, web, held)
	f.lexical(t, ctx, model)
	f.sanity(t, ctx, model, web)
	t.Log("\n" + f.String())
	perturbtest.Compare(t, "testdata/knowledge.golden", []byte(f.String()))
	speed(t, ctx, model, web)
}

// figures is the table that TestKnowledge prints, and lists below it.
type figures struct {
	rows  []string
	lists strings.Builder
}

// add notes a figure as format prints it. A goal that the figure misses is
// marked; short says that it does.
func (f *figures) add(test, format string, x float64, goal string, short bool, paper string) {
	mark := ""
	if short {
		mark = "short"
	}
	f.rows = append(f.rows, strings.Join([]string{test, fmt.Sprintf(format, x), goal, mark, paper}, "\t"))
}

// least adds a figure that should be at least goal.
func (f *figures) least(test, format string, x, goal float64, paper string) {
	f.add(test, format, x, "≥ "+fmt.Sprintf(format, goal), x < goal, paper)
}

// most adds a figure that should be at most goal.
func (f *figures) most(test, format string, x, goal float64, paper string) {
	f.add(test, format, x, "≤ "+fmt.Sprintf(format, goal), x > goal, paper)
}

// free adds a figure without a goal.
func (f *figures) free(test, format string, x float64, paper string) {
	f.add(test, format, x, "", false, paper)
}

// list adds a line below the table.
func (f *figures) list(format string, args ...any) { fmt.Fprintf(&f.lists, format+"\n", args...) }

func (f *figures) String() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "test\tfigure\tgoal\t\tthe paper\t")
	for _, r := range f.rows {
		fmt.Fprintln(w, r+"\t")
	}
	w.Flush()
	var out strings.Builder
	for line := range strings.Lines(b.String() + f.lists.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// adveta adds how well networks that had not seen ADVETA's names of a database,
// or of any, tell replacements from distractors.
func (f *figures) adveta(held, unseen []names.Prediction) {
	f.least("ADVETA, area, out of fold by database, three networks of three seeds averaged", "%.3f", names.Area(held), .91, "")
	groups := map[[2]string]map[string]bool{}
	for _, p := range held {
		k := pairKey(p.A, p.B)
		if groups[k] == nil {
			groups[k] = map[string]bool{}
		}
		groups[k][p.Group] = true
	}
	alone := slices.DeleteFunc(slices.Clone(held), func(p names.Prediction) bool { return len(groups[pairKey(p.A, p.B)]) > 1 })
	f.free(fmt.Sprintf("  the %d of %d pairs that one database alone has", len(alone), len(held)), "%.3f", names.Area(alone), "")
	f.least("ADVETA, area, nothing of ADVETA in training", "%.3f", names.Area(unseen), .87, "")
	replace, add := accepted(held)
	f.least("REPLACE at lower ≥ 0.65, precision, out of fold", "%.3f", replace.precision(), .87, "")
	f.least("REPLACE, recall", "%.3f", replace.recall(), .60, "")
	f.least("ADD at higher ≤ 0.45, precision, out of fold", "%.3f", add.precision(), .85, "")
	f.least("ADD, recall", "%.3f", add.recall(), .85, "")
}

// outcome counts names of a bucket, those accepted into it, and those of these
// that are its own.
type outcome struct{ own, accepted, right int }

func (o outcome) precision() float64 { return float64(o.right) / float64(max(o.accepted, 1)) }
func (o outcome) recall() float64    { return float64(o.right) / float64(max(o.own, 1)) }

// accepted applies the paper's rules.
func accepted(predictions []names.Prediction) (replace, add outcome) {
	count := func(o *outcome, own, chosen bool) {
		if own {
			o.own++
		}
		if chosen {
			o.accepted++
		}
		if own && chosen {
			o.right++
		}
	}
	for _, p := range predictions {
		side := nli.Paper().Decide(nli.Entailments{Forward: p.Forward, Backward: p.Backward}).Side
		count(&replace, p.Replaces, side == dataset.Replace)
		count(&add, !p.Replaces, side == dataset.Add)
	}
	return replace, add
}

// Of table 7: the nearest names taken for a column, and the columns drawn.
const (
	nearestNames = 10
	randomNames  = 10
)

// substitutes rebuilds table 7 of appendix B.1: the mean entailment, in percent,
// of ADVETA's columns and three kinds of names for them. Where the paper has the
// nearest multi-grams of Numberbatch this has the nearest headers of TabFact and
// WTQ by the embedded vectors: the table has no vectors of whole names.
func (f *figures) substitutes(t *testing.T, ctx context.Context, model nli.Classifier, web *web, held []names.Prediction) {
	var human means
	for _, p := range held {
		if p.Replaces {
			human.add(p.Forward, p.Backward)
		}
	}
	targets := advetaColumns(t)
	var near, random []nli.Pair
	others := otherColumns(t)
	for _, c := range targets {
		for _, n := range web.nearest(c.column, nearestNames) {
			near = append(near, nli.Pair{Entity: c.entity, Premise: c.column, Hypothesis: n})
		}
		for range randomNames {
			random = append(random, nli.Pair{Entity: c.entity, Premise: c.column, Hypothesis: others.draw(c)})
		}
	}
	n, r := score(t, ctx, model, near), score(t, ctx, model, random)
	h1, h2 := human.percent()
	n1, n2 := n.percent()
	r1, r2 := r.percent()
	f.least("table 7, human names, out of fold: e1", "%.1f", h1, 75, "77.1")
	f.least("  e2", "%.1f", h2, 75, "76.4")
	f.add(fmt.Sprintf("table 7, nearest headers of %d columns: e1", len(targets)), "%.1f", n1, "between", !(r1 < n1 && n1 < h1), "52.2")
	f.add("  e2", "%.1f", n2, "between", !(r2 < n2 && n2 < h2), "58.7")
	f.most("table 7, columns of other databases: e1", "%.1f", r1, 10, "16.5")
	f.most("  e2", "%.1f", r2, 10, "14.8")
}

// means sums entailments of both directions.
type means struct {
	n                 int
	forward, backward float64
}

func (m *means) add(forward, backward float64) {
	m.n++
	m.forward += forward
	m.backward += backward
}

func (m *means) percent() (e1, e2 float64) {
	return 100 * m.forward / float64(m.n), 100 * m.backward / float64(m.n)
}

func score(t *testing.T, ctx context.Context, model nli.Classifier, items []nli.Pair) *means {
	judgments, err := nli.Score(ctx, model, items)
	if err != nil {
		t.Fatal(err)
	}
	m := &means{}
	for _, j := range judgments {
		m.add(j.Forward.Entailment, j.Backward.Entailment)
	}
	return m
}

// column is a column of a database with the table that it is of.
type column struct{ db, entity, column string }

// advetaColumns lists the columns that ADVETA-Spider has replacements for.
func advetaColumns(t *testing.T) []column {
	units := spiderDev(t)
	human := perturbtest.HumanNames(t, units)
	var out []column
	for _, u := range units {
		for ti, table := range u.DB.Tables {
			for ci, c := range table.Columns {
				if len(human[u.DB.ColumnID(dataset.ColumnRef{Table: ti, Column: ci}).Key()].Replace) > 0 {
					out = append(out, column{u.DB.ID, table.Name, c.Name})
				}
			}
		}
	}
	return out
}

// pairKey is a pair either way round, names folded.
func pairKey(a, b string) [2]string {
	a, b = fold(a), fold(b)
	return [2]string{min(a, b), max(a, b)}
}

// fold returns a name's words in lower case and in the singular: names that differ in case, punctuation or number only
// have one form.
func fold(name string) string {
	words := lexicon.Words(name)
	for i, w := range words {
		words[i] = english.Singular(w)
	}
	return strings.Join(words, " ")
}

// spiderDev returns the units of Spider's development set, or skips the test where there is no public data.
func spiderDev(t *testing.T) []*dataset.Unit {
	units, err := dataset.Units(filepath.Dir(shared.File(t, "data", "spider", "dev.json")), "dev", func(err error) {
		if !dataset.IsNote(err) {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// hasLetter reports whether a name has a letter to read.
func hasLetter(name string) bool {
	return strings.ContainsAny(strings.Join(lexicon.Words(name), " "), "abcdefghijklmnopqrstuvwxyz")
}
